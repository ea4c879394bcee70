package service

import (
	"sync/atomic"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/internal/bitset"
)

// Growth is what the weight of a provider depends on.
type Growth struct {
	// Start is the start time in Unix milliseconds, 0 when unknown or when the weight no longer depends on it; Warmup is in milliseconds.
	Start, Warmup int64
	// Weight is the configured weight, never negative.
	Weight int
}

// Settled reports whether the weight stays as it is from now on (Unix milliseconds): nobody grows beyond 1 or from 0, nor after the
// warm-up (spec §11.1).
func (g Growth) Settled(now int64) bool {
	return g.Weight <= 1 || g.Start <= 0 || now-g.Start >= g.Warmup
}

// Weights tells what the providers of a set weigh, so that weighing the candidates of a call reads a few words of memory in order
// instead of each provider. It holds one weight for most of them, and what there is to know of the others. It is immutable and safe for concurrent
// use.
type Weights struct {
	common int32
	// since is from when on who is not in growing weighs the same for good, in Unix milliseconds.
	since int64
	// differs has the weight of who has not the common one, growing the start and warm-up of who may still grow. scoped is who has a weight
	// for single methods, who is in neither of the two; nil for nobody.
	differs sparse[int32]
	growing sparse[warmup]
	scoped  bitset.Set
}

type warmup struct {
	start  int64
	length int32
}

// clockStep is by how many milliseconds a clock may be set back without the weights of a set having to be gathered again.
const clockStep = 60 * 1000

// At returns what the weight of instance i of the set depends on. Where Scoped holds, only the instance knows.
func (w *Weights) At(i int) Growth {
	g := Growth{Weight: int(w.common)}
	if v, ok := w.differs.at(i); ok {
		g.Weight = int(v)
	}
	if v, ok := w.growing.at(i); ok {
		g.Start, g.Warmup = v.start, int64(v.length)
	}
	return g
}

// Scoped reports whether instance i of the set has a weight for a single method (Instance.HasMethodWeights).
func (w *Weights) Scoped(i int) bool { return w.scoped != nil && w.scoped.Has(i) }

// AnyScoped reports whether any instance in bits, a bitset over the set, has a weight for a single method.
func (w *Weights) AnyScoped(bits bitset.Set) bool {
	return w.scoped != nil && bits.Intersects(w.scoped)
}

// Even reports whether all instances in bits, a bitset over the set, weigh the same for good and for all methods. It looks at words, not at instances, and
// may miss it where they weigh something else than most.
func (w *Weights) Even(bits bitset.Set) bool {
	return !w.differs.meets(bits) && !w.growing.meets(bits) && !w.AnyScoped(bits)
}

// weightSlots is how many kinds of Weights a set has: with the start time as providers state it, and as dubbo-2.6 sees it.
const weightSlots = 2

func weightSlot(d dialect.Dialect) int {
	if d == dialect.Dubbo26 {
		return 1
	}
	return 0
}

// Weights returns what the instances weigh to a consumer of a dialect at the time now (Unix milliseconds) and later. Who compiled a
// snapshot of the set has made it; else, and with a clock far behind the one it was made by, each instance is looked at.
func (s *Set) Weights(d dialect.Dialect, now int64) *Weights {
	return s.Reusing(nil).Weights(d, now)
}

// Weights is Set.Weights.
func (x Indexes) Weights(d dialect.Dialect, now int64) *Weights {
	s := x.set
	slot := &s.weights[weightSlot(d)]
	known := slot.Load()
	if known != nil && known.since <= now {
		return known
	}
	var w *Weights
	if x.lineage != nil {
		w = x.carryWeights(d, now)
	}
	if w == nil {
		w = gatherWeights(s.list, d, now-clockStep)
	}
	keepEarliest(slot, w)
	return w
}

// keepEarliest stores w unless there is one that serves longer.
func keepEarliest(slot *atomic.Pointer[Weights], w *Weights) {
	for {
		known := slot.Load()
		if known != nil && known.since <= w.since || slot.CompareAndSwap(known, w) {
			return
		}
	}
}

