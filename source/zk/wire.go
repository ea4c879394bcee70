package zk

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
	"sync"
	"time"
)

// hosts hands out the servers in turn. Names are resolved at each dial, so a server may move.
type hosts struct {
	ctx context.Context // the client's life

	mu      sync.Mutex
	servers []string
	tried   int // since the last contact
}

// Init implements the library's host provider; the library shuffled the servers already.
func (h *hosts) Init(servers []string) error {
	h.servers = servers
	return nil
}

// Len implements the library's host provider.
func (h *hosts) Len() int { return len(h.servers) }

// Next implements the library's host provider. When told that a round is over the library waits for a second,
// and only then it notices that it was closed and drops requests that nobody can answer. We pause by ourselves, for less, so
// it is told so at the end and once in a while.
func (h *hosts) Next() (server string, roundOver bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	server = h.servers[h.tried%len(h.servers)]
	h.tried++
	return server, h.ctx.Err() != nil || h.tried%(tellEach*len(h.servers)) == 0
}

// Connected implements the library's host provider.
func (h *hosts) Connected() {
	h.mu.Lock()
	defer h.mu.Unlock()
	// The server that answered is asked last: when contact breaks it is the one that may be down.
	last := (h.tried - 1) % len(h.servers)
	h.servers = append(slices.Clone(h.servers[last+1:]), h.servers[:last+1]...)
	h.tried = 0
}

const (
	tellEach   = 8
	firstPause = 25 * time.Millisecond
	lastPause  = time.Second
)

// pause is how long to wait before the next attempt: not at all in the first round after a contact, then twice as
// long each round, with a random part so that a fleet does not come back all at once.
func (h *hosts) pause() time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	round := (h.tried - 1) / max(1, len(h.servers))
	if round <= 0 {
		return 0
	}
	d := min(firstPause<<min(round, 10), lastPause)
	return d/2 + rand.N(d/2)
}

// dialer opens connections for the client library and keeps hold of the last one.
type dialer struct {
	ctx       context.Context // the client's life: ends a dial that hangs
	hosts     *hosts
	handshake time.Duration
	limit     int
	dial      func(ctx context.Context, network, address string) (net.Conn, error)

	mu   sync.Mutex
	last *guarded
}

func (d *dialer) open(network, address string, _ time.Duration) (net.Conn, error) {
	if pause := d.hosts.pause(); pause > 0 && !sleep(d.ctx, nil, pause) {
		return nil, context.Cause(d.ctx)
	}
	ctx, cancel := context.WithTimeout(d.ctx, d.handshake)
	defer cancel()
	c, err := d.dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.last != nil {
		_ = d.last.Close() // the library forgets to, when a session expired
	}
	d.last = &guarded{Conn: c, handshake: d.handshake, limit: d.limit, first: true, rewatched: make(chan struct{})}
	return d.last, nil
}

// rewatched returns a channel that is closed when the library asked, on the present connection, for the watches of the last.
func (d *dialer) rewatched() <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.last == nil {
		return nil
	}
	return d.last.rewatched
}

// hangUp ends the present connection.
func (d *dialer) hangUp() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.last != nil {
		_ = d.last.Close()
	}
}

var errFrame = errors.New("not a ZooKeeper server, or a broken one")

// Sizes of answers. The first answer on a connection is that to the connect request, later ones have a
// header of 16 bytes; the library reads out of bounds when they are shorter.
const (
	minHandshake = 20
	maxHandshake = 1 << 10
	minAnswer    = 16
)

// guarded is a connection that does not wait for ever for the first answer (the library would wait for ten
// times its usual time) and that lets no frame of an impossible size through. The library reads from one
// goroutine at a time.
type guarded struct {
	net.Conn
	handshake time.Duration
	limit     int

	first  bool
	header [4]byte
	have   int    // bytes of header that were read
	body   int    // bytes of the frame that are still to come
	answer []byte // of the first frame

	rewatched chan struct{} // closed by the first setWatches request
	once      sync.Once
}

// SetReadDeadline implements net.Conn. Until the first answer has come no later deadline than the handshake's is set.
func (g *guarded) SetReadDeadline(t time.Time) error {
	if g.first {
		if latest := time.Now().Add(g.handshake); t.IsZero() || t.After(latest) {
			t = latest
		}
	}
	return g.Conn.SetReadDeadline(t)
}

const opSetWatches = 101

// Write implements net.Conn. The library writes one whole request at a time: length, number, operation, rest.
func (g *guarded) Write(p []byte) (int, error) {
	if len(p) >= 12 && binary.BigEndian.Uint32(p[8:]) == opSetWatches {
		defer g.once.Do(func() { close(g.rewatched) })
	}
	return g.Conn.Write(p)
}

// greeted checks the answer to the connect request: protocol version, timeout, session id, and a password
// whose length the library would believe and allocate.
func (g *guarded) greeted() error {
	a := g.answer
	g.first, g.answer = false, nil
	if size := int64(binary.BigEndian.Uint32(a[minHandshake-4:])); size > int64(len(a)-minHandshake) {
		return fmt.Errorf("%w: a session password of %d bytes", errFrame, size)
	}
	return nil
}

// Read implements net.Conn. It never reads over the end of a frame.
func (g *guarded) Read(p []byte) (int, error) {
	if g.body > 0 {
		n, err := g.Conn.Read(p[:min(len(p), g.body)])
		g.body -= n
		if g.first {
			if g.answer = append(g.answer, p[:n]...); g.body == 0 {
				return n, errors.Join(err, g.greeted())
			}
		}
		return n, err
	}
	n, err := g.Conn.Read(p[:min(len(p), len(g.header)-g.have)])
	copy(g.header[g.have:], p[:n])
	if g.have += n; g.have < len(g.header) || err != nil {
		return n, err
	}
	g.have = 0
	size := int64(binary.BigEndian.Uint32(g.header[:]))
	lowest, highest := int64(minAnswer), int64(g.limit)
	if g.first {
		lowest, highest = minHandshake, maxHandshake
	}
	if size < lowest || size > highest {
		return 0, fmt.Errorf("%w: an answer of %d bytes, expected %d to %d", errFrame, size, lowest, highest)
	}
	g.body = int(size)
	return n, nil
}
