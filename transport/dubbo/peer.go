package dubbo

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dubway-go/dubway/service"
)

// errPeerClosed tells a call that its peer was closed between look-up and use; it looks up again.
var errPeerClosed = errors.New("peer closed")

// stableAfter is how long a connection must have lived for its loss to be answered with an immediate attempt. One that
// dies younger counts as a failed attempt: a provider that accepts and hangs up must not be dialled in a loop.
const stableAfter = 5 * time.Second

// peer is one provider address: at most one connection, and the state of getting it back.
type peer struct {
	client  *Client
	address string
	conn    atomic.Pointer[conn]
	// down is closed || failures > 0, for those who do not take the lock.
	down atomic.Bool

	mu       sync.Mutex
	closed   bool
	dialing  chan struct{} // closed when the attempt under way ends; nil when none is
	failures int
	lastErr  error
	nextTry  time.Time
	retry    *time.Timer
	// targets are the instances whose prepared requests point here, oldest first.
	targets []*service.Instance
}

// connect returns the connection, opening the first one when there is none. While the provider is down it fails at
// once with the reason and the time of the next attempt.
func (p *peer) connect(ctx context.Context) (*conn, error) {
	if c := p.conn.Load(); c != nil {
		return c, nil
	}
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil, errPeerClosed
	}
	if c := p.conn.Load(); c != nil {
		p.mu.Unlock()
		return c, nil
	}
	if p.failures > 0 {
		err := p.downLocked()
		p.mu.Unlock()
		return nil, err
	}
	if p.dialing == nil {
		p.dialLocked()
	}
	wait := p.dialing
	p.mu.Unlock()
	select {
	case <-wait:
	case <-ctx.Done():
		return nil, fmt.Errorf("while connecting: %w", context.Cause(ctx))
	}
	if c := p.conn.Load(); c != nil {
		return c, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, errPeerClosed
	}
	return nil, p.downLocked()
}

func (p *peer) downLocked() error {
	if p.lastErr == nil {
		return errors.New("not connected")
	}
	if wait := time.Until(p.nextTry); wait > 0 && p.dialing == nil {
		return fmt.Errorf("not connected, next try in %v: %w", wait.Round(time.Millisecond), p.lastErr)
	}
	return fmt.Errorf("not connected, trying now: %w", p.lastErr)
}

func (p *peer) dialLocked() {
	done := make(chan struct{})
	p.dialing = done
	p.client.running.Go(func() {
		ctx, cancel := context.WithTimeout(p.client.life, p.client.options.DialTimeout)
		nc, err := p.client.options.Dial(ctx, p.address)
		cancel()
		p.mu.Lock()
		p.dialing = nil
		switch {
		case p.closed:
			if err == nil {
				_ = nc.Close()
			}
		case err != nil:
			p.failedLocked(p.failures + 1)
			p.lastErr = err
			p.scheduleLocked()
		default:
			p.client.start(nc, p)
		}
		failures := p.failures
		p.mu.Unlock()
		close(done)
		if err != nil && failures == 1 {
			p.client.options.Logger.Warn("provider cannot be reached", "address", p.address, "error", err)
		}
	})
}

// scheduleLocked sets the next attempt: exponential in the number of failures, drawn from the upper half of the step so
// that many consumers of one provider do not come back at the same moment.
func (p *peer) scheduleLocked() {
	o := &p.client.options
	step := o.ReconnectMin
	for range min(p.failures-1, 30) {
		if step *= 2; step >= o.ReconnectMax {
			step = o.ReconnectMax
			break
		}
	}
	wait := step/2 + rand.N(step/2+1)
	p.nextTry = time.Now().Add(wait)
	if p.retry != nil {
		p.retry.Stop()
	}
	p.retry = time.AfterFunc(wait, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if !p.closed && p.dialing == nil && p.conn.Load() == nil {
			p.dialLocked()
		}
	})
}

// lost is called by a connection that has ended.
func (p *peer) lost(c *conn, err error) {
	p.client.connEnded(c)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || !p.conn.CompareAndSwap(c, nil) {
		return
	}
	p.lastErr = err
	if time.Since(c.born) >= stableAfter {
		p.failedLocked(0)
		p.dialLocked()
	} else {
		p.failedLocked(p.failures + 1)
		p.scheduleLocked()
	}
	p.client.options.Logger.Warn("connection to provider lost", "address", p.address, "error", err)
}

// available tells whether calls may be sent here: not known to be down, and not going away.
func (p *peer) available() bool {
	if c := p.conn.Load(); c != nil {
		return !c.readOnly.Load()
	}
	return !p.down.Load()
}

// failedLocked notes how many attempts in a row have failed.
func (p *peer) failedLocked(n int) {
	p.failures = n
	p.down.Store(p.closed || n > 0)
}

// close ends the peer. With drain > 0 the calls under way have that long to end, else they fail with err.
func (p *peer) close(drain time.Duration, err error) {
	p.mu.Lock()
	p.closed = true
	p.down.Store(true)
	if p.retry != nil {
		p.retry.Stop()
	}
	c := p.conn.Swap(nil)
	targets := p.targets
	p.targets = nil
	p.mu.Unlock()
	for _, t := range targets {
		p.client.targets.Delete(t)
	}
	switch {
	case c == nil:
	case drain > 0:
		c.drain(drain)
	default:
		c.fail(err)
	}
}

// start makes nc the connection of p, whose lock is held.
func (c *Client) start(nc net.Conn, p *peer) {
	cn := newConn(nc, &c.options, p.lost)
	c.connStarted(cn)
	p.conn.Store(cn)
	cn.start(&c.running)
}
