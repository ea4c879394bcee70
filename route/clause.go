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

// label prints a clause as rules write it; the text is good until the next call.
func (c *compiler) label(cl *rule.Clause) []byte {
	b := append(c.text[:0], cl.Key...)
	b = appendValues(b, "=", cl.In)
	if len(cl.In) > 0 && len(cl.NotIn) > 0 {
		b = append(append(b, " & "...), cl.Key...)
	}
	c.text = appendValues(b, "!=", cl.NotIn)
	return c.text
}

func appendValues(b []byte, separator string, values []rule.Value) []byte {
	for i := range values {
		if i > 0 {
			separator = ","
		}
		b = append(append(b, separator...), values[i].Text...)
	}
	return b
}

// clause compiles the values of a clause of a left or right side. One of a right side is good until the next.
func (c *compiler) clause(cl *rule.Clause, right bool) clause {
	var in, notIn []string
	if right {
		in, notIn = c.literals[0][:0], c.literals[1][:0]
	}
	return clause{newSide(c.patterns(cl.In, right), in), newSide(c.patterns(cl.NotIn, right), notIn)}
}

// patterns compiles values; the list is good until the next call.
func (c *compiler) patterns(values []rule.Value, right bool) []match.Pattern {
	out := c.list[:0]
	for i := range values {
		out = append(out, match.Compile(values[i].Text, match.Options{Dialect: c.in.Dialect, Right: right, Consumer: c.in.Consumer.URL}))
	}
	c.list = out
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

// kept is what a right-side clause keeps, with the text of the clause.
type kept struct {
	label string
	members
}

// right returns the instances for which a right-side clause holds. Equal clauses share the answer.
func (c *compiler) right(cl *rule.Clause) kept {
	id := c.label(cl)
	if k, ok := c.clauses[string(id)]; ok {
		return k
	}
	k, ok := c.known[string(id)]
	if !ok {
		earlier, known := c.earlier[string(id)]
		if k.label = earlier.label; !known {
			k.label = string(id)
		}
		if known {
			k.members, ok = c.carried(cl, &earlier.members)
		}
		if !ok {
			k.members = c.keeping(cl)
		}
	}
	if k.bits != nil {
		k.bits = c.share(k.bits)
	}
	c.clauses[k.label] = k
	return k
}

// carried returns the instances for which a clause holds from those of the previous set for which it did; only what is new
// is judged. ok is false when that does not pay.
func (c *compiler) carried(cl *rule.Clause, earlier *members) (out members, ok bool) {
	kind, _, _ := classifyKey(cl.Key, c.in.Dialect)
	if kind == keyArgument || kind == keyAttachment || kind == keyBroken {
		return members{}, false
	}
	index := c.index(cl.Key) // also when nothing is new, so that it is at hand for the next rule
	var want clause
	compiled := false
	return earlier.carry(c.values, c.n, func(i int) bool {
		if !compiled {
			want, compiled = c.clause(cl, true), true
		}
		value, present := index.Of(i)
		return present && want.holds(value) || !present && absentHolds(c.in.Dialect, want.in.size)
	})
}

// share returns the one bitset with this content: many clauses mean the same providers, often none or all.
func (c *compiler) share(b bitset.Set) bitset.Set {
	hash := b.Hash()
	known, taken := c.shared[hash]
	if taken && known.Equal(b) {
		return known
	}
	if !taken { // else two contents of one hash: they do without
		c.shared[hash] = b
	}
	return b
}

// keeping works out which instances a right-side clause holds for.
func (c *compiler) keeping(cl *rule.Clause) members {
	d := c.in.Dialect
	want := c.clause(cl, true)
	switch kind, _, _ := classifyKey(cl.Key, d); kind {
	case keyArgument, keyAttachment, keyBroken:
		if d == dialect.Dubbo33 && want.holds(notFound) {
			return everyone()
		}
		return members{}
	}
	index := c.index(cl.Key)
	onlyIncludes, onlyExcludes := want.onlyIncludes(), want.onlyExcludes()
	switch {
	case onlyIncludes && index.Sorted():
		if m, ok := ofValues(index, &want.in.literals, false, false, c.n); ok {
			return m
		}
	case onlyExcludes:
		if m, ok := ofValues(index, &want.notIn.literals, !absentHolds(d, 0), true, c.n); ok {
			return m
		}
	}
	out := bitset.Make(c.n)
	switch {
	case onlyIncludes:
		for _, text := range want.in.literals.list {
			if v, ok := index.Lookup(text); ok {
				index.AddValue(out, v)
			}
		}
	case onlyExcludes:
		out.Fill(c.n)
		for _, text := range want.notIn.literals.list {
			if v, ok := index.Lookup(text); ok {
				index.RemoveValue(out, v)
			}
		}
		if !absentHolds(d, 0) {
			index.RemoveAbsent(out)
		}
	default:
		for v := range index.Values() {
			if want.holds(index.Value(v)) {
				index.AddValue(out, v)
			}
		}
		if absentHolds(d, want.in.size) {
			index.AddAbsent(out)
		}
	}
	return members{bits: out}
}

// index returns the providers' values of a right-side key.
func (c *compiler) index(key string) *service.Index {
	switch {
	case c.last != nil && c.lastKey == key:
	case key == "address" && c.in.Dialect != dialect.Dubbo26:
		c.last, c.lastKey = c.values.Addresses(), key
	case key == "address":
		c.last, c.lastKey = c.values.Params(key), key
	default:
		c.last, c.lastKey = c.values.Labels(key), key
	}
	return c.last
}
