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

// compileLists prepares the lists of the present state.
func (j *join) compileLists() *methodLists {
	if j.s.Dialect != dialect.Dubbo26 {
		return nil
	}
	early, late := j.routes.byRuntime()
	early.scripts = hurried(early.scripts)
	b := listBuilder{j: j, early: early, late: late, consumer: service.Consumer{URL: j.s.routerConsumer(j.configured)}}
	lists := &methodLists{byMethod: make(map[string]methodList)}
	all := j.providers.list
	named := make(map[string][]*service.Instance)
	for _, in := range all {
		for _, m := range methodsOf(in.URL.Get("methods", "")) {
			named[m] = append(named[m], in)
		}
	}
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
	var out methodList
	if !early.empty() {
		out.prepared = b.compile(list, early, route.Chain{{Router: route.RouterURL}})
		c := out.prepared.Route(&rpc.Invocation{Service: b.j.s.key, Method: method, Direct: true})
		left = make([]*service.Instance, 0, c.Len())
		for i := range c.Len() {
			left = append(left, c.At(i))
		}
	}
	out.snapshot = b.compile(left, b.late, nil)
	out.groups = b.groups(left)
	if early.empty() {
		b.last, b.lastFrom = out, list
	}
	return out, left
}

func (b *listBuilder) compile(list []*service.Instance, urls urlRules, chain route.Chain) *route.Snapshot {
	s, _ := route.Compile(route.Input{Dialect: b.j.s.Dialect, Consumer: b.consumer, Set: service.NewSet(b.j.revision, list),
		Rules: route.Rules{URL: urls.conditions, ScriptURLs: urls.scripts}, Chain: chain})
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
