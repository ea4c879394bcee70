package script

import (
	"runtime"
	"sync"
	"time"
)

// pool hands out the machines that run one script.
type pool struct {
	code   code
	limits Limits
	// turns has one entry for each call that may run.
	turns chan struct{}
	idle  *idle
}

// idle holds machines that nobody uses. It is apart from the pool, so that it outlives it for the clean-up.
type idle struct {
	mu       sync.Mutex
	machines []*machine
	closed   bool
}

func newPool(text string, l Limits) (*pool, error) {
	c, m, err := compileJavaScript(text, l)
	if err != nil {
		return nil, err
	}
	p := &pool{code: c, limits: l, turns: make(chan struct{}, l.Parallel), idle: &idle{machines: []*machine{m}}}
	runtime.AddCleanup(p, (*idle).close, p.idle)
	return p, nil
}

func (p *pool) close() { p.idle.close() }

func (i *idle) close() {
	i.mu.Lock()
	machines := i.machines
	i.machines, i.closed = nil, true
	i.mu.Unlock()
	for _, m := range machines {
		m.close()
	}
}

// take returns a machine, one that has e's providers if there is one, and whether it had to be made. The caller has a turn.
func (p *pool) take(e *Engine) (_ *machine, made bool, _ error) {
	p.idle.mu.Lock()
	list := p.idle.machines
	at := len(list) - 1
	for i, m := range list {
		if m.bound == e.providers {
			at = i
		}
	}
	var m *machine
	if at >= 0 {
		m = list[at]
		list[at] = list[len(list)-1]
		list[len(list)-1] = nil
		p.idle.machines = list[:len(list)-1]
	}
	p.idle.mu.Unlock()
	if made = m == nil; made {
		var err error
		if m, err = newMachine(p.code, p.limits); err != nil {
			return nil, false, err
		}
	}
	if err := m.bind(e.providers); err != nil {
		m.close()
		return nil, false, err
	}
	return m, made, nil
}

// put gives a machine back. A broken one is thrown away, and another made in its place while no call waits for it.
func (p *pool) put(m *machine) {
	if m.broken && !p.idle.done() {
		m.close()
		var err error
		if m, err = newMachine(p.code, p.limits); err != nil {
			return // the next call tries again, and tells
		}
	}
	if !p.idle.add(m) {
		m.close()
	}
}

// add keeps a machine for the next call; false means that the pool is closed.
func (i *idle) add(m *machine) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	if !i.closed {
		i.machines = append(i.machines, m)
	}
	return !i.closed
}

func (i *idle) done() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.closed
}

// run runs the script on a machine of its own and waits no longer than the time limit, the wait for a turn included. A machine that is stuck in a single
// operation of the engine keeps its turn until that ends, and is thrown away then.
func (p *pool) run(e *Engine, j job) answer {
	timer := time.NewTimer(p.limits.Time)
	defer timer.Stop()
	select {
	case p.turns <- struct{}{}:
	case <-timer.C:
		return answer{err: ErrBusy}
	}
	m, made, err := p.take(e)
	if err != nil {
		<-p.turns
		return answer{err: err}
	}
	if made {
		timer.Reset(p.limits.Time)
	}
	done := make(chan answer, 1)
	m.start(&j)
	go func() {
		a := m.run(&j)
		done <- a
		p.put(m)
		<-p.turns
	}()
	select {
	case a := <-done:
		return a
	case <-timer.C:
		m.abandon()
		return answer{err: ErrTime}
	}
}
