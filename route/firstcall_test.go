package route_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/rule"
	"github.com/dubway-go/dubway/service"
)

// firstRules are rules of every kind that compiles, with how many of n providers of fleet are left to a call of "get" without a tag; -1 for some.
func firstRules(t *testing.T, n int) map[string]struct {
	rules route.Rules
	want  int
} {
	t.Helper()
	tags := strings.Builder{}
	tags.WriteString("force: false\nruntime: true\nkey: shop\ntags:\n")
	for k := range 20 {
		fmt.Fprintf(&tags, "- name: t%d\n  addresses: [\"10.0.0.%d:20880\"]\n", k, 10*k+1)
	}
	tag, _ := rule.ParseTagDocument(rule.Origin{Name: "shop.tag-router"}, tags.String(), dialect.Standard)
	multi, _ := rule.ParseConditionDocument(rule.Origin{Name: "a.B::.condition-router"}, twoDestinations, dialect.Standard)
	affinity := &rule.AffinityDocument{Origin: rule.Origin{Name: "a.B.affinity-router"}, Enabled: true, Affinity: "region", Ratio: 10}
	hits := make([]string, 8)
	for i := range hits {
		hits[i] = fmt.Sprintf("method=get* => zone!=z%d & region=hz,bj,sh", i*8)
	}
	untagged := n - n/10
	return map[string]struct {
		rules route.Rules
		want  int
	}{
		"none":         {route.Rules{}, untagged},
		"misses":       {route.Rules{Service: conditions(t, true, "method=set* => region=hz", "method=put => zone=z1")}, untagged},
		"hits":         {route.Rules{Service: conditions(t, true, hits...)}, -1},
		"tags":         {route.Rules{Tag: tag}, untagged - 20},
		"destinations": {route.Rules{Service: multi}, -1},
		"affinity":     {route.Rules{Affinity: affinity}, -1},
	}
}

// TestFirstCallReadsNoProvider: the first call on a snapshot runs over bitsets. Here the providers are gone once the snapshot is made, so that a look at one of
// them is a fault.
func TestFirstCallReadsNoProvider(t *testing.T) {
	const n = 2000
	for name, c := range firstRules(t, n) {
		list := instancesOf(fleet(n))
		chain := route.DefaultChain(dialect.Standard).WithAffinity()
		s, _ := route.Compile(route.Input{Consumer: consumer(), Set: service.NewSet(1, list), Rules: c.rules, Chain: chain})
		clear(list) // the set keeps this very slice
		if got := s.Route(&rpc.Invocation{Method: "get"}).Len(); c.want >= 0 && got != c.want || got == 0 {
			t.Errorf("%s: %d candidates, want %d", name, got, c.want)
		}
	}
}

func instancesOf(set *service.Set) []*service.Instance {
	list := make([]*service.Instance, set.Len())
	for i := range list {
		list[i] = set.At(i)
	}
	return list
}

// TestFirstCallAllocates: the first call makes two bitsets to work on, one of the candidates, and the list of their numbers unless all providers are
// candidates; nothing else grows with the number of providers, and nothing with that of rules.
func TestFirstCallAllocates(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector allocates")
	}
	const n = 50_000
	for name, c := range firstRules(t, n) {
		set := fleet(n)
		for _, chain := range []route.Chain{route.DefaultChain(dialect.Standard).WithAffinity(), {}} {
			s, _ := route.Compile(route.Input{Consumer: consumer(), Set: set, Rules: c.rules, Chain: chain})
			inv := &rpc.Invocation{Method: "get"}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			got := s.Route(inv)
			runtime.ReadMemStats(&after)
			most := uint64(3*n/8 + 8<<10)
			if got.Len() < n {
				most += uint64(4 * got.Len())
			}
			most += most / 8 // the allocator rounds up
			if used := after.TotalAlloc - before.TotalAlloc; used > most {
				t.Errorf("%s, %d routers: %d B, at most %d are accepted", name, len(chain), used, most)
			}
			if calls := after.Mallocs - before.Mallocs; calls > 60 {
				t.Errorf("%s, %d routers: %d allocations", name, len(chain), calls)
			}
		}
	}
}
