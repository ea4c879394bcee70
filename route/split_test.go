package route_test

import (
	"math"
	"strings"
	"testing"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/rule"
)

func split(tb testing.TB, d dialect.Dialect, n int, text string) *route.Snapshot {
	tb.Helper()
	doc, findings := rule.ParseConditionDocument(rule.Origin{Name: "a.B::.condition-router"}, text, d)
	if doc == nil {
		tb.Fatal(findings)
	}
	s, _ := route.Compile(route.Input{Dialect: d, Consumer: consumer(), Set: fleet(n), Rules: route.Rules{Service: doc}})
	return s
}

const twoDestinations = `configVersion: v3.1
conditions:
- from: {match: "method=get*"}
  to:
  - {match: "region=hz", weight: 1}
  - {match: "region=nowhere", weight: 50}
  - {match: "region=bj", weight: 9}
`

// TestSplitShares: Standard draws by weight among the destinations that have providers; dubbo-3.3 gives
// the first one part too many (spec §3.6: weights 1,9 go 20:80).
func TestSplitShares(t *testing.T) {
	for d, want := range map[dialect.Dialect]float64{dialect.Standard: 0.1, dialect.Dubbo33: 0.2} {
		s := split(t, d, 40, twoDestinations)
		const draws = 50_000
		first := 0
		for seed := range uint64(draws) {
			c := s.Route(&rpc.Invocation{Method: "get", Seed: seed})
			switch region := c.At(0).URL.Get("region", ""); region {
			case "hz":
				first++
			case "bj":
			default:
				t.Fatalf("region %s", region)
			}
		}
		if share := float64(first) / draws; math.Abs(share-want) > 4*math.Sqrt(want*(1-want)/draws) {
			t.Errorf("%v: the first destination got %.3f of the calls, want %.3f", d, share, want)
		}
	}
}

func TestSplitIsReproducible(t *testing.T) {
	s, other := split(t, dialect.Standard, 40, twoDestinations), split(t, dialect.Standard, 40, twoDestinations)
	for seed := range uint64(200) {
		inv := &rpc.Invocation{Method: "get", Seed: seed * seed}
		if a, b := indexes(s.Route(inv)), indexes(other.Route(inv)); len(a) == 0 || a[0] != b[0] || len(a) != len(b) {
			t.Fatalf("seed %d: %v and %v", seed, a, b)
		}
		trace := s.Explain(inv)
		if len(trace.Left) != s.Route(inv).Len() || !strings.HasPrefix(trace.Steps[2].Detail, "destination ") || trace.Steps[2].Reason != route.ReasonSplit {
			t.Fatalf("trace %+v", trace.Steps[2])
		}
	}
}

func TestSplitDoesNotAllocate(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector allocates")
	}
	s := split(t, dialect.Standard, 1000, twoDestinations)
	inv := rpc.Invocation{Method: "getOrder"}
	for range 1000 {
		inv.Seed++
		s.Route(&inv)
	}
	if n := testing.AllocsPerRun(1000, func() { inv.Seed++; s.Route(&inv) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestSplitMemoryIsBounded(t *testing.T) {
	text := "configVersion: v3.1\nconditions:\n" + strings.Repeat(`- to:
  - {match: "region!=hz", weight: 1}
  - {match: "region!=bj", weight: 1}
  - {match: "zone!=z7", weight: 1}
`, 9)
	s := split(t, dialect.Standard, 64, text)
	for seed := range uint64(20_000) {
		inv := &rpc.Invocation{Method: "get", Seed: seed}
		if got, want := s.Route(inv).Len(), len(s.Explain(inv).Left); got != want {
			t.Fatalf("seed %d: %d candidates, explain %d", seed, got, want)
		}
	}
	if m := s.Memory(); m.Entries > 1024 || m.Unremembered == 0 {
		t.Errorf("%+v", m)
	}
}

func BenchmarkPickSplit(b *testing.B) {
	s := split(b, dialect.Standard, 1000, twoDestinations)
	inv := rpc.Invocation{Method: "getOrder"}
	b.ReportAllocs()
	for range b.N {
		inv.Seed++
		pick(s, &inv)
	}
}
