package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/rule"
	"github.com/dubway-go/dubway/service"
)

// routeFailed is how the corpus writes that routing raised an exception.
const routeFailed = `"route-failed"`

// covered reports whether the runner replays an area.
func covered(area string) bool {
	switch area {
	case "condition-route", "condition-doc", "multi-destination", "tag", "chain", "affinity", "mesh", "script":
		return true
	}
	return false
}

// Run replays the cases of one folder, given by area.
func Run(areas map[string][]Case) *Report {
	r := &Report{}
	names := make([]string, 0, len(areas))
	for a := range areas {
		names = append(names, a)
	}
	slices.Sort(names)
	for _, area := range names {
		for i := range areas[area] {
			c := &areas[area][i]
			for version, answer := range c.Expect {
				d, known := dialects()[version]
				row := r.row(area, version)
				if replay := standalone(area); replay != nil && known {
					want, got, err := replay([]byte(c.raw), d, c.answers[version])
					if err != nil {
						got = err.Error()
					}
					row.count(c, want, got)
					continue
				}
				if !known || !covered(area) {
					row.LeftOut["unknown area or version"]++
					continue
				}
				want, got := c.compare(d, answer)
				row.count(c, want, got)
			}
		}
	}
	return r
}

// compare returns the recorded and the computed answer as texts.
func (c *Case) compare(d dialect.Dialect, a Answer) (want, got string) {
	if c.Area == "condition-route" {
		want = fmt.Sprint(nonNil(a.Keep))
		if a.Error != "" {
			want = a.Error
		}
		return want, c.single(d)
	}
	w := newWorld(c, d)
	defer w.script.close()
	if w.err != "" {
		return a.Error + joined(a.Keeps), w.err
	}
	if len(a.Shares) > 0 {
		for i := range c.Steps {
			w.step(&c.Steps[i])
		}
		return w.compareShares(a.Shares)
	}
	out, wants := make([]string, 0, len(a.Keeps)), make([]string, 0, len(a.Keeps))
	for i, raw := range a.Keeps {
		if i > 0 {
			w.step(&c.Steps[i-1])
		}
		want, got := w.compareKeep(raw)
		out, wants = append(out, got), append(wants, want)
	}
	return strings.Join(wants, " "), strings.Join(out, " ")
}

func joined(keeps []json.RawMessage) string {
	out := make([]string, len(keeps))
	for i, k := range keeps {
		out[i] = element(k)
	}
	return strings.Join(out, " ")
}

// element prints one recorded result.
func element(k json.RawMessage) string {
	var list []int
	if json.Unmarshal(k, &list) == nil {
		return fmt.Sprint(nonNil(list))
	}
	var b bytes.Buffer
	if err := json.Compact(&b, k); err != nil {
		return string(k)
	}
	if b.String() == routeFailed {
		return "[]" // the directory turns the exception into an empty list
	}
	return b.String()
}

func nonNil(l []int) []int {
	if l == nil {
		return []int{}
	}
	return l
}

// single runs one condition on its own.
func (c *Case) single(d dialect.Dialect) string {
	consumer, list, err := c.urls(d)
	if err != "" {
		return err
	}
	doc := &rule.ConditionDocument{Enabled: true, Valid: true}
	if c.Rule.URL != "" {
		parsed, _ := rule.ParseRouteURL(c.Rule.URL, d)
		if parsed == nil {
			return "illegal-rule"
		}
		doc = parsed
	} else {
		if c.Rule.Force != nil {
			doc.Force = *c.Rule.Force
		}
		if c.Rule.Enabled != nil {
			doc.Enabled = *c.Rule.Enabled
		}
		if doc.Enabled || d == dialect.Dubbo26 {
			cond, findings := rule.ParseCondition(c.Rule.Text, d)
			if findings.HasErrors() {
				return "illegal-rule"
			}
			doc.Conditions = []rule.Condition{cond}
		}
	}
	in := route.Input{Dialect: d, Consumer: service.Consumer{URL: consumer}, Set: service.NewSet(1, list)}
	if d == dialect.Dubbo26 || d == dialect.Dubbo27 {
		in.Rules.URL = []*rule.ConditionDocument{doc}
		in.Chain = route.Chain{{Router: route.RouterURL}}
	} else {
		in.Rules.Service = doc
		in.Chain = route.Chain{{Router: route.RouterService}}
	}
	s, _ := route.Compile(in)
	return keep(s, c.Call.invocation(), nil)
}

// keep returns the numbers of the candidates, translated by use unless it is nil, and checks that explaining agrees with routing.
func keep(s *route.Snapshot, inv *rpc.Invocation, use []int) string {
	list := []int{}
	got := s.Route(inv)
	for i := range got.Len() {
		at := got.Index(i)
		if use != nil {
			at = use[at]
		}
		list = append(list, at)
	}
	if t := s.Explain(inv); len(t.Left) != got.Len() || t.Verdict != got.Why() {
		return fmt.Sprintf("explain disagrees: %v %v, route %v %v", t.Left, t.Verdict, list, got.Why())
	}
	return fmt.Sprint(list)
}

// urls parses the consumer and the providers.
func (c *Case) urls(d dialect.Dialect) (durl.URL, []*service.Instance, string) {
	consumer, err := durl.ParseAs(c.Consumer, d)
	if err != nil {
		return durl.URL{}, nil, "bad-url"
	}
	list := make([]*service.Instance, len(c.Providers))
	for i, p := range c.Providers {
		u, err := durl.ParseAs(p, d)
		if err != nil {
			return durl.URL{}, nil, "bad-url"
		}
		list[i] = service.NewInstance(u, u, u)
	}
	return consumer, list, ""
}
