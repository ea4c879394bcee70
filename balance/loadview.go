package balance

import (
	"hash/maphash"
	"sync/atomic"

	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/service"
)

// loadView is what a Decision remembers for one method of a balancer that learns: what was found out about each candidate,
// so that a choice reads one cache line of it instead of the provider's URL. It is filled in as choices need it, and safe for concurrent
// use. A nil view remembers nothing.
type loadView struct {
	candidates []seenCandidate
	// known finds the load by instance, for Begin: an open hash table of which at least half stays empty.
	known []atomic.Pointer[knownLoad]
	room  atomic.Int32
	seed  maphash.Seed
}

// seenCandidate is one candidate; zero fields are not known yet.
type seenCandidate struct {
	load    atomic.Pointer[load]
	weight  atomic.Int32 // the settled weight + 1
	timeout atomic.Int32 // milliseconds
}

type knownLoad struct {
	instance *service.Instance
	load     *load
}

func newLoadView(n int) *loadView {
	size := 8
	for size < 2*n {
		size *= 2
	}
	v := &loadView{candidates: make([]seenCandidate, n), known: make([]atomic.Pointer[knownLoad], size), seed: maphash.MakeSeed()}
	v.room.Store(int32(n))
	return v
}

// loadsOf returns the Decision's view for a method; nil when the Decision is not remembered.
func (b *base) loadsOf(c route.Candidates, method string) *loadView {
	if c.Len() == 0 {
		return nil
	}
	key := viewKey{b, viewLoads, method}
	v := viewsOf(c)
	if v != nil {
		if l, ok := v.get(key).(*loadView); ok {
			return l
		}
	}
	if !c.Decision().Remembered() || v != nil && v.full() {
		return nil
	}
	b.ensureViews(c)
	return addView(c, key, newLoadView(c.Len()))
}

// load returns the load of candidate i, nil when it is not known or was dropped from the table.
func (v *loadView) load(i int) *load {
	if v == nil {
		return nil
	}
	if l := v.candidates[i].load.Load(); l != nil && !l.retired.Load() {
		return l
	}
	return nil
}

func (v *loadView) setLoad(i int, l *load) {
	if v != nil {
		v.candidates[i].load.Store(l)
	}
}

// loadFor is load by instance.
func (v *loadView) loadFor(in *service.Instance) *load {
	if v == nil {
		return nil
	}
	mask := uint64(len(v.known) - 1)
	for i := maphash.Comparable(v.seed, in) & mask; ; i = (i + 1) & mask {
		k := v.known[i].Load()
		if k == nil {
			return nil
		}
		if k.instance == in {
			if k.load.retired.Load() {
				return nil
			}
			return k.load
		}
	}
}

// know remembers the load of an instance. Instances that are no candidates can take the room of those that are; they cost a
// look-up in the balancer's table then.
func (v *loadView) know(in *service.Instance, l *load) {
	if v == nil {
		return
	}
	k := &knownLoad{in, l}
	mask := uint64(len(v.known) - 1)
	for i := maphash.Comparable(v.seed, in) & mask; ; i = (i + 1) & mask {
		old := v.known[i].Load()
		if old != nil && old.instance == in {
			v.known[i].CompareAndSwap(old, k)
			return
		}
		if old != nil {
			continue
		}
		if v.room.Add(-1) < 0 {
			v.room.Add(1)
			return
		}
		if v.known[i].CompareAndSwap(nil, k) {
			return
		}
		v.room.Add(1)
		if v.known[i].Load().instance == in { // another caller was first
			return
		}
	}
}

// presentWeight is weightOf candidate i. Weights that stay as they are from now on are looked up once.
func (b *base) presentWeight(v *loadView, c route.Candidates, i int, method string, now int64) int {
	if v == nil {
		return b.weightOf(c.At(i), method, now)
	}
	if w, ok := v.settledWeight(i); ok {
		return w
	}
	g := c.At(i).Growth(method, b.dialect)
	w := weightAt(g, b.dialect, now)
	if w <= maxSeen && g.Settled(now) {
		v.candidates[i].weight.Store(int32(w) + 1)
	}
	return w
}

// settledWeight returns the weight of candidate i when it is known and stays as it is.
func (v *loadView) settledWeight(i int) (weight int, ok bool) {
	if v == nil {
		return 0, false
	}
	w := v.candidates[i].weight.Load()
	return int(w - 1), w > 0
}

// maxSeen is the greatest weight and timeout that a seenCandidate holds: one less than its fields, for the one that is added.
const maxSeen = 1<<31 - 2

// timeoutOf returns the timeout of candidate i in milliseconds.
func (v *loadView) timeoutOf(c route.Candidates, i int, method string) int64 {
	if v == nil {
		return timeoutOf(c.At(i), method)
	}
	if t := v.candidates[i].timeout.Load(); t > 0 {
		return int64(t)
	}
	t := timeoutOf(c.At(i), method)
	if t <= maxSeen {
		v.candidates[i].timeout.Store(int32(t))
	}
	return t
}
