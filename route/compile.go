package route

import (
	"slices"
	"sync/atomic"
	"time"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/internal/bitset"
	"github.com/dubway-go/dubway/match"
	"github.com/dubway-go/dubway/rule"
	"github.com/dubway-go/dubway/service"
)

// Rules are the parsed documents that concern one service. A nil document is one that does not exist.
type Rules struct {
	// URL are the condition rules from the registry, each with one condition.
	URL []*rule.ConditionDocument
	// Tag is the tag rule of the provider application.
	Tag *rule.TagDocument
	// Service, ProviderApplication and Application are the condition documents of the three scopes (spec §3.1).
	Service, ProviderApplication, Application *rule.ConditionDocument
	// Affinity and AffinityApplication are the affinity documents of the service and of the provider application
	// (spec §3.7). Only Standard reads the second one.
	Affinity, AffinityApplication *rule.AffinityDocument
	// Mesh are the mesh rules by provider application (spec §6.5). The map must not be changed afterwards.
	Mesh map[string]*rule.MeshDocument
	// Script is the script rule of the provider application (spec §5.3), ScriptURLs those of the registry (spec §5.1).
	Script     *FilterRule
	ScriptURLs []*FilterRule
}

// Input is everything that a snapshot depends on.
type Input struct {
	// Dialect is the Dubbo generation to agree with.
	Dialect dialect.Dialect
	// Consumer is the calling side.
	Consumer service.Consumer
	// Set holds the instances; nil means none.
	Set *service.Set
	// Rules hold what is in force.
	Rules Rules
	// Chain is which routers run and in which order; nil means DefaultChain(Dialect) with the selection that the
	// consumer's "router" parameter makes, and the address router where the consumer's parameters ask for it.
	Chain Chain
	// Previous is the snapshot that this one replaces, or nil; what it has in common is reused.
	Previous *Snapshot
}

// Compile turns an input into a snapshot. It never fails: whatever a rule cannot mean is in the
// diagnostics, with the answer that the dialect gives to it. The input's parts must not be changed
// afterwards.
func Compile(in Input) (*Snapshot, diag.List) {
	if in.Set == nil {
		in.Set = service.NewSet(0, nil)
	}
	if in.Chain == nil {
		in.Chain = DefaultChain(in.Dialect)
		if wantsAddress(in.Consumer.URL, in.Dialect) {
			in.Chain = in.Chain.WithAddress()
		}
		in.Chain = in.Chain.Select(in.Consumer.URL.Get("router", ""), in.Dialect)
	}
	n := in.Set.Len()
	c := &compiler{
		in: in, n: n, seed: newTextSeed(), ids: new(atomic.Uint64),
		prog: &program{n: n, loose: in.Dialect == dialect.Dubbo33, head: -1}, values: in.Set.Reusing(nil), subjects: make(map[subjectKey]int),
		shared: make(map[uint64]bitset.Set),
	}
	if p := in.Previous; p != nil {
		if p.set != in.Set {
			c.values = in.Set.Reusing(p.set)
		}
		switch same := p.dialect == in.Dialect && p.consumer.URL.Equal(in.Consumer.URL); {
		case same && p.set == in.Set:
			c.known = p.clauses
		case same:
			c.earlier = p.clauses
		}
		if p.dialect == in.Dialect {
			c.covers = tagCovers{before: p.covers, sameSet: p.set == in.Set}
		}
	}
	built := time.Now()
	c.values.Weights(in.Dialect, built.UnixMilli()) // for balancers, so that the first call does not look at each provider
	c.room()
	c.unread()
	for _, s := range c.stages() {
		s.emit()
	}
	c.seal()
	if c.prog.head < 0 {
		c.prog.keyed = len(c.prog.subjects)
	}
	s := &Snapshot{
		set: in.Set, built: built, notes: c.notes, rules: in.Rules, dialect: in.Dialect, consumer: in.Consumer,
		chain: in.Chain, prog: c.prog, clauses: c.clauses, covers: c.covers.now,
	}
	s.bare.prepare(s.prog.subjects[:s.prog.keyed])
	s.pool.New = func() any { return &scratch{cand: bitset.Make(n), tmp: bitset.Make(n)} }
	return s, c.notes
}

// room makes room for what the conditions become.
func (c *compiler) room() {
	r := &c.in.Rules
	conditions, destinations := len(r.URL), 0
	for _, doc := range [...]*rule.ConditionDocument{r.Service, r.ProviderApplication, r.Application} {
		if doc != nil {
			conditions += len(doc.Conditions) + len(doc.Multi)
		}
		for i := 0; doc != nil && i < len(doc.Multi); i++ {
			destinations += len(doc.Multi[i].To)
		}
	}
	c.prog.ops = make([]op, 0, conditions+len(c.in.Chain))
	c.clauses = make(map[string]kept, conditions)
	c.tests = make([]test, 0, conditions)
	c.parts = make([]part, 0, max(conditions, destinations))
}

// compiler is the state of one Compile.
type compiler struct {
	in       Input
	n        int
	values   service.Indexes
	prog     *program
	notes    diag.List
	seed     textSeed
	ids      *atomic.Uint64
	subjects map[subjectKey]int
	// clauses are what right-side clauses keep, by clause text; known are those of the previous snapshot, when it was over the same
	// set, and earlier when it was over another.
	clauses, known, earlier map[string]kept
	shared                  map[uint64]bitset.Set // by content
	covers                  tagCovers
	// What the operations have of tests, parts and choices is in these lists.
	tests   []test
	parts   []part
	choices []choice
	// Room for the text and the patterns of one clause.
	text     []byte
	list     []match.Pattern
	literals [2][fewTexts]string
	// The index that was asked for last.
	last    *service.Index
	lastKey string
}

