package dubbo

import (
	"sync"
	"time"

	"github.com/dubway-go/dubway/rpc"
)

// pendingCall is one call that waits for its response. It is pooled: done has room for one signal, and a call
// gets exactly one signal or is removed by its owner, never both.
type pendingCall struct {
	done chan struct{}
	// Set before the signal: err when there is no response; answer when the reader of the connection has read the response (answered), else the
	// response.
	err      error
	answer   rpc.Result
	answered bool
	header   Header
	body     []byte // owned by the call, reused

	deadline time.Duration // on the clock of the table; 0 means none
}

// hold leaves a response to the caller. The body is copied unless it is owned.
func (p *pendingCall) hold(h Header, body []byte, owned bool) {
	p.header = h
	if owned {
		p.body = body
	} else {
		p.body = append(p.body[:0], body...)
	}
}

// idBits of a request id are the slot, the rest its generation: a late response to a call that has ended
// meets another generation and is dropped.
const idBits = 24

const maxSlots = 1 << idBits

type slot struct {
	call       *pendingCall
	generation int64
}

// pendingTable holds the calls in flight on one connection: a slot each, so that adding and finding allocate
// nothing and their number is bounded. One timer serves all deadlines: it is set for the earliest, and calls with
// a later one, the usual case, do not touch it.
type pendingTable struct {
	mu      sync.Mutex
	slots   []slot
	free    []uint32
	max     int
	closed  error
	base    time.Time
	armed   time.Duration
	timer   *time.Timer
	onEmpty func() // called once, when the table drains after drain
	expired error
}

func newPendingTable(limit int, expired error) *pendingTable {
	return &pendingTable{max: min(limit, maxSlots), base: time.Now(), expired: expired}
}

type addResult uint8

const (
	addDone addResult = iota
	addFull
	addClosed
)

// add gives c a request id. timeout <= 0 means no deadline of the table's own.
func (p *pendingTable) add(c *pendingCall, timeout time.Duration) (int64, addResult) {
	c.deadline = 0
	if timeout > 0 {
		c.deadline = time.Since(p.base) + timeout
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed != nil || p.onEmpty != nil {
		return 0, addClosed
	}
	var at uint32
	switch {
	case len(p.free) > 0:
		at = p.free[len(p.free)-1]
		p.free = p.free[:len(p.free)-1]
	case len(p.slots) < p.max:
		at = uint32(len(p.slots))
		p.slots = append(p.slots, slot{})
	default:
		return 0, addFull
	}
	s := &p.slots[at]
	s.call = c
	s.generation++
	if c.deadline != 0 && (p.armed == 0 || c.deadline < p.armed) {
		p.arm(c.deadline)
	}
	return s.generation<<idBits | int64(at), addDone
}

func (p *pendingTable) arm(deadline time.Duration) {
	p.armed = deadline
	wait := max(deadline-time.Since(p.base), 0)
	if p.timer == nil {
		p.timer = time.AfterFunc(wait, p.expire)
		return
	}
	p.timer.Reset(wait)
}

// take removes and returns the call of id, or nil when it has ended.
func (p *pendingTable) take(id int64) *pendingCall {
	p.mu.Lock()
	c, empty := p.takeLocked(id)
	p.mu.Unlock()
	if empty != nil {
		empty()
	}
	return c
}

func (p *pendingTable) takeLocked(id int64) (*pendingCall, func()) {
	at := id & (maxSlots - 1)
	if id < 0 || at >= int64(len(p.slots)) {
		return nil, nil
	}
	s := &p.slots[at]
	if s.call == nil || s.generation != id>>idBits {
		return nil, nil
	}
	c := s.call
	s.call = nil
	p.free = append(p.free, uint32(at))
	if p.onEmpty != nil && len(p.free) == len(p.slots) {
		return c, p.onEmpty
	}
	return c, nil
}

// expire ends the calls whose deadline has passed and sets the timer for the next.
func (p *pendingTable) expire() {
	var late []*pendingCall
	var empty func()
	p.mu.Lock()
	now := time.Since(p.base)
	p.armed = 0
	var next time.Duration
	for at := range p.slots {
		s := &p.slots[at]
		switch c := s.call; {
		case c == nil || c.deadline == 0:
		case c.deadline <= now:
			_, e := p.takeLocked(s.generation<<idBits | int64(at))
			if e != nil {
				empty = e
			}
			late = append(late, c)
		case next == 0 || c.deadline < next:
			next = c.deadline
		}
	}
	if next != 0 && p.closed == nil {
		p.arm(next)
	}
	p.mu.Unlock()
	for _, c := range late {
		c.err = p.expired
		c.done <- struct{}{}
	}
	if empty != nil {
		empty()
	}
}

// drain refuses new calls from now on and calls empty, once, when none is left (at once if there is none).
func (p *pendingTable) drain(empty func()) {
	var once sync.Once
	f := func() { once.Do(empty) }
	p.mu.Lock()
	p.onEmpty = f
	now := len(p.free) == len(p.slots)
	p.mu.Unlock()
	if now {
		f()
	}
}

// close ends all calls with err and refuses new ones.
func (p *pendingTable) close(err error) {
	var all []*pendingCall
	p.mu.Lock()
	if p.closed == nil {
		p.closed = err
	}
	if p.timer != nil {
		p.timer.Stop()
	}
	for at := range p.slots {
		if c := p.slots[at].call; c != nil {
			p.slots[at].call = nil
			p.free = append(p.free, uint32(at))
			all = append(all, c)
		}
	}
	p.mu.Unlock()
	for _, c := range all {
		c.err = err
		c.done <- struct{}{}
	}
}
