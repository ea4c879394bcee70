package route

import (
	"errors"
	"net/netip"
	"regexp"
	"slices"
	"strings"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/internal/bitset"
	"github.com/dubway-go/dubway/match"
	"github.com/dubway-go/dubway/rule"
	"github.com/dubway-go/dubway/service"
)

// tagMembers returns the providers that a tag lists, and whether the tag counts as set (spec §4.2).
func (c *compiler) tagMembers(doc *rule.TagDocument, t *rule.Tag) (members, bool) {
	switch {
	case len(t.Addresses) > 0:
		return c.addressed(doc, t), true
	case t.HasAddresses || !t.HasMatch || !matchActive(doc, c.in.Dialect):
		return members{}, false
	}
	bits, some := c.matched(doc, t)
	return members{bits: bits}, some
}

// matchActive reports whether "match" blocks count: from 3.2, under a configVersion that starts with v3.0; in
// Standard always.
func matchActive(doc *rule.TagDocument, d dialect.Dialect) bool {
	return d == dialect.Standard || d == dialect.Dubbo33 && strings.HasPrefix(doc.ConfigVersion, "v3.0")
}

// addressed returns the providers whose address a tag lists.
func (c *compiler) addressed(doc *rule.TagDocument, t *rule.Tag) members {
	l := addressList{plainHosts: c.values.PlainHosts(), plain: make([]string, 0, len(t.Addresses))}
	for i := range t.Addresses {
		text := t.Addresses[i].Text
		if l.plainHosts && (match.PlainAddress(text) || plainWithoutPort(text)) {
			l.plain = append(l.plain, text)
			continue
		}
		p, err := match.CompileAddress(text, c.in.Dialect)
		if err != nil {
			c.note(doc.Origin, t.Addresses[i].Span, diag.Warning, diag.BadAddress,
				"address "+text+" of tag "+t.Name+" matches no provider: "+addressReason(err), "write ip:port, a CIDR block, or four segments with * and a-b")
			continue
		}
		l.patterns = append(l.patterns, p)
	}
	out := c.covered(t, &l)
	if c.covers.now == nil {
		c.covers.now = make(map[*rule.Tag]members, len(doc.Tags))
	}
	c.covers.now[t] = out
	return out
}

// plainWithoutPort reports whether text is an IPv4 address as it prints itself with the port 0, which stands for the providers that print themselves so.
func plainWithoutPort(text string) bool {
	if !strings.HasSuffix(text, ":0") {
		return false
	}
	a, err := netip.ParseAddrPort(text)
	return err == nil && a.Addr().Is4() && a.String() == text && text[0] != '0'
}

func addressReason(err error) string {
	if d, ok := errors.AsType[diag.Diagnostic](err); ok {
		return d.Message
	}
	return err.Error()
}

// addressList is what a tag lists.
type addressList struct {
	// plain are the texts of one IPv4 address, used where all hosts are plain, so that equal addresses are equal texts.
	plain      []string
	plainHosts bool
	patterns   []match.AddressPattern
}

// holds reports whether an instance is at one of the addresses.
func (l *addressList) holds(in *service.Instance) bool {
	return slices.Contains(l.plain, in.Address()) || l.matches(in)
}

// matches reports whether a pattern covers an instance.
func (l *addressList) matches(in *service.Instance) bool {
	for k := range l.patterns {
		if l.patterns[k].Match(in.Host(), in.Port()) {
			return true
		}
	}
	return false
}

// tagCovers is what is kept of the addresses of a tag document from one snapshot to the next.
type tagCovers struct {
	before, now map[*rule.Tag]members
	sameSet     bool
}

// covered returns the providers at the addresses of a tag. Where the previous snapshot was of the same document, only providers that
// it did not have are asked.
func (c *compiler) covered(t *rule.Tag, l *addressList) members {
	index := c.values.Effective() // also when it is not needed now, so that it is at hand for the next document
	if before, known := c.covers.before[t]; known {
		if c.covers.sameSet {
			return before
		}
		if out, ok := before.carry(c.values, c.n, func(i int) bool { return l.holds(c.in.Set.At(i)) }); ok {
			return out
		}
	}
	if few, ok := l.few(index, c.n); ok {
		return members{few: few}
	}
	out := bitset.Make(c.n)
	for _, text := range l.plain {
		if v, ok := index.Lookup(text); ok {
			index.AddValue(out, v)
		}
	}
	if len(l.patterns) > 0 {
		for i := range c.n {
			if l.matches(c.in.Set.At(i)) {
				out.Add(i)
			}
		}
	}
	return members{bits: out}
}

// few returns the instances at plain addresses, ascending; ok is false when there are patterns or many instances.
func (l *addressList) few(index *service.Index, n int) (out []uint32, ok bool) {
	if len(l.patterns) > 0 || len(l.plain) > fewOf(n) {
		return nil, false
	}
	out = make([]uint32, 0, len(l.plain))
	for _, text := range l.plain {
		v, known := index.Lookup(text)
		if !known {
			continue
		}
		at := index.Members(v)
		if len(out)+len(at) > fewOf(n) {
			return nil, false
		}
		out = append(out, at...)
	}
	slices.Sort(out)
	return slices.Compact(out), true // an address may be listed twice
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
