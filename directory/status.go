package directory

import (
	"sync"
	"time"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/rule"
)

// Status is what a directory can tell about itself, for people and for machines.
type Status struct {
	// Service is the service key, group/interface:version.
	Service string          `json:"service"`
	Dialect dialect.Dialect `json:"dialect"`
	// Consumer is the calling side as routers see it, without its password.
	Consumer string `json:"consumer"`
	// Generation counts publications: 1 is the first; it grows with every change of providers, rules or state.
	Generation uint64 `json:"generation"`
	// Revision is that of the instance set.
	Revision uint64 `json:"revision"`
	// Instances is the number of providers in force.
	Instances int `json:"instances"`
	// Ready is set once the registry has delivered a state.
	Ready bool `json:"ready"`
	// Forbidden is set while the registry says that there are no providers: calls fail with code forbidden.
	Forbidden bool `json:"forbidden"`
	Closed    bool `json:"closed"`
	// ProtectedSince is since when an empty provider list is being ignored; zero when it is not.
	ProtectedSince time.Time `json:"protectedSince,omitzero"`
	// Built is when the snapshot was made and BuildTime how long that took; Age is the time since then.
	Built     time.Time     `json:"built"`
	BuildTime time.Duration `json:"buildTimeNanos"`
	Age       time.Duration `json:"ageNanos"`
	// ProviderApplication is the application whose rules count: that of the first provider.
	ProviderApplication string `json:"providerApplication,omitempty"`
	// Rules are the rule documents that can apply, in force or not.
	Rules []RuleStatus `json:"rules"`
	// RouteURLs and Overrides count the registry's rules in force.
	RouteURLs int `json:"routeURLs"`
	Overrides int `json:"overrides"`
	// Rejected are the registry's route URLs and overrides that were refused.
	Rejected []Rejected `json:"rejected,omitempty"`
	// Excluded counts the registry's URLs that take no part, by reason. Explain lists them.
	Excluded map[Reason]int `json:"excluded,omitempty"`
	// Remarks is what compiling the rules had to say.
	Remarks diag.List `json:"remarks,omitempty"`
	// Lost are the sources without contact. Their last state serves.
	Lost []Contact `json:"lost,omitempty"`
	// Registry is what the registry is called where a service has several.
	Registry string `json:"registry,omitempty"`
	// Registries are the states of a service's registries when it has several; the other fields then sum them up.
	Registries []Status `json:"registries,omitempty"`
	// Groups are those of a multi-group reference, in the order in which they are tried; nil for other references. In the Dubbo dialects it is
	// empty while the providers are all of one group, and in dubbo-2.6 always, where groups are made for each method.
	Groups []GroupStatus `json:"groups,omitempty"`
	// Scripts counts what script rules did; nil while scripts are switched off.
	Scripts *ScriptStatus `json:"scripts,omitempty"`
	// Draining counts providers that left and still finish calls.
	Draining int `json:"draining"`
	// Created and Retired count instances over the directory's life.
	Created int `json:"created"`
	Retired int `json:"retired"`
}

// RuleStatus is the state of one rule key.
type RuleStatus struct {
	// Scope is service, provider-application, application, tag, affinity, affinity-application, mesh (one for each of the providers' applications),
	// script, application-overrides or service-overrides.
	Scope string `json:"scope"`
	Key   string `json:"key"`
	// InForce tells whether a document of this scope applies; Name and Rev say which, and Name differs from Key only while
	// a rule of an earlier provider application stays in force.
	InForce bool   `json:"inForce"`
	Name    string `json:"name,omitempty"`
	Rev     string `json:"rev,omitempty"`
	// Enabled and Force are the document's.
	Enabled bool `json:"enabled"`
	Force   bool `json:"force"`
	// Rejected is the newer text that was refused, nil when there is none.
	Rejected *Rejected `json:"rejected,omitempty"`
	// Remarks are findings on the document that are no errors.
	Remarks diag.List `json:"remarks,omitempty"`
}

