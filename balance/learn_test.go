package balance

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/service"
)

func textLogger(w io.Writer) *slog.Logger { return slog.New(slog.NewTextHandler(w, nil)) }

// lastOne is a balancer of an application.
type lastOne struct{}

func (*lastOne) Name() string                                   { return "last" }
func (*lastOne) Pick(c route.Candidates, _ *rpc.Invocation) int { return c.Len() - 1 }

func TestLeastActiveCountsPerMethodAcrossSnapshots(t *testing.T) {
	for _, d := range dialect.All() {
		b := NewLeastActive(Options{Dialect: d})
		c := simple(t, d, "", "", "")
		get, pay := newInvocation("getOrder"), newInvocation("pay")
		first, second := b.Begin(c, c.At(0), get), b.Begin(c, c.At(1), get)
		for range 20 {
			if i := b.Pick(c, get); i != 2 {
				t.Fatalf("%s: picked %d", d, i)
			}
		}
		again := simple(t, d, "weight=7", "weight=7") // the first two as new instances in a new snapshot
		b.End(second, nil, nil)
		for range 20 {
			if i := b.Pick(again, get); i != 1 {
				t.Fatalf("%s: picked %d in the next snapshot", d, i)
			}
		}
		seen := map[int]bool{}
		for range 100 {
			seen[b.Pick(c, pay)] = true
		}
		if len(seen) != 3 {
			t.Errorf("%s: another method only went to %v", d, seen)
		}
		b.End(first, nil, errors.New("broken"))
		b.End(Ticket{}, nil, nil)
		seen = map[int]bool{}
		for range 100 {
			seen[b.Pick(c, get)] = true
		}
		if len(seen) != 3 {
			t.Errorf("%s: after all ended only went to %v", d, seen)
		}
	}
}

// TestTwoChoicesAvoidTheBusy checks large lists in standard, where not all candidates are compared.
func TestTwoChoicesAvoidTheBusy(t *testing.T) {
	b := NewLeastActive(Options{})
	c := simple(t, dialect.Standard, repeat("", 200)...)
	inv := newInvocation("getOrder")
	for n := range 2000 { // 2,000 calls that do not end
		inv.Seed = uint64(n + 1)
		b.Begin(c, c.At(b.Pick(c, inv)), inv)
	}
	most := int64(0)
	for i := range c.Len() {
		most = max(most, b.loadOf(nil, c, i, inv).active.Load())
	}
	// Two choices keep the fullest within about log log n of the mean of 10; one choice would reach 20.
	if most > 14 {
		t.Errorf("the busiest of 200 providers has %d of 2,000 calls", most)
	}
}

func TestShortestResponse(t *testing.T) {
	for _, d := range []dialect.Dialect{dialect.Standard, dialect.Dubbo27, dialect.Dubbo33} {
		now := newClock(1_000_000)
		b := NewShortestResponse(now.options(d))
		c := simple(t, d, "", "", "")
		inv := newInvocation("getOrder")
		run := func(i int, took time.Duration, err error) {
			ticket := b.Begin(c, c.At(i), inv)
			now.add(took)
			b.End(ticket, nil, err)
		}
		for range 5 {
			run(0, 50*time.Millisecond, nil)
			run(1, 10*time.Millisecond, &rpc.Error{Code: rpc.Business})
			run(2, 90*time.Millisecond, nil)
			run(2, time.Millisecond, &rpc.Error{Code: rpc.Network}) // no answer: does not count
		}
		for range 20 {
			if i := b.Pick(c, inv); i != 1 {
				t.Fatalf("%s: picked %d", d, i)
			}
		}
		for range 5 { // 10 ms × 6 is more than 50 ms × 1
			b.Begin(c, c.At(1), inv)
		}
		if i := b.Pick(c, inv); i != 0 {
			t.Errorf("%s: picked %d although another has fewer calls under way", d, i)
		}
		now.add(time.Minute)
		seen := map[int]bool{}
		for range 60 {
			seen[b.Pick(c, inv)] = true
		}
		// A new window: Dubbo 3 knows nothing and spreads; standard goes on with the last window; 2.7 has no window.
		if want := map[dialect.Dialect]int{dialect.Standard: 1, dialect.Dubbo27: 1, dialect.Dubbo33: 3}[d]; len(seen) != want {
			t.Errorf("%s: after the window went to %v", d, seen)
		}
	}
}

