package source

import "sync"

// Cell holds the newest value of something and lets any number of readers wait for the next. It is what
// adapters build on: a writer never waits for a reader, and a reader that was slow sees the newest value
// only. The zero Cell holds the zero value. A Cell is safe for use by many goroutines and must not be copied.
type Cell[T any] struct {
	mu      sync.Mutex
	value   T
	changed chan struct{}
}

// Load returns the value and a channel that is closed when a newer one was stored.
func (c *Cell[T]) Load() (T, <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.changed == nil {
		c.changed = make(chan struct{})
	}
	return c.value, c.changed
}

// Store replaces the value and wakes all waiting readers.
func (c *Cell[T]) Store(v T) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.value = v
	if c.changed != nil {
		close(c.changed)
		c.changed = nil
	}
}