type subjectKey struct {
	kind  subjectKind
	key   string
	index int
}

// placed is one router ready to emit, at its place in the order.
type placed struct {
	priority int
	emit     func()
}

// stages sorts the routers and the registry rules into one order.
func (c *compiler) stages() []placed {
	var out, urls []placed
	r := &c.in.Rules
	for _, s := range c.in.Chain {
		switch s.Router {
		case RouterMock:
			out = append(out, placed{s.Priority, c.mock})
		case RouterMesh:
			out = append(out, placed{s.Priority, c.mesh})
		case RouterAddress:
			out = append(out, placed{s.Priority, c.address})
		case RouterTag:
			out = append(out, placed{s.Priority, c.tag})
		case RouterAffinityService:
			out = append(out, placed{s.Priority, func() { c.affinity(RouterAffinityService, r.Affinity) }})
		case RouterAffinityApplication:
			out = append(out, placed{s.Priority, c.affinityApplication})
		case RouterService:
			out = append(out, placed{s.Priority, func() { c.document(RouterService, r.Service) }})
		case RouterProviderApplication:
			out = append(out, placed{s.Priority, func() { c.document(RouterProviderApplication, r.ProviderApplication) }})
		case RouterApplication:
			out = append(out, placed{s.Priority, func() { c.document(RouterApplication, r.Application) }})
		case RouterScript:
			out = append(out, placed{s.Priority, func() { c.filter(RouterScript, r.Script) }})
		case RouterURL:
			for _, doc := range r.URL {
				urls = append(urls, placed{doc.Priority, func() { c.document(RouterURL, doc) }})
			}
			for _, f := range r.ScriptURLs {
				urls = append(urls, placed{f.Priority, func() { c.filter(RouterURL, f) }})
			}
		}
	}
	out = append(out, urls...)
	slices.SortStableFunc(out, func(a, b placed) int {
		switch {
		case a.priority < b.priority:
			return -1
		case a.priority > b.priority:
			return 1
		}
		return 0
	})
	return out
}

// unread reports documents that the chain has no reader for.
func (c *compiler) unread() {
	r := &c.in.Rules
	if !c.in.Chain.Has(RouterURL) && len(r.URL) > 0 {
		c.note(r.URL[0].Origin, diag.Span{}, diag.Warning, diag.NotAvailable,
			"registry rules are not read by "+c.in.Dialect.String()+" consumers", "put the rule into a condition document in the config centre")
	}
	skipped := func(router string, doc *rule.ConditionDocument) {
		if doc != nil && !c.in.Chain.Has(router) {
			c.note(doc.Origin, diag.Span{}, diag.Warning, diag.NotAvailable,
				"this document is not read by "+c.in.Dialect.String()+" consumers", "")
		}
	}
	skipped(RouterService, r.Service)
	skipped(RouterProviderApplication, r.ProviderApplication)
	skipped(RouterApplication, r.Application)
	c.affinityUnread(r)
	if r.Script != nil && !c.in.Chain.Has(RouterScript) {
		c.note(r.Script.Origin, diag.Span{}, diag.Warning, diag.NotAvailable, "script documents are not read by "+c.in.Dialect.String()+" consumers", "")
	}
	for _, doc := range r.Mesh {
		if doc != nil && !c.in.Chain.Has(RouterMesh) {
			c.note(doc.Origin, diag.Span{}, diag.Warning, diag.NotAvailable, "mesh rules are not read by "+c.in.Dialect.String()+" consumers", "")
		}
	}
	if r.Tag != nil && c.in.Dialect == dialect.Dubbo26 {
		c.note(r.Tag.Origin, diag.Span{}, diag.Warning, diag.NotAvailable, "tag documents are not read by dubbo-2.6 consumers", "use the parameter dubbo.tag of the providers")
	}
}

// note adds a diagnostic about a rule.
func (c *compiler) note(o rule.Origin, span diag.Span, severity diag.Severity, code, message, hint string) {
	c.notes = append(c.notes, diag.Diagnostic{Code: code, Severity: severity, File: o.Name, Span: span, Message: message, Hint: hint})
}

// subject returns the number of a subject, adding it when it is new.
func (c *compiler) subject(k subjectKey) int {
	if i, ok := c.subjects[k]; ok {
		return i
	}
	s := &subject{kind: k.kind, key: k.key, index: k.index, ids: c.ids}
	s.generic = rawGeneric(c.in.Dialect, k.kind)
	c.prog.subjects = append(c.prog.subjects, s)
	c.subjects[k] = len(c.prog.subjects) - 1
	return len(c.prog.subjects) - 1
}

// rawGeneric reports whether a generic call shows itself as $invoke: up to 3.1 its name, and in every
// Dubbo version its arguments (spec §2.3, §2.6). Standard sees the call that was meant.
func rawGeneric(d dialect.Dialect, k subjectKind) bool {
	switch d {
	case dialect.Standard:
		return false
	case dialect.Dubbo33:
		return k == subjectArgument
	}
	return k == subjectMethod || k == subjectArgument
}

// seal builds the tables of the subjects that conditions ask about.
func (c *compiler) seal() {
	for _, s := range c.prog.subjects {
		switch s.kind {
		case subjectMethod, subjectAttachment:
			s.seal(c.seed, "", false)
		case subjectArgument:
			s.seal(c.seed, notFound, c.in.Dialect == dialect.Dubbo33)
		}
	}
}
