package route_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/rule"
	"github.com/dubway-go/dubway/service"
)

// differentialCases is how many random calls TestDifferential compares; the environment variable DUBWAY_DIFFERENTIAL_CASES
// says another number ("make differential" runs a million).
const differentialCases = 24_000

// TestDifferential compares the engine with the naive evaluator on random worlds, in all dialects, and Explain with Route. It counts what each kind of
// rule did in them, and fails when a kind was hardly decisive.
func TestDifferential(t *testing.T) {
	total := differentialCases
	if text := os.Getenv("DUBWAY_DIFFERENTIAL_CASES"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			t.Fatalf("DUBWAY_DIFFERENTIAL_CASES=%q is no number of cases", text)
		}
		total = n
	} else if testing.Short() {
		total /= 3
	} else if raceDetector {
		total /= 4 // the comparison is the same, only slower
	}
	start := time.Now()
	cover, scripts := make(coverage), newScripts()
	defer scripts.close()
	for seed, done := uint64(0), 0; done < total; seed++ {
		done += differentialWorld(t, seed, scripts, cover)
	}
	t.Logf("%d cases, no difference, %.0f s; met in how many of them:\n%s", cover.cases(), time.Since(start).Seconds(), cover)
	if total >= differentialCases { // fewer cases compare as well, but prove nothing about rare ones
		cover.check(t)
	}
}

// differentialWorld compares some calls in one random world and returns how many.
func differentialWorld(t *testing.T, seed uint64, scripts *scripts, cover coverage) int {
	t.Helper()
	const calls = 8
	g := generator{Rand: rand.New(rand.NewPCG(seed, 7)), scripts: scripts}
	g.d = dialect.All()[g.IntN(5)]
	w := route.Input{Dialect: g.d, Consumer: service.Consumer{URL: g.consumer()}}
	list := g.providers()
	w.Set = service.NewSet(seed, list)
	w.Rules = route.Rules{Tag: g.tags(), Service: g.document(), ProviderApplication: g.document(), Application: g.document(), Mesh: g.mesh()}
	w.Rules.Affinity, w.Rules.AffinityApplication = g.affinity(), g.affinity()
	registered := g.d == dialect.Dubbo33 && g.maybe(60)
	if registered {
		w.Chain = route.DefaultChain(g.d).WithAffinity().Select(w.Consumer.URL.Get("router", ""), g.d)
	}
	for range g.IntN(3) {
		if doc := g.document(); doc != nil {
			doc.Priority = []int{0, 2, -200, 120, 100, 145}[g.IntN(6)]
			w.Rules.URL = append(w.Rules.URL, doc)
		}
	}
	scriptDocument, scriptURLs := g.script(12), []*naiveScript{}
	if scriptDocument != nil {
		w.Rules.Script = scriptDocument.rule
	}
	if one := g.script(12); one != nil {
		scriptURLs = append(scriptURLs, one)
		w.Rules.ScriptURLs = append(w.Rules.ScriptURLs, one.rule)
	}
	second := func(list []*service.Instance, inv *rpc.Invocation) *naive {
		return &naive{d: g.d, consumer: w.Consumer.URL, list: list, rules: w.Rules, inv: inv, registered: registered, script: scriptDocument, scriptURLs: scriptURLs}
	}
	s, _ := route.Compile(w)
	w.Previous = s
	again, _ := route.Compile(w)
	type answer struct {
		inv  *rpc.Invocation
		want []int
	}
	var answers []answer
	for range calls {
		inv := g.invocation()
		n := second(list, inv)
		want := n.route()
		answers = append(answers, answer{inv, want})
		for _, snapshot := range []*route.Snapshot{s, s, s, again} {
			if got := indexes(snapshot.Route(inv)); !slices.Equal(got, want) {
				t.Fatalf("seed %d, %v: engine %v, naive %v\n%s", seed, g.d, got, want, describe(w, list, inv, snapshot))
			}
		}
		if len(list) > 0 { // the same rules over a changed list, compiled from what the last snapshot knew
			other := w
			changed := append(slices.Delete(slices.Clone(list), int(seed)%len(list), int(seed)%len(list)+1), g.providers()...)
			other.Set = service.NewSet(seed+1, changed)
			next, _ := route.Compile(other)
			again := second(changed, inv).route()
			if got := indexes(next.Route(inv)); !slices.Equal(got, again) {
				t.Fatalf("seed %d, %v, changed list: engine %v, naive %v\n%s", seed, g.d, got, again, describe(other, changed, inv, next))
			}
		}
		trace := s.Explain(inv)
		if len(trace.Left) != len(want) || trace.Verdict != s.Route(inv).Why() {
			t.Fatalf("seed %d: explain %v %v, route %v %v", seed, trace.Left, trace.Verdict, want, s.Route(inv).Why())
		}
		if !n.met["script gave an order"] { // which may name a provider twice
			checkTrace(t, trace, len(list))
		}
		cover.add(g.d, n.met, len(list), len(want))
	}
	for _, a := range answers { // by what the other calls left behind
		if got := indexes(s.Route(a.inv)); !slices.Equal(got, a.want) {
			t.Fatalf("seed %d, %v, again: engine %v, naive %v\n%s", seed, g.d, got, a.want, describe(w, list, a.inv, s))
		}
	}
	return calls
}

