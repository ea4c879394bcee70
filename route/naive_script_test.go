package route_test

import (
	"errors"
	"slices"
	"time"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/rule"
	"github.com/dubway-go/dubway/script"
)

// scriptSample is a script and, in Go, what it means: the second implementation that the differential test compares with.
type scriptSample struct {
	text string
	expr bool // of type "expr", which only standard knows
	// gives returns the list that the script returns for the providers in; foreign tells that there is something else in the list.
	gives func(n *naive, in []int) (list []int, foreign bool, err error)
	// rare samples take long.
	rare bool
}

var (
	errNull   = errors.New("null")
	errNoList = errors.New("no list")
	errThrown = errors.New("thrown")
)

// scriptSamples is a family in which each script does one thing that scripts are written for, or one that goes wrong.
func scriptSamples() []scriptSample {
	plain := func(f func(n *naive, in []int) []int) func(*naive, []int) ([]int, bool, error) {
		return func(n *naive, in []int) ([]int, bool, error) { return f(n, in), false, nil }
	}
	failing := func(err error) func(*naive, []int) ([]int, bool, error) {
		return func(*naive, []int) ([]int, bool, error) { return nil, false, err }
	}
	keep := func(pass func(n *naive, i int) bool) func(*naive, []int) ([]int, bool, error) {
		return plain(func(n *naive, in []int) []int { return filter(in, func(i int) bool { return pass(n, i) }) })
	}
	const loop = "var r = []; for (var i = 0; i < invokers.size(); i++) { var u = invokers.get(i).getUrl(); if (%) r.push(invokers.get(i)); } r"
	each := func(condition string) string {
		head, tail := loop[:len(loop)-len("%) r.push(invokers.get(i)); } r")], loop[len(loop)-len(") r.push(invokers.get(i)); } r"):]
		return head + condition + tail
	}
	return []scriptSample{
		{text: each("u.getPort() == 20880"), gives: keep(func(n *naive, i int) bool { return n.list[i].URL.Port() == 20880 })},
		{text: each("u.getHost() != '10.0.0.1'"), gives: keep(func(n *naive, i int) bool { return n.list[i].URL.Host() != "10.0.0.1" })},
		{text: "(function route(invokers, invocation) { var r = new java.util.ArrayList(invokers.size()); for (var i = 0; i < invokers.size(); i += 2) { r.add(invokers.get(i)); } return r; }(invokers, invocation))",
			gives: plain(func(_ *naive, in []int) []int {
				var out []int
				for i := 0; i < len(in); i += 2 {
					out = append(out, in[i])
				}
				return out
			})},
		{text: "var r = []; for (var i = invokers.size() - 1; i >= 0; i--) r.push(invokers.get(i)); r", gives: plain(func(_ *naive, in []int) []int {
			out := slices.Clone(in)
			slices.Reverse(out)
			return out
		})},
		{text: "[invokers.get(0), invokers.get(invokers.size() - 1), invokers.get(0)]", gives: plain(func(_ *naive, in []int) []int { return []int{in[0], in[len(in)-1], in[0]} })},
		{text: "invocation.getMethodName() == 'get' ? invokers.subList(0, 1) : invokers", gives: plain(func(n *naive, in []int) []int {
			if n.inv.Method == "get" && !n.wireCall() {
				return in[:1]
			}
			return in
		})},
		{text: "invocation.getAttachment('env') == 'gray' ? invokers.subList(0, 1) : invokers", gives: plain(func(n *naive, in []int) []int {
			if v, ok := n.inv.Attachments.Get("env"); ok && v == "gray" {
				return in[:1]
			}
			return in
		})},
		{text: "var a = invocation.getArguments(); a.length > 0 && a[0] == 'hz' ? invokers.subList(0, 1) : invokers", gives: plain(func(n *naive, in []int) []int {
			first := any(nil)
			if n.wireCall() {
				first = n.inv.Method
			} else if len(n.inv.Args) > 0 {
				first = n.inv.Args[0]
			}
			if first == "hz" {
				return in[:1]
			}
			return in
		})},
		{text: "[]", gives: plain(func(*naive, []int) []int { return nil })},
		{text: "null", gives: failing(errNull)},
		{text: "5", gives: failing(errNoList)},
		{text: "[1, invokers.get(0)]", gives: func(_ *naive, in []int) ([]int, bool, error) { return in[:1], true, nil }},
		{text: "throw 'no'", gives: failing(errThrown)},
		{text: "invocation.getMethodName() == 'x' ? (function() { throw new Error('x') })() : invokers.subList(0, 1)", gives: func(n *naive, in []int) ([]int, bool, error) {
			if n.inv.Method == "x" && !n.wireCall() {
				return nil, false, errThrown
			}
			return in[:1], false, nil
		}},
		{expr: true, text: "port == 20880", gives: keep(func(n *naive, i int) bool { return n.list[i].URL.Port() == 20880 })},
		{rare: true, text: "while (true) {}", gives: failing(errThrown)}, // stopped by the limit on time, and left out as if it had thrown
	}
}

