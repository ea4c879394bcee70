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

// take returns a machine, one that has e's providers if there is one. The caller has a turn.
func (p *pool) take(e *Engine) (*machine, error) {
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
	if m == nil {
		var err error
		if m, err = newMachine(p.code, p.limits); err != nil {
			return nil, err
		}
	}
	if err := m.bind(e.providers); err != nil {
		m.close()
		return nil, err
	}
	return m, nil
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

// run runs the script on a machine of its own and waits no longer than the time limit, for a turn, a machine and the script together. A
// machine that is stuck in a single operation of the engine keeps its turn until that ends, and is thrown away then.
func (p *pool) run(e *Engine, j job) answer {
	j.end = time.Now().Add(p.limits.Time)
	timer := time.NewTimer(p.limits.Time)
	defer timer.Stop()
	select {
	case p.turns <- struct{}{}:
	case <-timer.C:
		return answer{err: ErrBusy}
	}
	done, u := make(chan answer, 1), new(use)
	go func() {
		defer func() { <-p.turns }()
		m, err := p.take(e)
		if err != nil {
			done <- answer{err: err}
			return
		}
		if u.begin(m, &j) {
			a := m.run(&j)
			u.finish()
			done <- a
		}
		p.put(m)
	}()
	select {
	case a := <-done:
		return a
	case <-timer.C:
		u.giveUp()
		return answer{err: ErrTime}
	}
}

// use is one call's use of a machine, which the call may give up at any time.
type use struct {
	mu      sync.Mutex
	machine *machine
	gone    bool
}

// begin hands the call to the machine; false means that the call has been given up.
func (u *use) begin(m *machine, j *job) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if !u.gone {
		u.machine = m
		m.start(j)
	}
	return !u.gone
}

// finish takes the machine back: from here on another call may have it.
func (u *use) finish() {
	u.mu.Lock()
	u.machine = nil
	u.mu.Unlock()
}

// giveUp stops the script, if it is still the call's.
func (u *use) giveUp() {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.gone = true; u.machine != nil {
		u.machine.abandon()
	}
}
