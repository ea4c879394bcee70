package route

import (
	"slices"
	"sync"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/internal/bitset"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/rule"
	"github.com/dubway-go/dubway/service"
)

// Filter is a router that cannot be compiled: it looks at the whole call and answers anew each time, as a script rule does
// (spec §5). What the routers before it leave is remembered as ever; the filter, and the routers after it, run for each call, unless
// all of them are filters and say that their answers are the same for every call.
// It must be safe for concurrent use.
type Filter interface {
	// Filter narrows the candidates of one call. in are the numbers of the instances that are left, in order; nil means the
	// whole set in its order. in is never changed afterwards, and the filter must not change it. inv is the caller's: it must not be kept.
	Filter(inv *rpc.Invocation, in []uint32) Filtered
}

// Filtered is what a Filter says to one call. The zero value leaves nobody.
type Filtered struct {
	// Pass lets all go on that went in, as they are; Kept does not count then.
	Pass bool
	// Kept are the numbers of the instances that go on. They may be in another order than they went in, and one may be there several
	// times; both stay so for the balancer. Numbers that did not go in are left out. The slice is the snapshot's from here on.
	Kept []uint32
	// Same says that every call with the same in gets this very answer, so that it may be remembered.
	Same bool
	// Reason and Detail are for explaining: one of the reasons of this package, and why in words.
	Reason Reason
	Detail string
	// Span is where in the rule's text the reason is found; zero means the rule as a whole.
	Span diag.Span
}

// FilterRule is a rule that brings a Filter, and its place. It must not be changed once a snapshot was compiled from it.
type FilterRule struct {
	// Origin and Span name the rule; Text says in a word what it is.
	Origin rule.Origin
	Span   diag.Span
	Text   string
	// Priority is the place of a rule from the registry; a document has that of its stage.
	Priority int
	// Bind returns the filter for an instance set and a consumer; nil passes everything. Compile calls it. A nil Bind is one that
	// returns nil.
	Bind func(service.Consumer, *service.Set) Filter
	// Passes and Detail say why a rule whose Bind gives nil passes everything; "" means ReasonPassed.
	Passes Reason
	Detail string
}

// ScriptRule is one script rule in force, through the life of its documents. It is immutable and safe for concurrent use.
// Package script has the implementation.
type ScriptRule interface {
	// Bind ties the rule to an instance set and a consumer. nil means that it passes everything without a word: it is switched off or
	// invalid.
	Bind(service.Consumer, *service.Set) Filter
	// Close releases what the rule holds. Filters that were bound still work, at a higher cost.
	Close()
}

// Scripts runs script rules as the versions of each dialect do. It is safe for concurrent use. Package script has the implementation; who has
// none runs no scripts.
type Scripts interface {
	// Replace returns what a new document makes of a rule; old is the rule so far, nil at first. It stays in force when
	// the result is nil: then there is an error among the findings. Otherwise old is to be closed once no call uses it.
	Replace(old ScriptRule, doc *rule.ScriptDocument, d dialect.Dialect) (ScriptRule, diag.List)
	// Delete returns what is left of a rule whose document was deleted: nil for nothing, which passes everything.
	Delete(old ScriptRule) (ScriptRule, diag.List)
}

// filter emits a rule that is asked for each call.
func (c *compiler) filter(router string, r *FilterRule) {
	if r == nil {
		return
	}
	o := op{kind: opFilter, router: router, origin: r.Origin, span: r.Span, text: r.Text, verdict: NoScript, special: new(special)}
	if r.Bind != nil {
		o.filter = r.Bind(c.in.Consumer, c.in.Set)
	}
	if o.filter == nil {
		o.passes = outcome{untouched: true, reason: r.Passes, detail: r.Detail}
		if o.passes.reason == "" {
			o.passes.reason = ReasonPassed
		}
	} else if c.prog.head < 0 {
		c.prog.head, c.prog.keyed = len(c.prog.ops), len(c.prog.subjects)
	}
	c.prog.ops = append(c.prog.ops, o)
}

// ask runs a filter on the candidates, of which there are some.
func (o *op) ask(n int, sc *scratch) outcome {
	in := sc.order
	if in == nil {
		in = sc.list
	}
	if in == nil && sc.cand.Count() < n {
		in = sc.cand.AppendTo(nil)
	}
	f := o.filter.Filter(sc.inv, in)
	done := outcome{untouched: f.Pass, reason: f.Reason, detail: f.Detail, span: f.Span}
	sc.same = sc.same && f.Same
	if f.Pass {
		return done
	}
	sc.tmp.Clear()
	ascending, last := true, -1
	kept := slices.DeleteFunc(f.Kept, func(i uint32) bool {
		if int(i) >= n || !sc.cand.Has(int(i)) {
			return true
		}
		sc.tmp.Add(int(i))
		ascending = ascending && int(i) > last
		last = int(i)
		return false
	})
	sc.cand.Copy(sc.tmp)
	if sc.order, sc.list = nil, kept; len(kept) == 0 {
		sc.blame = o.blames(done)
	}
	if !ascending {
		sc.order, sc.list = kept, nil
	}
	return done
}

// blames says in one line that the filter left nobody, and why.
func (o *op) blames(done outcome) string {
	s := Step{Router: o.router, Rule: o.origin.Name, Line: o.span.Line, Col: o.span.Col, Text: o.text}
	if !done.span.IsZero() {
		s.Line, s.Col = done.span.Line, done.span.Col
	}
	text := s.where() + " left 0 (" + string(done.reason)
	if done.detail != "" {
		text += ": " + done.detail
	}
	return text + ")"
}

