package route

import (
	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/internal/bitset"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/rule"
	"github.com/dubway-go/dubway/service"
)

// opKind is the closed instruction set that every router compiles to. Operations only ever take
// candidates away.
type opKind uint8

const (
	// opKeep: when its tests hold, keep who is in keep; if nothing would be left, force decides.
	opKeep opKind = iota
	// opBlock: when its tests hold, keep nothing.
	opBlock
	// opSwitch: the branches of two subjects select a case; its first choice that keeps anything is taken.
	opSwitch
	// opSplit: when its tests hold, keep the members of one destination, drawn by weight among those that
	// meet the present candidates; if none does, force decides.
	opSplit
	// opPrefer: keep who is preferred if that is a large enough share of the candidates.
	opPrefer
	// opMesh: keep what is in the subsets that the mesh rules of the applications draw for the call.
	opMesh
	// opFilter: keep what a filter says.
	opFilter
	// opAddress: keep who is at the address that the call asks for.
	opAddress
)

// op is one instruction, with everything that explains it.
type op struct {
	kind   opKind
	force  bool
	router string
	origin rule.Origin
	span   diag.Span
	text   string

	// disabled: the rule is switched off. never: the left-side test that this consumer can never pass.
	disabled bool
	never    string

	tests []test
	keep  members
	parts []part // right-side clauses, for explaining drops

	multi        *rule.MultiCondition // instead of text
	destinations []destination        // of a split

	verdict Verdict
	*special
}

// special is what one kind of instruction has that conditions, of which there are many, do not have. It is nil for those.
type special struct {
	groups  []tagGroup // of a tag router, for explaining drops
	apps    []meshApp  // of a mesh
	places  []place    // of an address
	inexact bool       // of a mesh: its draws give the first destination one part too many, as Dubbo's do

	// Of a filter: itself, or what to say when there is none.
	filter Filter
	passes outcome

	// Of a prefer: who is preferred; the share in percent; candidates that void the rule; whether it may leave nothing.
	preferred bitset.Set
	ratio     float64
	unless    bitset.Set
	empties   bool

	first, second int // subjects of a switch; second < 0 when there is one only
	stride        uint32
	cases         []switchCase
}

// wording is the text of the rule, for traces.
func (o *op) wording() string {
	if o.multi != nil {
		return multiText(o.multi)
	}
	return o.text
}

// test asks whether an atom of a subject holds.
type test struct {
	subject, atom int
}

// part is one clause of a right side.
type part struct {
	kept
	key string
}

// destination is one weighted group of providers of a split.
type destination struct {
	members
	weight uint64
	span   diag.Span
	parts  []part
}

// switchCase is what a switch does for one combination of branches. No choice means: pass the input on.
type switchCase []choice

// choice is one way to narrow the candidates.
type choice struct {
	keep   *members       // whom it keeps; or, when nil, the instances that have value in index
	index  *service.Index // nil with keep
	value  int
	never  bool // matches nobody, whatever keep says
	reason Reason
	label  string // what an instance outside is not, for explaining drops
	span   diag.Span
	force  bool   // take this choice even when it leaves nothing
	stop   Reason // the reason when it leaves nothing
}

// program is what Compile makes of rules and a consumer for one instance set.
type program struct {
	n        int
	loose    bool // splits of conditions draw as dubbo-3.3 does
	subjects []*subject
	ops      []op
	// head is how many operations come before the first filter, and keyed how many subjects they ask about: what is remembered
	// ends there. head is negative without a filter.
	head, keyed int
}

// scratch is the working memory of one run.
type scratch struct {
	cand, tmp bitset.Set
	// seed is the randomness of the run; path is what its splits drew.
	seed uint64
	path []drawn
	// Only after a filter: the call; the number of the first draw; the candidates in order when that is not the set's, with repetitions; and as a list
	// when that is known.
	inv   *rpc.Invocation
	base  int
	order []uint32
	list  []uint32
	// blame is what a filter that left nobody says.
	blame string
	// same says that all filters so far answer every call alike.
	same bool
}

