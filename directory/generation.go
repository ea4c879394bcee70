package directory

import (
	"fmt"
	"sync"

	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/rpc"
)

// failure says why a generation routes no call at all.
type failure uint8

const (
	failNone failure = iota
	// failForbidden: the registry said that there are no providers (spec §8.4; code 4).
	failForbidden
	// failUnheard: the registry has not delivered anything yet.
	failUnheard
	// failClosed: the directory was closed.
	failClosed
)

// generation is everything that a call needs, published as one.
type generation struct {
	snapshot *route.Snapshot
	// lists are what dubbo-2.6 routes over instead of snapshot; nil in the other dialects.
	lists *methodLists
	// groups are those of a multi-group reference, nil for others; dubbo-2.6 has them in lists, by method.
	groups *grouping
	fail   failure
	// overrides are those that the instances were made with.
	overrides overrides
	excluded  []Excluded
	status    Status
	// changed is closed when the generation is superseded.
	changed chan struct{}
	// shorts remembers the short explain of decisions that left nothing, so that a storm of failing calls does not trace each.
	shorts sync.Map
}

// route runs a call.
func (g *generation) route(inv *rpc.Invocation) route.Candidates {
	switch {
	case g.groups != nil:
		return g.groups.route(inv)
	case g.lists != nil:
		return g.lists.of(inv).route(inv)
	}
	return g.snapshot.Route(inv)
}

// explain runs a call with a recorder.
func (g *generation) explain(inv *rpc.Invocation) run {
	if g.groups != nil {
		return g.groups.explain(inv)
	}
	if g.lists != nil {
		return g.lists.explain(g.snapshot.Set(), inv)
	}
	return ranOnce(g.snapshot.Explain(inv))
}

// refuse returns the error for a call that this generation cannot route; it is not on the path of a call that succeeds.
func (g *generation) refuse(s *settings, inv *rpc.Invocation) error {
	e := &rpc.Error{Service: s.key, Method: inv.Method}
	switch g.fail {
	case failClosed:
		e.Code, e.Message = rpc.Unknown, "the directory is closed"
	case failUnheard:
		e.Code, e.Message = rpc.Registry, "no provider list yet: the registry has not answered"
	default:
		e.Code = rpc.Forbidden
		e.Message = "the registry lists no provider for consumer " + s.localHost + summarize(g.excluded) +
			"; check that the providers are started, registered and not disabled"
	}
	return e
}

// noProvider returns the error for a call that routing left without candidates.
func (g *generation) noProvider(s *settings, c route.Candidates, inv *rpc.Invocation) error {
	return g.nobody(s, inv, g.short(c.Decision(), inv))
}

func (g *generation) nobody(s *settings, inv *rpc.Invocation, why string) error {
	return &rpc.Error{Code: rpc.NoProvider, Service: s.key, Method: inv.Method, Message: "no provider left: " + why}
}

func (g *generation) short(d *route.Decision, inv *rpc.Invocation) string {
	if d != nil && d.Remembered() {
		if v, ok := g.shorts.Load(d); ok {
			return v.(string)
		}
	}
	text := g.whyNobody(d, inv) + summarize(g.excluded)
	if d != nil && d.Remembered() {
		g.shorts.Store(d, text)
	}
	return text
}

// whyNobody says in one line what left a call without providers. What a script said is kept with its answer: asked again, it may say something else.
func (g *generation) whyNobody(d *route.Decision, inv *rpc.Invocation) string {
	if d != nil && d.Blame() != "" {
		return fmt.Sprintf("%d providers; %s", g.status.Instances, d.Blame())
	}
	return g.explain(inv).trace.Short()
}
