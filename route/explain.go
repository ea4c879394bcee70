package route

import (
	"github.com/dubway-go/dubway/internal/bitset"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/service"
)

// Explain runs the program for a call as Route does, with a recorder, and returns what each step did.
func (s *Snapshot) Explain(inv *rpc.Invocation) *Trace {
	classes := make([]*class, len(s.prog.subjects))
	s.classify(inv, classes)
	t := &Trace{Revision: s.set.Revision(), Instances: s.set.Len(), Method: inv.Method, Steps: make([]Step, 0, len(s.prog.ops)), Left: []string{}}
	if t.Tag, _ = inv.Attachments.Get(rpc.TagKey); t.Tag == "" {
		t.Tag = s.consumer.URL.Get(rpc.TagKey, "")
	}
	sc := s.pool.Get().(*scratch)
	defer s.release(sc)
	sc.seed = inv.Seed
	rec := &recorder{set: s.set, trace: t, seen: bitset.Make(s.set.Len())}
	t.Verdict = s.prog.run(classes, sc, rec)
	if s.prog.head >= 0 {
		sc.begin(inv, nil)
		t.Verdict = s.prog.tail(classes, sc, sc.cand.Count(), t.Verdict, rec)
	}
	t.candidates = Candidates{s.set, sc.decision(s.set.Len(), t.Verdict)}
	for n := range t.candidates.Len() {
		t.Left = append(t.Left, t.candidates.At(n).Address())
	}
	return t
}

// recorder turns a run into a trace.
type recorder struct {
	set   *service.Set
	trace *Trace
	seen  bitset.Set
	in    int
}

func (r *recorder) before(cand bitset.Set, left int) {
	r.seen.Copy(cand)
	r.in = left
}

// after records one operation.
func (r *recorder) after(o *op, cand bitset.Set, left int, done outcome) {
	step := Step{
		Router: o.router, Source: o.origin.Source, Rule: o.origin.Name, Rev: o.origin.Rev,
		Line: o.span.Line, Col: o.span.Col, Text: o.wording(),
		Reason: done.reason, Detail: done.detail, Force: o.force, In: r.in, Out: left,
	}
	if c := done.choice; c != nil {
		step.Detail = c.label
		if !c.span.IsZero() {
			step.Line, step.Col = c.span.Line, c.span.Col
		}
		step.Force = c.force
	}
	if !done.span.IsZero() {
		step.Line, step.Col = done.span.Line, done.span.Col
	}
	if d := done.destination; d != nil && !d.span.IsZero() {
		step.Line, step.Col = d.span.Line, d.span.Col
	}
	if r.seen.AndNot(cand); r.seen.Any() {
		step.Dropped = make([]Drop, 0, r.seen.Count())
		for i := r.seen.Next(0); i >= 0; i = r.seen.Next(i + 1) {
			step.Dropped = append(step.Dropped, r.drop(o, i, done))
		}
	}
	r.trace.Steps = append(r.trace.Steps, step)
}

// drop says why instance i went.
func (r *recorder) drop(o *op, i int, done outcome) Drop {
	in := r.set.At(i)
	d := Drop{Address: in.Address()}
	switch {
	case o.kind == opBlock:
		d.Reason = dropBlocked
	case o.kind == opFilter:
		d.Reason = dropUnlisted
	case o.kind == opMesh:
		o.meshDrop(&d, in, done)
	case o.kind == opAddress:
		d.Reason, d.Value = "address wanted by the call", in.Address()
	case done.choice != nil:
		d.Reason = done.choice.label
		if o.router == RouterTag {
			d.Value = in.Tag()
			if d.Value == "" && d.Reason == dropUntagged {
				o.listing(&d, i)
			}
		} else {
			d.Value = in.URL.Scheme()
		}
	case done.destination != nil:
		d.Reason, d.Value = missed(done.destination.parts, in, i)
	case o.kind == opSplit:
		d.Reason = dropNoDestination
	default:
		d.Reason, d.Value = missed(o.parts, in, i)
	}
	return d
}

// missed names the first right-side clause that instance i does not meet, and what it has there.
func missed(parts []part, in *service.Instance, i int) (reason, value string) {
	for k := range parts {
		if parts[k].has(i) {
			continue
		}
		if parts[k].key == "address" {
			return parts[k].label, in.Labels.Address()
		}
		value, _ = in.Labels.Mapped(parts[k].key)
		return parts[k].label, value
	}
	return "a right side that no provider meets", ""
}

// listing names the tag that lists instance i.
func (o *op) listing(d *Drop, i int) {
	for k := range o.groups {
		if g := &o.groups[k]; g.has(i) {
			d.Reason, d.Rule, d.Line, d.Col = dropListed+g.name, o.origin.Name, g.span.Line, g.span.Col
			return
		}
	}
}

// meshDrop names the mesh rules that left an instance out, and the label that it does not have.
func (o *op) meshDrop(d *Drop, in *service.Instance, done outcome) {
	if done.reason == ReasonFailed {
		d.Reason = dropMeshFails
		return
	}
	d.Reason, d.Value = dropNoAnswer, in.Application()
	for _, x := range done.answers {
		a := &o.apps[x.app]
		if d.Rule == "" || a.name == in.Application() {
			d.Rule, d.Line, d.Col = a.origin.Name, x.span.Line, x.span.Col
		}
		if a.name != in.Application() {
			continue
		}
		d.Reason, d.Value = "subset "+x.subset, ""
		for _, s := range a.doc.Subsets {
			if s.Name != x.subset {
				continue
			}
			for _, l := range s.Labels {
				if v, ok := in.Labels.Param(l.Key); !ok || v != l.Value {
					d.Reason, d.Value = "subset "+x.subset+": "+l.Key+"="+l.Value, v
					return
				}
			}
		}
		return
	}
}
