package dubbo

import (
	"context"
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
	return &serverConn{server: s, net: nc, remote: nc.RemoteAddr(), from: nc.RemoteAddr().String(), out: newOutbox(s.options.MaxQueued), born: time.Now()}
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
			ctx.finish(context.Canceled)
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

func (c *serverConn) read() error {
	frames := newFrameReader(c.net, c.server.options.MaxBody)
	for {
		h, body, owned, err := frames.next()
		if err != nil {
			return err
		}
		now := int64(time.Since(c.born))
		c.lastFrame.Store(now)
		switch {
		case !h.Request: // the answer to our heartbeat; nothing else is asked of clients
		case h.Event:
			if h.TwoWay {
				c.out.put(heartbeatReply(nil, h.ID), true)
			}
		default:
			c.lastRequest.Store(now)
			c.request(h, body, owned)
		}
	}
}

// request reads the head of a request and hands it to the executor. When the connection's responses are not read by
// the client, refusals block here, and so nothing more is read from it.
func (c *serverConn) request(h Header, body []byte, owned bool) {
	switch {
	case c.server.refusing.Load():
		c.refuse(h, StatusChannelInactive, "the provider is shutting down")
		return
	case h.Serialization != serialHessian2:
		c.refuse(h, StatusBadRequest, fmt.Sprintf("the request is in %s, which is not supported: set serialization=hessian2 (and prefer.serialization=hessian2) for this service", serializationName(h.Serialization)))
		return
	case c.inFlight.Load() >= int64(c.server.options.MaxInFlight):
		c.refuse(h, StatusExhausted, fmt.Sprintf("%d requests of this connection are in flight, the limit (MaxInFlight)", c.server.options.MaxInFlight))
		return
	}
	w := c.server.work.Get().(*serverWork)
	w.header, w.conn = h, c
	if owned {
		w.body = body
	} else {
		w.body = append(w.body[:0], body...)
	}
	c.inFlight.Add(1)
	if !c.server.exec.submit(w) {
		c.refuse(h, StatusExhausted, fmt.Sprintf("%d requests are in flight on the provider, the limit (MaxConcurrent)", c.server.options.MaxConcurrent))
		c.inFlight.Add(-1)
		w.release()
	}
}

func (c *serverConn) refuse(h Header, s Status, text string) {
	if h.TwoWay {
		c.out.put(statusFrame(nil, h.ID, s, text), true)
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
