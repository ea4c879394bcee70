package route_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/rule"
	"github.com/dubway-go/dubway/service"
)

// filterFunc is a filter made of a function on the numbers that go in.
type filterFunc func(inv *rpc.Invocation, in []uint32) route.Filtered

func (f filterFunc) Filter(inv *rpc.Invocation, in []uint32) route.Filtered { return f(inv, in) }

// bound returns a rule whose filter gets every number spelled out.
func bound(name string, priority int, f filterFunc) *route.FilterRule {
	return &route.FilterRule{Origin: rule.Origin{Source: "test", Name: name}, Priority: priority, Text: "fake",
		Bind: func(_ service.Consumer, set *service.Set) route.Filter {
			return filterFunc(func(inv *rpc.Invocation, in []uint32) route.Filtered {
				if in == nil {
					in = make([]uint32, set.Len())
					for i := range in {
						in[i] = uint32(i)
					}
				}
				return f(inv, in)
			})
		}}
}

// fakes are filters of which each does one thing that a script can do.
func fakes() []filterFunc {
	kept := func(list []uint32) route.Filtered { return route.Filtered{Kept: list, Reason: route.ReasonScripted} }
	return []filterFunc{
		func(*rpc.Invocation, []uint32) route.Filtered {
			return route.Filtered{Pass: true, Reason: route.ReasonScriptIgnored, Kept: []uint32{0}}
		},
		func(_ *rpc.Invocation, in []uint32) route.Filtered { return kept(slices.Clone(in)) },
		func(_ *rpc.Invocation, in []uint32) route.Filtered { return kept(slices.Clone(in[:(len(in)+1)/2])) },
		func(_ *rpc.Invocation, in []uint32) route.Filtered { return kept(slices.Clone(in[len(in)/2:])) },
		func(_ *rpc.Invocation, in []uint32) route.Filtered {
			out := slices.Clone(in)
			slices.Reverse(out)
			return kept(out)
		},
		func(_ *rpc.Invocation, in []uint32) route.Filtered { return kept(append(slices.Clone(in[1:]), in...)) },
		func(*rpc.Invocation, []uint32) route.Filtered { return kept(nil) },
		func(inv *rpc.Invocation, in []uint32) route.Filtered {
			if inv.Method == "put" {
				return kept([]uint32{in[0]})
			}
			return kept([]uint32{in[len(in)-1]})
		},
	}
}

// TestFiltersInTheChain compares chains of conditions and filters with the same rules applied one after the other, each to
// a set of its own that has what the one before left.
func TestFiltersInTheChain(t *testing.T) {
	texts := []string{"=> region=hz", "method=get* => region=bj,hz", "=> zone=z1", "method=put => zone!=z0", "=> region=nowhere", "attachments[env]=gray => zone=z3,z4"}
	empty, ordered, shared := 0, 0, 0
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 1))
		set := fleet(r.IntN(20))
		condition := func(priority int) *rule.ConditionDocument {
			doc := conditions(t, r.IntN(3) == 0, texts[r.IntN(len(texts))])
			doc.Priority = priority
			return doc
		}
		first, second := fakes()[r.IntN(len(fakes()))], fakes()[r.IntN(len(fakes()))]
		rules := route.Rules{URL: []*rule.ConditionDocument{condition(1), condition(3)}, ScriptURLs: []*route.FilterRule{bound("first", 2, first)},
			Service: condition(0), Script: bound("second", 0, second)}
		s, _ := route.Compile(route.Input{Consumer: consumer(), Set: set, Rules: rules, Chain: untagged()})
		for range 4 {
			inv := &rpc.Invocation{Method: []string{"get", "put", "x"}[r.IntN(3)]}
			if r.IntN(2) == 0 {
				inv.Attachments = rpc.Attachments{{Key: "env", Value: "gray"}}
			}
			want := make([]int, set.Len())
			for i := range want {
				want[i] = i
			}
			for stage := range 5 {
				if len(want) == 0 {
					break
				}
				switch stage {
				case 1:
					want = filtered(first, inv, want)
				case 4:
					want = filtered(second, inv, want)
				default:
					want = alone(set, want, [...]*rule.ConditionDocument{rules.URL[0], nil, rules.URL[1], rules.Service}[stage], inv)
				}
			}
			c := s.Route(inv)
			if got := indexes(c); !slices.Equal(got, want) {
				t.Fatalf("seed %d: %v, want %v", seed, got, want)
			}
			trace := s.Explain(inv)
			left := make([]string, len(want))
			for i, n := range want {
				left[i] = set.At(n).Address()
			}
			if !slices.Equal(trace.Left, left) || trace.Verdict != c.Why() {
				t.Fatalf("seed %d: explain %v %v, route %v %v", seed, trace.Left, trace.Verdict, left, c.Why())
			}
			switch again := s.Route(inv); {
			case len(want) == 0:
				empty++
			case !c.Decision().Remembered() || again.Decision() != c.Decision():
				t.Fatalf("seed %d: equal sets do not share a decision", seed)
			default:
				shared++
			}
			if !slices.IsSorted(want) {
				ordered++
			}
		}
	}
	t.Logf("%d empty, %d shared, %d ordered", empty, shared, ordered)
	if empty < 100 || shared < 100 || ordered < 100 {
		t.Error("the generated chains are too dull to prove anything")
	}
}

