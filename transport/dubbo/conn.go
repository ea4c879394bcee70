package dubbo

import (
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

var (
	errTimeout     = errors.New("no response in time")
	errClientClose = errors.New("the client is closed")
	errDrained     = errors.New("the connection was closed because its provider left the list")
)

// missedHeartbeats is after how many heartbeat intervals without a byte a connection counts as dead; Dubbo's rule.
const missedHeartbeats = 3

// conn is one client connection: a reader, a writer and the table of calls between them.
type conn struct {
	net     net.Conn
	options *ClientOptions
	pending *pendingTable
	out     *outbox
	// readOnly is set when the provider announced that it goes away.
	readOnly atomic.Bool

	born     time.Time
	lastRead atomic.Int64 // since born
	nextBeat atomic.Int64
	oneWay   atomic.Int64

	failing sync.Once
	beat    *time.Timer
	limit   *time.Timer // of a drain
	timers  sync.Mutex
	dead    bool
	onLost  func(*conn, error)
}

// newConn wraps nc; onLost is called once when it has ended.
func newConn(nc net.Conn, o *ClientOptions, onLost func(*conn, error)) *conn {
	return &conn{
		net: nc, options: o, onLost: onLost, born: time.Now(),
		pending: newPendingTable(o.MaxInFlight, errTimeout),
		out:     newOutbox(o.MaxQueued),
	}
}

// start runs the reader, the writer and the heartbeats; running counts the goroutines.
func (c *conn) start(running *sync.WaitGroup) {
	running.Go(func() { c.fail(c.read()) })
	running.Go(func() {
		err := c.out.loop(c.net, c.options.WriteTimeout)
		if err == nil {
			err = errDrained
		} else {
			err = fmt.Errorf("write: %w", err)
		}
		c.fail(err)
	})
	if c.options.Heartbeat <= 0 {
		return
	}
	c.timers.Lock()
	if !c.dead {
		c.beat = time.AfterFunc(c.options.Heartbeat/missedHeartbeats, c.heartbeat)
	}
	c.timers.Unlock()
}

// errConnEnded tells that a call was not sent because the connection ended, or takes no more, meanwhile.
var errConnEnded = errors.New("the connection ended before the call was sent")

// send queues a request, whose id it sets. For a two-way call it returns the id under which w waits; timeout <= 0 leaves its end to
// the caller's context.
func (c *conn) send(w *clientCall, frame []byte, oneWay bool, timeout time.Duration) (int64, error) {
	var id int64
	if oneWay {
		id = c.oneWay.Add(-1) // ids of its own: nothing will be looked up under it
	} else {
		var r addResult
		switch id, r = c.pending.add(&w.pendingCall, timeout); r {
		case addFull:
			return 0, fmt.Errorf("%d calls wait on the connection, the limit (MaxInFlight)", c.pending.max)
		case addClosed:
			return 0, errConnEnded
		}
	}
	patchID(frame, id)
	r := c.out.put(frame, false)
	if r == putDone {
		return id, nil
	}
	if !oneWay && c.pending.take(id) == nil {
		<-w.done // it was ended meanwhile; take the signal so that w can be used again
	}
	if r == putFull {
		return 0, fmt.Errorf("%d bytes wait to be written, the limit (MaxQueued): the provider does not read fast enough", c.options.MaxQueued)
	}
	return 0, errConnEnded
}

// fail ends the connection: every pending call gets err.
func (c *conn) fail(err error) {
	c.failing.Do(func() {
		c.timers.Lock()
		c.dead = true
		if c.beat != nil {
			c.beat.Stop()
		}
		if c.limit != nil {
			c.limit.Stop()
		}
		c.timers.Unlock()
		c.out.close(false)
		_ = c.net.Close()
		// The owner learns of it first: a call that is woken and tried again must not meet this connection.
		c.onLost(c, err)
		c.pending.close(err)
	})
}

// drain refuses new calls, and closes when the calls under way are answered or after limit.
func (c *conn) drain(limit time.Duration) {
	c.timers.Lock()
	if !c.dead {
		c.limit = time.AfterFunc(limit, func() { c.fail(fmt.Errorf("%w, and its calls did not end within %v", errDrained, limit)) })
	}
	c.timers.Unlock()
	c.pending.drain(func() { c.out.close(true) })
}

// Read stamps the time of each arrival; it is the reader's view of the socket.
func (c *conn) Read(b []byte) (int, error) {
	n, err := c.net.Read(b)
	if n > 0 {
		c.lastRead.Store(int64(time.Since(c.born)))
	}
	return n, err
}

func (c *conn) read() error {
	frames, answers := newFrameReader(c, c.options.MaxBody), newAnswerReader(c.options)
	for {
		h, body, owned, err := frames.next()
		if err != nil {
			if errors.Is(err, io.EOF) {
				return errors.New("the provider closed the connection")
			}
			return fmt.Errorf("read: %w", err)
		}
		switch {
		case h.Request:
			c.request(h, body)
		case h.Event: // a heartbeat's answer; its arrival is all it says
		default:
			if p := c.pending.take(h.ID); p != nil {
				p.err = nil
				if p.answer, p.answered = answers.plain(h, body); !p.answered {
					p.hold(h, body, owned)
				}
				p.done <- struct{}{}
			}
		}
	}
}

// request handles what a provider asks of us: heartbeats and notices. Calls back into the consumer are refused.
func (c *conn) request(h Header, body []byte) {
	if h.Event {
		switch eventOf(body) {
		case eventReadOnly:
			c.readOnly.Store(true)
		case eventWritable:
			c.readOnly.Store(false)
		}
		if h.TwoWay {
			c.out.put(heartbeatReply(nil, h.ID), false)
		}
		return
	}
	if h.TwoWay {
		c.out.put(statusFrame(nil, h.ID, StatusClientError, "this consumer takes no calls (callbacks are not supported)"), false)
	}
}

// heartbeat runs a few times an interval: it asks for a sign of life when nothing came for one, and gives the
// connection up after missedHeartbeats.
func (c *conn) heartbeat() {
	every := c.options.Heartbeat
	now := time.Since(c.born)
	idle := now - time.Duration(c.lastRead.Load())
	if idle >= missedHeartbeats*every {
		c.fail(fmt.Errorf("nothing was heard from the provider for %v, %d heartbeats went unanswered", idle.Round(time.Millisecond), missedHeartbeats))
		return
	}
	if idle >= every && now >= time.Duration(c.nextBeat.Load()) {
		c.nextBeat.Store(int64(now + every))
		c.out.put(appendEvent(nil, Header{Request: true, TwoWay: true, ID: int64(now)}, heartbeatBody), false)
	}
	c.timers.Lock()
	if !c.dead {
		c.beat.Reset(every / missedHeartbeats)
	}
	c.timers.Unlock()
}
