package route

import (
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
	if len(doc.Multi) > 0 {
		c.note(doc.Origin, diag.Span{}, diag.Warning, diag.NotAvailable, "documents of configVersion v3.1 are not evaluated by this version; it routes as if there were none", "")
		return
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
		c.left(&o, cond)
		if cond.Blacklist {
			o.kind, o.verdict = opBlock, Blocked
		} else if o.never == "" {
			c.then(&o, cond)
		}
	}
	c.prog.ops = append(c.prog.ops, o)
}

// left turns the left side into tests of the call; what concerns the consumer is decided here.
func (c *compiler) left(o *op, cond *rule.Condition) {
	d := c.in.Dialect
	for i := range cond.When {
		cl := &cond.When[i]
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
func (c *compiler) then(o *op, cond *rule.Condition) {
	if len(cond.Then) == 0 {
		o.bits = c.share(bitset.Make(c.n))
		return
	}
	o.parts = make([]part, len(cond.Then))
	for i := range cond.Then {
		cl := &cond.Then[i]
		switch kind, _, _ := classifyKey(cl.Key, c.in.Dialect); kind {
		case keyArgument, keyAttachment, keyBroken:
			c.broken(o, cl)
		}
		o.parts[i] = part{label: label(cl), key: cl.Key, bits: c.right(cl)}
	}
	o.bits = o.parts[0].bits
	if len(o.parts) > 1 {
		o.bits = o.bits.Clone()
		for _, p := range o.parts[1:] {
			o.bits.And(p.bits)
		}
		o.bits = c.share(o.bits)
	}
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
