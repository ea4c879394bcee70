package route

import (
	"strconv"
	"strings"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
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
			o.keep, o.parts = c.then(&o, cond.Then)
		}
	}
	c.prog.ops = append(c.prog.ops, o)
}

// left turns the left side into tests of the call; what concerns the consumer is decided here.
func (c *compiler) left(o *op, when []rule.Clause) {
	d, first := c.in.Dialect, len(c.tests)
	for i := range when {
		cl := &when[i]
		kind, index, name := classifyKey(cl.Key, d)
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
			if want := c.clause(cl, false); d != dialect.Dubbo33 || !want.holds(notFound) {
				o.fail(string(c.label(cl)))
			}
			continue
		default:
			value, present := c.consumerValue(cl.Key)
			if want := c.clause(cl, false); present && !want.holds(value) || !present && !absentHolds(d, want.in.size) {
				o.fail(string(c.label(cl)))
			}
			continue
		}
		s := c.subject(key)
		a := &c.prog.subjects[s].atoms
		at, ok := a.find(c.label(cl))
		if !ok {
			at = a.add(atom{c.clause(cl, false), string(c.text)})
		}
		c.tests = append(c.tests, test{s, at})
	}
	o.tests = c.tests[first:len(c.tests):len(c.tests)]
}

// fail notes the first left-side test that this consumer can never pass.
func (o *op) fail(text string) {
	if o.never == "" {
		o.never = text
	}
}

// then combines the right-side clauses. No clause at all keeps nobody (spec §2.2).
func (c *compiler) then(o *op, clauses []rule.Clause) (members, []part) {
	if len(clauses) == 0 {
		return members{}, nil
	}
	first := len(c.parts)
	for i := range clauses {
		cl := &clauses[i]
		switch kind, _, _ := classifyKey(cl.Key, c.in.Dialect); kind {
		case keyArgument, keyAttachment, keyBroken:
			c.broken(o, cl)
		}
		c.parts = append(c.parts, part{key: cl.Key, kept: c.right(cl)})
	}
	parts := c.parts[first:len(c.parts):len(c.parts)]
	if len(parts) == 1 {
		return parts[0].members, parts
	}
	bits := parts[0].set(c.n)
	for i := range parts[1:] {
		parts[1+i].narrow(bits, 0) // nobody asks how many are left
	}
	return members{bits: c.share(bits)}, parts
}

// multi emits one condition of a multi-destination document (spec §3.6).
func (c *compiler) multi(router string, doc *rule.ConditionDocument, m *rule.MultiCondition) {
	o := op{kind: opSplit, force: doc.Force, router: router, origin: doc.Origin, span: m.Span, multi: m,
		disabled: !doc.Enabled, verdict: Forced}
	if !o.disabled {
		c.left(&o, m.From)
		if len(m.To) == 0 {
			o.kind, o.verdict = opBlock, Blocked
		}
		if len(m.To) > 0 {
			o.destinations = make([]destination, 0, len(m.To))
		}
		for i := range m.To {
			to := &m.To[i]
			d := destination{members: everyone(), weight: uint64(max(to.Weight, 1)), span: to.Span}
			if len(to.Match) > 0 {
				d.members, d.parts = c.then(&o, to.Match)
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
