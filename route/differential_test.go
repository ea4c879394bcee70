package route_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/rule"
	"github.com/dubway-go/dubway/service"
)

// generator draws small worlds from small alphabets, so that rules, calls and providers meet often.
type generator struct {
	*rand.Rand
	d dialect.Dialect
}

func (g generator) one(list ...string) string { return list[g.IntN(len(list))] }
func (g generator) maybe(percent int) bool    { return g.IntN(100) < percent }

var (
	genKeys   = []string{"region", "zone", "level", "application", "env"}
	genValues = []string{"hz", "bj", "h", "10", "7", "gray", "", "a|b"}
	genTags   = []string{"gray", "blue", "a", "a|b", "a|b|c", "x|gray", "zz"}
)

func (g generator) params(tagPercent int) []durl.Param {
	var out []durl.Param
	for _, k := range genKeys {
		if g.maybe(50) {
			out = append(out, durl.Param{Key: k, Value: g.one(genValues...)})
		}
	}
	if g.maybe(tagPercent) {
		out = append(out, durl.Param{Key: "dubbo.tag", Value: g.one(append([]string{""}, genTags...)...)})
	}
	return out
}

func (g generator) consumer() durl.URL {
	p := g.params(20)
	if g.maybe(10) {
		p = append(p, durl.Param{Key: "dubbo.force.tag", Value: g.one("true", "TRUE", "false", "1")})
	}
	return g.url("consumer", fmt.Sprintf("10.0.0.%d", g.IntN(4)), 0, p)
}

// url goes through text, so that a URL is read as its dialect reads it.
func (g generator) url(scheme, host string, port int, params []durl.Param) durl.URL {
	u, err := durl.ParseAs(durl.New(scheme, host, port, "a.B", params...).Full(), g.d)
	if err != nil {
		return durl.New(scheme, host, port, "a.B", params...)
	}
	return u
}

func (g generator) providers() []*service.Instance {
	out := make([]*service.Instance, g.IntN(7))
	for i := range out {
		u := g.url(g.one("dubbo", "dubbo", "dubbo", "tri", "mock"), fmt.Sprintf("10.0.0.%d", g.IntN(5)), 20880+g.IntN(2), g.params(40))
		out[i] = service.NewInstance(u, u, u)
	}
	return out
}

func (g generator) value(right bool) string {
	v := g.one("hz", "bj", "h*", "*z", "*", "10", "7", "gray", "h*z", "5~10", "~7", "8~", "a|b", "10.0.0.*", "get", "get*", "*Order", "20880", "x", "null", "5~~x")
	if g.maybe(15) {
		v = "$" + g.one("region", "zone", "host", "none", "port", "level")
	}
	return v
}

func (g generator) side(right bool) string {
	var b strings.Builder
	for i := range 1 + g.IntN(3) {
		if i > 0 {
			b.WriteString(" & ")
		}
		key := g.one(genKeys...)
		if g.maybe(45) {
			key = g.one("host", "address", "port", "protocol", "method", "methods", "arguments[0]", "arguments[1]", "arguments[2]", "arguments[9]",
				"attachments[env]", "attachments[lane]", "arguments[x]", "attachments[a.b]", "arguments[0].id", "attachments", "arguments[0]zz")
		}
		b.WriteString(key)
		op := g.one("=", "=", "!=")
		if g.maybe(5) {
			continue // a key alone
		}
		b.WriteString(op + g.value(right))
		for range g.IntN(3) {
			b.WriteString("," + g.value(right))
		}
		if g.maybe(10) {
			b.WriteString(" & " + key + g.one("=", "!=") + g.value(right))
		}
	}
	return b.String()
}

func (g generator) condition() string {
	when, then := "", "false"
	if g.maybe(75) {
		when = g.side(false)
	}
	if g.maybe(96) {
		then = g.side(true)
	}
	return when + " => " + then
}

// document returns a document whose conditions the dialect takes, or nil.
func (g generator) document() *rule.ConditionDocument {
	if g.maybe(35) {
		return nil
	}
	doc := &rule.ConditionDocument{Enabled: !g.maybe(7), Valid: !g.maybe(3), Force: g.maybe(40)}
	if g.maybe(20) && g.d != dialect.Dubbo26 {
		for range 1 + g.IntN(3) {
			doc.Multi = append(doc.Multi, g.multi())
		}
		return doc
	}
	for range 1 + g.IntN(4) {
		c, findings := rule.ParseCondition(g.condition(), dialect.Dubbo33)
		if !findings.HasErrors() {
			doc.Conditions = append(doc.Conditions, c)
		}
	}
	return doc
}