// untagged is a chain that takes no notice of the fleet's tags.
func untagged() route.Chain { return route.DefaultChain(dialect.Standard).Without(route.RouterTag) }

// filtered applies a filter to a list.
func filtered(f filterFunc, inv *rpc.Invocation, list []int) []int {
	in := make([]uint32, len(list))
	for i, n := range list {
		in[i] = uint32(n)
	}
	a := f(inv, in)
	if a.Pass {
		return list
	}
	out := []int{}
	for _, n := range a.Kept {
		out = append(out, int(n))
	}
	return out
}

// alone applies one document to the providers of a list, which may be in any order.
func alone(set *service.Set, list []int, doc *rule.ConditionDocument, inv *rpc.Invocation) []int {
	sorted := slices.Clone(list)
	slices.Sort(sorted)
	sorted = slices.Compact(sorted)
	some := make([]*service.Instance, len(sorted))
	for i, n := range sorted {
		some[i] = set.At(n)
	}
	s, _ := route.Compile(route.Input{Consumer: consumer(), Set: service.NewSet(1, some), Rules: route.Rules{Service: doc}, Chain: route.Chain{{Router: route.RouterService}}})
	left := map[*service.Instance]bool{}
	c := s.Route(inv)
	for i := range c.Len() {
		left[c.At(i)] = true
	}
	out := []int{}
	for _, n := range list {
		if left[set.At(n)] {
			out = append(out, n)
		}
	}
	return out
}

func TestFiltersAreAskedForEachCall(t *testing.T) {
	asked := 0
	half := bound("shop.script-router", 0, func(_ *rpc.Invocation, in []uint32) route.Filtered {
		asked++
		if asked%2 == 0 {
			return route.Filtered{Kept: slices.Clone(in[:1]), Reason: route.ReasonScripted}
		}
		return route.Filtered{Reason: route.ReasonScriptFailed, Detail: "it gave a number"}
	})
	s, _ := route.Compile(route.Input{Consumer: consumer(), Set: fleet(40), Chain: untagged(), Rules: route.Rules{Service: conditions(t, false, "method=get* => region=hz"), Script: half}})
	inv := &rpc.Invocation{Method: "getOrder"}
	for i := range 10 {
		c := s.Route(inv)
		if i%2 == 1 {
			if c.Len() != 1 || c.Why() != route.Routed || c.Decision().Blame() != "" {
				t.Errorf("call %d: %v %v", i, c.Len(), c.Why())
			}
			continue
		}
		if c.Len() != 0 || c.Why() != route.NoScript || c.Decision().Blame() != `script rule shop.script-router "fake" left 0 (script-failed: it gave a number)` {
			t.Errorf("call %d: %v %v %q", i, c.Len(), c.Why(), c.Decision().Blame())
		}
	}
	if m := s.Memory(); asked != 10 || m.Entries != 1 || m.Decisions != 1 || m.Filtered != 1 || m.Unremembered != 0 {
		t.Errorf("asked %d times, %+v", asked, m)
	}
}

