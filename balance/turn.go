package balance

import (
	"sync"

	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/service"
)

// maxCursors is over how many cursors callers that meet are spread.
const maxCursors = 8

// turnForget is after how many milliseconds a provider that was not in any list loses its value (spec §11.2).
const turnForget = 60 * 1000

// maxLivePlans bounds the plans of one snapshot whose values are carried over to the next.
const maxLivePlans = 256

// turnKey is the identity of a provider for round robin: in the Dubbo dialects all of a URL but its parameters, as there.
type turnKey struct{ scheme, user, password, address, path string }

func turnKeyOf(in *service.Instance, whole bool) turnKey {
	k := turnKey{scheme: in.URL.Scheme(), address: in.Address()}
	if whole {
		k.user, k.password, k.path = in.URL.User(), in.URL.Password(), in.URL.Path()
	}
	return k
}

// placesOf returns for each key the index of the first one like it; nil when all differ.
func placesOf(keys []turnKey) []int32 {
	first := make(map[turnKey]int32, len(keys))
	places := make([]int32, len(keys))
	for i, k := range keys {
		at, ok := first[k]
		if !ok {
			at = int32(i)
			first[k] = at
		}
		places[i] = at
	}
	if len(first) == len(keys) {
		return nil
	}
	return places
}

// turnValue is a provider's current value between plans.
type turnValue struct {
	weight  int32
	current int64
	used    int64 // Unix milliseconds
}

// turnState is what round robin remembers for a service and method beyond the life of a snapshot.
type turnState struct {
	shared bool // all plans use the same values (Dubbo dialects)

	mu     sync.Mutex
	values map[turnKey]turnValue
	active *turnPlan    // shared: the plan that has the values now
	set    *service.Set // not shared: the instance set of plans
	plans  []*turnPlan  // not shared: the plans of set
}

// turnPlan spreads the values over one candidate set.
type turnPlan struct {
	state   *turnState
	set     *service.Set
	keys    []turnKey
	places  []int32 // shared: by candidate, where its value is, when some have one key; else nil
	used    int64   // Unix milliseconds; guarded by state.mu
	cursors []turnCursor
}

// turnCursor is one turn through a candidate set.
type turnCursor struct {
	mu      sync.Mutex
	turn    *smooth
	twins   *twins // instead of turn when candidates share a value
	weights []int32
	growing bool
	checked int64 // Unix milliseconds: when the weights were looked at

	_ [64]byte // keeps cursors on cache lines of their own
}

// keep remembers a plan so that its values reach the next snapshot.
func (s *turnState) keep(p *turnPlan) {
	if s.shared {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.set == p.set && len(s.plans) < maxLivePlans {
		s.plans = append(s.plans, p)
	}
}

// settle saves the values of the plans of an older instance set before the first plan of a new one is made. The caller
// holds s.mu.
func (s *turnState) settle(set *service.Set, now int64) {
	if s.set == set {
		return
	}
	for _, p := range s.plans {
		p.cursors[0].mu.Lock()
		p.used = now
		s.save(p)
		p.cursors[0].mu.Unlock()
	}
	s.set, s.plans = set, nil
	for k, v := range s.values {
		if now-v.used > turnForget {
			delete(s.values, k)
		}
	}
}

// save writes a plan's values back. The caller holds s.mu and, unless shared, the first cursor.
func (s *turnState) save(p *turnPlan) {
	c := &p.cursors[0]
	if c.twins != nil {
		for _, at := range p.places {
			s.values[p.keys[at]] = turnValue{c.twins.weights[at], c.twins.current[at], p.used}
		}
		return
	}
	if c.turn == nil {
		return
	}
	for i, k := range p.keys {
		s.values[k] = turnValue{c.weights[i], c.turn.current(i, c.weights[i]), p.used}
	}
}

// load starts the cursor from the remembered values. The caller holds the state's mutex.
func (t *turnCursor) load(b *base, p *turnPlan, c route.Candidates, inv *rpc.Invocation, now int64) {
	if len(p.state.values) != len(p.keys) {
		for k, v := range p.state.values {
			if now-v.used > turnForget {
				delete(p.state.values, k)
			}
		}
	}
	t.weigh(b, c, inv, now)
	if p.places != nil {
		t.twins = newTwins(p)
		return
	}
	current := make([]int64, len(p.keys))
	for i, k := range p.keys {
		if v, ok := p.state.values[k]; ok && v.weight == t.weights[i] {
			current[i] = v.current
		}
	}
	t.turn = p.smooth(t.weights, current)
}

// smooth starts a turn. The sum of weights is a 32-bit number that wraps round in Dubbo.
func (p *turnPlan) smooth(weights []int32, current []int64) *smooth {
	s := newSmooth(weights, current)
	if p.state.shared {
		s.total = int64(int32(s.total))
	}
	return s
}

// weigh reads the present weights.
func (t *turnCursor) weigh(b *base, c route.Candidates, inv *rpc.Invocation, now int64) {
	t.weights, t.growing, t.checked = make([]int32, c.Len()), false, now
	scale := b.scaleOf(c, inv.Method, now)
	for i := range t.weights {
		g := scale.growth(i)
		t.weights[i] = int32(weightAt(g, b.dialect, now))
		t.growing = t.growing || !g.Settled(now)
	}
}

// step takes one turn. The caller holds the cursor.
func (t *turnCursor) step(b *base, p *turnPlan, c route.Candidates, inv *rpc.Invocation, skip func(int) bool) int {
	if t.twins != nil {
		if t.growing && b.now() > t.checked {
			t.weigh(b, c, inv, b.now())
		}
		return t.twins.next(p.places, t.weights, skip)
	}
	switch {
	case t.turn == nil:
		t.weigh(b, c, inv, b.now())
		t.turn = p.smooth(t.weights, nil)
	case t.growing:
		t.regrow(b, p, c, inv)
	}
	if skip != nil {
		return t.turn.nextAmong(t.weights, func(i int) bool { return !skip(i) })
	}
	return t.turn.next()
}

// regrow looks at the weights again: at most once a millisecond, and for long lists less often, so that looking
// stays below a share of the calls. A provider whose weight changed restarts at zero.
func (t *turnCursor) regrow(b *base, p *turnPlan, c route.Candidates, inv *rpc.Invocation) {
	now := b.now()
	if now-t.checked <= int64(len(t.weights)/1024) {
		return
	}
	old := t.weights
	t.weigh(b, c, inv, now)
	changed := false
	for i := range old {
		changed = changed || old[i] != t.weights[i]
	}
	if !changed {
		return
	}
	current := make([]int64, len(old))
	for i := range old {
		if old[i] == t.weights[i] {
			current[i] = t.turn.current(i, old[i])
		}
	}
	t.turn = p.smooth(t.weights, current)
}
