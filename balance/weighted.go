package balance

import (
	"sync"
	"sync/atomic"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/route"
)

// refreshMillis is for how long bounds on weights that still grow are used.
const refreshMillis = 1000

// maxRejections is after how many rejected draws a weighted draw walks the list instead. Bounds are refreshed often
// enough that this is rare.
const maxRejections = 16

// weighted draws from the candidates of one Decision by weight, in constant time.
//
// Settled weights are drawn from an alias table, equal ones uniformly. While a provider warms up, the table holds the
// weights that will be reached when the table expires, and a drawn provider is accepted with the
// probability present weight ÷ that bound: the distribution is exact at any time without a table per moment.
type weighted struct {
	method  string
	current atomic.Pointer[weightTable]
	refresh sync.Mutex
}

// weightTable is immutable.
type weightTable struct {
	alias   *aliasTable // nil: uniform proposal
	bounds  []int32     // nil: every draw is accepted, or all bounds are flat
	flat    int32       // the bound of all when bounds is nil and expires is set
	expires int64       // Unix milliseconds; 0 = the weights are settled
}

// weightedOf returns the Decision's weighted draw for this balancer; nil when the Decision is not remembered.
func (b *base) weightedOf(c route.Candidates, method string) *weighted {
	if v := viewsOf(c); v != nil {
		if w, ok := v.get(viewKey{b, viewWeights, weightScope(v, method)}).(*weighted); ok {
			return w
		}
	}
	return b.makeWeighted(c, method)
}

func (b *base) makeWeighted(c route.Candidates, method string) *weighted {
	if !c.Decision().Remembered() {
		return nil
	}
	v := ensureViews(c)
	if v.full() {
		return nil
	}
	scope := weightScope(v, method)
	w := &weighted{method: scope}
	w.current.Store(b.buildWeights(c, method))
	return addView(c, viewKey{b, viewWeights, scope}, w)
}

func (b *base) buildWeights(c route.Candidates, method string) *weightTable {
	if b.ignoresWeights(c, method) {
		return new(weightTable)
	}
	n := c.Len()
	now := b.now()
	bounds := make([]int32, n)
	equal, settled := true, true
	for i := range n {
		g := b.growthOf(c.At(i), method)
		bounds[i] = int32(g.at(b.dialect, now))
		if !g.settled(now) {
			settled = false
			bounds[i] = max(bounds[i], int32(g.at(b.dialect, now+refreshMillis)))
		}
		equal = equal && bounds[i] == bounds[0]
	}
	t := new(weightTable)
	if !equal {
		t.alias = newAliasTable(bounds)
	}
	if !settled {
		t.expires = now + refreshMillis
		t.flat = bounds[0]
		if !equal {
			t.bounds = bounds
		}
	}
	return t
}

// ignoresWeights is the slip of Dubbo 3.0.1 and later: the first provider alone decides whether weights matter
// (spec §11.2).
func (b *base) ignoresWeights(c route.Candidates, method string) bool {
	if b.dialect != dialect.Dubbo31 && b.dialect != dialect.Dubbo33 {
		return false
	}
	first := c.At(0).URL
	if v, ok := first.MethodParam(method, "weight"); ok && v != "" {
		return false
	}
	v, ok := first.Param("timestamp")
	return !ok || v == ""
}

// draw returns a candidate with a probability proportional to its present weight; uniformly when no candidate
// has any. w may be nil.
func (b *base) draw(w *weighted, c route.Candidates, method string, r *draw) int {
	if w == nil {
		return b.walk(c, method, r, nil)
	}
	t := w.current.Load()
	if t.expires == 0 {
		if t.alias == nil {
			return r.below(c.Len())
		}
		return t.alias.pick(r)
	}
	now := b.now()
	if now >= t.expires && w.refresh.TryLock() {
		if t = w.current.Load(); now >= t.expires {
			t = b.buildWeights(c, method)
			w.current.Store(t)
		}
		w.refresh.Unlock()
	}
	for range maxRejections {
		var i int
		if t.alias == nil {
			i = r.below(c.Len())
		} else {
			i = t.alias.pick(r)
		}
		bound := t.flat
		if t.bounds != nil {
			bound = t.bounds[i]
		}
		if present := b.weightOf(c.At(i), method, now); present >= int(bound) || r.below(int(bound)) < present {
			return i
		}
	}
	return b.walk(c, method, r, nil)
}

// walk draws by the present weights without a table, in two passes. skip may be nil. It returns -1 when
// every candidate is skipped.
func (b *base) walk(c route.Candidates, method string, r *draw, skip func(int) bool) int {
	now, ignore := b.now(), b.ignoresWeights(c, method)
	total, left := 0, 0
	for i := range c.Len() {
		if skip == nil || !skip(i) {
			left++
			if !ignore {
				total += b.weightOf(c.At(i), method, now)
			}
		}
	}
	if left == 0 {
		return -1
	}
	offset := r.below(left)
	if total > 0 {
		offset = r.below(total)
	}
	for i := range c.Len() {
		switch {
		case skip != nil && skip(i):
			continue
		case total > 0:
			offset -= b.weightOf(c.At(i), method, now)
		default:
			offset--
		}
		if offset < 0 {
			return i
		}
	}
	return -1
}
