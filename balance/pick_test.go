package balance

import (
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/service"
)

func built(t testing.TB, name string, o Options) Balancer {
	t.Helper()
	b, err := New(name, o)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestPickAllocatesNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	now := newClock(1_000_000)
	lists := map[string]route.Candidates{
		"equal":    simple(t, dialect.Standard, repeat("", 50)...),
		"weighted": simple(t, dialect.Standard, append(repeat("weight=10", 25), repeat("getOrder.weight=200", 25)...)...),
		"warming":  simple(t, dialect.Standard, append(repeat("timestamp=900000", 3), repeat("weight=7", 5)...)...),
		"few":      simple(t, dialect.Standard, "weight=3", "weight=1"),
	}
	for _, d := range []dialect.Dialect{dialect.Standard, dialect.Dubbo27, dialect.Dubbo33} {
		selector, err := NewSelector(now.options(d))
		if err != nil {
			t.Fatal(err)
		}
		all := []Balancer{selector}
		for _, name := range Names() {
			all = append(all, built(t, name, now.options(d)))
		}
		for _, b := range all {
			for kind, c := range lists {
				for _, args := range [][]any{{"user-1"}, {int64(42)}} {
					inv := newInvocation("getOrder", args...)
					pick := func() {
						inv.Seed++
						i := b.Pick(c, inv)
						if i < 0 || i >= c.Len() {
							t.Fatalf("%s: picked %d", b.Name(), i)
						}
						if f, ok := b.(Feedback); ok {
							f.End(f.Begin(c, c.At(i), inv), nil, nil)
						}
					}
					for range 500 {
						pick()
					}
					if n := testing.AllocsPerRun(300, pick); n > 0 {
						t.Errorf("%s, %s, %s: %v allocations", b.Name(), d, kind, n)
					}
				}
			}
		}
	}
}

func TestSmallLists(t *testing.T) {
	empty := route.Candidates{}
	one := simple(t, dialect.Standard, "weight=0&hash.nodes=0")
	for _, d := range dialect.All() {
		for _, name := range Names() {
			b := built(t, name, Options{Dialect: d})
			inv := newInvocation("getOrder")
			if i := b.Pick(empty, inv); i != -1 {
				t.Errorf("%s picked %d of nothing", name, i)
			}
			if i := b.Pick(one, inv); i != 0 {
				t.Errorf("%s picked %d of one", name, i)
			}
			x := b.(Excluder)
			if i := x.PickExcluding(empty, inv, func(int) bool { return false }); i != -1 {
				t.Errorf("%s picked %d of nothing", name, i)
			}
			if i := x.PickExcluding(one, inv, func(int) bool { return true }); i != -1 {
				t.Errorf("%s picked %d although it was excluded", name, i)
			}
		}
	}
}

func TestPickExcludingNeverReturnsTheExcluded(t *testing.T) {
	c := simple(t, dialect.Standard, append(repeat("weight=0", 2), append(repeat("weight=9", 20), "weight=100000")...)...)
	for _, name := range Names() {
		b := built(t, name, Options{}).(Excluder)
		for n := range 200 {
			inv := newInvocation("getOrder", fmt.Sprint(n))
			inv.Seed = uint64(n + 1)
			left := n % c.Len()
			if got := b.PickExcluding(c, inv, func(i int) bool { return i != left }); got != left {
				t.Fatalf("%s: only %d was allowed, picked %d", name, left, got)
			}
			if got := b.PickExcluding(c, inv, func(i int) bool { return i == left }); got < 0 || got == left {
				t.Fatalf("%s: %d was excluded, picked %d", name, left, got)
			}
		}
	}
}

func TestRandomShares(t *testing.T) {
	const draws = 100000
	cases := []struct {
		d       dialect.Dialect
		queries []string
		method  string
		want    []int32
	}{
		{queries: []string{"", "", ""}, want: []int32{1, 1, 1}},
		{queries: []string{"weight=1", "weight=9"}, want: []int32{1, 9}},
		{queries: []string{"weight=0", "weight=0"}, want: []int32{1, 1}},
		{queries: []string{"weight=0", "weight=5"}, want: []int32{0, 1}},
		{queries: []string{"weight=10&pay.weight=30", "weight=10"}, method: "pay", want: []int32{3, 1}},
		{queries: []string{"weight=10&pay.weight=30", "weight=10"}, method: "get", want: []int32{1, 1}},
		{queries: []string{"", "weight=300"}, want: []int32{1, 3}},
		{d: dialect.Dubbo27, queries: []string{"", "weight=300"}, want: []int32{1, 3}},
		// The slip of 3.0.1 and later: the first provider states no weight, so weights do not count.
		{d: dialect.Dubbo31, queries: []string{"", "weight=300"}, want: []int32{1, 1}},
		{d: dialect.Dubbo33, queries: []string{"", "weight=300"}, want: []int32{1, 1}},
		{d: dialect.Dubbo33, queries: []string{"weight=300", ""}, want: []int32{3, 1}},
	}
	for _, c := range cases {
		view := simple(t, c.d, c.queries...)
		b := NewRandom(Options{Dialect: c.d})
		counts := make([]int, view.Len())
		method := c.method
		if method == "" {
			method = "getOrder"
		}
		inv := newInvocation(method)
		for n := range draws {
			inv.Seed = uint64(n + 1)
			counts[b.Pick(view, inv)]++
		}
		t.Logf("%v %s: %v", c.queries, method, counts)
		checkShares(t, counts, c.want)
	}
}

