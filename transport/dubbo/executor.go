package dubbo

import "sync"

// maxIdleWorkers is how many goroutines wait for work; more end when they run out of it.
const maxIdleWorkers = 256

// executor runs requests on a pool of goroutines. A worker that takes a request wakes at most one other before it runs
// it, and only when more is queued: a handler that blocks does not hold up those behind it, and handlers that do not
// are run by few workers without switching.
type executor struct {
	mu      sync.Mutex
	queue   []serverWork // ring
	head, n int
	idle    []chan struct{} // last in, first out
	waking  bool            // a worker was woken and has not taken the lock yet
	closed  bool
	active  int // queued and running
	max     int
	running sync.WaitGroup
}

func newExecutor(limit int) *executor { return &executor{max: limit, queue: make([]serverWork, 64)} }

// submit queues works and returns how many of them: fewer when the limit is reached, none when the executor is closed.
func (e *executor) submit(works []serverWork) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return 0
	}
	n := min(len(works), e.max-e.active)
	e.active += n
	for e.n+n > len(e.queue) {
		grown := make([]serverWork, 2*len(e.queue))
		k := copy(grown, e.queue[e.head:])
		copy(grown[k:], e.queue[:e.head])
		e.queue, e.head = grown, 0
	}
	for i := range works[:n] {
		e.queue[(e.head+e.n)&(len(e.queue)-1)] = works[i]
		e.n++
	}
	e.wakeLocked()
	return n
}

func (e *executor) wakeLocked() {
	if e.waking || e.n == 0 {
		return
	}
	e.waking = true
	if k := len(e.idle); k > 0 {
		w := e.idle[k-1]
		e.idle = e.idle[:k-1]
		w <- struct{}{}
		return
	}
	e.running.Go(e.work)
}

func (e *executor) work() {
	wake := make(chan struct{}, 1)
	var w serverWork
	e.mu.Lock()
	e.waking = false
	for {
		if e.n == 0 {
			if e.closed || len(e.idle) >= maxIdleWorkers {
				e.mu.Unlock()
				return
			}
			e.idle = append(e.idle, wake)
			e.mu.Unlock()
			<-wake
			e.mu.Lock()
			e.waking = false
			continue
		}
		w = e.queue[e.head]
		e.queue[e.head] = serverWork{}
		e.head = (e.head + 1) & (len(e.queue) - 1)
		e.n--
		e.wakeLocked()
		e.mu.Unlock()
		w.run()
		w = serverWork{}
		e.mu.Lock()
		e.active--
	}
}

// close lets queued requests run and waits for all workers to end.
func (e *executor) close() {
	e.mu.Lock()
	e.closed = true
	for _, w := range e.idle {
		w <- struct{}{}
	}
	e.idle = nil
	e.mu.Unlock()
	e.running.Wait()
}
