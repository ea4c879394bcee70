package zk_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/internal/zktest"
	"github.com/dubway-go/dubway/source/sourcetest"
	"github.com/dubway-go/dubway/source/zk"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestContract(t *testing.T) {
	server := zktest.Start(t)
	var worlds atomic.Int32
	sourcetest.Run(t, func(t *testing.T) sourcetest.World {
		address := fmt.Sprintf("zookeeper://%s?group=g%d&namespace=g%[2]d", server.Address(), worlds.Add(1))
		w := &wire{}
		near := open(t, address, zk.Options{Dial: w.dial, SessionTimeout: 4 * time.Second})
		far := open(t, address, zk.Options{})
		return sourcetest.World{
			Registry: near, Registrar: near, Lister: near, Config: near.Rules(), Rules: near,
			Break: w.cut, Restore: w.mend,
			Expire: func() {
				w.cut()
				w.endSession(t, server.Address())
				w.mend()
			},
			Far: far.Rules(), FarRegistrar: far,
		}
	})
}

func open(t *testing.T, address string, o zk.Options) *zk.Client {
	t.Helper()
	if o.DialTimeout == 0 {
		o.DialTimeout = 20 * time.Second
	}
	c, err := zk.Open(t.Context(), address, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func parse(t *testing.T, text string) durl.URL {
	t.Helper()
	u, err := durl.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// wire is the way to the server: it can be cut, and it remembers the session that it carried.
type wire struct {
	mu      sync.Mutex
	broken  bool
	conns   map[net.Conn]bool
	session []byte // id and password as the server sent them
}

func (w *wire) dial(ctx context.Context, network, address string) (net.Conn, error) {
	w.mu.Lock()
	broken := w.broken
	w.mu.Unlock()
	if broken {
		return nil, fmt.Errorf("the wire to %s is cut", address)
	}
	c, err := (&net.Dialer{}).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.conns == nil {
		w.conns = make(map[net.Conn]bool)
	}
	w.conns[c] = true
	return &tapped{Conn: c, w: w}, nil
}

func (w *wire) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.broken = true
	for c := range w.conns {
		_ = c.Close()
	}
	clear(w.conns)
}

func (w *wire) mend() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.broken = false
}

// tapped notes the answer to the connect request: length, version, timeout, session id, password.
type tapped struct {
	net.Conn
	w    *wire
	seen []byte
}

const connectAnswer = 4 + 4 + 4 + 8 + 4 + 16

func (c *tapped) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if len(c.seen) < connectAnswer {
		c.seen = append(c.seen, p[:n]...)
		if len(c.seen) >= connectAnswer {
			c.w.mu.Lock()
			c.w.session = c.seen[12:connectAnswer]
			c.w.mu.Unlock()
		}
	}
	return n, err
}

// endSession ends the session from another connection, as the server does when it expires.
func (w *wire) endSession(t *testing.T, address string) {
	t.Helper()
	w.mu.Lock()
	session := w.session
	w.mu.Unlock()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	_ = c.SetDeadline(time.Now().Add(10 * time.Second))
	request := binary.BigEndian.AppendUint32(nil, 4+8+4+8+4+16)
	request = append(request, make([]byte, 4+8)...)               // version, last zxid
	request = binary.BigEndian.AppendUint32(request, 4000)        // timeout
	request = append(request, session...)                         // id, password with its length
	closing := binary.BigEndian.AppendUint32(nil, 8)              // length
	closing = binary.BigEndian.AppendUint32(closing, 1)           // xid
	closing = binary.BigEndian.AppendUint32(closing, ^uint32(10)) // -11, close
	if _, err := c.Write(request); err != nil {
		t.Fatal(err)
	}
	if _, err := io.CopyN(io.Discard, c, connectAnswer); err != nil {
		t.Fatalf("resume the session: %v", err)
	}
	if _, err := c.Write(closing); err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, c) // until the server closed it: the session is gone
}

func TestOpenSaysWhyThereIsNoContact(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	_ = l.Close() // nobody listens there now
	_, err = zk.Open(t.Context(), "zookeeper://"+address, zk.Options{DialTimeout: 100 * time.Millisecond})
	if err == nil {
		t.Fatal("no error")
	}
	for _, part := range []string{address, "connection refused", "check that a server runs there"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q does not say %q", err, part)
		}
	}
}
