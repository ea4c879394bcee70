package balance

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/rule"
	"github.com/dubway-go/dubway/service"
)

// fleets are lists of providers by how their weights differ, at the time now.
func fleets(n int, now int64) map[string][]string {
	of := func(query func(i int) string) []string {
		out := make([]string, n)
		for i := range out {
			out[i] = fmt.Sprintf("region=r%d&%s", i%4, query(i))
		}
		return out
	}
	start := func(at int64) string { return fmt.Sprintf("timestamp=%d&remote.timestamp=%d", at, at) }
	return map[string][]string{
		"even":                of(func(int) string { return start(1_600_000_000_000) }),
		"two weights":         of(func(i int) string { return fmt.Sprintf("weight=%d&%s", 100+100*(i/4%2), start(1_600_000_000_000)) }),
		"a group weighs more": of(func(i int) string { return fmt.Sprintf("weight=%d&%s", 100+100*(i%4%2), start(1_600_000_000_000)) }),
		"steep": of(func(i int) string {
			return fmt.Sprintf("weight=%d&%s", 1+100_000*(i/4%50/49), start(1_600_000_000_000))
		}),
		"few warm up": of(func(i int) string {
			if i%100 < 4 {
				return start(now - 1000)
			}
			return start(1_600_000_000_000)
		}),
		"all warm up":        of(func(i int) string { return start(now - int64(i)) }),
		"warm up in step":    of(func(int) string { return start(now - 1000) }),
		"nobody says a word": of(func(int) string { return "" }),
		"methods":            of(func(i int) string { return fmt.Sprintf("getOrder.weight=%d", 10*(i/4%3)) }),
	}
}

// region keeps a quarter of the providers.
func region(t testing.TB, d dialect.Dialect, set *service.Set) *route.Snapshot {
	t.Helper()
	doc, findings := rule.ParseConditionDocument(rule.Origin{Source: "test", Name: "rule"}, "force: true\nruntime: true\nconditions: [\"=> region=r1\"]\nkey: a.B\n", d)
	if err := findings.Err(); err != nil {
		t.Fatal(err)
	}
	consumer, err := durl.Parse(testConsumer)
	if err != nil {
		t.Fatal(err)
	}
	s, _ := route.Compile(route.Input{Dialect: d, Consumer: service.Consumer{URL: consumer}, Set: set,
		Rules: route.Rules{ProviderApplication: doc, Service: doc, Application: doc}, Chain: route.DefaultChain(dialect.Standard).Only(route.RouterService)})
	return s
}

// TestFirstPickReadsNoProvider: what the first choice among the candidates of a new snapshot has to know of their weights, it reads from what the set
// keeps of them. Here the providers are gone once the snapshot is made, so that a look at one of them is a fault. The first candidate alone
// may be asked, which the Dubbo 3 dialects do.
func TestFirstPickReadsNoProvider(t *testing.T) {
	const n = 2000
	now := time.Now().UnixMilli()
	for _, d := range dialect.All() {
		for name, queries := range fleets(n, now) {
			if name == "methods" {
				continue // only the provider knows
			}
			for _, all := range []bool{true, false} {
				list := instances(t, d, providerURLs(queries...)...)
				b := NewRandom(Options{Dialect: d})
				var c route.Candidates
				if all {
					c = candidates(t, d, list)
				} else {
					c = region(t, d, service.NewSet(1, list)).Route(newInvocation("getOrder"))
				}
				first := c.Index(0)
				for i := range list {
					if i != first {
						list[i] = nil // the set keeps this very slice
					}
				}
				if b.weightedOf(c, "getOrder") == nil {
					t.Errorf("%s, %s: no table", d, name)
				}
			}
		}
	}
}

// TestSurvey: the tables that draws are made from are those that a look at each provider gives.
func TestSurvey(t *testing.T) {
	const n = 300
	now := time.Now().UnixMilli()
	for _, d := range dialect.All() {
		for name, queries := range fleets(n, now) {
			set := service.NewSet(1, instances(t, d, providerURLs(queries...)...))
			b := NewRandom(Options{Dialect: d})
			for _, c := range []route.Candidates{candidates(t, d, slices.Collect(all(set))), region(t, d, set).Route(newInvocation("getOrder"))} {
				for _, method := range []string{"getOrder", "other"} {
					for _, at := range []int64{now, now + 300_000, now + 700_000, now - 3_600_000, 1} {
						got, want := b.survey(c, method, at), plainSurvey(b, c, method, at)
						if got.bounds == nil && got.least == got.greatest {
							got.bounds = want.bounds // not made when all are equal
						}
						if got.least != want.least || got.greatest != want.greatest || got.total != want.total || got.settled != want.settled || !slices.Equal(got.bounds, want.bounds) {
							t.Fatalf("%s, %s, %s at %d: %d to %d, sum %d, settled %v; want %d to %d, sum %d, settled %v", d, name, method, at,
								got.least, got.greatest, got.total, got.settled, want.least, want.greatest, want.total, want.settled)
						}
					}
				}
			}
		}
	}
}

func all(set *service.Set) func(yield func(*service.Instance) bool) {
	return func(yield func(*service.Instance) bool) {
		for i := range set.Len() {
			if !yield(set.At(i)) {
				return
			}
		}
	}
}

// plainSurvey asks each provider.
func plainSurvey(b *Random, c route.Candidates, method string, now int64) survey {
	s := survey{settled: true}
	for i := range c.Len() {
		g := c.At(i).Growth(method, b.dialect)
		w := b.boundOf(g, now)
		s.settled = s.settled && g.Settled(now)
		if i == 0 {
			s.least, s.greatest = w, w
		}
		s.least, s.greatest = min(s.least, w), max(s.greatest, w)
		s.bounds = append(s.bounds, w)
		s.total += int64(w)
	}
	return s
}

// TestFirstPickAllocates: a first choice among even candidates makes nothing of their number, and among others one table.
func TestFirstPickAllocates(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	const n = 50_000
	now := time.Now().UnixMilli()
	for name, queries := range fleets(n, now) {
		most := uint64(4 << 10)
		switch name {
		case "even", "a group weighs more", "nobody says a word", "warm up in step":
		case "two weights":
			most += 4 * n / 4 * 5 / 4 // the allocator rounds up
		default: // an alias table: two columns and a stack
			most += 24 * n / 4 * 5 / 4
		}
		c := region(t, dialect.Standard, service.NewSet(1, instances(t, dialect.Standard, providerURLs(queries...)...))).Route(newInvocation("getOrder"))
		b, inv := NewRandom(Options{}), newInvocation("getOrder")
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		b.Pick(c, inv)
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; got > most {
			t.Errorf("%s: %d B, at most %d are accepted", name, got, most)
		}
	}
}

// TestWalkWeighsLikeTheTable: an odd call that is drawn without a table has the same shares.
func TestWalkWeighsLikeTheTable(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 2))
	c := simple(t, dialect.Standard, "weight=10", "weight=0", "weight=30", "getOrder.weight=60", "weight=5")
	b := NewRandom(Options{})
	counts := make([]int, 5)
	for range 40_000 {
		d := newDraw(r.Uint64())
		counts[b.walk(c, "getOrder", &d, func(i int) bool { return i == 4 })]++
	}
	checkShares(t, counts, []int32{10, 0, 30, 60, 0})
}
