package route

import (
	"strconv"
	"strings"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/internal/bitset"
	"github.com/dubway-go/dubway/rule"
)

// document emits the conditions of a document one after the other, each on the output of the one
// before (spec §3.3).
func (c *compiler) document(router string, doc *rule.ConditionDocument) {
	if doc == nil || !doc.Valid {
		return
	}
	for i := range doc.Multi {
		c.multi(router, doc, &doc.Multi[i])
	}
	for i := range doc.Conditions {
		c.condition(router, doc, &doc.Conditions[i])
	}
}

// condition emits one condition (spec §2.8).
func (c *compiler) condition(router string, doc *rule.ConditionDocument, cond *rule.Condition) {
	o := op{
		kind: opKeep, force: doc.Force, router: router, origin: doc.Origin, span: cond.Span, text: cond.Text,
		disabled: !doc.Enabled, verdict: Forced,
	}
	if c.in.Dialect == dialect.Dubbo26 && router == RouterURL {
		o.disabled = false // a disabled rule is taken out when the registry's list is matched (spec §1.8, §2.8)
	}
	if !o.disabled {
		c.left(&o, cond.When)
		if cond.Blacklist {
			o.kind, o.verdict = opBlock, Blocked
		} else if o.never == "" {
			o.bits, o.parts = c.then(&o, cond.Then)
		}
	}
	c.prog.ops = append(c.prog.ops, o)
}

// left turns the left side into tests of the call; what concerns the consumer is decided here.
func (c *compiler) left(o *op, when []rule.Clause) {
	d := c.in.Dialect
	for i := range when {
		cl := &when[i]
		kind, index, name := classifyKey(cl.Key, d)
		want := newClause(c.patterns(cl.In, false), c.patterns(cl.NotIn, false))
		text := label(cl)
		var key subjectKey
		switch kind {
		case keyMethod:
			key = subjectKey{kind: subjectMethod}
		case keyArgument:
			key = subjectKey{kind: subjectArgument, index: index}
		case keyAttachment:
			key = subjectKey{kind: subjectAttachment, key: name}
		case keyBroken:
			c.broken(o, cl)
			if d != dialect.Dubbo33 || !want.holds(notFound) {
				o.fail(text)
			}
			continue
		default:
			value, present := c.consumerValue(cl.Key)
			if present && !want.holds(value) || !present && !absentHolds(d, want.in.size) {
				o.fail(text)
			}
			continue
		}
		s := c.subject(key)
		o.tests = append(o.tests, test{s, c.prog.subjects[s].atoms.add(atom{want, text})})
	}
}

// fail notes the first left-side test that this consumer can never pass.
func (o *op) fail(text string) {
	if o.never == "" {
		o.never = text
	}
}

// then combines the right-side clauses. No clause at all keeps nobody (spec §2.2).
func (c *compiler) then(o *op, clauses []rule.Clause) (bitset.Set, []part) {
	if len(clauses) == 0 {
		return c.share(bitset.Make(c.n)), nil
	}
	parts := make([]part, len(clauses))
	for i := range clauses {
		cl := &clauses[i]
		switch kind, _, _ := classifyKey(cl.Key, c.in.Dialect); kind {
		case keyArgument, keyAttachment, keyBroken:
			c.broken(o, cl)
		}
		parts[i] = part{label: label(cl), key: cl.Key, bits: c.right(cl)}
	}
	bits := parts[0].bits
	if len(parts) > 1 {
		bits = bits.Clone()
		for _, p := range parts[1:] {
			bits.And(p.bits)
		}
		bits = c.share(bits)
	}
	return bits, parts
}

// multi emits one condition of a multi-destination document (spec §3.6).
func (c *compiler) multi(router string, doc *rule.ConditionDocument, m *rule.MultiCondition) {
	o := op{kind: opSplit, force: doc.Force, router: router, origin: doc.Origin, span: m.Span, text: multiText(m),
		disabled: !doc.Enabled, verdict: Forced}
	if !o.disabled {
		c.left(&o, m.From)
		if len(m.To) == 0 {
			o.kind, o.verdict = opBlock, Blocked
		}
		for i := range m.To {
			to := &m.To[i]
			d := destination{weight: uint64(max(to.Weight, 1)), span: to.Span, label: rule.FormatClauses(to.Match)}
			if len(to.Match) == 0 {
				d.bits = bitset.Make(c.n)
				d.bits.Fill(c.n)
				d.bits = c.share(d.bits)
			} else {
				d.bits, d.parts = c.then(&o, to.Match)
			}
			o.destinations = append(o.destinations, d)
		}
	}
	c.prog.ops = append(c.prog.ops, o)
}

// multiText prints a multi-destination condition in one line, for traces.
func multiText(m *rule.MultiCondition) string {
	var b strings.Builder
	b.WriteString(rule.FormatClauses(m.From))
	b.WriteString(" => ")
	for i := range m.To {
		if i > 0 {
			b.WriteString(" | ")
		}
		if text := rule.FormatClauses(m.To[i].Match); text != "" {
			b.WriteString(text)
		} else {
			b.WriteString("*")
		}
		b.WriteString(" weight ")
		b.WriteString(strconv.Itoa(m.To[i].Weight))
	}
	if len(m.To) == 0 {
		b.WriteString("nobody")
	}
	return strings.TrimSpace(b.String())
}

// broken reports a key that names no argument or attachment, or stands on a side where there is none.
func (c *compiler) broken(o *op, cl *rule.Clause) {
	severity, effect := diag.Warning, "is never true"
	if c.in.Dialect == dialect.Standard {
		severity = diag.Error
	}
	if c.in.Dialect == dialect.Dubbo33 {
		effect = "is compared with a fixed text, so that != and =* are always true"
	}
	code := diag.BadArgumentKey
	switch kind, _, _ := classifyKey(cl.Key, c.in.Dialect); {
	case kind != keyBroken:
		code = diag.KeyOnlyLeft
	case rule.IsAttachmentKey(cl.Key, c.in.Dialect):
		code = diag.BadAttachmentKey
	}
	c.note(o.origin, cl.Span, severity, code, "key \""+cl.Key+"\" names no argument or attachment of a call: the test "+effect,
		"write arguments[N] or attachments[key], left of => only")
}
