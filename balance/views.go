package balance

import (
	"maps"

	"github.com/dubway-go/dubway/route"
)

// balancerSlot is the hook of a Decision that this package fills.
const balancerSlot = 0

// maxViews bounds what one Decision remembers for all balancers and methods; method names come from callers.
// Beyond it a choice is computed without precomputed state.
const maxViews = 512

// linearViews is up to how many entries a list is faster than a map.
const linearViews = 6

// viewKind tells the kinds of precomputed state apart.
type viewKind uint8

const (
	viewWeights viewKind = iota
	viewLoads
	viewRing
	viewPlan
	viewChoice
)

// viewKey says whose precomputed state it is. method is "" where it makes no difference.
type viewKey struct {
	owner  *base
	kind   viewKind
	method string
}

type viewEntry struct {
	key   viewKey
	state any
}

// views is the content of a Decision's slot: immutable, copied when an entry is added.
type views struct {
	// scoped says that some candidate has a weight for a single method, so weights depend on the method.
	scoped bool
	// weights is what the list holds too: the draw for all methods that the first balancer stored, nearly always the only one. owner is that balancer.
	owner   *base
	weights *weighted
	list    []viewEntry
	table   map[viewKey]any // instead of list when there are many
}

func (v *views) get(key viewKey) any {
	if v.table != nil {
		return v.table[key]
	}
	for i := range v.list {
		if e := &v.list[i]; e.key.owner == key.owner && e.key.kind == key.kind && e.key.method == key.method {
			return e.state
		}
	}
	return nil
}

// viewsOf returns the state of the candidates' Decision, nil when nobody stored any yet.
func viewsOf(c route.Candidates) *views {
	if p := c.Decision().Slot(balancerSlot).Load(); p != nil {
		if v, ok := (*p).(*views); ok {
			return v
		}
	}
	return nil
}

// weightScope is the method under which state that depends on weights is kept.
func weightScope(v *views, method string) string {
	if v != nil && !v.scoped {
		return ""
	}
	return method
}

// ensureViews returns the state of the Decision, making an empty one at first.
func (b *base) ensureViews(c route.Candidates) *views {
	if v := viewsOf(c); v != nil {
		return v
	}
	fresh := &views{scoped: c.Set().Weights(b.dialect, b.now()).AnyScoped(c.Decision().Members())}
	var boxed any = fresh
	c.Decision().Slot(balancerSlot).CompareAndSwap(nil, &boxed)
	if v := viewsOf(c); v != nil {
		return v
	}
	return fresh
}

// addView stores state under key and returns what is stored there now: another caller's, if that was first.
// On a full or foreign slot it returns state itself, which then serves this one call.
func addView[T any](c route.Candidates, key viewKey, state *T) *T {
	slot := c.Decision().Slot(balancerSlot)
	for {
		p := slot.Load()
		if p == nil {
			return state
		}
		old, ok := (*p).(*views)
		if !ok {
			return state
		}
		if there, ok := old.get(key).(*T); ok {
			return there
		}
		if len(old.list)+len(old.table) >= maxViews {
			return state
		}
		var boxed any = old.with(key, state)
		if slot.CompareAndSwap(p, &boxed) {
			return state
		}
	}
}

func (v *views) with(key viewKey, state any) *views {
	next := &views{scoped: v.scoped, owner: v.owner, weights: v.weights}
	if w, ok := state.(*weighted); ok && next.owner == nil && !v.scoped {
		next.owner, next.weights = key.owner, w
	}
	if v.table == nil && len(v.list) < linearViews {
		next.list = append(append(next.list, v.list...), viewEntry{key, state})
		return next
	}
	next.table = make(map[viewKey]any, len(v.list)+len(v.table)+1)
	maps.Copy(next.table, v.table)
	for _, e := range v.list {
		next.table[e.key] = e.state
	}
	next.table[key] = state
	return next
}

// full reports whether no more state fits.
func (v *views) full() bool { return len(v.list)+len(v.table) >= maxViews }
