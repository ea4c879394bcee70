package directory

import (
	"slices"
	"strings"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/service"
)

// methodLists are the lists by method that 2.6 prepares when a notification comes (spec §7.1): each holds the providers
// that name the method, as far as the rules with runtime=false leave them. Only dubbo-2.6 has them; nil otherwise.
type methodLists struct {
	// byMethod has one list for each method that the consumer or a provider names; any is for all other calls.
	byMethod map[string]methodList
	any      methodList
}

type methodList struct {
	// prepared ran at the notification, snapshot runs for a call, on what prepared left.
	prepared, snapshot *route.Snapshot
	// groups are those among what prepared left, nil unless the reference is for several groups and there are several.
	groups *grouping
}

// route runs a call.
func (l methodList) route(inv *rpc.Invocation) route.Candidates {
	if l.groups != nil {
		return l.groups.route(inv)
	}
	return l.snapshot.Route(inv)
}

// compileLists prepares the lists of the present state; before is the snapshot before the present one, or nil. What the lists so far have in common with the new ones is
// reused.
func (j *join) compileLists(before *route.Snapshot) *methodLists {
	if j.s.Dialect != dialect.Dubbo26 {
		return nil
	}
	early, late := j.routes.byRuntime()
	early.scripts = hurried(early.scripts)
	b := listBuilder{j: j, early: early, late: late, consumer: service.Consumer{URL: j.s.routerConsumer(j.configured)}, old: j.lists}
	lists := &methodLists{byMethod: make(map[string]methodList)}
	all := j.providers.list
	var old *service.Set
	if before != nil && before.Set() != j.snapshot.Set() {
		old = before.Set()
	}
	named := byMethod(all, j.snapshot.Set().Reusing(old).Params("methods"))
	var rest []*service.Instance
	lists.any, rest = b.build(all, "", early)
	for _, m := range methodsOf(j.s.consumer.Get("methods", "")) {
		list := named[m]
		if len(list) == 0 {
			list = rest
		}
		lists.byMethod[m], _ = b.build(list, m, early)
		delete(named, m)
	}
	for m, list := range named { // known only from providers: not routed beforehand
		lists.byMethod[m], _ = b.build(list, m, urlRules{})
	}
	return lists
}

// byMethod returns the instances that name each method, in order; methods is the index of what they name. Mostly all of them name the same, so that
// the lists are all one.
func byMethod(all []*service.Instance, methods *service.Index) map[string][]*service.Instance {
	counts := make([]int, methods.Values())
	for i := range all {
		if v := methods.Number(i); v >= 0 {
			counts[v]++
		}
	}
	named := make(map[string]int)
	names := make([][]string, len(counts)) // by value
	for v, count := range counts {
		if count == 0 {
			continue
		}
		names[v] = methodsOf(methods.Value(v))
		for _, m := range names[v] {
			named[m] += count
		}
	}
	out := make(map[string][]*service.Instance, len(named))
	for m, count := range named {
		if out[m] = all; count < len(all) {
			out[m] = make([]*service.Instance, 0, count)
		}
	}
	for v := range names {
		names[v] = slices.DeleteFunc(names[v], func(m string) bool { return named[m] == len(all) })
	}
	for i, in := range all {
		if v := methods.Number(i); v >= 0 {
			for _, m := range names[v] {
				out[m] = append(out[m], in)
			}
		}
	}
	return out
}

// methodsOf splits a comma list of methods; "*" names none.
func methodsOf(list string) []string {
	var out []string
	for m := range strings.SplitSeq(list, ",") {
		if m = strings.TrimSpace(m); m != "" && m != "*" && !slices.Contains(out, m) {
			out = append(out, m)
		}
	}
	return out
}

type listBuilder struct {
	j           *join
	early, late urlRules
	consumer    service.Consumer
	// old are the lists before these, or nil.
	old *methodLists
	// last is the list built last, which most methods share.
	last     methodList
	lastFrom []*service.Instance
}

// build routes list with the early rules for a call of method without arguments, and compiles what a call needs.
func (b *listBuilder) build(list []*service.Instance, method string, early urlRules) (methodList, []*service.Instance) {
	if early.empty() && b.last.snapshot != nil && slices.Equal(list, b.lastFrom) {
		return b.last, list
	}
	left := list
	var out, old methodList
	if b.old != nil {
		if old = b.old.any; method != "" {
			if own, ok := b.old.byMethod[method]; ok {
				old = own
			}
		}
	}
	if !early.empty() {
		out.prepared = b.compile(list, early, route.Chain{{Router: route.RouterURL}}, old.prepared)
		c := out.prepared.Route(&rpc.Invocation{Service: b.j.s.key, Method: method, Direct: true})
		left = make([]*service.Instance, 0, c.Len())
		for i := range c.Len() {
			left = append(left, c.At(i))
		}
	}
	out.snapshot = b.compile(left, b.late, nil, old.snapshot)
	out.groups = b.groups(left)
	if early.empty() {
		b.last, b.lastFrom = out, list
	}
	return out, left
}

// compile makes a snapshot of a list. previous is one of a list that this one replaces, or nil.
func (b *listBuilder) compile(list []*service.Instance, urls urlRules, chain route.Chain, previous *route.Snapshot) *route.Snapshot {
	set := b.j.snapshot.Set()
	if all := b.j.providers.list; len(list) != len(all) || len(list) > 0 && &list[0] != &all[0] {
		set = service.NewSet(b.j.revision, list)
	}
	s, _ := route.Compile(route.Input{Dialect: b.j.s.Dialect, Consumer: b.consumer, Set: set,
		Rules: route.Rules{URL: urls.conditions, ScriptURLs: urls.scripts}, Chain: chain, Previous: previous})
	return s
}

// of returns the list for a call: by method and first argument, by method, or the one for all.
func (l *methodLists) of(inv *rpc.Invocation) methodList {
	if len(inv.Args) > 0 {
		if text, ok := inv.Args[0].(string); ok {
			if list, ok := l.byMethod[inv.Method+"."+text]; ok {
				return list
			}
		}
	}
	if list, ok := l.byMethod[inv.Method]; ok {
		return list
	}
	return l.any
}

// explain runs a call with a recorder: what the method's list left out, what the early rules did, then what the call's rules do.
func (l *methodLists) explain(all *service.Set, inv *rpc.Invocation) run {
	list := l.of(inv)
	var r run
	if list.groups != nil {
		r = list.groups.explain(inv)
	} else {
		r = ranOnce(list.snapshot.Explain(inv))
	}
	t := r.trace
	from := list.snapshot
	if list.prepared != nil {
		early := list.prepared.Explain(&rpc.Invocation{Service: inv.Service, Method: inv.Method, Direct: true})
		t.Steps = append(early.Steps, t.Steps...)
		from = list.prepared
	}
	step := route.Step{Router: "methods", Text: inv.Method, Reason: route.ReasonKept, In: all.Len(), Out: from.Set().Len()}
	kept := make(map[*service.Instance]bool, step.Out)
	for i := range step.Out {
		kept[from.Set().At(i)] = true
	}
	for i := range all.Len() {
		if in := all.At(i); !kept[in] {
			step.Dropped = append(step.Dropped, route.Drop{Address: in.Address(), Reason: "method " + inv.Method, Value: in.URL.Get("methods", "")})
		}
	}
	t.Steps = append([]route.Step{step}, t.Steps...)
	t.Instances = all.Len()
	return r
}
