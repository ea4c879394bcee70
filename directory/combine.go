package directory

import (
	"fmt"
	"slices"

	"github.com/dubway-go/dubway/route"
)

// RegistryOutcome is what a call would do with one of several registries (spec §8.9).
type RegistryOutcome struct {
	Name      string `json:"name"`
	Preferred bool   `json:"preferred,omitempty"`
	Zone      string `json:"zone,omitempty"`
	Weight    int    `json:"weight"`
	// Available tells whether a provider of the registry is within reach; Instances is how many it has.
	Available bool `json:"available"`
	Instances int  `json:"instances"`
	// Chosen tells whether the call may go there, Reason why or why not (see cluster.ZoneReason); Share is its part of such calls in percent, 0
	// where weights do not decide.
	Chosen bool    `json:"chosen"`
	Reason string  `json:"reason"`
	Share  float64 `json:"share,omitempty"`
}

// Combine makes one explanation of those of several registries, in their order: first the choice among the registries, then the way through
// the rules of each that the call may go to.
func Combine(parts []*Explanation, outcomes []RegistryOutcome) *Explanation {
	first := parts[0]
	out := &Explanation{Service: first.Service, Generation: first.Generation, Registries: outcomes}
	out.Trace = &route.Trace{Revision: first.Trace.Revision, Method: first.Trace.Method, Tag: first.Trace.Tag, Left: []string{}, Verdict: route.NoInstances}
	choice := route.Step{Router: "registries", Reason: route.ReasonKept}
	var steps []route.Step
	for i, x := range parts {
		name := outcomes[i].Name
		out.Trace.Instances += x.Trace.Instances
		choice.In += x.Trace.Instances
		for _, e := range x.Excluded {
			e.Registry = name
			out.Excluded = append(out.Excluded, e)
		}
		for _, c := range x.Lost {
			c.Registry = name
			out.Lost = append(out.Lost, c)
		}
		for _, bad := range x.Rejected {
			if !slices.ContainsFunc(out.Rejected, func(o Rejected) bool { return o.Origin == bad.Origin }) {
				out.Rejected = append(out.Rejected, bad)
			}
		}
		if !outcomes[i].Chosen {
			for _, address := range x.addresses() {
				choice.Dropped = append(choice.Dropped, route.Drop{Address: address, Reason: "a registry that takes the call", Value: name + ": " + outcomes[i].Reason})
			}
			continue
		}
		choice.Out += x.Trace.Instances
		for _, s := range x.Trace.Steps {
			s.Registry = name
			steps = append(steps, s)
		}
		for _, g := range x.Groups {
			g.Registry = name
			out.Groups = append(out.Groups, g)
		}
		for _, p := range x.Overridden {
			p.Registry = name
			out.Overridden = append(out.Overridden, p)
		}
		if out.ConsumerOverridden == nil {
			out.ConsumerOverridden = x.ConsumerOverridden // documents are the same for all; URLs of one registry may differ from another's
		}
		out.Trace.Left = append(out.Trace.Left, x.Trace.Left...)
		if x.Trace.Verdict == route.Routed || out.Trace.Verdict == route.NoInstances {
			out.Trace.Verdict = x.Trace.Verdict
		}
	}
	out.Trace.Steps = append([]route.Step{choice}, steps...)
	out.places = placesOf(parts, outcomes)
	if len(out.Trace.Left) == 0 {
		out.Code, out.Message = whyNone(parts, outcomes)
	}
	return out
}

// whyNone returns the code and message of a call that no registry can take: what the chosen one says, else what the first says.
func whyNone(parts []*Explanation, outcomes []RegistryOutcome) (code, message string) {
	for i, x := range parts {
		if outcomes[i].Chosen && x.Code != "" {
			return x.Code, fmt.Sprintf("registry %s: %s", outcomes[i].Name, x.Message)
		}
	}
	for i, x := range parts {
		if x.Code != "" {
			return x.Code, fmt.Sprintf("registry %s: %s", outcomes[i].Name, x.Message)
		}
	}
	return "no-provider", "no registry may take the call"
}

// addresses returns every address that the explanation knows of as a provider.
func (x *Explanation) addresses() []string {
	out := slices.Clone(x.Trace.Left)
	for i := range x.Trace.Steps {
		for k := range x.Trace.Steps[i].Dropped {
			out = append(out, x.Trace.Steps[i].Dropped[k].Address)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// CombineStatus makes one state of those of several registries: counts are added up; the service is ready once one registry is, and forbidden only
// while all are. Registries has the states themselves.
func CombineStatus(list []Status) Status {
	out := list[0]
	out.Registry, out.Registries = "", list
	out.Rules, out.Lost, out.Groups, out.Excluded, out.Rejected = []RuleStatus{}, nil, nil, nil, nil
	out.Instances, out.RouteURLs, out.Overrides, out.Draining, out.Created, out.Retired, out.Generation = 0, 0, 0, 0, 0, 0, 0
	out.Ready, out.Forbidden, out.Closed = false, true, true
	for i := range list {
		st := &list[i]
		out.Instances += st.Instances
		out.RouteURLs += st.RouteURLs
		out.Overrides += st.Overrides
		out.Draining += st.Draining
		out.Created += st.Created
		out.Retired += st.Retired
		out.Generation += st.Generation
		out.Ready = out.Ready || st.Ready
		out.Forbidden = out.Forbidden && st.Forbidden
		out.Closed = out.Closed && st.Closed
		out.Age = min(out.Age, st.Age)
		for _, c := range st.Lost {
			c.Registry = st.Registry
			out.Lost = append(out.Lost, c)
		}
		for _, g := range st.Groups {
			g.Registry = st.Registry
			out.Groups = append(out.Groups, g)
		}
		for reason, n := range st.Excluded {
			if out.Excluded == nil {
				out.Excluded = make(map[Reason]int)
			}
			out.Excluded[reason] += n
		}
		out.Rejected = append(out.Rejected, st.Rejected...)
		for _, r := range st.Rules {
			if !slices.ContainsFunc(out.Rules, func(o RuleStatus) bool { return o.Scope == r.Scope && o.Key == r.Key }) {
				out.Rules = append(out.Rules, r)
			}
		}
	}
	return out
}
