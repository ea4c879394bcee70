package service_test

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/internal/bitset"
	"github.com/dubway-go/dubway/service"
)

// weighed makes random providers of every kind of weight around the time now; ordinary is how many of ten are like most.
func weighed(r *rand.Rand, now int64, ordinary int) func() *service.Instance {
	next := 0
	return func() *service.Instance {
		next++
		u := durl.New("dubbo", "10.0.0.1", next, "a.B")
		if r.IntN(10) < ordinary {
			u = u.With("timestamp", "1000").With("remote.timestamp", "1000")
		} else {
			for _, key := range []string{"timestamp", "remote.timestamp"} {
				if r.IntN(2) == 0 {
					u = u.With(key, strconv.FormatInt(now-int64(r.IntN(2_000_000))+200_000, 10))
				}
			}
			for _, p := range [][2]string{{"weight", "0"}, {"weight", "1"}, {"weight", "50"}, {"weight", "-3"}, {"weight", "2147483647"},
				{"warmup", "0"}, {"warmup", "1"}, {"warmup", "-5"}, {"warmup", "1500000"}, {"get.weight", "7"}, {"get.weight", "x"}} {
				if r.IntN(8) == 0 {
					u = u.With(p[0], p[1])
				}
			}
		}
		return service.NewInstance(u, u, u)
	}
}

// TestWeights: what a set keeps of its providers' weights is what they say, also when it was carried over from set to set, at any later time and
// for a clock that went back.
func TestWeights(t *testing.T) {
	for _, d := range dialect.All() {
		for ordinary := range 11 {
			now := int64(1_700_000_000_000)
			r := rand.New(rand.NewPCG(uint64(d), uint64(ordinary)))
			fresh := weighed(r, now, ordinary)
			list := []*service.Instance{}
			for range 100 + r.IntN(100) {
				list = append(list, fresh())
			}
			old := service.NewSet(0, list)
			old.Weights(d, now)
			for step := range 60 {
				list = edited(r, list, fresh)
				if step%20 == 19 { // nearly all are new, some in another order
					for i := range list {
						if r.IntN(4) > 0 {
							list[i] = fresh()
						}
					}
					r.Shuffle(len(list), func(i, k int) { list[i], list[k] = list[k], list[i] })
				}
				now += int64(r.IntN(60_000)) - 5_000
				set := service.NewSet(uint64(step), list)
				checkWeights(t, r, set, set.Reusing(old).Weights(d, now), d, now)
				if past := now - int64(r.IntN(900_000)); r.IntN(10) == 0 {
					checkWeights(t, r, set, set.Weights(d, past), d, past)
				}
				old = set
			}
		}
	}
}

func checkWeights(t *testing.T, r *rand.Rand, set *service.Set, w *service.Weights, d dialect.Dialect, now int64) {
	t.Helper()
	for i := range set.Len() {
		in := set.At(i)
		if w.Scoped(i) != in.HasMethodWeights() {
			t.Fatalf("%s: instance %d: scoped is %v", in.URL, i, w.Scoped(i))
		}
		if w.Scoped(i) {
			continue
		}
		got, want := w.At(i), in.Growth("put", d)
		if got.Weight != want.Weight {
			t.Fatalf("%s %s: weight %d, want %d", d, in.URL, got.Weight, want.Weight)
		}
		if grows := !want.Settled(now); grows && got != want || !grows && !got.Settled(now) {
			t.Fatalf("%s %s at %d: %+v, want %+v", d, in.URL, now, got, want)
		}
	}
	for range 5 { // the sets of candidates for which no provider is looked at
		bits, scoped, weights, settled := bitset.Make(set.Len()), false, map[int]bool{}, true
		for range 1 + r.IntN(4) {
			i := r.IntN(set.Len())
			bits.Add(i)
			g := set.At(i).Growth("put", d)
			scoped = scoped || set.At(i).HasMethodWeights()
			settled = settled && g.Settled(now)
			weights[g.Weight] = true
		}
		if w.AnyScoped(bits) != scoped {
			t.Fatalf("a weight for a method: %v", !scoped)
		}
		if w.Even(bits) && (scoped || !settled || len(weights) > 1) {
			t.Fatalf("even: weights %v, settled %v, for a method %v", weights, settled, scoped)
		}
	}
}

// TestEvenFleet: of a fleet whose providers weigh the same and are up for long nothing is kept for each of them, and all are even.
func TestEvenFleet(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	fresh := weighed(r, 0, 10)
	list := make([]*service.Instance, 1000)
	for i := range list {
		list[i] = fresh()
	}
	all := bitset.Make(len(list))
	all.Fill(len(list))
	for _, d := range dialect.All() {
		set := service.NewSet(1, list)
		w := set.Weights(d, 1_700_000_000_000)
		if !w.Even(all) {
			t.Errorf("%s: not even", d)
		}
		if again := set.Weights(d, 1_700_000_000_000-30_000); again != w {
			t.Errorf("%s: gathered again because the clock went back by 30 s", d)
		}
		if n := testing.AllocsPerRun(10, func() { service.NewSet(2, list).Weights(d, 1_700_000_000_000) }); n > 3 {
			t.Errorf("%s: %v allocations", d, n)
		}
	}
}