func TestRandomIsReproducible(t *testing.T) {
	c := simple(t, dialect.Standard, "weight=3", "weight=2", "weight=9", "")
	one, two := NewRandom(Options{}), NewRandom(Options{})
	for seed := range uint64(100) {
		inv := newInvocation("getOrder")
		inv.Seed = seed + 1
		if a, b := one.Pick(c, inv), two.Pick(c, inv); a != b {
			t.Fatalf("seed %d: %d and %d", inv.Seed, a, b)
		}
	}
	seen := map[int]bool{}
	for range 200 {
		seen[one.Pick(c, newInvocation("getOrder"))] = true // seed 0 is a fresh one
	}
	if len(seen) < 3 {
		t.Errorf("calls without a seed only went to %v", seen)
	}
}

// TestWarmupShares checks the distribution at moments of a warm-up, between the refreshes of the table.
func TestWarmupShares(t *testing.T) {
	const start, draws = 5_000_000, 60000
	for _, name := range []string{NameRandom, NameRoundRobin} {
		for _, d := range dialect.All() {
			now := newClock(start)
			parameter := "timestamp"
			if d == dialect.Dubbo26 {
				parameter = "remote.timestamp"
			}
			c := simple(t, d, fmt.Sprintf("weight=100&warmup=100000&%s=%d", parameter, start), "weight=100", fmt.Sprintf("weight=50&warmup=100000&%s=%d", parameter, start-50000))
			b := built(t, name, now.options(d))
			for _, up := range []int64{1, 999, 10_000, 10_400, 50_000, 99_999, 100_000, 200_000} {
				now.millis.Store(start + up)
				want := []int32{
					int32(weightAt(service.Growth{Start: start, Warmup: 100000, Weight: 100}, d, start+up)), 100,
					int32(weightAt(service.Growth{Start: start - 50000, Warmup: 100000, Weight: 50}, d, start+up)),
				}
				counts := make([]int, 3)
				inv := newInvocation("getOrder")
				for n := range draws {
					inv.Seed = uint64(n+1)*7919 + uint64(up)
					counts[b.Pick(c, inv)]++
				}
				if name == NameRandom {
					checkShares(t, counts, want)
					continue
				}
				for i, w := range want {
					total := want[0] + want[1] + want[2]
					if diff := float64(counts[i]) - draws*float64(w)/float64(total); math.Abs(diff) > 2 {
						t.Errorf("%s %s at %d: counts %v, weights %v", name, d, up, counts, want)
					}
				}
			}
		}
	}
}

func TestFutureStart(t *testing.T) {
	g := service.Growth{Weight: 100, Start: 2000, Warmup: 1000}
	for d, want := range map[dialect.Dialect][2]int{
		dialect.Standard: {1, 1}, dialect.Dubbo26: {100, 100}, dialect.Dubbo27: {1, 100}, dialect.Dubbo31: {1, 100}, dialect.Dubbo33: {1, 100},
	} {
		if before, at := weightAt(g, d, 1000), weightAt(g, d, 2000); before != want[0] || at != want[1] {
			t.Errorf("%s: %d before the start, %d at it, want %v", d, before, at, want)
		}
	}
}

func TestConcurrentPicks(t *testing.T) {
	now := newClock(1_000_000)
	for _, d := range []dialect.Dialect{dialect.Standard, dialect.Dubbo27} {
		selector, _ := NewSelector(now.options(d))
		for _, name := range append(Names(), "selector") {
			var b Balancer = selector
			if name != "selector" {
				b = built(t, name, now.options(d))
			}
			var wait sync.WaitGroup
			for g := range 4 {
				wait.Go(func() {
					for round := range 5 {
						c := simple(t, d, append(repeat("timestamp=999990&warmup=50", 3), repeat("pay.weight=4", 30)...)...)
						for n := range 100 {
							inv := newInvocation([]string{"getOrder", "pay"}[n%2], fmt.Sprint(n))
							i := b.Pick(c, inv)
							if n%10 == 0 {
								i = b.(Excluder).PickExcluding(c, inv, func(k int) bool { return k == i })
							}
							if i < 0 || i >= c.Len() {
								t.Errorf("%s picked %d", name, i)
								return
							}
							if f, ok := b.(Feedback); ok {
								f.End(f.Begin(c, c.At(i), inv), nil, nil)
							}
							if g == 0 && round == 0 {
								now.millis.Add(1)
							}
						}
					}
				})
			}
			wait.Wait()
		}
	}
}

