package directory

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/rpc"
)

// Explanation is the answer to "which providers can this call go to, and why those": the way through
// the rules, and what never got as far as the rules.
type Explanation struct {
	Service string `json:"service"`
	// Registry is what the registry is called where a service has several.
	Registry string `json:"registry,omitempty"`
	// Code is the code that a call fails with now, empty when it can be placed; Message is its text.
	Code    string `json:"code,omitempty"`
	Message string `json:"message,omitempty"`
	// Generation is that of the state explained.
	Generation uint64 `json:"generation"`
	// Registries are those that the service is found in, when there are several; the steps of Trace name the one that they belong to.
	Registries []RegistryOutcome `json:"registries,omitempty"`
	// Groups are those of a multi-group reference, in the order in which they are tried; nil for other references. The steps of Trace name the
	// group that they belong to.
	Groups []GroupOutcome `json:"groups,omitempty"`
	// Trace is the way through the rules.
	Trace *route.Trace `json:"trace"`
	// Excluded are the registry's URLs that no rule got to see, sorted by address.
	Excluded []Excluded `json:"excluded,omitempty"`
	// Rejected are rules and overrides that were refused: an older one is in force in their place.
	Rejected []Rejected `json:"rejected,omitempty"`
	// Overridden are the parameters that overrides set on providers that are left (at most 200 are told of), ConsumerOverridden those of the consumer.
	Overridden         []OverriddenProvider `json:"overridden,omitempty"`
	ConsumerOverridden []Overridden         `json:"consumerOverridden,omitempty"`
	// Lost are the sources without contact: what they said last is what is explained.
	Lost []Contact `json:"lost,omitempty"`

	places []Place
}

// Explain runs a call through the same snapshot that a real call would take now and records each step. It sends
// nothing and draws nothing from balancers.
func (d *Directory) Explain(inv *rpc.Invocation) *Explanation {
	g := d.current.Load()
	r := g.explain(inv)
	x := &Explanation{Service: d.s.key.String(), Registry: d.s.Name, Generation: g.status.Generation, Trace: r.trace, Lost: d.contacts.list()}
	if g.fail == failNone {
		x.Groups, x.places = r.groups, r.places
	}
	x.Excluded = slices.Clone(g.excluded)
	slices.SortStableFunc(x.Excluded, func(a, b Excluded) int { return strings.Compare(a.Address, b.Address) })
	x.Rejected = slices.Clone(g.status.Rejected)
	for i := range g.status.Rules {
		if bad := g.status.Rules[i].Rejected; bad != nil {
			x.Rejected = append(x.Rejected, *bad)
		}
	}
	g.explainOverrides(d.s, x)
	var err error
	if g.fail != failNone {
		err = g.refuse(d.s, inv)
	} else if len(x.Trace.Left) == 0 {
		err = g.nobody(d.s, inv, x.Trace.Short()+summarize(g.excluded))
	}
	if err != nil {
		x.Code, x.Message = rpc.CodeOf(err).String(), err.Error()
	}
	return x
}

// Absence is the answer to "why not that provider".
type Absence struct {
	Address string `json:"address"`
	// Outcome is what became of the provider for this call.
	Outcome Outcome `json:"outcome"`
	// Message is one sentence for people.
	Message string `json:"message"`
	// Step is the rule that took it out, when one did; Drop is the test it failed there.
	Step *route.Step `json:"step,omitempty"`
	Drop *route.Drop `json:"drop,omitempty"`
	// Excluded are the reasons why URLs at that address got to no rule.
	Excluded []Excluded `json:"excluded,omitempty"`
}

// Outcome is what became of a provider for one call: a closed set.
type Outcome string

// The outcomes.
const (
	// Candidate: the call can go there; only the balancer's choice decides.
	Candidate Outcome = "candidate"
	// TakenOut: a rule took it out.
	TakenOut Outcome = "taken-out"
	// NotTaken: the directory left it out before any rule.
	NotTaken Outcome = "not-taken"
	// Unknown: the registry does not list that address for this service.
	Unknown Outcome = "unknown"
)

// ExplainNot says why a call does not go to the provider at address ("host:port"), or that it can.
func (d *Directory) ExplainNot(address string, inv *rpc.Invocation) *Absence {
	return d.Explain(inv).Not(address)
}

// Not says why the call that x explains does not go to the provider at address ("host:port"), or that it can.
func (x *Explanation) Not(address string) *Absence {
	a := &Absence{Address: address}
	for _, e := range x.Excluded {
		if e.Address == address {
			a.Excluded = append(a.Excluded, e)
		}
	}
	if slices.Contains(x.Trace.Left, address) && x.Code == "" {
		a.Outcome = Candidate
		a.Message = fmt.Sprintf("%s is one of %d candidates: the balancer chooses among them", address, len(x.Trace.Left))
		return a
	}
	for i := range x.Trace.Steps {
		step := &x.Trace.Steps[i]
		for k := range step.Dropped {
			if step.Dropped[k].Address != address {
				continue
			}
			a.Outcome, a.Step, a.Drop = TakenOut, step, &step.Dropped[k]
			a.Message = fmt.Sprintf("%s was taken out by %s: %s", address, stepName(step, a.Drop), a.Drop.Text())
			return a
		}
	}
	if len(a.Excluded) > 0 {
		a.Outcome = NotTaken
		a.Message = fmt.Sprintf("%s is registered but not taken: %s", address, a.Excluded[0].Reason)
		if detail := a.Excluded[0].Detail; detail != "" {
			a.Message += " (" + detail + ")"
		}
		if by := a.Excluded[0].By; by != nil {
			a.Message += " by " + by.String()
		}
		return a
	}
	a.Outcome = Unknown
	a.Message = fmt.Sprintf("the registry lists no provider at %s for %s; it lists %d others that are in force", address, x.Service, x.Trace.Instances)
	if len(x.Lost) > 0 {
		a.Message += "; contact to the " + x.Lost[0].Source + " is lost since " + x.Lost[0].Since.Format("15:04:05")
	}
	return a
}

// stepName names a step, and the part of its rule that took a provider out.
func stepName(s *route.Step, d *route.Drop) string {
	var b strings.Builder
	b.WriteString("the " + s.Router + " router")
	if s.Group != "" {
		b.WriteString(" of group " + s.Group)
	}
	if s.Registry != "" {
		b.WriteString(" of registry " + s.Registry)
	}
	name, line, col := s.Rule, s.Line, s.Col
	if d.Rule != "" {
		name, line, col = d.Rule, d.Line, d.Col
	}
	if name != "" {
		fmt.Fprintf(&b, ", rule %s", name)
	}
	if line > 0 {
		fmt.Fprintf(&b, ":%d:%d", line, col)
	}
	if s.Text != "" {
		fmt.Fprintf(&b, " %q", s.Text)
	}
	return b.String()
}
