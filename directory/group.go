package directory

import (
	"fmt"

	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/service"
)

// Group is one group of a multi-group reference (spec §8.7): a view of the directory that has the group's providers only. It follows the
// directory as it changes, and stays the same value for as long as the group has providers. All methods are safe for concurrent use.
type Group struct {
	d    *Directory
	name string
}

// GroupStatus is one group in a directory's Status.
type GroupStatus struct {
	// Name is the group's name, empty for providers without a group; Registry is where it is when the service has several registries.
	Name      string `json:"name"`
	Registry  string `json:"registry,omitempty"`
	Instances int    `json:"instances"`
	// ProviderApplication is the application whose rules count in the group.
	ProviderApplication string `json:"providerApplication,omitempty"`
	// Consumer is the calling side as the group's routers see it.
	Consumer string `json:"consumer"`
}

// NoGroup is how texts for people call the providers without a group.
const NoGroup = "(no group)"

// Name returns the group's name, empty for the providers without one.
func (g *Group) Name() string { return g.name }

// Label returns the name for people.
func (g *Group) Label() string {
	if g.name == "" {
		return NoGroup
	}
	return g.name
}

// ServiceKey returns the key under which the group's providers offer the service.
func (g *Group) ServiceKey() service.Key {
	k := g.d.s.key
	k.Group = g.name
	return k
}

// Groups returns the groups that a call may go to, in the order in which a call without a merger tries them: in Standard as the reference
// lists them, for "*" by name; in the Dubbo dialects as Java walks a HashMap of the names. It is nil for a reference that is not for several
// groups, and in the Dubbo dialects also while the providers are all of one group, which is then not routed at all (spec §8.7). The error
// is an *rpc.Error, as of Route. The caller must not change the slice.
func (d *Directory) Groups(inv *rpc.Invocation) ([]*Group, error) {
	g := d.current.Load()
	if g.fail != failNone {
		return nil, g.refuse(d.s, inv)
	}
	p := g.groups
	if g.lists != nil {
		p = g.lists.of(inv).groups
	}
	if p == nil {
		return nil, nil
	}
	list := p.forCall(inv)
	if len(list) == 0 {
		return nil, g.noProvider(d.s, route.Candidates{}, inv)
	}
	return list, nil
}

// MultiGroup reports whether the directory is that of a reference for several groups.
func (d *Directory) MultiGroup() bool { return d.s.multi }

// snapshot returns the group's snapshot in a generation, nil when the group has no providers there.
func (g *Group) snapshot(of *generation, inv *rpc.Invocation) *route.Snapshot {
	p := of.groups
	if of.lists != nil {
		p = of.lists.of(inv).groups
	}
	if p == nil {
		return nil
	}
	return p.part(g)
}

// Route returns the candidates for a call within the group; errors are those of Directory.Route.
func (g *Group) Route(inv *rpc.Invocation) (route.Candidates, error) {
	now := g.d.current.Load()
	if now.fail != failNone {
		return route.Candidates{}, now.refuse(g.d.s, inv)
	}
	s := g.snapshot(now, inv)
	if s == nil {
		return route.Candidates{}, &rpc.Error{Code: rpc.NoProvider, Service: g.d.s.key, Method: inv.Method, Message: fmt.Sprintf("group %s has no provider any more", g.Label())}
	}
	c := s.Route(inv)
	if c.Len() == 0 {
		return c, &rpc.Error{Code: rpc.NoProvider, Service: g.d.s.key, Method: inv.Method,
			Message: fmt.Sprintf("no provider left in group %s: %s", g.Label(), s.Explain(inv).Short())}
	}
	return c, nil
}

// Snapshot returns the directory's snapshot: strategies read their parameters from its consumer, which is the reference's own.
func (g *Group) Snapshot() *route.Snapshot { return g.d.Snapshot() }

// Begin and End bracket a call: see Directory.Begin.
func (g *Group) Begin(in *service.Instance) bool { return g.d.Begin(in) }

// End: see Directory.End.
func (g *Group) End(in *service.Instance) { g.d.End(in) }

// GroupOutcome is what routing leaves of one group for a call.
type GroupOutcome struct {
	// Name is the group's name, empty for providers without a group; Registry is where it is when the service has several registries.
	Name     string `json:"name"`
	Registry string `json:"registry,omitempty"`
	// Instances counts the group's providers, Candidates those that are left.
	Instances  int `json:"instances"`
	Candidates int `json:"candidates"`
	// Left are the addresses of the candidates.
	Left []string `json:"left"`
	// Skipped is set where the list of groups was routed and this one taken out (dubbo-2.6).
	Skipped bool `json:"skipped,omitempty"`
}

// Instances returns the providers of the group for a call of method, before routing.
func (g *Group) Instances(inv *rpc.Invocation) *service.Set {
	s := g.snapshot(g.d.current.Load(), inv)
	if s == nil {
		return service.NewSet(0, nil)
	}
	return s.Set()
}
