package dubbo

import (
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dubway-go/dubway/hessian"
)

// serverConn is one accepted connection: a reader, a writer; requests run on the server's executor.
type serverConn struct {
	server *Server
	net    net.Conn
	remote net.Addr
	from   string // remote as text
	out    *outbox
	heads  *recurring[requestHead]
	tails  *recurring[requestTail]

	// Of the reader:
	codec *serverCodec
	now   time.Duration // since born, of the last read
	batch []serverWork  // requests that it has not submitted yet

	born        time.Time
	lastFrame   atomic.Int64 // since born
	lastRequest atomic.Int64
	inFlight    atomic.Int64
	ended       atomic.Bool

	failing  sync.Once
	mu       sync.Mutex
	beat     *time.Timer
	nextBeat time.Duration
	watched  map[*callContext]struct{}
}

func newServerConn(s *Server, nc net.Conn) *serverConn {
	return &serverConn{
		server: s, net: nc, remote: nc.RemoteAddr(), from: nc.RemoteAddr().String(), out: newOutbox(s.options.MaxQueued), born: time.Now(),
		heads: newRecurring[requestHead](), tails: newRecurring[requestTail](), codec: newServerCodec(&s.options),
	}
}

// start runs the two goroutines that accept has counted.
func (c *serverConn) start() {
	go func() {
		defer c.server.running.Done()
		c.fail(c.read())
	}()
	go func() {
		defer c.server.running.Done()
		if err := c.out.loop(c.net, c.server.options.WriteTimeout); err != nil {
			c.fail(fmt.Errorf("write: %w", err))
			return
		}
		// All is flushed. Half-close, so that the client reads its last responses before the end.
		if half, ok := c.net.(interface{ CloseWrite() error }); ok && !c.ended.Load() {
			if half.CloseWrite() == nil && c.net.SetReadDeadline(time.Now().Add(lingerTime)) == nil {
				return
			}
		}
		c.fail(ErrServerClosed)
	}()
	if every := c.server.options.Heartbeat; every > 0 {
		c.mu.Lock()
		if !c.ended.Load() {
			c.beat = time.AfterFunc(every/missedHeartbeats, c.heartbeat)
		}
		c.mu.Unlock()
	}
}

// hangUp flushes what is queued and ends the connection.
func (c *serverConn) hangUp() { c.out.close(true) }

func (c *serverConn) idle() bool { return c.ended.Load() || c.inFlight.Load() == 0 }

func (c *serverConn) quiet() bool {
	return c.ended.Load() || c.idle() && time.Since(c.born)-time.Duration(c.lastRequest.Load()) >= quietTime
}

// fail ends the connection. The calls that run have their contexts canceled; their responses go nowhere.
func (c *serverConn) fail(err error) {
	c.failing.Do(func() {
		c.mu.Lock()
		c.ended.Store(true)
		if c.beat != nil {
			c.beat.Stop()
		}
		watched := make([]*callContext, 0, len(c.watched))
		for ctx := range c.watched {
			watched = append(watched, ctx)
		}
		c.mu.Unlock()
		c.out.close(false)
		_ = c.net.Close()
		for _, ctx := range watched {
			ctx.finish(endCanceled)
		}
		c.server.forget(c)
		switch {
		case errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, ErrServerClosed):
		case errors.Is(err, ErrFrame):
			c.server.options.Logger.Warn("connection closed", "remote", c.remote, "error", err)
		default:
			c.server.options.Logger.Debug("connection closed", "remote", c.remote, "error", err)
		}
	})
}

// watch registers a context that somebody waits on; false when the connection has ended.
func (c *serverConn) watch(ctx *callContext) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended.Load() {
		return false
	}
	if c.watched == nil {
		c.watched = make(map[*callContext]struct{})
	}
	c.watched[ctx] = struct{}{}
	return true
}

func (c *serverConn) unwatch(ctx *callContext) {
	c.mu.Lock()
	delete(c.watched, ctx)
	c.mu.Unlock()
}

// maxBatch is how many requests the reader decodes before it hands them to the executor.
const maxBatch = 16

