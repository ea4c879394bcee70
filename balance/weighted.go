package balance

import (
	"sync"
	"sync/atomic"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/service"
)

// refreshMillis is for how long bounds on weights that still grow are used.
const refreshMillis = 1000

// maxRejections is after how many rejected draws a weighted draw walks the list instead. A draw is accepted with a
// probability of a quarter at least, save for the first moments of a very short warm-up.
const maxRejections = 64

// longList is from how many candidates on a table is avoided where draws can be rejected instead.
const longList = 1024

// weighted draws from the candidates of one Decision by weight, in constant time.
//
// Settled weights are drawn from an alias table, equal ones uniformly. In a long list whose mean weight is not far below
// the greatest, a uniformly drawn provider is accepted with the probability weight ÷ greatest instead: that takes
// a fraction of the time and memory to set up. While a provider warms up, the table holds the weights that will be reached
// when the table expires, and a drawn provider is accepted with the probability present weight ÷ that bound: the
// distribution is exact at any time without a table per moment.
type weighted struct {
	method  string
	current atomic.Pointer[weightTable]
	refresh sync.Mutex
}

// weightTable is immutable.
type weightTable struct {
	alias   *aliasTable // nil: uniform proposal
	bounds  []int32     // by candidate, of growing weights; nil: the bound is flat
	weights []int32     // by candidate, of settled weights that draws are rejected by
	flat    int32       // the bound of all when bounds is nil; 0 = every draw is accepted
	expires int64       // Unix milliseconds; 0 = the weights are settled
}

// weightedOf returns the Decision's weighted draw for this balancer; nil when the Decision is not remembered.
func (b *base) weightedOf(c route.Candidates, method string) *weighted {
	if v := viewsOf(c); v != nil {
		if v.owner == b {
			return v.weights
		}
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
	v := b.ensureViews(c)
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
	now := b.now()
	s := b.survey(c, method, now)
	t := new(weightTable)
	switch {
	case s.least == s.greatest && s.settled: // also all zero
		return t
	case s.least == s.greatest:
		t.flat = s.greatest
	case s.settled && len(s.bounds) >= longList && s.total >= int64(s.greatest)*int64(len(s.bounds))/4:
		t.flat, t.weights = s.greatest, s.bounds
	default:
		t.alias = newAliasTable(s.bounds)
		if !s.settled {
			t.bounds = s.bounds
		}
	}
	if !s.settled {
		t.expires = now + refreshMillis
	}
	return t
}

// survey is what the shape of a table depends on.
type survey struct {
	bounds          []int32 // by candidate; nil when all have the same bound
	least, greatest int32
	total           int64
	settled         bool
}

func (b *base) survey(c route.Candidates, method string, now int64) survey {
	s := survey{settled: true}
	scale := b.scaleOf(c, method, now)
	n := c.Len()
	if scale.even() { // the usual case, seen without a look at the candidates
		w := int32(scale.growth(0).Weight)
		return survey{least: w, greatest: w, total: int64(w) * int64(n), settled: true}
	}
	for i := range n {
		g := scale.growth(i)
		w := int32(g.Weight)
		if g.Start != 0 {
			w = b.boundOf(g, now)
			s.settled = s.settled && g.Settled(now)
		}
		if i == 0 {
			s.least, s.greatest = w, w
		}
		if s.bounds == nil && w != s.least {
			s.bounds = make([]int32, n)
			for k := range i {
				s.bounds[k] = s.least
			}
		}
		if s.bounds != nil {
			s.bounds[i] = w
		}
		s.least, s.greatest = min(s.least, w), max(s.greatest, w)
		s.total += int64(w)
	}
	return s
}

// boundOf returns the greatest weight of the time for which a table is used.
func (b *base) boundOf(g service.Growth, now int64) int32 {
	w := weightAt(g, b.dialect, now)
	if !g.Settled(now) {
		w = max(w, weightAt(g, b.dialect, now+refreshMillis))
	}
	return int32(w)
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
		switch {
		case t.alias != nil:
			return t.alias.pick(r)
		case t.weights == nil:
			return r.below(c.Len())
		}
		for range maxRejections {
			if i := r.below(len(t.weights)); t.weights[i] == t.flat || r.below(int(t.flat)) < int(t.weights[i]) {
				return i
			}
		}
		return b.walk(c, method, r, nil)
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
		bound := int(t.flat)
		if t.bounds != nil {
			bound = int(t.bounds[i])
		}
		if present := b.weightOf(c.At(i), method, now); present >= bound || r.below(bound) < present {
			return i
		}
	}
	return b.walk(c, method, r, nil)
}

// walk draws by the present weights without a table, in two passes. skip may be nil. It returns -1 when
// every candidate is skipped.
func (b *base) walk(c route.Candidates, method string, r *draw, skip func(int) bool) int {
	now, ignore := b.now(), b.ignoresWeights(c, method)
	scale := b.scaleOf(c, method, now)
	total, left := 0, 0
	for i := range c.Len() {
		if skip == nil || !skip(i) {
			left++
			if !ignore {
				total += weightAt(scale.growth(i), b.dialect, now)
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
			offset -= weightAt(scale.growth(i), b.dialect, now)
		default:
			offset--
		}
		if offset < 0 {
			return i
		}
	}
	return -1
}
