package bench

import (
	"fmt"
	"sync"
	"testing"

	"github.com/dubway-go/dubway/bench/dubbogo"
	"github.com/dubway-go/dubway/bench/dubway"
	"github.com/dubway-go/dubway/bench/workload"
)

// scenario is one workload at one number of rules: the documents, the call's tag and what a correct engine keeps.
type scenario struct {
	name    string
	rules   int
	service func() string
	tagRule func(n int) string
	tag     string
	static  bool // the tag router is in the chain although it has no rule
	want    func(n int) int
}

func (s scenario) String() string { return fmt.Sprintf("%s/r=%d", s.name, s.rules) }

func all(n int) int { return n }

// scenarios is the matrix of the shared workload.
func scenarios() []scenario {
	out := []scenario{{name: "X-NONE", static: true, want: workload.WantUntagged}}
	for _, r := range workload.RuleCounts {
		out = append(out,
			scenario{name: "C-MISS", rules: r, service: func() string { return workload.ConditionYAML(workload.ConditionsMiss(r), true) }, want: all},
			scenario{name: "C-HIT", rules: r, service: func() string { return workload.ConditionYAML(workload.ConditionsHit(r), true) },
				want: func(n int) int { return workload.WantHit(n, r) }},
			scenario{name: "T-DYN", rules: r, tagRule: func(n int) string { return workload.TagYAML(r, n) },
				want: func(n int) int { return workload.WantTagEmpty(r, n) }},
		)
	}
	return append(out,
		scenario{name: "T-STATIC-GRAY", static: true, tag: "gray", want: workload.WantTagged},
		scenario{name: "T-STATIC-NONE", static: true, want: workload.WantUntagged},
	)
}

// providers builds each list once a run.
var providers = func() func(n int) []string {
	var mu sync.Mutex
	lists := map[int][]string{}
	return func(n int) []string {
		mu.Lock()
		defer mu.Unlock()
		if lists[n] == nil {
			lists[n] = workload.Providers(n)
		}
		return lists[n]
	}
}()

func ours(tb testing.TB, s scenario, n int) *dubway.Engine {
	tb.Helper()
	e, err := dubway.New(providers(n), workload.Consumer)
	if err != nil {
		tb.Fatal(err)
	}
	if s.service != nil {
		if err := e.Service(s.service()); err != nil {
			tb.Fatal(err)
		}
	}
	if s.tagRule != nil {
		if err := e.Tag(s.tagRule(n)); err != nil {
			tb.Fatal(err)
		}
	}
	if err := e.Compile(); err != nil {
		tb.Fatal(err)
	}
	return e
}

func peer(tb testing.TB, s scenario, n int) *dubbogo.Engine {
	tb.Helper()
	dubbogo.Quiet()
	e, err := dubbogo.New(providers(n), workload.Consumer)
	if err != nil {
		tb.Fatal(err)
	}
	if s.tagRule != nil || s.static {
		text := ""
		if s.tagRule != nil {
			text = s.tagRule(n)
		}
		// dubbo-go looks the rule up under the application of the consumer URL, Dubbo under the provider's.
		if err := e.Tag(workload.ConsumerApp+".tag-router", text); err != nil {
			tb.Fatal(err)
		}
	}
	if s.service != nil {
		e.Service(workload.Interface+"::.condition-router", s.service())
	}
	return e
}

// TestBothEnginesKeepWhatTheWorkloadDefines keeps the comparison honest: equal work, equal answers. The static tag stage is
// always on in dubway; a condition workload is therefore compared after it.
func TestBothEnginesKeepWhatTheWorkloadDefines(t *testing.T) {
	for _, n := range []int{100, 1000} {
		for _, s := range scenarios() {
			want := s.want(n)
			if got := peer(t, s, n).Route(dubbogo.Call(workload.Method, workload.Args(), workload.Attachments(s.tag))); got != want {
				t.Errorf("dubbo-go %s n=%d: kept %d, want %d", s, n, got, want)
			}
			e := ours(t, s, n)
			trace := e.Snapshot.Explain(dubway.Invocation(s.tag))
			if s.service != nil {
				// Untagged calls keep to untagged providers first; the condition stage then keeps want of all.
				want = 0
				for i := range n {
					if workload.Tag(i) == "" && keptByHit(s, i) {
						want++
					}
				}
			}
			if got := e.Snapshot.Route(dubway.Invocation(s.tag)).Len(); got != want {
				t.Errorf("dubway %s n=%d: kept %d, want %d: %s", s, n, got, want, trace.Short())
			}
		}
	}
}

func keptByHit(s scenario, i int) bool {
	z := i % 200
	return s.name != "C-HIT" || z%2 == 0 || z >= 2*s.rules
}