func TestSelectorFollowsTheParameter(t *testing.T) {
	var log strings.Builder
	s, err := NewSelector(Options{Logger: textLogger(&log)})
	if err != nil {
		t.Fatal(err)
	}
	c := simple(t, dialect.Standard, "loadbalance=roundrobin&pay.loadbalance=consistenthash&bad.loadbalance=fastest", "loadbalance=leastactive")
	for method, want := range map[string]string{"getOrder": NameRoundRobin, "pay": NameConsistentHash, "bad": NameRandom} {
		for range 3 {
			if got := s.For(c, newInvocation(method)).Name(); got != want {
				t.Errorf("%s: %s, want %s", method, got, want)
			}
		}
	}
	if strings.Count(log.String(), "fastest") != 1 {
		t.Errorf("log %q", log.String())
	}
	var picks []int
	for range 4 {
		picks = append(picks, s.Pick(c, newInvocation("getOrder")))
	}
	if fmt.Sprint(picks) != "[0 1 0 1]" {
		t.Errorf("picks %v", picks)
	}
	if _, err := NewSelector(Options{Default: "fastest"}); err == nil || !strings.Contains(err.Error(), "shortestresponse") {
		t.Errorf("error %v", err)
	}
	own := &lastOne{}
	custom, err := NewSelector(Options{Custom: []Balancer{own}, Default: "last"})
	if err != nil {
		t.Fatal(err)
	}
	plain := simple(t, dialect.Standard, "", "", "")
	inv := newInvocation("getOrder")
	if i := custom.Pick(plain, inv); i != 2 {
		t.Errorf("custom balancer: %d", i)
	}
	if i := custom.PickExcluding(plain, inv, func(n int) bool { return n == 2 }); i != 0 {
		t.Errorf("custom balancer, excluding: %d", i)
	}
	if i := custom.PickExcluding(plain, inv, func(int) bool { return true }); i != -1 {
		t.Errorf("custom balancer, all excluded: %d", i)
	}
}

// TestForeignMethodsAreBounded sends calls with ever new method names, as a gateway may.
func TestForeignMethodsAreBounded(t *testing.T) {
	c := simple(t, dialect.Standard, append(repeat("pay.weight=3", 3), "weight=2")...)
	for _, name := range Names() {
		b := built(t, name, Options{})
		for n := range 3000 {
			inv := newInvocation(fmt.Sprint("m", n), "x")
			if i := b.Pick(c, inv); i < 0 {
				t.Fatalf("%s: %d", name, i)
			} else if f, ok := b.(Feedback); ok {
				f.End(f.Begin(c, c.At(i), inv), nil, nil)
			}
		}
	}
	if v := viewsOf(c); len(v.list)+len(v.table) > maxViews {
		t.Errorf("%d views remembered", len(v.list)+len(v.table))
	}
	s := NewLeastActive(Options{})
	for n := range 3000 {
		inv := newInvocation(fmt.Sprint("m", n))
		s.End(s.Begin(c, c.At(0), inv), nil, nil)
	}
	if got := s.loads.size(); got > maxMethods+1 {
		t.Errorf("%d loads remembered", got)
	}
}

// TestLongListShares draws from a list long enough that draws are rejected instead of tabled.
func TestLongListShares(t *testing.T) {
	const n, draws = 3 * longList, 300000
	queries := append(append(repeat("weight=50", n/3), repeat("weight=200", n/3)...), append(repeat("weight=100", n/3-8), repeat("weight=0", 8)...)...)
	c := simple(t, dialect.Standard, queries...)
	b := NewRandom(Options{})
	counts := make([]int, 4)
	class := func(i int) int { return map[int]int{50: 0, 200: 1, 100: 2, 0: 3}[c.At(i).Weight("")] }
	weights := make([]int32, 4)
	for i := range c.Len() {
		weights[class(i)] += int32(c.At(i).Weight(""))
	}
	inv := newInvocation("getOrder")
	for seed := range uint64(draws) {
		inv.Seed = seed + 1
		counts[class(b.Pick(c, inv))]++
	}
	checkShares(t, counts, weights)
	w := b.weightedOf(c, "getOrder").current.Load()
	if w.alias != nil || w.bounds != nil {
		t.Error("a table was built although draws can be rejected")
	}
	few := simple(t, dialect.Standard, append(repeat("weight=1", n), "weight=1000000")...)
	if b.weightedOf(few, "getOrder").current.Load().alias == nil {
		t.Error("no table was built although nearly every draw would be rejected")
	}
}
