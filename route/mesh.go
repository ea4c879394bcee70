package route

import (
	"maps"
	"slices"
	"strings"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/internal/bitset"
	"github.com/dubway-go/dubway/rule"
)

// genericService is the service name of a generic call in the Dubbo dialects (spec §6.5).
const genericService = "org.apache.dubbo.rpc.service.GenericService"

// Branches of a mesh subject: no entry applies; Dubbo fails on the call; then the entries.
const (
	meshNone uint32 = iota
	meshFails
	meshFirst
)

// meshApp is one provider application with mesh rules.
type meshApp struct {
	name    string
	origin  rule.Origin
	doc     *rule.MeshDocument
	subject int
	entries []meshTarget
}

// meshTarget is where an entry sends calls.
type meshTarget struct {
	choices []meshChoice
	span    diag.Span
}

// meshAnswer is what the rules of one application drew for a call.
type meshAnswer struct {
	app    int // its number in the operation
	subset string
	span   diag.Span
}

// meshChoice is a weighted destination: the first of its subsets with a candidate.
type meshChoice struct {
	weight  uint64
	subsets []bitset.Set
	names   []string
	broken  bool
}

// mesh emits the mesh rules of all provider applications as one operation, because their answers are united (spec §6.5).
func (c *compiler) mesh() {
	o := op{kind: opMesh, router: RouterMesh, verdict: Blocked, special: &special{inexact: c.in.Dialect != dialect.Standard}}
	var names []string
	for _, name := range slices.Sorted(maps.Keys(c.in.Rules.Mesh)) {
		doc := c.in.Rules.Mesh[name]
		if doc == nil || len(doc.Services) == 0 || name == "" || name == "unknown" {
			continue
		}
		own := bitset.Make(c.n)
		for i := range c.n {
			if c.in.Set.At(i).Application() == name {
				own.Add(i)
			}
		}
		o.apps = append(o.apps, c.meshApp(name, doc, own))
		names = append(names, name)
	}
	if len(o.apps) == 0 {
		return
	}
	o.text, o.origin = "mesh rules of "+strings.Join(names, ", "), o.apps[0].origin
	c.prog.ops = append(c.prog.ops, o)
}

func (c *compiler) meshApp(name string, doc *rule.MeshDocument, own bitset.Set) meshApp {
	a := meshApp{name: name, origin: doc.Origin, doc: doc, subject: c.subject(subjectKey{kind: subjectMesh, key: name})}
	s := c.prog.subjects[a.subject]
	plan := &meshPlan{raw: c.in.Dialect != dialect.Standard, strict: c.in.Dialect == dialect.Standard}
	subsets := c.meshSubsets(doc, own)
	m := meshCompiler{c, doc, plan, &a, subsets, map[*rule.MeshEntry]uint32{}}
	plan.direct = m.calls(c.in.Consumer.URL.Interface())
	plan.generic = plan.direct
	if plan.raw {
		plan.generic = m.calls(genericService)
	}
	s.mesh = plan
	for i := range meshFirst + uint32(len(a.entries)) {
		plan.classes = append(plan.classes, &class{id: c.ids.Add(1), branch: i})
	}
	return a
}

// meshSubsets returns the providers of each subset.
func (c *compiler) meshSubsets(doc *rule.MeshDocument, own bitset.Set) map[string]bitset.Set {
	out := make(map[string]bitset.Set, len(doc.Subsets))
	for _, s := range doc.Subsets {
		bits := own.Clone()
		for _, l := range s.Labels {
			having := bitset.Make(c.n)
			index := c.values.Params(l.Key)
			if v, ok := index.Lookup(l.Value); ok {
				index.AddValue(having, v)
			}
			bits.And(having)
		}
		if known, ok := out[s.Name]; ok {
			bits.Or(known)
		}
		out[s.Name] = bits
	}
	return out
}

// meshCompiler turns the entries of one application into a plan and its targets.
type meshCompiler struct {
	c       *compiler
	doc     *rule.MeshDocument
	plan    *meshPlan
	app     *meshApp
	subsets map[string]bitset.Set
	known   map[*rule.MeshEntry]uint32
}

// calls works out what concerns a service name: the entries of the first route that accepts it.
func (m *meshCompiler) calls(service string) meshCalls {
	for i := range m.doc.Services {
		v := &m.doc.Services[i]
		if v.Broken {
			return meshCalls{fails: true}
		}
		for k := range v.Routes {
			r := &v.Routes[k]
			if r.Broken {
				return meshCalls{fails: true}
			}
			answer := yes
			if len(r.Services) > 0 {
				answer = no
			}
			for t := range r.Services {
				text := m.text(&r.Services[t])
				if answer = text.holds(service, true); answer != no {
					break
				}
			}
			switch answer {
			case failed:
				return meshCalls{fails: true}
			case yes:
				return m.entries(r)
			}
		}
	}
	return meshCalls{}
}

