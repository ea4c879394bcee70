package route

import (
	"math"
	"slices"

	"github.com/dubway-go/dubway/dialect"
)

// The routers, by the names that traces, metrics and the consumer's "router" parameter use.
const (
	RouterMock                = "mock"
	RouterURL                 = "url"
	RouterTag                 = "tag"
	RouterService             = "service"
	RouterProviderApplication = "provider-application"
	RouterApplication         = "application"
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
		return Chain{{RouterMock, -100}, {RouterTag, 100}, {RouterService, 140}, {RouterApplication, 150}}
	case dialect.Dubbo33:
		return Chain{{RouterMock, -100}, {RouterTag, 100}, {RouterService, 140}, {RouterProviderApplication, 145}, {RouterApplication, 150}}
	}
	return Chain{{RouterMock, -100}, {RouterURL, 0}, {RouterTag, 100}, {RouterService, 140}, {RouterProviderApplication, 145},
		{RouterApplication, 150}}
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
