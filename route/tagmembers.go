package route

import (
	"errors"
	"net/netip"
	"regexp"
	"strings"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/durl"
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
		if a, err := netip.ParseAddrPort(text); err == nil && a.Addr().Is4() && a.String() == text && text[0] != '0' && c.in.Set.PlainHosts() {
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
	if len(patterns) == 0 {
		return out
	}
	for i := range c.n {
		in := c.in.Set.At(i)
		for k := range patterns {
			if patterns[k].Match(in.Host(), in.Port()) {
				out.Add(i)
				break
			}
		}
	}
	return out
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
	index := c.values.Effective()
	any := false
next:
	for i := range c.n {
		in := c.in.Set.At(i)
		for k := range tests {
			if !tests[k].holds(in.Labels) {
				continue next
			}
		}
		any = true
		if v, ok := index.Lookup(in.Address()); ok {
			index.AddValue(out, v)
		}
	}
	return out, any
}

// stringTest is one entry of a match block.
type stringTest struct {
	key   string
	m     *rule.StringMatch
	regex *regexp.Regexp
}

// holds: the first of exact, prefix, regex and wildcard that is set decides when the parameter exists;
// otherwise empty, then noempty (spec §4.2).
func (t *stringTest) holds(u durl.URL) bool {
	v, ok := u.Param(t.key)
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
