package directory

import (
	"slices"
	"strings"

	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/service"
)

// Overridden is one parameter that an override set: of several that did, the last one, which counts.
type Overridden struct {
	Key   string `json:"key"`
	Value string `json:"value"`
	// Before is what stood there before any override; empty when nothing did.
	Before string        `json:"before,omitempty"`
	By     OverridePlace `json:"by"`
}

// OverriddenProvider are the parameters of one provider that overrides set, sorted by key.
type OverriddenProvider struct {
	Address string `json:"address"`
	// Registry is where the provider is when a service has several registries; Group is its own group.
	Registry   string       `json:"registry,omitempty"`
	Group      string       `json:"group,omitempty"`
	Parameters []Overridden `json:"parameters"`
}

// maxOverridden bounds the providers of which an explanation tells what overrides set.
const maxOverridden = 200

// overrides are the overrides of one generation: registry, application, service, then those of groups.
type overrides struct {
	levels [3]Configurators
	groups map[string]Configurators
}

// now returns the overrides in force, as they will stay.
func (p *providers) overridesNow() overrides {
	out := overrides{levels: p.levels}
	for name, level := range p.groupLevels {
		if out.groups == nil {
			out.groups = make(map[string]Configurators, len(p.groupLevels))
		}
		out.groups[name] = level
	}
	return out
}

// of returns the levels that apply to a URL, in the order in which they do.
func (o *overrides) of(u durl.URL) []Configurators {
	out := o.levels[:]
	if level, ok := o.groups[u.Get("group", "")]; ok {
		out = append(slices.Clip(out), level)
	}
	return out
}

// trace applies overrides to target one by one and returns what each parameter was set to, and by which. It returns nil when there is nothing to tell, or
// when applying them fails as in that Dubbo version.
func trace(levels []Configurators, target durl.URL, localHost string) []Overridden {
	var out []Overridden
	first := target
	for i := range levels {
		for k := range levels[i].list {
			r := &levels[i].list[k]
			set, err := r.sets(target, localHost, levels[i].dialect)
			if err != nil {
				return nil
			}
			target = target.WithParams(set...)
			for _, p := range set {
				one := Overridden{Key: p.Key, Value: p.Value, Before: first.Get(p.Key, ""), By: *r.place()}
				at := slices.IndexFunc(out, func(o Overridden) bool { return o.Key == p.Key })
				if at < 0 {
					out = append(out, one)
				} else {
					out[at] = one
				}
			}
		}
	}
	slices.SortFunc(out, func(a, b Overridden) int { return strings.Compare(a.Key, b.Key) })
	return out
}

// Overridden returns the parameters of a provider that overrides set, sorted by key: values of its effective URL that neither the provider nor the
// consumer gave. It works them out anew, from the same overrides and by the same code as the directory did.
func (d *Directory) Overridden(in *service.Instance) []Overridden {
	return d.current.Load().overridden(d.s, in)
}

func (g *generation) overridden(s *settings, in *service.Instance) []Overridden {
	if g.overrides.empty() {
		return nil
	}
	return trace(g.overrides.of(in.Provider), s.mergeProvider(in.Provider), s.localHost)
}

func (o *overrides) empty() bool {
	return o.levels[0].Len()+o.levels[1].Len()+o.levels[2].Len() == 0 && len(o.groups) == 0
}

// explainOverrides fills in what overrides did to the consumer and to the providers that are left.
func (g *generation) explainOverrides(s *settings, x *Explanation) {
	if g.overrides.empty() {
		return
	}
	if overridesConsumers(s.Dialect) {
		x.ConsumerOverridden = trace(g.overrides.levels[:], s.consumer, s.localHost)
	}
	left := make(map[string]bool, len(x.Trace.Left))
	for _, address := range x.Trace.Left {
		left[address] = true
	}
	set := g.snapshot.Set()
	for i := range set.Len() {
		in := set.At(i)
		if !left[in.Address()] || len(x.Overridden) >= maxOverridden {
			continue
		}
		if list := g.overridden(s, in); len(list) > 0 {
			x.Overridden = append(x.Overridden, OverriddenProvider{Address: in.Address(), Group: in.Provider.Group(), Parameters: list})
		}
	}
}
