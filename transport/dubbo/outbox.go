package dubbo

import (
	"io"
	"runtime"
	"sync"
	"time"
)

// maxSpare is the largest write buffer that is kept for reuse.
const maxSpare = 1 << 20

// outbox joins frames that many goroutines queue into few writes. One goroutine runs loop; while it writes,
// others append to the next buffer.
type outbox struct {
	mu       sync.Mutex
	queued   []byte
	spare    []byte
	limit    int
	writing  int // bytes handed to the write that is under way
	sleeping bool
	closed   bool // nothing more is accepted
	dead     bool // what is queued is not wanted either
	wake     chan struct{}
	space    sync.Cond // waits for room; used by put with wait
}

func newOutbox(limit int) *outbox {
	o := &outbox{limit: limit, wake: make(chan struct{}, 1)}
	o.space.L = &o.mu
	return o
}

type putResult uint8

const (
	putDone putResult = iota
	putFull
	putClosed
)

// put queues a copy of frame. A frame is accepted while the bytes waiting are below the limit, so the most that
// is held is the limit and one frame for each goroutine that waits. With wait it blocks until there is room or
// the box is closed, else it says putFull at once.
func (o *outbox) put(frame []byte, wait bool) putResult {
	o.mu.Lock()
	for !o.closed && len(o.queued)+o.writing >= o.limit {
		if !wait {
			o.mu.Unlock()
			return putFull
		}
		o.space.Wait()
	}
	if o.closed {
		o.mu.Unlock()
		return putClosed
	}
	o.queued = append(o.queued, frame...)
	wake := o.sleeping
	o.sleeping = false
	o.mu.Unlock()
	if wake {
		o.wake <- struct{}{}
	}
	return putDone
}

// deadliner is the part of net.Conn that bounds a write.
type deadliner interface {
	io.Writer
	SetWriteDeadline(time.Time) error
}

// loop writes until the box is closed and empty (nil), or a write fails. A write that makes no end within timeout
// fails.
func (o *outbox) loop(w deadliner, timeout time.Duration) error {
	for {
		batch, ok := o.take()
		if !ok {
			return nil
		}
		if err := w.SetWriteDeadline(time.Now().Add(timeout)); err != nil {
			return err
		}
		_, err := w.Write(batch)
		o.mu.Lock()
		o.writing = 0
		if cap(batch) <= maxSpare {
			o.spare = batch[:0]
		}
		o.space.Broadcast()
		o.mu.Unlock()
		if err != nil {
			return err
		}
	}
}

// take returns what is queued, waiting for it; false when the box is closed and drained.
func (o *outbox) take() ([]byte, bool) {
	yielded := false
	o.mu.Lock()
	for {
		if o.dead {
			o.mu.Unlock()
			return nil, false
		}
		if n := len(o.queued); n > 0 {
			if yielded || n > readBuffer/2 {
				batch := o.queued
				o.queued, o.spare = o.spare[:0], nil
				o.writing = n
				o.mu.Unlock()
				return batch, true
			}
			// One turn for goroutines that are about to queue more: a write costs more than the wait.
			yielded = true
			o.mu.Unlock()
			runtime.Gosched()
			o.mu.Lock()
			continue
		}
		if o.closed {
			o.mu.Unlock()
			return nil, false
		}
		o.sleeping = true
		o.mu.Unlock()
		<-o.wake
		o.mu.Lock()
	}
}

// close stops put. With flush, what is queued is still written before loop ends.
func (o *outbox) close(flush bool) {
	o.mu.Lock()
	o.closed = true
	if !flush {
		o.dead = true
	}
	wake := o.sleeping
	o.sleeping = false
	o.space.Broadcast()
	o.mu.Unlock()
	if wake {
		o.wake <- struct{}{}
	}
}