// Read is the reader's view of the socket. Whoever reads may wait, so what was decoded goes to the executor first, all at once. The time
// of an arrival is taken here: once for all that came together.
func (c *serverConn) Read(b []byte) (int, error) {
	c.submit()
	n, err := c.net.Read(b)
	c.now = time.Since(c.born)
	return n, err
}

func (c *serverConn) read() error {
	defer c.submit()
	frames := newFrameReader(c, c.server.options.MaxBody)
	stamped, requested := time.Duration(-1), time.Duration(-1)
	for {
		h, body, owned, err := frames.next()
		if err != nil {
			return err
		}
		if c.now != stamped {
			stamped = c.now
			c.lastFrame.Store(int64(stamped))
		}
		switch {
		case !h.Request: // the answer to our heartbeat; nothing else is asked of clients
		case h.Event:
			if h.TwoWay {
				c.out.put(heartbeatReply(nil, h.ID), true)
			}
		default:
			if c.now != requested {
				requested = c.now
				c.lastRequest.Store(int64(requested))
			}
			c.request(h, body, owned)
		}
	}
}

// request reads a request, or leaves that to a worker, and hands it to the executor. When the connection's responses are not read by
// the client, refusals block here, and so nothing more is read from it.
func (c *serverConn) request(h Header, body []byte, owned bool) {
	switch {
	case c.server.refusing.Load():
		c.refuse(h.ID, h.TwoWay, StatusChannelInactive, "the provider is shutting down")
		return
	case h.Serialization != serialHessian2:
		c.refuse(h.ID, h.TwoWay, StatusBadRequest, fmt.Sprintf("the request is in %s, which is not supported: set serialization=hessian2 (and prefer.serialization=hessian2) for this service", serializationName(h.Serialization)))
		return
	case c.inFlight.Load() >= int64(c.server.options.MaxInFlight):
		c.refuse(h.ID, h.TwoWay, StatusExhausted, fmt.Sprintf("%d requests of this connection are in flight, the limit (MaxInFlight)", c.server.options.MaxInFlight))
		return
	}
	c.inFlight.Add(1)
	c.batch = append(c.batch, serverWork{conn: c, id: h.ID, twoWay: h.TwoWay, arrived: c.now})
	if w := &c.batch[len(c.batch)-1]; !w.decodePlain(c.codec, body) {
		w.hold(c.server, body, owned)
	}
	if len(c.batch) >= maxBatch {
		c.submit()
	}
}

// submit hands what was decoded to the executor.
func (c *serverConn) submit() {
	if len(c.batch) == 0 {
		return
	}
	n := c.server.exec.submit(c.batch)
	for i := range c.batch[n:] {
		w := &c.batch[n+i]
		c.refuse(w.id, w.twoWay, StatusExhausted, fmt.Sprintf("%d requests are in flight on the provider, the limit (MaxConcurrent)", c.server.options.MaxConcurrent))
		c.inFlight.Add(-1)
		w.drop()
	}
	clear(c.batch)
	c.batch = c.batch[:0]
}

func (c *serverConn) refuse(id int64, twoWay bool, s Status, text string) {
	if twoWay {
		c.out.put(statusFrame(nil, id, s, text), true)
	}
}

// statusFrame is a response that failed: its body is a text.
func statusFrame(dst []byte, id int64, s Status, text string) []byte {
	at := len(dst)
	dst = AppendHeader(dst, Header{Serialization: serialHessian2, Status: s, ID: id})
	dst = hessian.AppendString(dst, text)
	patchLength(dst[at:])
	return dst
}

// heartbeat is that of conn, but counts whole frames: a client that dribbles bytes is not alive.
func (c *serverConn) heartbeat() {
	every := c.server.options.Heartbeat
	now := time.Since(c.born)
	idle := now - time.Duration(c.lastFrame.Load())
	if idle >= missedHeartbeats*every && c.inFlight.Load() == 0 {
		c.fail(fmt.Errorf("nothing was heard from the client for %v", idle.Round(time.Millisecond)))
		return
	}
	if idle >= every && now >= c.nextBeat {
		c.nextBeat = now + every
		c.out.put(appendEvent(nil, Header{Request: true, TwoWay: true, ID: int64(now)}, heartbeatBody), false)
	}
	c.mu.Lock()
	if !c.ended.Load() {
		c.beat.Reset(every / missedHeartbeats)
	}
	c.mu.Unlock()
}
