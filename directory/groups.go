package directory

import (
	"slices"
	"strings"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/rule"
	"github.com/dubway-go/dubway/service"
)

// IsMultiGroup reports whether a reference with this group is one for several groups: "*", or a list with a comma (spec §8.7).
func IsMultiGroup(group string) bool { return group == "*" || len(listedGroups(group)) > 1 }

// listedGroups splits a list of groups as Dubbo does: parts after the last one that is not empty do not count.
func listedGroups(group string) []string {
	if !strings.Contains(group, ",") {
		return nil
	}
	var parts []string
	for rest := group; ; {
		at := strings.IndexByte(rest, ',')
		if at < 0 {
			parts = append(parts, rest)
			break
		}
		parts = append(parts, strings.TrimRight(rest[:at], " \t"))
		rest = strings.TrimLeft(strings.TrimLeft(rest[at:], ","), " \t")
	}
	for len(parts) > 0 && parts[len(parts)-1] == "" {
		parts = parts[:len(parts)-1]
	}
	return parts
}

// groups are the groups of a multi-group reference as the writer sees them (spec §8.7). The methods accept nil, which stands for a
// reference that is none.
//
// In Standard each group is routed as a reference to that group alone would be: rule documents and route URLs of that group, the consumer
// as it is. In dubbo-2.7 to 3.3 a group is a static directory of its own, whose routers take the first provider's URL for the consumer's: its
// host, its tag and, in 3.x, its parameters are what left sides see; route URLs are not read. In dubbo-2.6 groups are made for each
// method; the list of groups is routed by the URL of each group's first provider, and inside a group only tags count.
type groups struct {
	d      *Directory
	byName map[string]*groupJoin
	// order is that in which a call without a merger tries the groups.
	order []*groupJoin
	// named are the groups of dubbo-2.6, which have no join.
	named map[string]*Group
	// from is the list that order was made of, routers the route URLs that it was made with.
	from    []*service.Instance
	routers []*entry
	// current is what the last compilation made.
	current *grouping
	stale   bool
}

// groupJoin is the state of one group.
type groupJoin struct {
	group    *Group
	j        *join
	watching [slots]*watcher
	// overrides is the document of the group's overrides that its providers were made with.
	overrides *rule.ConfiguratorDocument
}

func newGroups(d *Directory) *groups {
	return &groups{d: d, byName: make(map[string]*groupJoin), named: make(map[string]*Group)}
}

// groupOf returns the group that a provider stands in. Before 3.0 a provider without a group takes on the consumer's at the merge.
func groupOf(s *settings, in *service.Instance) string {
	if s.Dialect == dialect.Dubbo26 || s.Dialect == dialect.Dubbo27 {
		return in.URL.Get("group", "")
	}
	return in.Provider.Get("group", "")
}

// buckets sorts providers into groups, keeping their order.
func buckets(s *settings, list []*service.Instance) (names []string, members map[string][]*service.Instance) {
	members = make(map[string][]*service.Instance)
	for _, in := range list {
		name := groupOf(s, in)
		if _, ok := members[name]; !ok {
			names = append(names, name)
		}
		members[name] = append(members[name], in)
	}
	if s.Dialect != dialect.Standard {
		return javaMapOrder(names), members
	}
	listed := listedGroups(s.key.Group)
	slices.SortFunc(names, func(a, b string) int {
		if x, y := slices.Index(listed, a), slices.Index(listed, b); x >= 0 && y >= 0 {
			return x - y
		}
		return strings.Compare(a, b)
	})
	return names, members
}

// javaMapOrder returns keys in the order in which a java.util.HashMap that got them in the given order is walked.
func javaMapOrder(keys []string) []string {
	size := 16
	for len(keys)*4 > size*3 {
		size *= 2
	}
	bucket := func(key string) int {
		h := uint32(javaHash(key))
		return int((h ^ h>>16) & uint32(size-1))
	}
	out := slices.Clone(keys)
	slices.SortStableFunc(out, func(a, b string) int { return bucket(a) - bucket(b) })
	return out
}

// JavaMapOrder returns texts in the order in which Java walks a HashMap that got them in the given order. Dubbo's choice among groups, and the
// order of merged results, depend on it.
func JavaMapOrder(keys []string) []string { return javaMapOrder(keys) }

func (g *groups) all() []*groupJoin {
	if g == nil {
		return nil
	}
	return g.order
}