func TestAdaptive(t *testing.T) {
	now := newClock(1_000_000)
	b := NewAdaptive(now.options(dialect.Standard))
	c := simple(t, dialect.Standard, "", "")
	inv := newInvocation("getOrder")
	if key, value, ok := b.Request(c, inv); !ok || key != "lb_adaptive" || value != "mem,load" {
		t.Errorf("request %s=%s", key, value)
	}
	report := func(i int, cpu string, took time.Duration) {
		ticket := b.Begin(c, c.At(i), inv)
		now.add(took)
		b.End(ticket, rpc.Attachments{{Key: AdaptiveKey, Value: fmt.Sprintf("curTime:%d,load:%s", now.millis.Load(), cpu)}}, nil)
	}
	for range 5 {
		report(0, "0.9", 40*time.Millisecond)
		report(1, "0.1", 5*time.Millisecond)
	}
	for range 30 {
		if i := b.Pick(c, inv); i != 1 {
			t.Fatalf("picked the loaded provider %d", i)
		}
	}
	now.add(1500 * time.Millisecond)
	report(1, "0.1", time.Millisecond)
	now.add(900 * time.Millisecond) // provider 0 was not chosen for more than two timeouts
	if i := b.Pick(c, inv); i != 0 {
		t.Errorf("picked %d although the other had no chance for long", i)
	}
	for _, hostile := range []string{"", ":", "curTime", "load:NaN,curTime:-9", "load:Inf", "curTime:99999999999999999999,load:1e999", "a:b,c"} {
		if at, cpu := parseAdaptive(hostile); at != 0 || cpu != 0 {
			t.Errorf("%q: %d, %v", hostile, at, cpu)
		}
	}
}

func TestAdaptiveWithoutReports(t *testing.T) {
	now := newClock(1_000_000)
	standard, exact := NewAdaptive(now.options(dialect.Standard)), NewAdaptive(now.options(dialect.Dubbo33))
	c := simple(t, dialect.Standard, "", "")
	for range 5 {
		for i, took := range []time.Duration{200 * time.Millisecond, time.Millisecond} {
			for _, b := range []*Adaptive{standard, exact} {
				ticket := b.Begin(c, c.At(i), newInvocation("getOrder"))
				now.add(took)
				b.End(ticket, nil, nil)
			}
		}
	}
	slow := map[Balancer]int{}
	for n := range 200 {
		inv := newInvocation("getOrder")
		inv.Seed = uint64(n + 1)
		for _, b := range []*Adaptive{standard, exact} {
			if b.Pick(c, inv) == 0 {
				slow[b]++
			}
		}
	}
	if slow[standard] != 0 {
		t.Errorf("standard went to the slow provider %d times", slow[standard])
	}
	if slow[exact] < 50 { // Dubbo counts no report as no load: a coin
		t.Errorf("Dubbo went to the slow provider %d times", slow[exact])
	}
}

func TestAdaptiveLoadFormula(t *testing.T) {
	var a adaptiveLoad
	a.requests.Store(9)
	a.succeeded.Store(7)
	a.failed.Store(1)
	a.picked.Store(1000)
	a.cpu.Store(math.Float64bits(0.5))
	a.reported.Store(true)
	a.average.Store(math.Float64bits(16))
	// 0.5 × (4+1) × (1+1) ÷ (7/10 × 100 + 1)
	if got, want := a.value(1500, 1000, 100, false), 0.5*5*2/71.0; got < want*0.999999 || got > want*1.000001 {
		t.Errorf("load %v, want %v", got, want)
	}
	if got := a.value(3001, 1000, 100, false); got != 0 {
		t.Errorf("load %v of a provider not chosen for long", got)
	}
	late := adaptiveLoad{providerTime: 900}
	late.picked.Store(1000)
	late.seen.Store(900)
	late.latency.Store(64)
	late.average.Store(math.Float64bits(64))
	late.value(1000, 1000, 100, true)
	if got := math.Float64frombits(late.average.Load()); got != 0.5*64+0.5*2000 {
		t.Errorf("average %v after silence, want the penalty of two timeouts", got)
	}
}

// A choice in standard does not wait for who changes the load, and leaves the decay to one caller.
func TestAdaptiveLoadIsReadWithoutLock(t *testing.T) {
	var a adaptiveLoad
	a.begin(1000)
	a.end(1000, 64, true, "", false)
	a.picked.Store(5000)
	a.mu.Lock()
	before := a.value(5000, 1000, 100, false)
	a.mu.Unlock()
	after := a.value(5000, 1000, 100, false)
	if before <= after || a.seen.Load() != 5000 || a.latency.Load() != 64>>5 {
		t.Errorf("load %v while locked, %v later; seen %d, latency %d", before, after, a.seen.Load(), a.latency.Load())
	}
	if again := a.value(5000, 1000, 100, false); again != after {
		t.Errorf("load %v, then %v at the same moment", after, again)
	}
}

