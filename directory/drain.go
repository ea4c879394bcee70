package directory

import (
	"sync"
	"time"

	"github.com/dubway-go/dubway/service"
)

// drainer waits for the calls of retired instances and then tells Hooks.Retired. Its goroutine runs
// only while something drains.
type drainer struct {
	retired func(*service.Instance)
	timeout time.Duration

	mu      sync.Mutex
	waiting []draining
	running bool
	idle    chan struct{} // closed when the goroutine ends
	wake    chan struct{}
}

type draining struct {
	record   *record
	deadline time.Time
}

func newDrainer(o Options) *drainer {
	return &drainer{retired: o.Hooks.Retired, timeout: o.DrainTimeout, wake: make(chan struct{}, 1)}
}

// retire takes instances that have left every generation to come.
func (d *drainer) retire(list []*record) {
	if len(list) == 0 {
		return
	}
	deadline := time.Now().Add(d.timeout)
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, r := range list {
		r.calls.retired.Store(true)
		d.waiting = append(d.waiting, draining{r, deadline})
	}
	if !d.running {
		d.running, d.idle = true, make(chan struct{})
		go d.run(d.idle)
		return
	}
	d.signal()
}

func (d *drainer) signal() {
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

// count returns how many instances still drain.
func (d *drainer) count() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.waiting)
}

// wait returns when nothing drains any more.
func (d *drainer) wait() {
	d.mu.Lock()
	idle, running := d.idle, d.running
	d.mu.Unlock()
	if running {
		<-idle
	}
}

func (d *drainer) run(idle chan struct{}) {
	defer close(idle)
	for {
		done, next, more := d.sweep(time.Now())
		for _, r := range done {
			if d.retired != nil {
				d.retired(r.instance)
			}
		}
		if !more {
			return
		}
		if len(done) > 0 {
			continue // the hook may have taken a while
		}
		timer := time.NewTimer(time.Until(next))
		select {
		case <-d.wake:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// sweep takes out what is drained or overdue, and tells the next deadline.
func (d *drainer) sweep(now time.Time) (done []*record, next time.Time, more bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	keep := d.waiting[:0]
	for _, w := range d.waiting {
		switch {
		case w.record.calls.n.CompareAndSwap(0, drained):
			done = append(done, w.record)
		case !now.Before(w.deadline):
			w.record.calls.n.Add(drained)
			done = append(done, w.record)
		default:
			if len(keep) == 0 || w.deadline.Before(next) {
				next = w.deadline
			}
			keep = append(keep, w)
		}
	}
	clear(d.waiting[len(keep):])
	d.waiting = keep
	if len(keep) == 0 && len(done) == 0 {
		d.running = false
		return nil, next, false
	}
	return done, next, true
}

// Begin says that a call to in starts and reports whether it may: false means that in left the
// directory and is drained, or is none of this directory's, so the caller picks again. Each true must be followed by one End. It costs
// one atomic add, and allocates nothing.
func (d *Directory) Begin(in *service.Instance) bool {
	r := d.recordOf(in)
	if r == nil {
		return false
	}
	if r.calls.n.Add(1) > 0 {
		return true
	}
	r.calls.n.Add(-1)
	return false
}

// End says that a call which Begin let through is over.
func (d *Directory) End(in *service.Instance) {
	r := d.recordOf(in)
	if r == nil {
		return
	}
	if r.calls.n.Add(-1) == 0 && r.calls.retired.Load() {
		d.drains.signal()
	}
}

// recordOf returns the record that an instance of this directory is kept in, nil for others.
func (d *Directory) recordOf(in *service.Instance) *record {
	if r, ok := in.Kept().(*record); ok && r.owner == d.drains {
		return r
	}
	return nil
}
