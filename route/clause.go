package route

import (
	"strings"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/internal/bitset"
	"github.com/dubway-go/dubway/match"
	"github.com/dubway-go/dubway/rule"
	"github.com/dubway-go/dubway/service"
)

// notFound is what dubbo-3.3 compares with when an arguments or attachments key leads nowhere (spec §2.6).
const notFound = "dubbo_internal_not_found_argument_condition_value"

// keyKind says where the value of a key comes from (spec §2.3).
type keyKind uint8

const (
	keyURL        keyKind = iota // the consumer's or provider's URL
	keyMethod                    // left side only
	keyArgument                  // with an index
	keyAttachment                // with a name
	keyBroken                    // recognised by its prefix, but malformed
)

// classifyKey reads a key as the dialect does.
func classifyKey(key string, d dialect.Dialect) (kind keyKind, index int, name string) {
	switch {
	case key == "method" || key == "methods":
		return keyMethod, 0, ""
	case rule.IsArgumentKey(key, d):
		if n, ok := rule.ArgumentIndex(key, d); ok {
			return keyArgument, n, ""
		}
		return keyBroken, 0, ""
	case rule.IsAttachmentKey(key, d) && d == dialect.Standard:
		if name, ok := rule.AttachmentName(key, d); ok {
			return keyAttachment, 0, name
		}
		return keyBroken, 0, ""
	case rule.IsAttachmentKey(key, d):
		first, _, _ := strings.Cut(key, ".")
		return looseAttachment(first)
	}
	return keyURL, 0, ""
}

// looseAttachment takes what stands between the first "attachments[" and the last bracket.
func looseAttachment(text string) (keyKind, int, string) {
	_, rest, _ := strings.Cut(text, "attachments[")
	if i := strings.LastIndexByte(rest, ']'); i > 0 {
		return keyAttachment, 0, rest[:i]
	}
	return keyBroken, 0, ""
}

// absentHolds is the answer for a clause whose key has no value (spec §2.5): up to 3.1 "not this" and a bare key hold.
func absentHolds(d dialect.Dialect, in int) bool {
	return in == 0 && d != dialect.Standard && d != dialect.Dubbo33
}

// label prints a clause as rules write it.
func label(cl *rule.Clause) string {
	var b strings.Builder
	write := func(op string, values []rule.Value) {
		for i := range values {
			if i == 0 {
				b.WriteString(op)
			} else {
				b.WriteByte(',')
			}
			b.WriteString(values[i].Text)
		}
	}
	b.WriteString(cl.Key)
	write("=", cl.In)
	if len(cl.In) > 0 && len(cl.NotIn) > 0 {
		b.WriteString(" & ")
		b.WriteString(cl.Key)
	}
	write("!=", cl.NotIn)
	return b.String()
}

func (c *compiler) patterns(values []rule.Value, right bool) []match.Pattern {
	if len(values) == 0 {
		return nil
	}
	out := make([]match.Pattern, len(values))
	for i := range values {
		out[i] = match.Compile(values[i].Text, match.Options{Dialect: c.in.Dialect, Right: right, Consumer: c.in.Consumer.URL})
	}
	return out
}

// consumerValue returns what the consumer has under a URL key of a left side.
func (c *compiler) consumerValue(key string) (string, bool) {
	u := c.in.Consumer.URL
	if key == "address" {
		if c.in.Dialect == dialect.Dubbo26 {
			return u.Param(key)
		}
		a := u.Address()
		return a, a != ""
	}
	return u.Mapped(key)
}

// right returns the instances for which a right-side clause holds. Equal clauses share one bitset.
func (c *compiler) right(cl *rule.Clause) bitset.Set {
	id := label(cl)
	if b, ok := c.clauses[id]; ok {
		return b
	}
	b, ok := c.known[id]
	if !ok {
		if earlier, known := c.earlier[id]; known {
			b, ok = c.carried(cl, earlier)
		}
		if !ok {
			b = c.rightBits(cl)
		}
		b = c.share(b)
	}
	c.clauses[id] = b
	return b
}

// carried returns the instances for which a clause holds from those of the previous set for which it did; only what is new
// is judged. ok is false when that does not pay.
func (c *compiler) carried(cl *rule.Clause, earlier bitset.Set) (out bitset.Set, ok bool) {
	kind, _, _ := classifyKey(cl.Key, c.in.Dialect)
	if kind == keyArgument || kind == keyAttachment || kind == keyBroken {
		return nil, false
	}
	out, added, ok := c.values.Carry(earlier)
	if !ok {
		return nil, false
	}
	index := c.index(cl.Key) // also when nothing is new, so that it is at hand for the next rule
	if len(added) == 0 {
		return out, true
	}
	want := newClause(c.patterns(cl.In, true), c.patterns(cl.NotIn, true))
	for _, i := range added {
		value, present := index.Of(i)
		if present && want.holds(value) || !present && absentHolds(c.in.Dialect, want.in.size) {
			out.Add(i)
		}
	}
	return out, true
}

// share returns the one bitset with this content: many clauses mean the same providers, often none or all.
func (c *compiler) share(b bitset.Set) bitset.Set {
	hash := b.Hash()
	for _, known := range c.shared[hash] {
		if known.Equal(b) {
			return known
		}
	}
	c.shared[hash] = append(c.shared[hash], b)
	return b
}

func (c *compiler) rightBits(cl *rule.Clause) bitset.Set {
	d := c.in.Dialect
	out := bitset.Make(c.n)
	want := newClause(c.patterns(cl.In, true), c.patterns(cl.NotIn, true))
	switch kind, _, _ := classifyKey(cl.Key, d); kind {
	case keyArgument, keyAttachment, keyBroken:
		if d == dialect.Dubbo33 && want.holds(notFound) {
			out.Fill(c.n)
		}
		return out
	}
	index := c.index(cl.Key)
	if in := &want.in; in.size > 0 && want.notIn.size == 0 && !in.always && len(in.rest) == 0 {
		for text := range in.literals {
			if v, ok := index.Lookup(text); ok {
				index.AddValue(out, v)
			}
		}
		return out
	}
	if want.onlyExcludes() {
		out.Fill(c.n)
		for text := range want.notIn.literals {
			if v, ok := index.Lookup(text); ok {
				index.RemoveValue(out, v)
			}
		}
		if !absentHolds(d, 0) {
			index.RemoveAbsent(out)
		}
		return out
	}
	for v := range index.Values() {
		if want.holds(index.Value(v)) {
			index.AddValue(out, v)
		}
	}
	if absentHolds(d, want.in.size) {
		index.AddAbsent(out)
	}
	return out
}

// index returns the providers' values of a right-side key.
func (c *compiler) index(key string) *service.Index {
	if key == "address" {
		if c.in.Dialect == dialect.Dubbo26 {
			return c.values.Params(key)
		}
		return c.values.Addresses()
	}
	return c.values.Labels(key)
}
