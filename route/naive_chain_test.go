package route_test

import (
	"math"
	"net/netip"
	"slices"
	"sort"
	"strings"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/rule"
)

// naiveRouter is one router of the naive evaluator: its extension name (none for rules of the registry), its place, and what kind of rule it counts as.
type naiveRouter struct {
	name     string
	priority int
	kind     string
	run      func([]int) []int
}

// chain returns the routers that run, in order: spec §3.8, §6.2, §6.3.
func (n *naive) chain() []naiveRouter {
	document := func(name string, priority int, doc *rule.ConditionDocument) naiveRouter {
		kind := name
		if doc != nil && len(doc.Multi) > 0 {
			kind = "v3.1"
		}
		return naiveRouter{name, priority, kind, func(in []int) []int { return n.document(doc, in) }}
	}
	r := &n.rules
	mock := naiveRouter{"mock", -100, "mock", n.mock}
	tag := naiveRouter{"tag", 100, "tag", n.tag}
	mesh := naiveRouter{"standard-mesh-rule", -50, "mesh", n.mesh}
	service, application := document("service", 140, r.Service), document("app", 150, r.Application)
	provider := document("provider-app", 145, r.ProviderApplication)
	affinity := naiveRouter{"affinity-service", 130, "affinity", func(in []int) []int { return n.affinity(r.Affinity, in) }}
	affinityApp := naiveRouter{"affinity-app", 135, "affinity-app", func(in []int) []int { return n.affinity(r.AffinityApplication, in) }}
	if n.d == dialect.Dubbo33 { // spec §3.7: it reads another document
		affinityApp = document("affinity-app", 135, r.ProviderApplication)
	}
	address := naiveRouter{"address", 180, "address", n.address180}
	scripted := naiveRouter{"script-app", 200, "script", func(in []int) []int { return n.script.run(n, in) }}
	var defaults, byName []naiveRouter
	switch n.d {
	case dialect.Dubbo26:
		mock.priority = math.MaxInt
		defaults = []naiveRouter{tag, mock}
	case dialect.Dubbo27:
		defaults, byName = []naiveRouter{mock, tag, service, application}, []naiveRouter{address}
	case dialect.Dubbo31:
		defaults = []naiveRouter{mock, mesh, tag, service, application}
	case dialect.Dubbo33:
		defaults = []naiveRouter{mock, mesh, tag, service, provider, application, scripted}
		if byName = []naiveRouter{affinity, affinityApp}; n.registered { // 3.3.6, where the user registered the routers
			defaults = []naiveRouter{mock, mesh, tag, affinity, affinityApp, service, provider, application, scripted}
		}
	default:
		defaults = []naiveRouter{mock, mesh, tag, affinity, affinityApp, service, provider, application, scripted}
		byName = []naiveRouter{address}
	}
	if n.wantsAddress() {
		defaults, byName = append(defaults, byName...), nil
	}
	chain := defaults
	if parameter, _ := n.consumer.Param("router"); n.d != dialect.Dubbo26 && parameter != "" {
		chain = n.selected(defaults, byName, strings.Split(parameter, ","))
	}
	if n.d != dialect.Dubbo31 && n.d != dialect.Dubbo33 { // 3.0.5+ reads no rules from the registry (§12.1 Q23)
		for _, doc := range r.URL {
			one := document("", doc.Priority, doc)
			one.kind = "url"
			chain = append(chain, one)
		}
		for _, s := range n.scriptURLs {
			chain = append(chain, naiveRouter{"", s.priority, "script", func(in []int) []int { return s.run(n, in) }})
		}
	}
	sort.SliceStable(chain, func(i, j int) bool { return chain[i].priority < chain[j].priority })
	return chain
}

// wantsAddress: spec §6.1. The address router of 2.7 is on where the consumer has a parameter of that name, also of a method.
func (n *naive) wantsAddress() bool {
	if n.d != dialect.Dubbo27 && n.d != dialect.Standard {
		return false
	}
	for key, value := range n.consumer.All() {
		if (key == "address" || strings.HasSuffix(key, ".address")) && value != "" && value != "false" {
			return true
		}
	}
	return false
}

// address180: a call with an address attachment goes there, or nowhere. What is no address fails; standard reads text as well.
func (n *naive) address180(in []int) []int {
	for _, a := range n.inv.Attachments {
		if a.Key != "address" || a.Value == nil || len(in) == 0 {
			continue
		}
		text := ""
		switch v := a.Value.(type) {
		case netip.AddrPort:
			text = v.String()
		case string:
			if n.d == dialect.Standard {
				text = v
			}
		}
		n.note("address wanted")
		return filter(in, func(i int) bool { return n.list[i].URL.Address() == text })
	}
	return in
}

// selected applies the "router" parameter: spec §6.4. "-name" takes a router out, "-default" all that are on by default; a name puts one in, at its usual
// place, or, where "default" stands in the list, before or after all the others in written order (which 2.7 undoes by sorting).
func (n *naive) selected(defaults, byName []naiveRouter, names []string) []naiveRouter {
	for i := range names {
		names[i] = strings.TrimSpace(names[i])
	}
	said := func(name string) bool { return slices.Contains(names, name) }
	var rest []naiveRouter
	for _, r := range defaults {
		if !said("-default") && !said(r.name) && !said("-"+r.name) {
			rest = append(rest, r)
		}
	}
	pivot := slices.Index(names, "default")
	var out []naiveRouter
	for i, name := range names {
		for _, r := range slices.Concat(defaults, byName) {
			if r.name != name || said("-"+name) || slices.ContainsFunc(out, func(o naiveRouter) bool { return o.name == name }) {
				continue
			}
			if pivot >= 0 && n.d != dialect.Dubbo27 {
				n.note("router parameter moved")
				r.priority = math.MaxInt
				if i < pivot {
					r.priority = math.MinInt
				}
			}
			out = append(out, r)
		}
	}
	n.note("router parameter")
	// Written order counts among those of one end; the others come between in their own.
	out = append(out, rest...)
	return out
}

// routerParameter returns a selection for the consumer's URL, or "".
func (g generator) routerParameter() string {
	if g.maybe(80) {
		return ""
	}
	names := []string{"script-app", "address", "mock", "tag", "service", "app", "provider-app", "standard-mesh-rule", "affinity-service", "affinity-app", "nosuch"}
	g.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	names = names[:1+g.IntN(3)]
	for i := range names {
		if g.maybe(45) {
			names[i] = "-" + names[i]
		}
	}
	if g.maybe(35) {
		names = slices.Insert(names, g.IntN(len(names)+1), "default")
	}
	if g.maybe(10) {
		names = slices.Insert(names, g.IntN(len(names)+1), "-default")
	}
	return strings.Join(names, g.one(",", ",", " , "))
}