func TestRoundRobinCarriesOn(t *testing.T) {
	for _, d := range dialect.All() {
		b := NewRoundRobin(Options{Dialect: d})
		urls := providerURLs("weight=5", "weight=1", "weight=1")
		list := instances(t, d, urls...)
		oracle := make([]int64, 3)
		for round := range 8 { // each round is a new snapshot; the sequence goes on as if there were none
			c := candidates(t, d, list)
			for range 5 {
				if got, want := b.Pick(c, newInvocation("getOrder")), plainSmooth(oracle, []int32{5, 1, 1}, []int{0, 1, 2}); got != want {
					t.Fatalf("%s, round %d: %d, want %d", d, round, got, want)
				}
			}
		}
		// Without the second provider, and with a new weight of the third: that one starts at zero.
		changed := instances(t, d, urls[0], "dubbo://10.0.0.3:20880/demo.shop.OrderService?interface=demo.shop.OrderService&weight=4")
		oracle = []int64{oracle[0], 0}
		c := candidates(t, d, changed)
		for n := range 20 {
			if got, want := b.Pick(c, newInvocation("getOrder")), plainSmooth(oracle, []int32{5, 4}, []int{0, 1}); got != want {
				t.Fatalf("%s, changed list, call %d: %d, want %d", d, n, got, want)
			}
		}
	}
}

// TestRoundRobinShared checks that the Dubbo dialects share values between candidate sets of a method.
func TestRoundRobinShared(t *testing.T) {
	list := instances(t, dialect.Dubbo33, providerURLs("weight=3", "weight=2", "weight=5", "weight=5")...)
	b := NewRoundRobin(Options{Dialect: dialect.Dubbo33})
	left, right := candidates(t, dialect.Dubbo33, list[:3]), candidates(t, dialect.Dubbo33, list[1:])
	oracle, weights := make([]int64, 4), []int32{3, 2, 5, 5}
	for n := range 60 {
		if got, want := b.Pick(left, newInvocation("m")), plainSmooth(oracle, weights, []int{0, 1, 2}); got != want {
			t.Fatalf("call %d: %d, want %d", n, got, want)
		}
		if n%3 == 0 {
			if got, want := b.Pick(right, newInvocation("m"))+1, plainSmooth(oracle, weights, []int{1, 2, 3}); got != want {
				t.Fatalf("call %d: %d, want %d", n, got, want)
			}
		}
	}
}

// TestRoundRobinIsFairUnderContention counts the calls of many callers: every cursor keeps the proportions.
func TestRoundRobinIsFairUnderContention(t *testing.T) {
	b := NewRoundRobin(Options{})
	c := simple(t, dialect.Standard, "weight=3", "weight=1", "weight=2")
	counts := make(chan [3]int, 8)
	for range 8 {
		go func() {
			var own [3]int
			for range 3000 {
				own[b.Pick(c, newInvocation("getOrder"))]++
			}
			counts <- own
		}()
	}
	var sum [3]int
	for range 8 {
		own := <-counts
		for i, n := range own {
			sum[i] += n
		}
	}
	for i, want := range [3]int{12000, 4000, 8000} {
		if diff := sum[i] - want; diff < -maxCursors*6 || diff > maxCursors*6 {
			t.Errorf("shares %v", sum)
		}
	}
}

func TestConsistentHashStaysOnChange(t *testing.T) {
	b := NewConsistentHash(Options{})
	list := instances(t, dialect.Standard, providerURLs(repeat("", 10)...)...)
	all, fewer := candidates(t, dialect.Standard, list), candidates(t, dialect.Standard, append(append([]*service.Instance(nil), list[:4]...), list[5:]...))
	moved := 0
	for n := range 2000 {
		inv := newInvocation("getOrder", fmt.Sprint("user-", n))
		before, after := all.At(b.Pick(all, inv)), fewer.At(b.Pick(fewer, inv))
		if before != after {
			moved++
			if before != list[4] {
				t.Fatalf("key %d moved from %s to %s although only %s left", n, before.Address(), after.Address(), list[4].Address())
			}
		}
		// Excluding a provider is the ring without it.
		if i := b.PickExcluding(all, inv, func(k int) bool { return k == 4 }); all.At(i) != after {
			t.Fatalf("key %d: excluding gives %s, a ring without it %s", n, all.At(i).Address(), after.Address())
		}
	}
	if moved == 0 || moved > 500 {
		t.Errorf("%d of 2,000 keys moved", moved)
	}
}

