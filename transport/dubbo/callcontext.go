package dubbo

import (
	"context"
	"sync"
	"time"
)

// callContext is the context of a served call. It costs nothing until somebody asks for Done: only then are a channel and a
// timer made, and the connection told to end it.
type callContext struct {
	conn     *serverConn
	deadline time.Time // zero when the caller did not say

	mu     sync.Mutex
	done   chan struct{}
	err    error
	timer  *time.Timer
	after  map[int]func()
	nextID int
}

var _ context.Context = (*callContext)(nil)

func (c *callContext) Deadline() (time.Time, bool) { return c.deadline, !c.deadline.IsZero() }
func (c *callContext) Value(any) any               { return nil }

func (c *callContext) Done() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.watchLocked()
	return c.done
}

// watchLocked makes the context end by itself from now on.
func (c *callContext) watchLocked() {
	if c.done != nil {
		return
	}
	c.done = make(chan struct{})
	if c.err != nil {
		close(c.done)
		return
	}
	if !c.deadline.IsZero() {
		c.timer = time.AfterFunc(time.Until(c.deadline), func() { c.finish(context.DeadlineExceeded) })
	}
	if c.conn != nil && !c.conn.watch(c) {
		c.finishLocked(context.Canceled)
	}
}

func (c *callContext) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil && c.done == nil {
		// Nobody watches: look.
		switch {
		case !c.deadline.IsZero() && !time.Now().Before(c.deadline):
			c.err = context.DeadlineExceeded
		case c.conn != nil && c.conn.ended.Load():
			c.err = context.Canceled
		}
	}
	return c.err
}

// AfterFunc lets package context derive contexts from this one without a goroutine each.
func (c *callContext) AfterFunc(f func()) (stop func() bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.watchLocked()
	if c.err != nil {
		go f()
		return func() bool { return false }
	}
	id := c.nextID
	c.nextID++
	if c.after == nil {
		c.after = make(map[int]func())
	}
	c.after[id] = f
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		_, ok := c.after[id]
		delete(c.after, id)
		return ok
	}
}

func (c *callContext) finish(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.finishLocked(err)
}

func (c *callContext) finishLocked(err error) {
	if c.err == nil {
		c.err = err
	}
	if c.done == nil {
		return
	}
	select {
	case <-c.done:
		return
	default:
	}
	close(c.done)
	if c.timer != nil {
		c.timer.Stop()
	}
	for _, f := range c.after {
		go f()
	}
	c.after = nil
	if c.conn != nil {
		c.conn.unwatch(c)
	}
}
