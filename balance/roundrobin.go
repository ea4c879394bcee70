package balance

import (
	"sync"
	"sync/atomic"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/service"
)

// RoundRobin is smooth weighted round robin per service and method (spec §11.2; Dubbo 2.6.5+). A single caller
// sees the sequence of Dubbo Java. A change of a provider's weight, also by warm-up, restarts that provider at zero;
// the others keep their place, also in the next snapshot.
//
// In the Dubbo dialects all candidate sets of a method share the providers' current values, as there: calls
// that alternate between candidate sets cost a walk over them. As there, the values are kept under the service key of the
// first candidate, and providers that only parameters tell apart share one. In standard each candidate set turns by
// itself, and callers that meet on it are spread over independent cursors, so that processors do not wait for
// each other; each cursor keeps the exact proportions.
type RoundRobin struct {
	base
	mu     sync.Mutex
	states map[methodKey]*turnState
	hints  sync.Pool // *int, the cursor that a processor uses
	spread atomic.Uint32
}

// NewRoundRobin returns the balancer "roundrobin".
func NewRoundRobin(o Options) *RoundRobin {
	b := &RoundRobin{base: newBase(o), states: make(map[methodKey]*turnState)}
	b.hints.New = func() any { return new(int) }
	return b
}

// Name returns "roundrobin".
func (*RoundRobin) Name() string { return NameRoundRobin }

// Pick implements Balancer.
func (b *RoundRobin) Pick(c route.Candidates, inv *rpc.Invocation) int {
	switch c.Len() {
	case 0:
		return -1
	case 1:
		return 0
	}
	return b.pick(c, inv, nil)
}

// PickExcluding implements Excluder.
func (b *RoundRobin) PickExcluding(c route.Candidates, inv *rpc.Invocation, skip func(int) bool) int {
	if c.Len() == 0 {
		return -1
	}
	return b.pick(c, inv, skip)
}

func (b *RoundRobin) pick(c route.Candidates, inv *rpc.Invocation, skip func(int) bool) int {
	p := b.planOf(c, inv)
	if p.state.shared {
		return b.pickShared(p, c, inv, skip)
	}
	hint := b.hints.Get().(*int)
	cursor := &p.cursors[*hint%len(p.cursors)]
	if !cursor.mu.TryLock() {
		// Another processor is here: move to the next cursor, and stay there.
		*hint = int(b.spread.Add(1) % maxCursors)
		cursor = &p.cursors[*hint%len(p.cursors)]
		cursor.mu.Lock()
	}
	i := cursor.step(&b.base, p, c, inv, skip)
	cursor.mu.Unlock()
	b.hints.Put(hint)
	return i
}

// pickShared makes p's candidate set the one that the shared values are spread over, then takes a step.
func (b *RoundRobin) pickShared(p *turnPlan, c route.Candidates, inv *rpc.Invocation, skip func(int) bool) int {
	p.state.mu.Lock()
	defer p.state.mu.Unlock()
	cursor, now := &p.cursors[0], b.now()
	if p.state.active != p {
		if p.state.active != nil {
			p.state.save(p.state.active)
		}
		cursor.load(&b.base, p, c, inv, now)
		p.state.active = p
	}
	p.used = now
	return cursor.step(&b.base, p, c, inv, skip)
}

func (b *RoundRobin) planOf(c route.Candidates, inv *rpc.Invocation) *turnPlan {
	key := viewKey{&b.base, viewPlan, inv.Method}
	v := viewsOf(c)
	if v != nil {
		if p, ok := v.get(key).(*turnPlan); ok {
			return p
		}
	}
	p := b.newPlan(c, inv)
	if !c.Decision().Remembered() {
		return p
	}
	b.ensureViews(c)
	if stored := addView(c, key, p); stored != p {
		return stored
	}
	p.state.keep(p)
	return p
}

func (b *RoundRobin) newPlan(c route.Candidates, inv *rpc.Invocation) *turnPlan {
	state := b.stateOf(c, inv)
	p := &turnPlan{state: state, set: c.Set(), keys: make([]turnKey, c.Len()), cursors: make([]turnCursor, 1)}
	for i := range p.keys {
		p.keys[i] = turnKeyOf(c.At(i), state.shared)
	}
	if state.shared {
		p.places = placesOf(p.keys)
		return p
	}
	p.cursors = make([]turnCursor, maxCursors)
	now := b.now()
	state.mu.Lock()
	defer state.mu.Unlock()
	state.settle(p.set, now)
	p.used = now
	p.cursors[0].load(&b.base, p, c, inv, now)
	return p
}

// stateOf returns the state of the call. Dubbo names it after the first candidate, which matters to a consumer of several
// groups or versions; standard after the service that is called.
func (b *RoundRobin) stateOf(c route.Candidates, inv *rpc.Invocation) *turnState {
	key := methodKey{inv.Service, inv.Method}
	if b.dialect != dialect.Standard {
		key.service = service.KeyOf(c.At(0).URL)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.states[key]
	if s == nil && len(b.states) >= maxMethods {
		key.method = ""
		s = b.states[key]
	}
	if s == nil {
		s = &turnState{shared: b.dialect != dialect.Standard, values: make(map[turnKey]turnValue)}
		b.states[key] = s
	}
	return s
}