func TestConsistentHashParameters(t *testing.T) {
	for _, query := range []string{"hash.arguments=x", "hash.nodes=0", "hash.nodes=many", "hash.nodes=999999999"} {
		c, inv := simple(t, dialect.Standard, query, query), newInvocation("getOrder", "k")
		if i := NewConsistentHash(Options{}).Pick(c, inv); i < 0 {
			t.Errorf("standard refuses %s", query)
		}
		java := NewConsistentHash(Options{Dialect: dialect.Dubbo33})
		if i := java.Pick(c, inv); i != -1 || java.Refusal(c, inv) == nil {
			t.Errorf("Dubbo picks %d with %s", i, query)
		}
	}
}

// TestBoundedHashEnds is user report 98: the search for a provider below the bound must end.
func TestBoundedHashEnds(t *testing.T) {
	r := newRing([]string{"a:1", "b:1"}, 8, nil)
	l := &boundedLoad{ring: r, counts: map[string]int64{"a:1": 1 << 40, "b:1": 1 << 40}}
	if i := l.pick(r, 7); i < 0 || i > 1 {
		t.Errorf("picked %d", i)
	}
}

func TestIdleLoadsAreDropped(t *testing.T) {
	now := newClock(1_000_000)
	b := NewLeastActive(now.options(dialect.Standard))
	inv := newInvocation("getOrder")
	old := simple(t, dialect.Standard, repeat("", 100)...)
	kept := b.Begin(old, old.At(0), inv)
	for i := range old.Len() {
		b.End(b.Begin(old, old.At(i), inv), nil, nil)
	}
	now.add(time.Hour)
	fresh := instances(t, dialect.Standard, providerURLs(repeat("", 400)...)[100:]...)
	for range 3 {
		for _, in := range fresh {
			b.End(b.Begin(old, in, inv), nil, nil)
		}
	}
	if n := b.loads.size(); n > 301 {
		t.Errorf("%d loads are kept", n)
	}
	if l := b.loads.get(b.key(inv, old.At(0)), b.now); l != kept.load {
		t.Error("a load with a call under way was dropped")
	}
	if i := b.Pick(old, inv); i < 0 || b.loadOf(b.loadsOf(old, inv.Method), old, 1, inv).retired.Load() {
		t.Errorf("picked %d with a dropped load", i)
	}
}

// A choice among many in standard looks at two candidates, whatever their number.
func TestStandardLooksAtTwo(t *testing.T) {
	c := simple(t, dialect.Standard, repeat("", 1000)...)
	for _, name := range []string{NameLeastActive, NameShortestResponse, NameAdaptive} {
		b := built(t, name, Options{})
		inv := newInvocation("getOrder")
		if b.Pick(c, inv) < 0 {
			t.Fatalf("%s: nobody", name)
		}
		seen := 0
		for _, e := range viewsOf(c).list {
			if v, ok := e.state.(*loadView); ok && e.key.kind == viewLoads {
				for i := range v.candidates {
					if v.candidates[i].load.Load() != nil {
						seen++
					}
				}
			}
		}
		if seen < 1 || seen > 2 {
			t.Errorf("%s looked at %d candidates", name, seen)
		}
		c = simple(t, dialect.Standard, repeat("", 1000)...)
	}
}

// Begin finds the load that Pick compares, also for instances that are no candidates, by many callers at a time.
func TestBeginFindsTheLoad(t *testing.T) {
	c := simple(t, dialect.Standard, repeat("", 100)...)
	others := instances(t, dialect.Standard, providerURLs(repeat("", 300)...)...)
	for _, name := range []string{NameLeastActive, NameShortestResponse, NameAdaptive} {
		b, ok := built(t, name, Options{}).(interface {
			Balancer
			Feedback
		})
		if !ok {
			t.Fatalf("%s learns nothing", name)
		}
		inv := newInvocation("getOrder")
		tickets := make([][]Ticket, 4)
		var wg sync.WaitGroup
		for g := range tickets {
			wg.Go(func() {
				for i := range others {
					tickets[g] = append(tickets[g], b.Begin(c, others[i], inv))
				}
				for i := range c.Len() {
					tickets[g] = append(tickets[g], b.Begin(c, c.At(i), inv))
				}
			})
		}
		wg.Wait()
		for i := range tickets[0] {
			for g := range tickets {
				if tickets[g][i].load != tickets[0][i].load {
					t.Fatalf("%s: callers count in different loads", name)
				}
			}
		}
		for i := range c.Len() {
			// Providers of one address are one provider to a balancer: the first hundred of both lists.
			if got := tickets[0][len(others)+i].load.active.Load(); got != 8 {
				t.Fatalf("%s: %d calls under way, want 8", name, got)
			}
		}
	}
}

// A load fills whole cache lines, so that callers of different providers do not disturb each other.
func TestLoadFillsCacheLines(t *testing.T) {
	if size := unsafe.Sizeof(load{}); size%64 != 0 {
		t.Errorf("a load has %d bytes, want a multiple of 64", size)
	}
}