func TestFilterSetsAreBounded(t *testing.T) {
	next := uint32(0)
	s, _ := route.Compile(route.Input{Consumer: consumer(), Set: fleet(1001), Chain: untagged(), Rules: route.Rules{Script: bound("x", 0, func(*rpc.Invocation, []uint32) route.Filtered {
		next++
		return route.Filtered{Kept: []uint32{next}}
	})}})
	for range 600 {
		if c := s.Route(&rpc.Invocation{}); c.Len() != 1 || c.Index(0) != int(next) {
			t.Fatalf("%d candidates, want number %d", c.Len(), next)
		}
	}
	if m := s.Memory(); m.Filtered != 256 || m.Entries != 1 {
		t.Errorf("%+v", m)
	}
	s, _ = route.Compile(route.Input{Consumer: consumer(), Set: fleet(3), Chain: untagged(), Rules: route.Rules{Script: bound("x", 0, func(*rpc.Invocation, []uint32) route.Filtered {
		return route.Filtered{Kept: []uint32{7, 2, 3, 1}}
	})}})
	if got := indexes(s.Route(&rpc.Invocation{})); fmt.Sprint(got) != "[2 1]" {
		t.Errorf("numbers that did not go in: %v", got)
	}
	set := fleet(3)
	s, _ = route.Compile(route.Input{Consumer: consumer(), Set: set, Chain: untagged(), Rules: route.Rules{Service: conditions(t, true, "=> address="+set.At(2).Address()),
		Script: bound("x", 0, func(*rpc.Invocation, []uint32) route.Filtered { return route.Filtered{Kept: []uint32{1, 2}} })}})
	if got := indexes(s.Route(&rpc.Invocation{})); fmt.Sprint(got) != "[2]" {
		t.Errorf("numbers that a rule before took out: %v", got)
	}
}

// TestFilterPlaces: documents at their stage, rule URLs by priority among the conditions; rules without a filter say why.
func TestFilterPlaces(t *testing.T) {
	at := func(p int) *rule.ConditionDocument {
		doc := conditions(t, false, "=> region=hz")
		doc.Priority = p
		return doc
	}
	keep := func(_ *rpc.Invocation, in []uint32) route.Filtered {
		return route.Filtered{Kept: slices.Clone(in), Reason: route.ReasonScripted}
	}
	off := &route.FilterRule{Origin: rule.Origin{Name: "off"}, Priority: 4, Passes: route.ReasonScriptsOff, Detail: "scripts are switched off"}
	rules := route.Rules{URL: []*rule.ConditionDocument{at(1), at(3), at(160)}, ScriptURLs: []*route.FilterRule{bound("two", 2, keep), off, {Origin: rule.Origin{Name: "none"}, Priority: 170}},
		Application: at(0), Script: bound("last", 0, keep)}
	for d, want := range map[dialect.Dialect]string{
		dialect.Standard: "url kept, url scripted two, url kept, url scripts-off off, application kept, url kept, url passed none, script scripted last",
		dialect.Dubbo33:  "application kept, script scripted last", dialect.Dubbo31: "application kept",
		dialect.Dubbo27: "url kept, url scripted two, url kept, url scripts-off off, application kept, url kept, url passed none",
		dialect.Dubbo26: "url kept, url scripted two, url kept, url scripts-off off, url kept, url passed none",
	} {
		s, notes := route.Compile(route.Input{Dialect: d, Consumer: consumer(), Set: fleet(8), Rules: rules, Chain: route.DefaultChain(d).Without(route.RouterMock, route.RouterTag)})
		var got []string
		for _, step := range s.Explain(&rpc.Invocation{Method: "get"}).Steps {
			text := step.Router + " " + string(step.Reason)
			if !strings.HasPrefix(step.Rule, "com.") {
				text += " " + step.Rule
			}
			got = append(got, text)
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s: %s", d, strings.Join(got, ", "))
		}
		unread := slices.ContainsFunc(notes, func(n diag.Diagnostic) bool { return strings.HasPrefix(n.Message, "script documents are not read") })
		if reads := d == dialect.Standard || d == dialect.Dubbo33; unread == reads {
			t.Errorf("%s: %v", d, notes)
		}
	}
}

