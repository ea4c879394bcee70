package directory

import (
	"slices"
	"time"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/rule"
	"github.com/dubway-go/dubway/service"
	"github.com/dubway-go/dubway/source"
)

// join is the whole state of a directory as one goroutine sees it: inputs in, generations out. It does no I/O.
type join struct {
	s         *settings
	providers providers
	routes    routes
	documents documents
	scripts   *scripts
	// raw is the last registry state by category.
	raw [3]textList
	// last is the last provider list that the registry gave, to see whether it changed.
	last []*entry
	// heard is set once the registry delivered a state.
	heard bool
	// overrides are the configurator entries in force, refusedOverrides what was wrong with the last list.
	overrides        []*entry
	refusedOverrides []Rejected
	// dropped are the registry's URLs that are not for this consumer.
	dropped []*entry
	// excluded is dropped as shown.
	excluded []Excluded
	// configured is the consumer after configurators.
	configured durl.URL
	// protected is since when an empty list has been ignored; zero when it is not.
	protected time.Time

	revision uint64
	snapshot *route.Snapshot
	lists    *methodLists
	// stale tells that instances, rules or consumer changed since the snapshot.
	staleInstances, staleRules bool
	// refused collects what was newly refused, for the hooks.
	refused []Rejected
	// groupNamed finds a group of a multi-group reference; nil for other references. With it, no rule applies to the whole list (spec §8.7).
	groupNamed func(name string) *Group
	// found is what the last compilation of a group had to say.
	found diag.List
	// keys are the rule keys for providers of the application keysOf; nil before the first.
	keys   *[slots]string
	keysOf string
}

func newJoin(s *settings) *join {
	x := &scripts{dialect: s.Dialect, runner: s.Scripts, counts: s.scriptCounts}
	return &join{s: s, scripts: x, providers: providers{s: s}, routes: routes{dialect: s.Dialect, scripts: x}, documents: documents{dialect: s.Dialect, scripts: x},
		configured: s.consumer, staleInstances: true}
}

// notification is one piece of news from a registry, by category; a category that is not present stays as it is (spec §8.3).
type notification struct {
	hasProviders, hasConfigurators, hasRouters bool
	// none means that the registry says there are no providers at all.
	none                              bool
	providers, configurators, routers []*entry
	// change is how providers came out of the list before; nil when that is not known.
	change *delta
}

// state takes a whole registry state and reports whether anything in it was new.
func (j *join) state(st source.State) bool {
	first := !j.heard
	changes, same := j.take(st)
	if same && !first {
		return false
	}
	j.heard = true
	n, dropped := j.sort(changes)
	j.setDropped(dropped)
	n.hasProviders = first || !slices.Equal(n.providers, j.last)
	j.last = n.providers
	n.hasConfigurators = first || !slices.Equal(n.configurators, j.overrides)
	n.hasRouters = true // cheap, and recognises repeats itself
	n.none = len(n.providers) == 0
	if !n.none {
		j.protected = time.Time{}
	} else if n.hasProviders && j.s.protects() {
		n.none = false
		if j.protected.IsZero() && len(j.providers.list) > 0 {
			j.protected = j.s.Now()
		}
	}
	j.notify(n, false)
	j.s.kinds.Forget() // of a first list there may be much, and later ones change by little
	j.s.merged.Forget()
	j.s.unchecked.Forget()
	return true
}

func (j *join) setDropped(list []*entry) {
	if slices.Equal(list, j.dropped) {
		return
	}
	j.dropped = list
	j.excluded = make([]Excluded, 0, len(list))
	for _, e := range list {
		j.excluded = append(j.excluded, e.excluded(e.drop, e.detail))
	}
}

// notify takes one notification (spec §8.3, §8.4). It returns false when it was refused as a whole, as Dubbo does
// for a list of overrides that it cannot sort; with strict nothing of the notification counts then.
func (j *join) notify(n notification, strict bool) bool {
	ok := true
	if n.hasConfigurators {
		if ok = j.setOverrides(n.configurators); !ok && strict {
			return false
		}
	}
	if n.hasRouters {
		changed, refused := j.routes.replace(n.routers)
		j.staleRules = j.staleRules || changed
		j.refused = append(j.refused, refused...)
	}
	var changed bool
	switch {
	case n.hasProviders && n.none:
		changed = j.providers.clear()
	case n.hasProviders:
		changed = j.providers.refresh(n.providers, n.change)
	default:
		changed = j.providers.refresh(nil, nil)
	}
	j.staleInstances = j.staleInstances || changed
	j.configure()
	return ok
}

// routeEntries returns the route URLs that the registry gave last.
func (j *join) routeEntries() []*entry {
	var out []*entry
	for _, e := range j.raw[2].entries {
		if e.kind == kindRouter {
			out = append(out, e)
		}
	}
	return out
}