// multi returns a condition with destinations.
func (g generator) multi() rule.MultiCondition {
	clauses := func(text string, right bool) []rule.Clause {
		c, findings := rule.ParseCondition(text, dialect.Dubbo33)
		switch {
		case findings.HasErrors():
			return nil
		case right:
			return c.Then
		}
		return c.When
	}
	var m rule.MultiCondition
	if g.maybe(50) {
		m.From = clauses(g.side(false)+" => x=1", false)
	}
	for range g.IntN(4) {
		m.To = append(m.To, rule.Destination{Match: clauses("=> "+g.side(true), true), Weight: 1 + g.IntN(4)})
	}
	return m
}

// affinity returns an affinity rule, or nil.
func (g generator) affinity() *rule.AffinityDocument {
	if g.maybe(50) {
		return nil
	}
	key := g.one(genKeys...)
	if g.maybe(15) {
		key = g.one("host", "protocol", "port", "nosuch", "path")
	}
	return &rule.AffinityDocument{Enabled: !g.maybe(7), Affinity: key, Ratio: []float64{0, 0, 1, 10, 20, 25, 33.3, 50, 66.6, 75, 100, math.NaN()}[g.IntN(12)]}
}

func (g generator) tags() *rule.TagDocument {
	if g.maybe(35) {
		return nil
	}
	doc := &rule.TagDocument{Enabled: !g.maybe(7), Valid: !g.maybe(5), Force: g.maybe(40), ConfigVersion: g.one("", "v3.0", "v3.0", "v2.7")}
	text := func(s string) *string { return &s }
	for range g.IntN(5) {
		t := rule.Tag{Name: g.one(genTags...)}
		switch g.IntN(6) {
		case 0: // neither
		case 1:
			t.HasMatch = true
			for range g.IntN(3) {
				m := rule.ParamMatch{Key: g.one(genKeys...)}
				switch g.IntN(4) {
				case 0:
					m.Value.Exact = text(g.one(genValues...))
				case 1:
					m.Value.Prefix = text("h")
				case 2:
					m.Value.Empty = text("x")
				case 3:
					m.Value.NoEmpty = text("x")
				}
				if g.maybe(20) {
					m.Value.Empty = text("y")
				}
				t.Match = append(t.Match, m)
			}
		default:
			t.HasAddresses = true
			for range g.IntN(3) {
				t.Addresses = append(t.Addresses, rule.Value{Text: g.one("10.0.0.1:20880", "10.0.0.2", "10.0.0.*", "10.0.0.1-3:20881", "0.0.0.0:20880",
					"10.0.0.0/30", "*:20880", "10.0.0", "10.0.0.4:20881", "10.9.9.9:1", "*")})
			}
		}
		doc.Tags = append(doc.Tags, t)
	}
	return doc
}

func (g generator) invocation() *rpc.Invocation {
	inv := &rpc.Invocation{Method: g.one("get", "getOrder", "put", "x"), Direct: g.maybe(70), Seed: g.Uint64()}
	for range g.IntN(4) {
		inv.Args = append(inv.Args, []any{"hz", "7", int64(7), nil, true, "get", int32(10), ""}[g.IntN(8)])
	}
	attach := func(percent int, key string, values ...any) {
		if g.maybe(percent) {
			inv.Attachments = append(inv.Attachments, rpc.Attachment{Key: key, Value: values[g.IntN(len(values))]})
		}
	}
	attach(50, "dubbo.tag", "gray", "blue", "a|b|c", "a|b", "a|x|y", "", "zz", "a", "x|gray|", 5)
	attach(25, "dubbo.force.tag", "true", "false", "", "1", "True")
	attach(40, "env", "gray", "hz", "", 7)
	attach(30, "lane", "x", "10")
	attach(20, "a.b", "x", "hz")
	attach(8, "invocation.need.mock", "true", "TRUE", "false", "")
	return inv
}

// differentialCases is how many random calls TestDifferential compares.
const differentialCases = 120_000

