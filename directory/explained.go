package directory

import (
	"cmp"
	"slices"

	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/rpc"
)

// Place is where the call of an Explanation may go: a registry, or a group of one.
type Place struct {
	// Registry and Group name it; both are empty for a service with one registry and one group.
	Registry, Group string
	// Share is the part of the calls that goes to the registry, in percent, above 0. It is 100 where nothing is left to chance.
	Share float64
	// Candidates are the providers that may be called there, at least one.
	Candidates route.Candidates
}

// Places returns where the explained call may go, as the very run that the explanation tells of left it. A call to several groups goes to the first of
// them, or with a merger to all. It is empty when the call fails, and for an explanation that was read from JSON.
func (x *Explanation) Places() []Place { return x.places }

// run is one call that ran with a recorder, and what it left where.
type run struct {
	trace *route.Trace
	// groups is nil unless the reference is for several groups.
	groups []GroupOutcome
	places []Place
}

func ranOnce(t *route.Trace) run {
	r := run{trace: t}
	r.add("", t.Candidates())
	return r
}

func (r *run) add(group string, c route.Candidates) {
	if c.Len() > 0 {
		r.places = append(r.places, Place{Group: group, Share: 100, Candidates: c})
	}
}

// explain runs a call with a recorder, through each of its groups.
func (p *grouping) explain(inv *rpc.Invocation) run {
	out := run{trace: &route.Trace{Method: inv.Method, Steps: []route.Step{}, Left: []string{}, Verdict: route.NoInstances}}
	t := out.trace
	chosen := p.list
	if p.outer != nil {
		o := p.outer.Explain(inv)
		for i := range o.Steps {
			o.Steps[i].Detail = "by the first provider of each group"
		}
		t.Steps, t.Verdict = o.Steps, o.Verdict
		chosen = p.chosen(o.Candidates())
	}
	left := make([]route.Candidates, len(p.list))
	for i, g := range p.list {
		one := p.parts[i].Explain(inv)
		t.Tag, t.Revision = one.Tag, one.Revision
		t.Instances += one.Instances
		outcome := GroupOutcome{Name: g.name, Instances: one.Instances, Left: []string{}, Skipped: !slices.Contains(chosen, g)}
		if !outcome.Skipped {
			left[i] = one.Candidates()
			outcome.Candidates, outcome.Left = left[i].Len(), one.Left
			mergeTrace(t, g, one)
		}
		out.groups = append(out.groups, outcome)
	}
	for _, g := range chosen {
		out.add(g.Label(), left[slices.Index(p.list, g)])
	}
	return out
}

// mergeTrace adds the trace of group g to that of the whole call.
func mergeTrace(all *route.Trace, g *Group, one *route.Trace) {
	for i := range one.Steps {
		one.Steps[i].Group = g.Label()
	}
	all.Steps = append(all.Steps, one.Steps...)
	all.Left = append(all.Left, one.Left...)
	if len(one.Left) > 0 {
		all.Verdict = route.Routed
	} else if all.Verdict != route.Routed {
		all.Verdict = one.Verdict
	}
}

// placesOf returns the places of several registries that the call may go to.
func placesOf(parts []*Explanation, outcomes []RegistryOutcome) []Place {
	var out []Place
	for i, x := range parts {
		if !outcomes[i].Chosen {
			continue
		}
		for _, p := range x.places {
			p.Registry, p.Share = outcomes[i].Name, cmp.Or(outcomes[i].Share, 100)
			out = append(out, p)
		}
	}
	return out
}