// follow brings the groups in line with the providers in force; drop is told of the watchers of groups that are gone.
func (g *groups) follow(outer *join, drop func(*groupJoin)) {
	if g == nil || g.d.s.Dialect == dialect.Dubbo26 {
		return
	}
	if g.relevel(outer) {
		outer.staleInstances = outer.providers.refresh(nil, nil) || outer.staleInstances
	}
	if list := outer.providers.list; !sameList(list, g.from) {
		g.from = list
		g.regroup(list, drop)
		for name := range outer.providers.groupLevels {
			if g.byName[name] == nil {
				delete(outer.providers.groupLevels, name) // nobody follows its document any more
			}
		}
	}
	routers := outer.routeEntries()
	sameRouters := slices.Equal(routers, g.routers)
	g.routers = routers
	for _, one := range g.order {
		one.consume(outer.configured)
		if !sameRouters || one.j.revision == 0 {
			one.takeRoutes(routers)
		}
	}
}

// relevel hands the overrides of the groups' own documents to the whole list and reports whether any changed. Only in Standard groups have such
// documents: elsewhere a reference for several groups follows the document of its own key alone.
func (g *groups) relevel(outer *join) (changed bool) {
	levels := &outer.providers.groupLevels
	for _, one := range g.order {
		s := &one.j.documents.slot[slotServiceOverrides]
		if s.overrides == one.overrides {
			continue
		}
		if one.overrides, changed = s.overrides, true; *levels == nil {
			*levels = make(map[string]Configurators)
		}
		(*levels)[one.group.name] = s.level
		outer.providers.changedLevels = true
	}
	return changed
}

// sameList reports whether two lists are one: the writer replaces lists and never changes them.
func sameList(a, b []*service.Instance) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// regroup sorts the providers into groups anew.
func (g *groups) regroup(list []*service.Instance, drop func(*groupJoin)) {
	g.stale = true
	names, members := buckets(g.d.s, list)
	if len(names) == 1 && g.d.s.Dialect != dialect.Standard {
		names = nil // a single group is not routed at all (spec §8.7)
	}
	g.order = g.order[:0:0]
	for _, name := range names {
		one := g.byName[name]
		if one == nil {
			s := *g.d.s
			s.key.Group = name
			one = &groupJoin{group: &Group{d: g.d, name: name}, j: newJoin(&s)}
			one.j.heard = true
			g.byName[name] = one
		}
		if !slices.Equal(one.j.providers.list, members[name]) {
			one.j.providers.list = members[name]
			one.j.providers.applications = nil
			one.j.providers.count(members[name], nil)
			one.j.staleInstances = true
		}
		g.order = append(g.order, one)
	}
	for name, one := range g.byName {
		if !slices.Contains(names, name) {
			drop(one)
			one.j.closeScripts()
			delete(g.byName, name)
		}
	}
}

// consume works out which consumer the group's routers see. configured is the reference's own.
func (one *groupJoin) consume(configured durl.URL) {
	first := one.j.providers.list[0]
	c := configured
	switch one.j.s.Dialect {
	case dialect.Dubbo27:
		c = first.URL.Without("protocol") // "dubbo" whatever the reference's protocol
	case dialect.Dubbo31, dialect.Dubbo33:
		c = first.Labels.WithPort(0)
		if tag := first.Tag(); tag != c.Get("dubbo.tag", "") {
			c = c.With("dubbo.tag", tag)
		}
	default:
		if c = c.Without("group"); one.group.name != "" {
			c = c.With("group", one.group.name)
		}
		if out, err := one.j.documents.slot[slotServiceOverrides].level.Apply(c, one.j.s.localHost); err == nil {
			c = out
		}
	}
	if !c.Equal(one.j.configured) {
		one.j.configured = c
		one.j.staleRules = true
	}
}

// takeRoutes hands the group the route URLs that a reference to it alone would get.
func (one *groupJoin) takeRoutes(list []*entry) {
	s := one.j.s
	if s.Dialect != dialect.Standard {
		return
	}
	subscribe := s.subscribe.Without("group")
	if one.group.name != "" {
		subscribe = subscribe.With("group", one.group.name)
	}
	var mine []*entry
	for _, e := range list {
		if durl.Matches(subscribe, e.url, s.Dialect) {
			mine = append(mine, e)
		}
	}
	changed, _ := one.j.routes.replace(mine) // what is wrong with them the whole list's routes tell
	one.j.staleRules = one.j.staleRules || changed
}

// keys are the rule keys of the group. Overrides of the whole list have been applied to its providers already.
func (one *groupJoin) keys() [slots]string {
	keys := one.j.documentKeys()
	keys[slotApplicationOverrides] = ""
	if one.j.s.Dialect != dialect.Standard {
		keys[slotServiceOverrides] = ""
	}
	return keys
}

// outerKeys leaves of the keys of the whole list what is not the groups' own business.
func (g *groups) outerKeys(keys [slots]string) [slots]string {
	if g == nil {
		return keys
	}
	var out [slots]string
	out[slotApplicationOverrides], out[slotServiceOverrides] = keys[slotApplicationOverrides], keys[slotServiceOverrides]
	return out
}