// TestDifferential compares the engine with the naive evaluator on random worlds, in all dialects, and Explain with Route.
func TestDifferential(t *testing.T) {
	total := differentialCases
	if testing.Short() {
		total = 10_000
	}
	if raceDetector {
		total /= 6 // the comparison is the same, only slower
	}
	empty, full, part := 0, 0, 0
	for seed := uint64(0); total > 0; seed++ {
		g := generator{Rand: rand.New(rand.NewPCG(seed, 7))}
		g.d = dialect.All()[g.IntN(5)]
		w := route.Input{Dialect: g.d, Consumer: service.Consumer{URL: g.consumer()}}
		list := g.providers()
		w.Set = service.NewSet(seed, list)
		w.Rules = route.Rules{Tag: g.tags(), Service: g.document(), ProviderApplication: g.document(), Application: g.document()}
		w.Rules.Affinity, w.Rules.AffinityApplication = g.affinity(), g.affinity()
		registered := g.d == dialect.Dubbo33 && g.maybe(60)
		if registered {
			w.Chain = route.DefaultChain(g.d).WithAffinity()
		}
		for range g.IntN(3) {
			if doc := g.document(); doc != nil {
				doc.Priority = []int{0, 2, -200, 120, 100, 145}[g.IntN(6)]
				w.Rules.URL = append(w.Rules.URL, doc)
			}
		}
		s, _ := route.Compile(w)
		w.Previous = s
		again, _ := route.Compile(w)
		for range 8 {
			inv := g.invocation()
			want := (&naive{d: g.d, consumer: w.Consumer.URL, list: list, rules: w.Rules, inv: inv, registered: registered}).route()
			for _, snapshot := range []*route.Snapshot{s, s, again} {
				got := indexes(snapshot.Route(inv))
				if !slices.Equal(got, want) {
					t.Fatalf("seed %d, %v: engine %v, naive %v\n%s", seed, g.d, got, want, describe(w, list, inv, snapshot))
				}
			}
			if len(list) > 0 { // the same rules over a changed list, compiled from what the last snapshot knew
				other := w
				changed := append(slices.Delete(slices.Clone(list), int(seed)%len(list), int(seed)%len(list)+1), g.providers()...)
				other.Set = service.NewSet(seed+1, changed)
				next, _ := route.Compile(other)
				if got, want := indexes(next.Route(inv)), (&naive{d: g.d, consumer: w.Consumer.URL, list: changed, rules: w.Rules, inv: inv, registered: registered}).route(); !slices.Equal(got, want) {
					t.Fatalf("seed %d, %v, changed list: engine %v, naive %v\n%s", seed, g.d, got, want, describe(other, changed, inv, next))
				}
			}
			trace := s.Explain(inv)
			if len(trace.Left) != len(want) || trace.Verdict != s.Route(inv).Why() {
				t.Fatalf("seed %d: explain %v %v, route %v %v", seed, trace.Left, trace.Verdict, want, s.Route(inv).Why())
			}
			checkTrace(t, trace, len(list))
			switch len(want) {
			case 0:
				empty++
			case len(list):
				full++
			default:
				part++
			}
			total--
		}
	}
	t.Logf("%d empty, %d whole, %d proper subsets", empty, full, part)
	if part < (empty+full+part)/20 {
		t.Error("the generated worlds are too dull to prove anything")
	}
}

func indexes(c route.Candidates) []int {
	out := make([]int, c.Len())
	for i := range out {
		out[i] = c.Index(i)
	}
	return out
}

// checkTrace checks that a trace accounts for every instance.
func checkTrace(t *testing.T, tr *route.Trace, n int) {
	t.Helper()
	left := n
	for _, s := range tr.Steps {
		if s.In != left || s.In-s.Out != len(s.Dropped) || s.Reason == "" || s.Router == "" {
			t.Fatalf("step does not add up: %+v after %d", s, left)
		}
		left = s.Out
	}
	if left != len(tr.Left) {
		t.Fatalf("steps leave %d, trace %d", left, len(tr.Left))
	}
	if (left == 0) != (tr.Verdict != route.Routed) {
		t.Fatalf("%d left but verdict %v", left, tr.Verdict)
	}
}

func describe(w route.Input, list []*service.Instance, inv *rpc.Invocation, s *route.Snapshot) string {
	var b strings.Builder
	fmt.Fprintf(&b, "consumer %s\ncall %+v\n", w.Consumer.URL.Full(), *inv)
	for i, in := range list {
		fmt.Fprintf(&b, "%d %s\n", i, in.URL.Full())
	}
	doc := func(name string, d *rule.ConditionDocument) {
		if d != nil {
			fmt.Fprintf(&b, "%s enabled=%v valid=%v force=%v priority=%d\n", name, d.Enabled, d.Valid, d.Force, d.Priority)
			for _, c := range d.Conditions {
				fmt.Fprintf(&b, "   %s\n", c.Text)
			}
			for _, m := range d.Multi {
				fmt.Fprintf(&b, "   %s => %+v\n", rule.FormatClauses(m.From), m.To)
			}
		}
	}
	for _, u := range w.Rules.URL {
		doc("url", u)
	}
	doc("service", w.Rules.Service)
	doc("provider app", w.Rules.ProviderApplication)
	doc("app", w.Rules.Application)
	for _, a := range []*rule.AffinityDocument{w.Rules.Affinity, w.Rules.AffinityApplication} {
		if a != nil {
			fmt.Fprintf(&b, "affinity %s ratio %v enabled=%v\n", a.Affinity, a.Ratio, a.Enabled)
		}
	}
	if tag := w.Rules.Tag; tag != nil {
		fmt.Fprintf(&b, "tag %+v\n", *tag)
	}
	for _, step := range s.Explain(inv).Steps {
		fmt.Fprintf(&b, "  %+v\n", step)
	}
	return b.String()
}