// run applies the operations up to the first filter to the whole set and leaves the candidates in sc.cand. rec may be nil.
func (p *program) run(classes []*class, sc *scratch, rec *recorder) Verdict {
	sc.cand.Fill(p.n)
	sc.path = sc.path[:0]
	left, why := p.n, Routed
	if left == 0 {
		why = NoInstances
	}
	ops := p.ops
	if p.head >= 0 {
		ops = ops[:p.head]
	}
	return p.runOps(ops, classes, sc, left, why, rec)
}

// runOps applies operations to the candidates in sc, of which there are left.
func (p *program) runOps(ops []op, classes []*class, sc *scratch, left int, why Verdict, rec *recorder) Verdict {
	for i := range ops {
		o := &ops[i]
		if rec != nil {
			rec.before(sc.cand, left)
		}
		done := outcome{reason: ReasonInputEmpty}
		if left > 0 {
			done = o.apply(p, classes, sc, left)
			switch {
			case done.untouched:
			case done.left > 0 && sc.order == nil && sc.list == nil:
				left = done.left
			default:
				left = sc.left()
			}
			if left == 0 {
				why = o.verdict
			}
		}
		if rec != nil {
			rec.after(o, sc.cand, left, done)
		} else if left == 0 {
			break
		}
	}
	return why
}

// outcome is what an operation did, for the recorder. On the way to it untouched says that all candidates are still there, and left, when it is not 0,
// how many there are: counting them is a walk over the whole bitset.
type outcome struct {
	untouched   bool
	left        int
	reason      Reason
	detail      string       // the left-side test that decided
	choice      *choice      // of a switch
	destination *destination // of a split
	answers     []meshAnswer // of a mesh
	span        diag.Span    // of a filter
}

// apply narrows sc.cand, in which there are left, not none.
func (o *op) apply(p *program, classes []*class, sc *scratch, left int) outcome {
	switch {
	case o.disabled:
		return outcome{untouched: true, reason: ReasonDisabled}
	case o.never != "":
		return outcome{untouched: true, reason: ReasonNotMatched, detail: o.never}
	case o.kind == opSwitch:
		reason, c, left := o.choose(classes, sc, left)
		return outcome{untouched: c == nil, left: left, reason: reason, choice: c}
	case o.kind == opFilter && o.filter == nil:
		return o.passes
	case o.kind == opFilter:
		return o.ask(p.n, sc)
	case o.kind == opMesh:
		return o.meshRun(classes, sc)
	case o.kind == opAddress:
		return o.pin(classes, sc)
	}
	for _, t := range o.tests {
		if a := &p.subjects[t.subject].atoms; !a.has(classes[t.subject], t.atom) {
			return outcome{untouched: true, reason: ReasonNotMatched, detail: a.list[t.atom].label}
		}
	}
	switch o.kind {
	case opBlock:
		sc.cand.Clear()
		return outcome{reason: ReasonBlacklisted}
	case opSplit:
		return o.split(p.loose, sc, left)
	case opPrefer:
		return o.prefer(sc)
	}
	if !o.keep.meets(sc.cand) {
		if !o.force {
			return outcome{untouched: true, reason: ReasonFellBack}
		}
		sc.cand.Clear()
		return outcome{reason: ReasonForced}
	}
	return outcome{left: o.keep.narrow(sc.cand, left), reason: ReasonKept}
}

// choose runs a switch on the candidates, of which there are left, and returns how many there are then.
func (o *op) choose(classes []*class, sc *scratch, left int) (Reason, *choice, int) {
	at := classes[o.first].branch
	if o.second >= 0 {
		at = at*o.stride + classes[o.second].branch
	}
	choices := o.cases[at]
	if len(choices) == 0 {
		return ReasonPassed, nil, left
	}
	for i := range choices {
		c := &choices[i]
		keep := c.keep
		if keep == nil {
			sc.tmp.Clear()
			c.index.AddValue(sc.tmp, c.value)
			keep = &members{bits: sc.tmp}
		}
		if !c.never && keep.meets(sc.cand) {
			return c.reason, c, keep.narrow(sc.cand, left)
		}
		if c.force || i == len(choices)-1 {
			sc.cand.Clear()
			return c.stop, c, 0
		}
	}
	return ReasonPassed, nil, left
}