// compile brings the groups' snapshots up to date and reports whether anything changed.
func (g *groups) compile() (changed bool, findings diag.List) {
	if g == nil {
		return false, nil
	}
	changed = g.stale
	for _, one := range g.order {
		compiled, found := one.j.compile()
		changed = changed || compiled
		if compiled {
			one.j.found = found
		}
		findings = append(append(findings, one.j.found...), one.j.remarks()...)
	}
	if !changed {
		return false, findings
	}
	g.stale = false
	g.current = nil
	if len(g.order) > 0 {
		next := &grouping{}
		for _, one := range g.order {
			next.list = append(next.list, one.group)
			next.parts = append(next.parts, one.j.snapshot)
		}
		g.current = next
	}
	return true, findings
}

func (g *groups) generation() *grouping {
	if g == nil {
		return nil
	}
	return g.current
}

// refused hands over what the groups newly refused.
func (g *groups) refused() (out []Rejected) {
	for _, one := range g.all() {
		for _, bad := range one.j.refused {
			if !slices.ContainsFunc(out, func(o Rejected) bool { return o.Origin == bad.Origin }) {
				out = append(out, bad) // several groups may read one document
			}
		}
		one.j.refused = nil
	}
	return out
}

// answered reports whether every key of the groups has been heard of.
func (g *groups) answered() bool {
	for _, one := range g.all() {
		for _, w := range one.watching {
			if w != nil && !w.answered {
				return false
			}
		}
		if !one.j.documents.meshes.answered() {
			return false
		}
	}
	return true
}

// describe adds the groups to the state of the directory.
func (g *groups) describe(st Status) Status {
	if g == nil {
		return st
	}
	st.Groups = []GroupStatus{}
	for _, one := range g.order {
		list := one.j.providers.list
		st.Groups = append(st.Groups, GroupStatus{Name: one.group.name, Instances: len(list), ProviderApplication: one.j.providerApplication(),
			Consumer: one.j.s.routerConsumer(one.j.configured).Redacted()})
		for _, rule := range one.j.documents.meshes.status() {
			if !slices.ContainsFunc(st.Rules, func(o RuleStatus) bool { return o.Scope == rule.Scope && o.Key == rule.Key }) {
				st.Rules = append(st.Rules, rule)
			}
		}
		for id := range slots {
			if rule, ok := one.j.documents.slot[id].status(id); ok && !slices.ContainsFunc(st.Rules, func(o RuleStatus) bool { return o.Scope == rule.Scope && o.Key == rule.Key }) {
				st.Rules = append(st.Rules, rule)
			}
		}
	}
	return st
}

// find returns the group of dubbo-2.6 with a name.
func (g *groups) find(name string) *Group {
	one := g.named[name]
	if one == nil {
		one = &Group{d: g.d, name: name}
		g.named[name] = one
	}
	return one
}

// groups sorts what the early rules of dubbo-2.6 left into groups; nil when there is at most one.
func (b *listBuilder) groups(left []*service.Instance) *grouping {
	if b.j.groupNamed == nil {
		return nil
	}
	names, members := buckets(b.j.s, left)
	if len(names) < 2 {
		return nil
	}
	out := &grouping{}
	var firsts []*service.Instance
	for _, name := range names {
		out.list = append(out.list, b.j.groupNamed(name))
		out.parts = append(out.parts, b.compile(members[name], urlRules{}, nil, nil))
		firsts = append(firsts, members[name][0])
	}
	out.outer = b.compile(firsts, b.late, nil, nil)
	return out
}

// grouping are the groups of one generation. It is immutable.
type grouping struct {
	list []*Group
	// parts are the snapshots of the groups, by their place in list.
	parts []*route.Snapshot
	// outer routes the groups themselves, each by its first provider, in the order of list; only dubbo-2.6 does that.
	outer *route.Snapshot
}

// forCall returns the groups that a call may go to.
func (p *grouping) forCall(inv *rpc.Invocation) []*Group {
	if p.outer == nil {
		return p.list
	}
	return p.chosen(p.outer.Route(inv))
}

// chosen returns the groups that the outer rules left, in their order.
func (p *grouping) chosen(c route.Candidates) []*Group {
	out := make([]*Group, c.Len())
	for i := range out {
		out[i] = p.list[c.Index(i)]
	}
	return out
}

// part returns the snapshot of a group, nil when the group is not there.
func (p *grouping) part(g *Group) *route.Snapshot {
	for i, one := range p.list {
		if one == g {
			return p.parts[i]
		}
	}
	return nil
}

// route returns the candidates in the first group that has any: where a call without a merger goes.
func (p *grouping) route(inv *rpc.Invocation) (first route.Candidates) {
	for i, g := range p.forCall(inv) {
		c := p.part(g).Route(inv)
		if c.Len() > 0 {
			return c
		}
		if i == 0 {
			first = c
		}
	}
	return first
}