// Contact tells of a source that cannot be reached.
type Contact struct {
	// Source is "registry" or "config-centre"; Key is the rule key that is watched there.
	Source string `json:"source"`
	Key    string `json:"key,omitempty"`
	// Registry is which registry's directory lost it, when a service has several.
	Registry string    `json:"registry,omitempty"`
	Since    time.Time `json:"since"`
	Error    string    `json:"error"`
	// Final is set when the source gave up for good: only opening the directory again helps.
	Final bool `json:"final,omitempty"`
}

// contacts remembers which sources are lost; nil stands for the registry.
type contacts struct {
	mu   sync.Mutex
	lost map[*watcher]Contact
}

// set notes the news about one source; it keeps the time of the first loss.
func (c *contacts) lose(l loss, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	old, known := c.lost[l.from]
	one := Contact{Source: "registry", Since: now, Error: l.err.Error(), Final: l.final || old.Final}
	if l.from != nil {
		one.Source, one.Key = "config-centre", l.from.key
	}
	if known {
		one.Since = old.Since
	}
	if c.lost == nil {
		c.lost = make(map[*watcher]Contact)
	}
	c.lost[l.from] = one
}

// restore notes that from answered, or is not watched any more, and reports whether it had been lost.
func (c *contacts) restore(from *watcher) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, known := c.lost[from]
	delete(c.lost, from)
	return known
}

func (c *contacts) list() []Contact {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []Contact
	for _, one := range c.lost {
		out = append(out, one)
	}
	return out
}

// status gathers the fixed part of a generation's Status.
func (j *join) status(generation uint64, buildTime time.Duration, findings diag.List) Status {
	st := Status{
		Service: j.s.key.String(), Registry: j.s.Name, Dialect: j.s.Dialect, Consumer: j.s.routerConsumer(j.configured).Redacted(),
		Generation: generation, Revision: j.snapshot.Revision(), Instances: len(j.providers.list),
		Ready: j.heard, Forbidden: j.providers.forbidden, ProtectedSince: j.protected,
		Built: j.snapshot.Built(), BuildTime: buildTime, ProviderApplication: j.providerApplication(),
		RouteURLs: j.routes.active(), Overrides: j.providers.levels[0].Len(), Remarks: findings,
		Created: j.providers.table.created, Retired: j.providers.table.retired,
	}
	st.Rejected = append(append(st.Rejected, j.routes.rejected...), j.refusedOverrides...)
	for _, list := range [2][]Excluded{j.providers.excluded, j.excluded} {
		for i := range list {
			if st.Excluded == nil {
				st.Excluded = make(map[Reason]int)
			}
			st.Excluded[list[i].Reason]++
		}
	}
	st.Rules = []RuleStatus{}
	for id := range slots {
		if one, ok := j.documents.slot[id].status(id); ok {
			st.Rules = append(st.Rules, one)
		}
	}
	st.Rules = append(st.Rules, j.documents.meshes.status()...)
	return st
}

func (s *slot) status(id slotID) (RuleStatus, bool) {
	one := RuleStatus{Scope: id.String(), Key: s.key, Rejected: s.refused, Remarks: s.remarks}
	set := func(o rule.Origin, enabled, force bool) {
		one.InForce, one.Name, one.Rev, one.Enabled, one.Force = true, o.Name, o.Rev, enabled, force
	}
	if c := s.condition.InForce(); c != nil {
		set(c.Origin, c.Enabled, c.Force)
	} else if s.tag != nil {
		set(s.tag.Origin, s.tag.Enabled, s.tag.Force)
	} else if s.affinity != nil {
		set(s.affinity.Origin, s.affinity.Enabled, false)
	} else if s.mesh != nil {
		set(s.mesh.Origin, len(s.mesh.Services) > 0, false)
	} else if s.script.rule != nil {
		if set(s.script.filter.Origin, true, false); s.script.doc != nil {
			one.Enabled = s.script.doc.Enabled
		}
	} else if s.overrides != nil {
		set(s.overrides.Origin, s.overrides.Enabled, false)
	}
	return one, s.key != "" || one.InForce
}
