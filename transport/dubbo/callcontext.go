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
	deadline time.Duration // on the connection's clock; 0 when the caller did not say

	mu      sync.Mutex
	end     contextEnd
	watched *contextWatch // made by the first who waits
}

// contextWatch is what those who wait for the end of a context need.
type contextWatch struct {
	done   chan struct{}
	timer  *time.Timer
	after  map[int]func()
	nextID int
}

// contextEnd says why a context ended.
type contextEnd uint8

const (
	notEnded contextEnd = iota
	endCanceled
	endDeadline
)

func (e contextEnd) err() error {
	switch e {
	case endCanceled:
		return context.Canceled
	case endDeadline:
		return context.DeadlineExceeded
	}
	return nil
}

var _ context.Context = (*callContext)(nil)

func (c *callContext) Deadline() (time.Time, bool) {
	if c.deadline == 0 {
		return time.Time{}, false
	}
	return c.conn.born.Add(c.deadline), true
}

func (c *callContext) Value(any) any { return nil }

func (c *callContext) Done() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.watchLocked().done
}

// watchLocked makes the context end by itself from now on.
func (c *callContext) watchLocked() *contextWatch {
	if c.watched != nil {
		return c.watched
	}
	w := &contextWatch{done: make(chan struct{})}
	c.watched = w
	if c.end != notEnded {
		close(w.done)
		return w
	}
	if c.deadline != 0 {
		w.timer = time.AfterFunc(c.deadline-time.Since(c.conn.born), func() { c.finish(endDeadline) })
	}
	if c.conn != nil && !c.conn.watch(c) {
		c.finishLocked(endCanceled)
	}
	return w
}

func (c *callContext) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.end == notEnded && c.watched == nil {
		// Nobody watches: look.
		switch {
		case c.deadline != 0 && time.Since(c.conn.born) >= c.deadline:
			c.end = endDeadline
		case c.conn != nil && c.conn.ended.Load():
			c.end = endCanceled
		}
	}
	return c.end.err()
}

// AfterFunc lets package context derive contexts from this one without a goroutine each.
func (c *callContext) AfterFunc(f func()) (stop func() bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	w := c.watchLocked()
	if c.end != notEnded {
		go f()
		return func() bool { return false }
	}
	id := w.nextID
	w.nextID++
	if w.after == nil {
		w.after = make(map[int]func())
	}
	w.after[id] = f
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		_, ok := w.after[id]
		delete(w.after, id)
		return ok
	}
}

func (c *callContext) finish(why contextEnd) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.finishLocked(why)
}

func (c *callContext) finishLocked(why contextEnd) {
	if c.end == notEnded {
		c.end = why
	}
	w := c.watched
	if w == nil {
		return
	}
	select {
	case <-w.done:
		return
	default:
	}
	close(w.done)
	if w.timer != nil {
		w.timer.Stop()
	}
	for _, f := range w.after {
		go f()
	}
	w.after = nil
	if c.conn != nil {
		c.conn.unwatch(c)
	}
}
