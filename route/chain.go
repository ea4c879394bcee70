package route

import (
	"math"
	"slices"
	"strings"

	"github.com/dubway-go/dubway/dialect"
)

// The routers, by the names that traces, metrics and the consumer's "router" parameter use.
const (
	RouterMock                = "mock"
	RouterURL                 = "url"
	RouterMesh                = "mesh"
	RouterTag                 = "tag"
	RouterAffinityService     = "affinity-service"
	RouterAffinityApplication = "affinity-app"
	RouterService             = "service"
	RouterProviderApplication = "provider-application"
	RouterApplication         = "application"
	RouterAddress             = "address"
	RouterScript              = "script"
)

// Stage is one router's place in a chain.
type Stage struct {
	// Router is one of the names above.
	Router string
	// Priority orders the stages, smaller first (spec §6.2). Registry rules (RouterURL) bring their own
	// and ignore it.
	Priority int
}

// Chain says which routers run, and in which order. A chain is an argument, never changed in place.
type Chain []Stage

// DefaultChain returns the chain of a dialect (spec §3.8, §6.2): the one place where the order is written down. Ties go to
// the stage that stands first; registry rules follow the others at the same priority.
func DefaultChain(d dialect.Dialect) Chain {
	switch d {
	case dialect.Dubbo26:
		return Chain{{RouterURL, 0}, {RouterTag, 100}, {RouterMock, math.MaxInt}}
	case dialect.Dubbo27:
		return Chain{{RouterMock, -100}, {RouterURL, 0}, {RouterTag, 100}, {RouterService, 140}, {RouterApplication, 150}}
	case dialect.Dubbo31:
		return Chain{{RouterMock, -100}, {RouterMesh, -50}, {RouterTag, 100}, {RouterService, 140}, {RouterApplication, 150}}
	case dialect.Dubbo33:
		return Chain{{RouterMock, -100}, {RouterMesh, -50}, {RouterTag, 100}, {RouterService, 140}, {RouterProviderApplication, 145},
			{RouterApplication, 150}, {RouterScript, 200}}
	}
	return Chain{{RouterMock, -100}, {RouterMesh, -50}, {RouterURL, 0}, {RouterTag, 100}, {RouterAffinityService, 130}, {RouterAffinityApplication, 135},
		{RouterService, 140}, {RouterProviderApplication, 145}, {RouterApplication, 150}, {RouterScript, 200}}
}

// WithAffinity returns the chain with the affinity routers that are not in it, before the routers of a higher priority: what a
// consumer of Dubbo 3.3.6 has who registered them (spec §3.7). The chain of Standard has them anyway.
func (c Chain) WithAffinity() Chain { return c.with(affinityStages()...) }

// with returns the chain with the stages that are not in it, each before the routers of a higher priority.
func (c Chain) with(stages ...Stage) Chain {
	out := slices.Clone(c)
	for _, s := range stages {
		if out.Has(s.Router) {
			continue
		}
		at := slices.IndexFunc(out, func(x Stage) bool { return x.Priority > s.Priority })
		if at < 0 {
			at = len(out)
		}
		out = slices.Insert(out, at, s)
	}
	return out
}

// affinityStages are the affinity routers with the priorities of 3.3.6.
func affinityStages() Chain {
	return Chain{{RouterAffinityService, 130}, {RouterAffinityApplication, 135}}
}

// Only returns the chain with nothing but the named routers.
func (c Chain) Only(routers ...string) Chain {
	return slices.DeleteFunc(slices.Clone(c), func(s Stage) bool { return !slices.Contains(routers, s.Router) })
}

// Without returns the chain without the named routers.
func (c Chain) Without(routers ...string) Chain {
	return slices.DeleteFunc(slices.Clone(c), func(s Stage) bool { return slices.Contains(routers, s.Router) })
}

// Has reports whether the router is in the chain.
func (c Chain) Has(router string) bool {
	return slices.ContainsFunc(c, func(s Stage) bool { return s.Router == router })
}

// extensions are the names by which a reference's "router" parameter knows the routers.
func extension(router string) string {
	switch router {
	case RouterApplication:
		return "app"
	case RouterProviderApplication:
		return "provider-app"
	case RouterMesh:
		return "standard-mesh-rule"
	case RouterScript:
		return "script-app"
	}
	return router
}

// Select applies a reference's "router" parameter (spec §6.4): "-name" takes a router out, "-default" all of them, a
// plain name puts one in at its usual place. Where "default" is written, plain names stand before or after all others instead, in written
// order; 2.7 sorts by priority all the same. Rules from the registry stay. In dubbo-3.3 the names affinity-service and affinity-app add those
// routers, in dubbo-2.7 and Standard address adds that one. Other names that are not in the chain are left to whoever adds routers of their
// own. The parameter means nothing to 2.6.
func (c Chain) Select(parameter string, d dialect.Dialect) Chain {
	if strings.TrimSpace(parameter) == "" || d == dialect.Dubbo26 {
		return c
	}
	var names []string
	out, pivot := map[string]bool{}, -1
	for name := range strings.SplitSeq(parameter, ",") {
		switch name = strings.TrimSpace(name); {
		case name == "default":
			if pivot < 0 {
				pivot = len(names)
			}
		case strings.HasPrefix(name, "-"):
			out[name[1:]] = true
		case name != "" && !slices.Contains(names, name):
			names = append(names, name)
		}
	}
	known := c
	switch d {
	case dialect.Dubbo33:
		known = c.WithAffinity()
	case dialect.Dubbo27, dialect.Standard:
		known = c.WithAddress()
	}
	if pivot < 0 || d == dialect.Dubbo27 {
		return slices.DeleteFunc(slices.Clone(known), func(s Stage) bool {
			name := extension(s.Router)
			byDefault := c.Has(s.Router) && !out["default"]
			return s.Router != RouterURL && (out[name] || !byDefault && !slices.Contains(names, name))
		})
	}
	moved := func(names []string, priority int) Chain {
		var list Chain
		for _, name := range names {
			for _, s := range known {
				if extension(s.Router) == name && s.Router != RouterURL && !out[name] {
					list = append(list, Stage{s.Router, priority})
				}
			}
		}
		return list
	}
	first, last := moved(names[:pivot], math.MinInt), moved(names[pivot:], math.MaxInt)
	list := slices.Clone(first)
	for _, s := range c {
		if s.Router == RouterURL || !out[extension(s.Router)] && !out["default"] && !first.Has(s.Router) && !last.Has(s.Router) {
			list = append(list, s)
		}
	}
	return append(list, last...)
}