// left returns how many candidates there are after an operation, those that are listed twice counted twice.
func (sc *scratch) left() int {
	if sc.order == nil {
		n := sc.cand.Count()
		if len(sc.list) != n {
			sc.list = nil
		}
		return n
	}
	sc.order = slices.DeleteFunc(sc.order, func(i uint32) bool { return !sc.cand.Has(int(i)) })
	return len(sc.order)
}

// tailDepth is the number of the first draw after a filter. Draws before it depend on the path that led there, which is not known
// when the decision was remembered, so they count apart.
const tailDepth = 1 << 20

// filter is the second half of Route for programs with a filter: what the filters leave of d.
func (s *Snapshot) filter(inv *rpc.Invocation, d *Decision) Candidates {
	if after := d.after.Load(); after != nil {
		return Candidates{s.set, after}
	}
	if d.count == 0 {
		return Candidates{s.set, d}
	}
	classes := make([]*class, len(s.prog.subjects))
	s.classify(inv, classes)
	sc := s.pool.Get().(*scratch)
	defer s.release(sc)
	sc.cand.Copy(d.bits)
	sc.begin(inv, d.list)
	why := s.prog.tail(classes, sc, int(d.count), d.why, nil)
	left := s.filtered.decision(d, sc, why)
	if sc.same && s.prog.onlyFilters() && (left.kept || left.count == 0) {
		d.after.Store(left)
	}
	return Candidates{s.set, left}
}

// onlyFilters reports whether nothing but filters runs from the first filter on.
func (p *program) onlyFilters() bool {
	for i := range p.ops[p.head:] {
		if p.ops[p.head+i].kind != opFilter {
			return false
		}
	}
	return true
}

// begin prepares for the operations from the first filter on; list are the candidates, nil for all or unknown.
func (sc *scratch) begin(inv *rpc.Invocation, list []uint32) {
	call := *inv // so that the invocations of calls without a filter stay on their stacks
	sc.inv, sc.seed, sc.base = &call, inv.Seed, tailDepth
	sc.order, sc.list, sc.path, sc.blame, sc.same = nil, list, sc.path[:0], "", true
}

// release gives a scratch back without what belongs to the call.
func (s *Snapshot) release(sc *scratch) {
	sc.inv, sc.order, sc.list, sc.base, sc.blame = nil, nil, nil, 0, ""
	s.pool.Put(sc)
}

// tail runs the operations from the first filter on.
func (p *program) tail(classes []*class, sc *scratch, left int, why Verdict, rec *recorder) Verdict {
	return p.runOps(p.ops[p.head:], classes, sc, left, why, rec)
}

// Bounds of the candidate sets of filters that a snapshot keeps, so that balancers find their state again.
const (
	maxFiltered      = 256
	maxFilteredBytes = 16 << 20
)

// filteredSets are the candidate sets that filters left. The filters run for each call; only the sets are shared.
type filteredSets struct {
	mu    sync.Mutex
	sets  map[uint64][]*Decision // by content
	count int
	bytes int64
}

// decision returns what a run through filters left, of n instances, as a Decision that nothing else shares. It keeps the lists of the run.
func (sc *scratch) decision(n int, why Verdict) *Decision {
	switch {
	case sc.order != nil:
		return &Decision{bits: sc.cand.Clone(), list: sc.order, count: uint32(len(sc.order)), why: why, ordered: true}
	case sc.list != nil: // what the filter gave
		return &Decision{bits: sc.cand.Clone(), list: sc.list, count: uint32(len(sc.list)), why: why}
	}
	return newDecision(sc.cand, n, why)
}

// decision returns the Decision for the candidates of a run that began with d.
func (f *filteredSets) decision(d *Decision, sc *scratch, why Verdict) *Decision {
	count := len(sc.order)
	if sc.order == nil {
		count = sc.cand.Count()
	}
	switch {
	case count == 0:
		return &Decision{bits: bitset.Make(len(sc.cand) * bitset.WordBits), list: []uint32{}, why: why, blame: sc.blame}
	case sc.order == nil && count == int(d.count):
		return d // nobody was taken out
	}
	hash := sc.cand.Hash()
	for _, i := range sc.order {
		hash = (hash ^ uint64(i)) * 0x9E3779B97F4A7C15
		hash ^= hash >> 29
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, known := range f.sets[hash] {
		if known.bits.Equal(sc.cand) && (sc.order == nil) == !known.ordered && (sc.order == nil || slices.Equal(known.list, sc.order)) {
			return known
		}
	}
	out := sc.decision(int(d.count), why)
	size := int64(8*len(out.bits) + 4*cap(out.list) + 128)
	if f.count >= maxFiltered || f.bytes+size > maxFilteredBytes && f.count > 0 {
		return out
	}
	if f.sets == nil {
		f.sets = make(map[uint64][]*Decision)
	}
	out.kept = true
	f.count++
	f.bytes += size
	f.sets[hash] = append(f.sets[hash], out)
	return out
}

// stats adds what the filters' sets take.
func (f *filteredSets) stats(m MemoryStats) MemoryStats {
	f.mu.Lock()
	defer f.mu.Unlock()
	m.Filtered, m.Bytes = f.count, m.Bytes+f.bytes
	return m
}
