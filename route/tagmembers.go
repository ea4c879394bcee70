package route

import (
	"errors"
	"net/netip"
	"regexp"
	"strings"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/internal/bitset"
	"github.com/dubway-go/dubway/match"
	"github.com/dubway-go/dubway/rule"
)

// tagMembers returns the providers that a tag lists, and whether the tag counts as set (spec §4.2).
func (c *compiler) tagMembers(doc *rule.TagDocument, t *rule.Tag) (bitset.Set, bool) {
	switch {
	case len(t.Addresses) > 0:
		return c.addressed(doc, t), true
	case t.HasAddresses || !t.HasMatch || !matchActive(doc, c.in.Dialect):
		return nil, false
	}
	return c.matched(doc, t)
}

// matchActive reports whether "match" blocks count: from 3.2, under a configVersion that starts with v3.0; in
// Standard always.
func matchActive(doc *rule.TagDocument, d dialect.Dialect) bool {
	return d == dialect.Standard || d == dialect.Dubbo33 && strings.HasPrefix(doc.ConfigVersion, "v3.0")
}

func (c *compiler) addressed(doc *rule.TagDocument, t *rule.Tag) bitset.Set {
	out := bitset.Make(c.n)
	index := c.values.Effective()
	var patterns []match.AddressPattern
	for i := range t.Addresses {
		text := t.Addresses[i].Text
		if a, err := netip.ParseAddrPort(text); err == nil && a.Addr().Is4() && a.String() == text && text[0] != '0' && c.values.PlainHosts() {
			if v, ok := index.Lookup(text); ok {
				index.AddValue(out, v)
			}
			continue
		}
		p, err := match.CompileAddress(text, c.in.Dialect)
		if err != nil {
			c.note(doc.Origin, t.Addresses[i].Span, diag.Warning, diag.BadAddress,
				"address "+text+" of tag "+t.Name+" matches no provider: "+addressReason(err), "write ip:port, a CIDR block, or four segments with * and a-b")
			continue
		}
		patterns = append(patterns, p)
	}
	if len(patterns) > 0 {
		out.Or(c.covered(t, patterns))
	}
	return out
}

// covered returns the providers that one of the address patterns of a tag covers. It asks only for providers that the previous
// snapshot, of the same document, did not have.
func (c *compiler) covered(t *rule.Tag, patterns []match.AddressPattern) bitset.Set {
	covers := func(i int) bool {
		in := c.in.Set.At(i)
		for k := range patterns {
			if patterns[k].Match(in.Host(), in.Port()) {
				return true
			}
		}
		return false
	}
	out, known := c.covers.before[t]
	if known && !c.covers.sameSet {
		var added []int
		if out, added, known = c.values.Carry(out); known {
			for _, i := range added {
				if covers(i) {
					out.Add(i)
				}
			}
		}
	}
	if !known {
		out = bitset.Make(c.n)
		for i := range c.n {
			if covers(i) {
				out.Add(i)
			}
		}
	}
	if c.covers.now == nil {
		c.covers.now = make(map[*rule.Tag]bitset.Set)
	}
	c.covers.now[t] = out
	return out
}

// tagCovers is what is kept of a tag document's address patterns from one snapshot to the next.
type tagCovers struct {
	before, now map[*rule.Tag]bitset.Set
	sameSet     bool
}

func addressReason(err error) string {
	if d, ok := errors.AsType[diag.Diagnostic](err); ok {
		return d.Message
	}
	return err.Error()
}

// matched evaluates a tag's match block. The answer is by address: a provider at the address of one that
// matches counts too (spec §4.2).
func (c *compiler) matched(doc *rule.TagDocument, t *rule.Tag) (bitset.Set, bool) {
	tests := make([]stringTest, len(t.Match))
	for i := range t.Match {
		tests[i] = stringTest{key: t.Match[i].Key, m: &t.Match[i].Value}
		if r := t.Match[i].Value.Regex; r != nil {
			re, err := regexp.Compile("^(?:" + *r + ")$")
			if err != nil {
				c.note(doc.Origin, t.Match[i].Span, diag.Warning, diag.BadTagMatch, "regular expression of tag "+t.Name+" cannot be read: "+err.Error(), "")
			}
			tests[i].regex = re
		}
	}
	out := bitset.Make(c.n)
	out.Fill(c.n)
	for k := range tests {
		out.And(c.holding(&tests[k]))
	}
	some := out.Any()
	c.values.Effective().AddEqual(out)
	return out, some
}

// holding returns the providers for which a test holds.
func (c *compiler) holding(t *stringTest) bitset.Set {
	out := bitset.Make(c.n)
	index := c.values.Params(t.key)
	for v := range index.Values() {
		if t.holds(index.Value(v), true) {
			index.AddValue(out, v)
		}
	}
	if t.holds("", false) {
		index.AddAbsent(out)
	}
	return out
}

// stringTest is one entry of a match block.
type stringTest struct {
	key   string
	m     *rule.StringMatch
	regex *regexp.Regexp
}

// holds: the first of exact, prefix, regex and wildcard that is set decides when the parameter exists;
// otherwise empty, then noempty (spec §4.2).
func (t *stringTest) holds(v string, ok bool) bool {
	blank := strings.TrimSpace(v) == ""
	switch m := t.m; {
	case ok && m.Exact != nil:
		return v == *m.Exact
	case ok && m.Prefix != nil:
		return strings.HasPrefix(v, *m.Prefix)
	case ok && m.Regex != nil:
		return t.regex != nil && t.regex.MatchString(v)
	case ok && m.Wildcard != nil:
		return *m.Wildcard == "*" || v == *m.Wildcard
	case m.Empty != nil:
		return blank
	case m.NoEmpty != nil:
		return !blank
	}
	return false
}