func (m *meshCompiler) entries(r *rule.MeshRoute) meshCalls {
	var out meshCalls
	for i := range r.Details {
		e := &r.Details[i]
		x := meshEntry{fails: e.Broken, branch: m.branch(e)}
		for k := range e.Match {
			x.requests = append(x.requests, m.request(&e.Match[k]))
		}
		out.entries = append(out.entries, x)
	}
	return out
}

// branch returns the number of an entry's target.
func (m *meshCompiler) branch(e *rule.MeshEntry) uint32 {
	switch {
	case !e.HasRoute:
		return meshNone
	case len(e.Route) == 0:
		return meshFails
	}
	if at, ok := m.known[e]; ok {
		return at
	}
	t := meshTarget{span: e.Span}
	total := uint64(0)
	for i := range e.Route {
		d := &e.Route[i]
		x := meshChoice{weight: uint64(max(d.Weight, 1)), broken: d.Broken, names: d.Subsets}
		total += x.weight
		for _, name := range d.Subsets {
			bits := m.subsets[name]
			if bits == nil {
				bits = bitset.Make(m.c.n)
				m.c.note(m.doc.Origin, d.Span, diag.Warning, diag.MeshSurprise, "there is no subset "+name, "name one of a DestinationRule in this text")
			}
			x.subsets = append(x.subsets, m.c.share(bits))
		}
		t.choices = append(t.choices, x)
	}
	if total > 1<<31-1 && m.plan.raw {
		return meshFails
	}
	m.app.entries = append(m.app.entries, t)
	m.known[e] = meshFirst + uint32(len(m.app.entries)-1)
	return m.known[e]
}

// meshRun draws a destination for each application whose rules apply to the call, and keeps what is in one of them.
func (o *op) meshRun(classes []*class, sc *scratch) outcome {
	sc.tmp.Clear()
	out := outcome{reason: ReasonPassed}
	for i := range o.apps {
		a := &o.apps[i]
		switch branch := classes[a.subject].branch; branch {
		case meshNone:
		case meshFails:
			sc.cand.Clear()
			return outcome{reason: ReasonFailed, detail: "the mesh rules of " + a.name + " fail on this call"}
		default:
			t := &a.entries[branch-meshFirst]
			bits, name, broken := t.draw(o.inexact, sc)
			if broken {
				sc.cand.Clear()
				return outcome{reason: ReasonFailed, detail: "a destination in the mesh rules of " + a.name + " names nothing"}
			}
			if bits == nil {
				continue
			}
			sc.tmp.Or(bits)
			if out.detail != "" {
				out.detail += ", "
			}
			out.detail += a.name + " subset " + name
			out.destination = &destination{span: t.span}
			out.answers = append(out.answers, meshAnswer{app: i, subset: name, span: t.span})
		}
	}
	if out.destination == nil {
		return out
	}
	sc.cand.And(sc.tmp)
	out.reason = ReasonSubset
	return out
}

// draw picks a destination by weight. Dubbo stops where the number has fallen to 0 (see split), goes on from there to the first
// destination that has a provider, and then from the start; Standard draws among those that have one.
func (t *meshTarget) draw(inexact bool, sc *scratch) (bits bitset.Set, name string, broken bool) {
	choices := t.choices
	if !inexact {
		choices = slices.DeleteFunc(slices.Clone(choices), func(x meshChoice) bool { bits, _ := x.usable(sc.cand); return bits == nil })
	}
	at := 0
	if len(choices) > 1 {
		step := drawn{bounds: make([]uint64, len(choices))}
		for i := range choices {
			step.total += choices[i].weight
			step.bounds[i] = step.total
			if inexact {
				step.bounds[i]++
			}
		}
		step.share = pick(step.bounds, draw(sc.seed, sc.base+len(sc.path), step.total))
		sc.path = append(sc.path, step)
		at = step.share
	}
	for _, list := range [][]meshChoice{choices[at:], choices} {
		for i := range list {
			if list[i].broken {
				return nil, "", true
			}
			if bits, name := list[i].usable(sc.cand); bits != nil {
				return bits, name, false
			}
		}
	}
	return nil, "", false
}

// usable returns the first subset that has a candidate; nil when none has.
func (x *meshChoice) usable(cand bitset.Set) (bitset.Set, string) {
	for i, bits := range x.subsets {
		if cand.Intersects(bits) {
			return bits, x.names[i]
		}
	}
	return nil, ""
}