// Growth returns what the instance's weight for calls of method depends on, as a consumer of a dialect sees it. Dubbo up to 2.7.3
// (dubbo-2.6) knows the start time as remote.timestamp, because there the consumer's timestamp hides the provider's (spec §1.6, §11.1).
func (in *Instance) Growth(method string, d dialect.Dialect) Growth {
	g := Growth{Weight: in.Weight(method), Start: in.started, Warmup: int64(in.warmup)}
	if d == dialect.Dubbo26 {
		g.Start = millis(in.URL.Get("remote."+startParam, ""))
	}
	return g
}

// gatherWeights looks at all instances.
func gatherWeights(list []*Instance, d dialect.Dialect, since int64) *Weights {
	w := &Weights{since: since, common: commonWeight(list)}
	for i, in := range list {
		w.put(len(list), i, in, d)
	}
	w.seal()
	return w
}

// commonWeight returns the weight of more than half of the instances, or some weight. It looks at a sample of long lists.
func commonWeight(list []*Instance) int32 {
	step := 1 + len(list)/256
	common, lead := int32(DefaultWeight), 0
	for i := 0; i < len(list); i += step {
		switch w := list[i].weight; {
		case lead == 0:
			common, lead = w, 1
		case w == common:
			lead++
		default:
			lead--
		}
	}
	return common
}

// put takes in instance i of n. Instances come in ascending order, and seal after the last.
func (w *Weights) put(n, i int, in *Instance, d dialect.Dialect) {
	if in.methodWeights {
		if w.scoped == nil {
			w.scoped = bitset.Make(n)
		}
		w.scoped.Add(i)
		return
	}
	if in.weight != w.common {
		w.differs.put(n, i, in.weight)
	}
	if g := in.Growth("", d); !g.Settled(w.since) {
		w.growing.put(n, i, warmup{g.Start, in.warmup})
	}
}

func (w *Weights) seal() {
	w.differs.seal()
	w.growing.seal()
}

// carryWeights starts from the Weights of the earlier set and looks at new instances only; nil when that does not pay.
func (x Indexes) carryWeights(d dialect.Dialect, now int64) *Weights {
	old := x.lineage.old.weights[weightSlot(d)].Load()
	if old == nil || now < old.since {
		return nil
	}
	runs, added := x.lineage.edits()
	list := x.set.list
	n := len(list)
	if len(added) > n/2 {
		return nil // most weights may be others now
	}
	w := &Weights{since: max(old.since, now-clockStep), common: old.common}
	for _, r := range runs {
		for ; len(added) > 0 && added[0] < r.to; added = added[1:] {
			w.put(n, added[0], list[added[0]], d)
		}
		w.differs.take(n, &old.differs, r)
		w.growing.take(n, &old.growing, r)
		if old.scoped != nil {
			if w.scoped == nil {
				w.scoped = bitset.Make(n)
			}
			w.scoped.CopyRange(r.to, old.scoped, r.from, r.n)
		}
	}
	for _, i := range added {
		w.put(n, i, list[i], d)
	}
	w.dropGrown(old.since)
	if w.scoped != nil && !w.scoped.Any() {
		w.scoped = nil
	}
	w.seal()
	return w
}

// dropGrown takes out of growing who has grown up since then. It comes before seal.
func (w *Weights) dropGrown(then int64) {
	if w.growing.in == nil || w.since == then {
		return
	}
	kept, k := w.growing.values[:0], 0
	for i := w.growing.in.Next(0); i >= 0; i = w.growing.in.Next(i + 1) {
		v := w.growing.values[k]
		k++
		if w.since-v.start >= int64(v.length) {
			w.growing.in.Remove(i)
			continue
		}
		kept = append(kept, v)
	}
	if w.growing.values = kept; len(kept) == 0 {
		w.growing = sparse[warmup]{}
	}
}