// coverage counts in how many cases of each dialect something was met.
type coverage map[dialect.Dialect]map[string]int

func (c coverage) add(d dialect.Dialect, met map[string]bool, in, out int) {
	if c[d] == nil {
		c[d] = map[string]int{}
	}
	c[d]["cases"]++
	switch {
	case out == 0:
		c[d]["left nobody"]++
	case out == in:
		c[d]["left all"]++
	default:
		c[d]["left some"]++
	}
	for what := range met {
		c[d][what]++
	}
}

func (c coverage) cases() (n int) {
	for _, counts := range c {
		n += counts["cases"]
	}
	return n
}

// String is a table: what was met, and in how many cases of each dialect.
func (c coverage) String() string {
	rows := map[string]bool{}
	for _, counts := range c {
		for what := range counts {
			rows[what] = true
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%-28s", "")
	for _, d := range dialect.All() {
		fmt.Fprintf(&b, " %10s", d)
	}
	for _, what := range slices.Sorted(maps.Keys(rows)) {
		fmt.Fprintf(&b, "\n%-28s", what)
		for _, d := range dialect.All() {
			fmt.Fprintf(&b, " %10d", c[d][what])
		}
	}
	return b.String()
}

// check fails when a kind of rule was met in too few cases to prove anything: each count is a number of cases in ten thousand of a dialect.
func (c coverage) check(t *testing.T) {
	t.Helper()
	for d, counts := range c {
		for what, least := range expectedCoverage(d) {
			if got := counts[what] * 10_000 / counts["cases"]; got < least {
				t.Errorf("%v: %q in %d of 10,000 cases, want at least %d", d, what, got, least)
			}
		}
	}
}

// expectedCoverage says what must be met, in cases of 10,000: about a third of what the generator brings about.
func expectedCoverage(d dialect.Dialect) map[string]int {
	want := map[string]int{
		"left nobody": 1000, "left some": 1000, "left all": 250, "mock narrowed": 1000, "mock emptied": 80, "tag narrowed": 1000, "tag emptied": 300,
		"condition fell back": 250, "condition blocked": 10, "reference resolved": 70,
	}
	more := func(counts map[string]int) { maps.Copy(want, counts) }
	urls := map[string]int{"url narrowed": 150, "url emptied": 100}
	documents := map[string]int{
		"service narrowed": 30, "service emptied": 30, "app narrowed": 40, "app emptied": 30, "v3.1 narrowed": 100, "v3.1 emptied": 80, "v3.1 drawn": 70,
		"argument read": 60, "tag listed": 25, "tag address met": 300, "tag address block met": 60, "router parameter": 400,
	}
	mesh := map[string]int{"mesh narrowed": 60, "mesh drawn": 20, "router parameter moved": 90}
	fails := map[string]int{"mesh failed": 100}
	since32 := map[string]int{
		"affinity narrowed": 40, "affinity-app narrowed": 35, "provider-app narrowed": 15, "provider-app emptied": 30, "range compared": 250,
		"attachment read": 120, "tag match met": 80, "tag met by a level": 15,
	}
	pinned := map[string]int{"address wanted": 60, "address narrowed": 4, "address emptied": 40}
	scripts := map[string]int{"script narrowed": 60, "script emptied": 60, "script gave no list": 40, "script threw": 20}
	switch d {
	case dialect.Dubbo26:
		more(urls)
		more(scripts)
		more(map[string]int{"script gave an order": 30})
	case dialect.Dubbo27:
		more(pinned)
		more(scripts)
		more(map[string]int{"script gave an order": 30})
		more(urls)
		more(documents)
	case dialect.Dubbo31:
		more(documents)
		more(mesh)
		more(fails)
	case dialect.Dubbo33:
		more(documents)
		more(mesh)
		more(fails)
		more(since32)
		more(map[string]int{"affinity emptied": 10, "affinity-app emptied": 40, "script narrowed": 30, "script emptied": 30, "script gave no list": 20, "script threw": 10})
	default:
		more(pinned)
		more(scripts)
		more(urls)
		more(documents)
		more(mesh)
		more(since32)
	}
	return want
}

// generator draws small worlds from small alphabets, so that rules, calls and providers meet often.
type generator struct {
	*rand.Rand
	d       dialect.Dialect
	scripts *scripts
}

func (g generator) one(list ...string) string { return list[g.IntN(len(list))] }
func (g generator) maybe(percent int) bool    { return g.IntN(100) < percent }

var (
	genKeys   = []string{"region", "zone", "level", "application", "env"}
	genValues = []string{"hz", "bj", "h", "10", "7", "gray", "", "a|b"}
	genTags   = []string{"gray", "blue", "a", "a|b", "a|b|c", "x|gray", "zz"}
)

// label and key return mostly one of few, so that rules and providers meet.
func (g generator) label() string {
	if g.maybe(75) {
		return g.one("hz", "bj", "hz")
	}
	return g.one(genValues...)
}

func (g generator) key() string {
	if g.maybe(60) {
		return g.one("region", "zone")
	}
	return g.one(genKeys...)
}

func (g generator) params(tagPercent int) []durl.Param {
	var out []durl.Param
	for _, k := range genKeys {
		switch {
		case k == "application" && g.maybe(70):
			out = append(out, durl.Param{Key: k, Value: g.one("hz", "gray")})
		case g.maybe(60):
			out = append(out, durl.Param{Key: k, Value: g.label()})
		}
	}
	if g.maybe(tagPercent) {
		out = append(out, durl.Param{Key: "dubbo.tag", Value: g.one(append([]string{""}, genTags...)...)})
	}
	return out
}

func (g generator) consumer() durl.URL {
	p := g.params(20)
	if selection := g.routerParameter(); selection != "" {
		p = append(p, durl.Param{Key: "router", Value: selection})
	}
	if g.maybe(20) {
		p = append(p, durl.Param{Key: g.one("address", "get.address"), Value: g.one("true", "x", "false", "")})
	}
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
	out := make([]*service.Instance, g.IntN(10))
	for i := range out {
		host, port := fmt.Sprintf("10.0.0.%d", g.IntN(5)), 20880+g.IntN(2)
		u := g.url(g.one("dubbo", "dubbo", "dubbo", "dubbo", "tri", "mock"), host, port, g.params(25))
		out[i] = service.NewInstance(u, u, u)
		if g.maybe(25) { // overrides and the merge made other views: tags come from the URL, conditions and mesh read the labels
			out[i] = service.NewInstance(u, g.url(u.Scheme(), host, port, g.params(25)), g.url(u.Scheme(), host, port, g.params(0)))
		}
	}
	return out
}

func (g generator) value(right bool) string {
	if g.maybe(50) {
		return g.one("hz", "bj", "h*", "*", "hz")
	}
	v := g.one("hz", "bj", "h*", "*z", "*", "10", "7", "gray", "h*z", "5~10", "~7", "8~", "a|b", "10.0.0.*", "get", "get*", "*Order", "20880", "x", "null", "5~~x")
	if g.maybe(15) {
		v = "$" + g.one("region", "zone", "host", "none", "port", "level")
	}
	return v
}

func (g generator) side(right bool) string {
	var b strings.Builder
	for i := range []int{1, 1, 1, 2, 3}[g.IntN(5)] {
		if i > 0 {
			b.WriteString(" & ")
		}
		key := g.key()
		if g.maybe(30) {
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
	if g.maybe(98) {
		then = g.side(true)
	}
	return when + " => " + then
}

// document returns a document whose conditions the dialect takes, or nil.
func (g generator) document() *rule.ConditionDocument {
	if g.maybe(60) {
		return nil
	}
	doc := &rule.ConditionDocument{Enabled: !g.maybe(7), Valid: !g.maybe(3), Force: g.maybe(25)}
	if g.maybe(35) && g.d != dialect.Dubbo26 {
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
	for range []int{0, 1, 2, 2, 3, 3, 4, 4, 2, 3}[g.IntN(10)] {
		m.To = append(m.To, rule.Destination{Match: clauses("=> "+g.side(true), true), Weight: 1 + g.IntN(4)})
	}
	return m
}

// affinity returns an affinity rule, or nil.
func (g generator) affinity() *rule.AffinityDocument {
	if g.maybe(50) {
		return nil
	}
	key := g.key()
	if g.maybe(15) {
		key = g.one("host", "protocol", "port", "nosuch", "path")
	}
	return &rule.AffinityDocument{Enabled: !g.maybe(7), Affinity: key, Ratio: []float64{0, 0, 1, 10, 20, 25, 33.3, 50, 66.6, 75, 100, math.NaN()}[g.IntN(12)]}
}

func (g generator) tags() *rule.TagDocument {
	if g.maybe(50) {
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
	inv.ParamTypes = g.types(inv)
	attach := func(percent int, key string, values ...any) {
		if g.maybe(percent) {
			inv.Attachments = append(inv.Attachments, rpc.Attachment{Key: key, Value: values[g.IntN(len(values))]})
		}
	}
	attach(40, "dubbo.tag", "gray", "gray", "blue", "a|b|c", "a|b", "a|x|y", "", "zz", "a", "x|gray|", 5)
	attach(15, "dubbo.force.tag", "true", "false", "", "1", "True")
	attach(40, "env", "gray", "hz", "", 7)
	attach(30, "lane", "x", "10")
	attach(20, "a.b", "x", "hz")
	somewhere := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, byte(g.IntN(5))}), uint16(20880+g.IntN(2)))
	attach(25, "address", somewhere, somewhere, somewhere, somewhere.String(), "x", nil, 5)
	attach(8, "invocation.need.mock", "true", "TRUE", "false", "")
	return inv
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
	for _, app := range slices.Sorted(maps.Keys(w.Rules.Mesh)) {
		text, _ := json.Marshal(w.Rules.Mesh[app])
		fmt.Fprintf(&b, "mesh %q %s\n", app, text)
	}
	if tag := w.Rules.Tag; tag != nil {
		fmt.Fprintf(&b, "tag %+v\n", *tag)
	}
	for _, step := range s.Explain(inv).Steps {
		fmt.Fprintf(&b, "  %+v\n", step)
	}
	return b.String()
}