// setOverrides replaces the registry's overrides.
func (j *join) setOverrides(list []*entry) bool {
	urls := make([]durl.URL, 0, len(list))
	for _, e := range list {
		urls = append(urls, e.url)
	}
	level, findings, ok := ParseConfigurators(urls, j.s.Dialect)
	if len(findings) > 0 {
		bad := Rejected{rule.Origin{Source: "registry", Name: "configurators of " + j.s.key.Interface}, findings}
		j.refusedOverrides = []Rejected{bad}
		j.refused = append(j.refused, bad)
	} else {
		j.refusedOverrides = nil
	}
	if !ok {
		return false
	}
	j.overrides = list
	j.providers.levels[0] = level
	j.providers.changedLevels = true
	return true
}

// overridesConsumers reports whether overrides also change what routers see of the consumer: they do neither in dubbo-2.6
// nor in dubbo-3.1.
func overridesConsumers(d dialect.Dialect) bool {
	return d != dialect.Dubbo26 && d != dialect.Dubbo31
}

// configure works out the consumer that routers see (spec §1.7, §8.3).
func (j *join) configure() {
	c := j.s.consumer
	if overridesConsumers(j.s.Dialect) {
		for i := range j.providers.levels {
			if out, err := j.providers.levels[i].Apply(c, j.s.localHost); err == nil {
				c = out
			}
		}
	}
	if j.s.Dialect == dialect.Dubbo27 {
		c = j.providers.leak(c)
	}
	if !c.Equal(j.configured) {
		j.configured = c
		j.staleRules = true
	}
}

// document takes one event of a rule key and reports whether there is anything new to tell.
func (j *join) document(id slotID, key string, doc source.Document, rev string) (news bool) {
	first := j.documents.slot[id].fresh
	feed := func(id slotID) (told bool) {
		o := j.documents.apply(id, key, doc.Text, doc.Exists, rev)
		switch {
		case !o.changed:
		case id == slotApplicationOverrides:
			j.relevel(1, j.documents.slot[id].level)
		case id == slotServiceOverrides:
			j.relevel(2, j.documents.slot[id].level)
		default:
			j.staleRules = true
		}
		if o.refused != nil {
			j.refused = append(j.refused, *o.refused)
		}
		return o.told
	}
	news = feed(id)
	if news && id == slotApplication && j.s.Dialect == dialect.Dubbo33 {
		// One rule slot with two keys there, of which the consumer's is read first (spec §3.9).
		if !first || !j.documents.slot[slotProviderApplication].exists {
			feed(slotProviderApplication)
		}
	}
	return news
}

// relevel puts other overrides of a document in force, on the providers at hand and on the consumer (spec §8.3).
func (j *join) relevel(at int, level Configurators) {
	j.providers.levels[at] = level
	j.providers.changedLevels = true
	j.staleInstances = j.providers.refresh(nil, nil) || j.staleInstances
	j.configure()
}

// providerApplication is the application whose rules count: that of the first instance.
func (j *join) providerApplication() string {
	if len(j.providers.list) == 0 {
		return ""
	}
	return j.providers.list[0].Application()
}

// rules gathers what is in force.
func (j *join) rules() route.Rules {
	d := &j.documents.slot
	return route.Rules{URL: j.routes.documents(), Tag: d[slotTag].tag, Service: d[slotService].condition.InForce(),
		ProviderApplication: d[slotProviderApplication].condition.InForce(), Application: d[slotApplication].condition.InForce(),
		Affinity: d[slotAffinity].affinity, AffinityApplication: d[slotAffinityApplication].affinity, Mesh: j.documents.meshes.inForce(j.s.Dialect),
		Script: d[slotScript].script.filter, ScriptURLs: j.routes.filters()}
}

// compile makes a new snapshot when anything changed and reports whether it did.
func (j *join) compile() (changed bool, findings diag.List) {
	if j.snapshot != nil && !j.staleInstances && !j.staleRules {
		return false, nil
	}
	j.revision++
	var set *service.Set
	if j.snapshot != nil && !j.staleInstances {
		set = j.snapshot.Set()
	} else {
		set = service.NewSet(j.revision, j.providers.list)
	}
	rules, chain := j.rules(), route.Chain(nil)
	if j.groupNamed != nil && j.s.Dialect != dialect.Dubbo26 {
		rules, chain = route.Rules{}, route.Chain{}
	}
	before := j.snapshot
	next, findings := route.Compile(route.Input{
		Dialect:  j.s.Dialect,
		Consumer: service.Consumer{URL: j.s.routerConsumer(j.configured)},
		Set:      set,
		Rules:    rules,
		Chain:    chain,
		Previous: before,
	})
	j.snapshot = next
	j.lists = j.compileLists(before)
	j.staleInstances, j.staleRules = false, false
	return true, findings
}