func TestFilteredRouteAllocates(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector allocates")
	}
	answer := make([]uint32, 2)
	s, _ := route.Compile(route.Input{Consumer: consumer(), Set: fleet(1000), Rules: route.Rules{Service: conditions(t, false, "method=get* => region=hz"),
		Script: bound("x", 0, func(_ *rpc.Invocation, in []uint32) route.Filtered {
			copy(answer, in)
			return route.Filtered{Kept: answer, Reason: route.ReasonScripted}
		})}})
	inv := &rpc.Invocation{Method: "getOrder"}
	if n := testing.AllocsPerRun(200, func() {
		if s.Route(inv).Len() != 2 {
			t.Error("two were kept")
		}
	}); n > 2 { // the copy of the invocation, and the classes
		t.Errorf("%v allocations a call beside the filter's own, want at most 2", n)
	}
}

// TestFiltersRunInParallel has many callers on one snapshot; each sees the set that its own call asked for.
func TestFiltersRunInParallel(t *testing.T) {
	s, _ := route.Compile(route.Input{Consumer: consumer(), Set: fleet(64), Chain: untagged(), Rules: route.Rules{Service: conditions(t, false, "method=get* => region=hz"),
		Script: bound("x", 0, func(inv *rpc.Invocation, in []uint32) route.Filtered {
			return route.Filtered{Kept: []uint32{in[inv.Seed%uint64(len(in))], in[0]}}
		})}})
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 500 {
				n := uint64(g*500 + i)
				c := s.Route(&rpc.Invocation{Method: "get", Seed: n})
				if want := int(4 * (n % 16)); c.Index(0) != want || !c.Decision().Has(0) || c.Len() != 2 {
					t.Errorf("call %d got %v", n, indexes(c))
				}
			}
		})
	}
	wg.Wait()
}

// A filter that says that its answer is the same for every call is asked once for what goes in, and then costs no allocation; one
// filter that does not say so, or another router behind it, and all are asked again.
func TestSameAnswersAreRemembered(t *testing.T) {
	asked := 0
	first := func(same bool, reason route.Reason) *route.FilterRule {
		return bound("shop.script-router", 0, func(_ *rpc.Invocation, in []uint32) route.Filtered {
			asked++
			return route.Filtered{Kept: []uint32{in[2], in[1]}, Reason: reason, Same: same}
		})
	}
	none := bound("none", 0, func(*rpc.Invocation, []uint32) route.Filtered {
		asked++
		return route.Filtered{Reason: route.ReasonScripted, Same: true}
	})
	all := bound("all", 0, func(*rpc.Invocation, []uint32) route.Filtered { asked++; return route.Filtered{Pass: true, Same: true} })
	behind := conditions(t, false, "method=get* => region=hz")
	for name, c := range map[string]struct {
		rules route.Rules
		asked int // by ten calls of each of two kinds
		left  string
	}{
		"same":      {route.Rules{Script: first(true, route.ReasonScripted), Service: behind}, 2, "[8 4] [2 1]"},
		"not same":  {route.Rules{Script: first(false, route.ReasonScripted), Service: behind}, 20, "[8 4] [2 1]"},
		"nobody":    {route.Rules{Script: none, Service: behind}, 2, "[] []"},
		"everybody": {route.Rules{Script: all}, 1, "[0 1 2 3 4 5 6 7 8 9 10 11] [0 1 2 3 4 5 6 7 8 9 10 11]"},
		"router behind": {route.Rules{ScriptURLs: []*route.FilterRule{bound("url", 0, func(_ *rpc.Invocation, in []uint32) route.Filtered {
			asked++
			return route.Filtered{Kept: []uint32{in[4], in[1]}, Reason: route.ReasonScripted, Same: true}
		})}, Service: behind}, 20, "[4] [4 1]"},
	} {
		asked = 0
		s, _ := route.Compile(route.Input{Consumer: consumer(), Set: fleet(12), Chain: untagged(), Rules: c.rules})
		get, put := &rpc.Invocation{Method: "getOrder"}, &rpc.Invocation{Method: "put"}
		for range 10 {
			if got := fmt.Sprint(indexes(s.Route(get)), " ", indexes(s.Route(put))); got != c.left {
				t.Fatalf("%s: %s, want %s", name, got, c.left)
			}
		}
		if asked != c.asked {
			t.Errorf("%s: asked %d times, want %d", name, asked, c.asked)
		}
		if n := testing.AllocsPerRun(100, func() { s.Route(get) }); c.asked < 20 && n != 0 && !raceDetector {
			t.Errorf("%s: %v allocations a call", name, n)
		}
	}
}
