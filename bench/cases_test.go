package bench

import (
	"flag"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/dubway-go/dubway/bench/dubbogo"
	"github.com/dubway-go/dubway/bench/dubway"
	"github.com/dubway-go/dubway/bench/workload"
	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/service"

	"dubbo.apache.org/dubbo-go/v3/protocol/base"
)

var maxProviders = flag.Int("maxn", 1_000_000, "leave out what has more providers than this")

// sizes returns those that -maxn allows; with -short only as many of the first as few says.
func sizes(few int, all ...int) []int {
	if testing.Short() {
		all = all[:few]
	}
	return slices.DeleteFunc(all, func(n int) bool { return n > *maxProviders })
}

// scenario is one workload at one number of rules: the documents, the call's tag and what a correct engine keeps.
type scenario struct {
	name    string
	rules   int
	service func() string
	tagRule func(n int) string
	script  string // dubway's document that keeps port 20880
	peer    string // dubbo-go's, empty when it has none of this kind
	tag     string
	static  bool // the tag router is in the chain although it has no rule
	want    func(n int) int
}

func (s scenario) String() string { return fmt.Sprintf("%s/r=%d", s.name, s.rules) }

// hasPeer reports whether dubbo-go has this kind of rule.
func (s scenario) hasPeer() bool { return s.script == "" || s.peer != "" }

func all(n int) int { return n }

// scenarios is the matrix of the shared workload.
func scenarios() []scenario {
	miss := func(r int) func() string {
		return func() string { return workload.ConditionYAML(workload.ConditionsMiss(r), true) }
	}
	hit := func(r int) func() string {
		return func() string { return workload.ConditionYAML(workload.ConditionsHit(r), true) }
	}
	tags := func(r int) func(int) string { return func(n int) string { return workload.TagYAML(r, n) } }
	out := []scenario{{name: "X-NONE", static: true, want: workload.WantUntagged}}
	for _, r := range workload.RuleCounts {
		out = append(out,
			scenario{name: "C-MISS", rules: r, service: miss(r), want: all},
			scenario{name: "C-HIT", rules: r, service: hit(r), want: func(n int) int { return workload.WantHit(n, r) }},
			scenario{name: "C-MULTI", rules: r, service: func() string { return workload.MultiDestYAML(r) }, want: func(n int) int { return n / 10 }},
			scenario{name: "T-DYN", rules: r, tagRule: tags(r), want: func(n int) int { return workload.WantTagEmpty(r, n) }},
		)
	}
	for _, one := range workload.Singles {
		out = append(out, scenario{name: "C-ONE-" + one.Name, rules: 1, want: one.Want,
			service: func() string { return workload.ConditionYAML([]string{one.Cond}, true) }})
	}
	return append(out,
		scenario{name: "S-PORT", rules: 1, script: dubway.PortScript, peer: dubbogo.PortScript, want: workload.WantPort},
		scenario{name: "S-CALL", rules: 1, script: dubway.CallScript, want: workload.WantPort},
		scenario{name: "S-EXPR", rules: 1, script: dubway.PortExpr, want: workload.WantPort},
		scenario{name: "T-STATIC-GRAY", static: true, tag: "gray", want: workload.WantTagged},
		scenario{name: "T-STATIC-NONE", static: true, want: workload.WantUntagged},
		scenario{name: "X-GRAY1", rules: 1, static: true, tag: "gray", service: hit(1), want: workload.WantTagged},
		scenario{name: "X-10M10T", rules: 10, tagRule: tags(10), service: miss(10), want: func(n int) int { return workload.WantTagEmpty(10, n) }},
	)
}

// parsed keeps the instances and invokers of one size: benchmarks of a size follow each other, and a million take room.
type parsed struct {
	n        int
	set      *service.Set
	invokers []base.Invoker
}

var lastSize = struct {
	sync.Mutex
	parsed
}{}

func sizeOf(n int) *parsed {
	if lastSize.n != n {
		lastSize.parsed = parsed{n: n}
	}
	return &lastSize.parsed
}

func set(tb testing.TB, n int) *service.Set {
	tb.Helper()
	lastSize.Lock()
	defer lastSize.Unlock()
	p := sizeOf(n)
	if p.set == nil {
		s, err := dubway.Set(workload.Providers(n))
		if err != nil {
			tb.Fatal(err)
		}
		p.set = s
	}
	return p.set
}

func invokers(tb testing.TB, n int) []base.Invoker {
	tb.Helper()
	lastSize.Lock()
	defer lastSize.Unlock()
	p := sizeOf(n)
	if p.invokers == nil {
		list, err := dubbogo.Invokers(workload.Providers(n))
		if err != nil {
			tb.Fatal(err)
		}
		p.invokers = list
	}
	return p.invokers
}

func ours(tb testing.TB, s scenario, n int) *dubway.Engine {
	tb.Helper()
	e, err := dubway.Over(set(tb, n), workload.Consumer)
	if err != nil {
		tb.Fatal(err)
	}
	// Equal work: of the condition and tag workloads only the router they are about runs; the whole chain is X-….
	switch s.name[0] {
	case 'C':
		e.Only(route.RouterService)
	case 'T':
		e.Only(route.RouterTag)
	case 'S':
		e.Only(route.RouterScript)
	}
	if s.script != "" {
		if err := e.Script(s.script); err != nil {
			tb.Fatal(err)
		}
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
	e, err := dubbogo.Over(invokers(tb, n), workload.Consumer)
	if err != nil {
		tb.Fatal(err)
	}
	if s.tagRule != nil || s.static {
		text := ""
		if s.tagRule != nil {
			text = s.tagRule(n)
		}
		// dubbo-go looks the rule up under the application of the consumer URL, Dubbo under the provider's.
		if _, err := e.Tag(workload.ConsumerApp+".tag-router", text); err != nil {
			tb.Fatal(err)
		}
	}
	if s.peer != "" {
		e.Script(workload.ProviderApp+".script-router", s.peer)
	}
	if s.service != nil {
		e.Service(workload.Interface+"::.condition-router", s.service())
	}
	return e
}

// TestBothEnginesKeepWhatTheWorkloadDefines keeps the comparison honest: equal work, equal answers.
func TestBothEnginesKeepWhatTheWorkloadDefines(t *testing.T) {
	for _, n := range []int{100, 1000} {
		for _, s := range scenarios() {
			if s.hasPeer() {
				if got, want := peer(t, s, n).Route(dubbogo.Call(workload.Method, workload.Args(), workload.Attachments(s.tag))), s.want(n); got != want {
					t.Errorf("dubbo-go %s n=%d: kept %d, want %d", s, n, got, want)
				}
			}
			e := ours(t, s, n)
			inv := dubway.Invocation(s.tag)
			if got, want := e.Snapshot.Route(inv).Len(), s.want(n); got != want {
				t.Errorf("dubway %s n=%d: kept %d, want %d: %s", s, n, got, want, e.Snapshot.Explain(inv).Short())
			}
		}
	}
}