// wireCall reports whether the call shows itself to scripts as $invoke.
func (n *naive) wireCall() bool { return !n.inv.Direct && n.d != dialect.Standard }

// naiveScript is one script rule of a world.
type naiveScript struct {
	sample   *scriptSample
	off      bool
	priority int
	rule     *route.FilterRule
}

// run is what becomes of the providers: spec §5.2 and §8.6, the rows J of docs/dialects.md. From 3.0.5 on, and in standard, the answer is a set; before, it is the
// list that the script gave.
func (s *naiveScript) run(n *naive, in []int) []int {
	if s == nil || s.off || s.sample.expr && n.d != dialect.Standard {
		return in
	}
	if n.drawn < route.DrawsAfterFilter { // draws count apart from the first script on
		n.drawn = route.DrawsAfterFilter
	}
	if len(in) == 0 {
		return in
	}
	list, foreign, err := s.sample.gives(n, in)
	switch {
	case errors.Is(err, errThrown):
		n.note("script threw")
		return in
	case errors.Is(err, errNoList) && n.d == dialect.Dubbo26, foreign && n.d == dialect.Dubbo26:
		n.note("script gave no list")
		return in
	case err != nil, foreign && n.d == dialect.Dubbo27:
		n.note("script gave no list")
		return []int{}
	}
	if n.d == dialect.Dubbo26 || n.d == dialect.Dubbo27 {
		if !slices.IsSorted(list) || len(slices.Compact(slices.Clone(list))) < len(list) {
			n.note("script gave an order")
		}
		return list
	}
	return filter(in, func(i int) bool { return slices.Contains(list, i) })
}

// scripts makes script rules for the worlds. The rules are kept, because each holds compiled programs.
type scripts struct {
	// patient gives scripts that end all the time they need, however busy the machine is; strict has the usual limits.
	patient, strict *script.Runner
	samples         []scriptSample
	rules           map[scriptKey]route.ScriptRule
}

type scriptKey struct {
	text string
	d    dialect.Dialect
	off  bool
}

func newScripts() *scripts {
	return &scripts{patient: script.NewRunner(script.Limits{Time: time.Minute}), strict: script.NewRunner(script.Limits{}), samples: scriptSamples(), rules: make(map[scriptKey]route.ScriptRule)}
}

func (s *scripts) close() {
	for _, r := range s.rules {
		if r != nil {
			r.Close()
		}
	}
}

// script returns a script rule, or nil.
func (g generator) script(percent int) *naiveScript {
	if !g.maybe(percent) || g.scripts == nil {
		return nil
	}
	out := &naiveScript{sample: &g.scripts.samples[g.IntN(len(g.scripts.samples))], off: g.maybe(5), priority: []int{0, 1, -200, 120, 146}[g.IntN(5)]}
	if out.sample.rare && g.IntN(400) > 0 {
		out.sample = &g.scripts.samples[0]
	}
	key := scriptKey{out.sample.text, g.d, out.off}
	held, known := g.scripts.rules[key]
	if !known {
		doc := &rule.ScriptDocument{Enabled: !out.off, Valid: true, Type: "javascript", Script: out.sample.text}
		if out.sample.expr {
			doc.Type = "expr"
		}
		runner := g.scripts.patient
		if out.sample.rare {
			runner = g.scripts.strict
		}
		held, _ = runner.Replace(nil, doc, g.d)
		g.scripts.rules[key] = held
	}
	out.rule = &route.FilterRule{Text: out.sample.text, Priority: out.priority}
	if held != nil {
		out.rule.Bind = held.Bind
	}
	return out
}
