package rule

import (
	"regexp"
	"strings"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/match"
)

// match reads an item's match block, if the dialect reads it (spec §9.3): Dubbo from 3.2 on, under a configVersion that starts with
// v3.0; Standard asks for no configVersion.
func (c *configReader) match(n *node) *ConfiguratorMatch {
	active := c.dialect == dialect.Dubbo33 && strings.HasPrefix(c.doc.ConfigVersion, "v3.0") || c.strict()
	if !active {
		c.report.warn(diag.MatchIgnored, n.span, "match is ignored here: the entry applies as if it had none", "Dubbo reads it from 3.2 on, under configVersion: v3.0")
		return nil
	}
	if c.strict() && !strings.HasPrefix(c.doc.ConfigVersion, "v3.0") {
		c.report.warn(diag.NotAvailable, n.span, "Dubbo ignores match without configVersion: v3.0 and applies the entry to all", "write configVersion: v3.0 at the top")
	}
	if n.kind != nodeMapping {
		c.doubtful(n, "match is "+n.kindName()+", not a mapping: the entry applies as if it had none", "write match: {param: [{key: env, value: {exact: gray}}]}")
		return nil
	}
	c.keys(n, []string{"address", "providerAddress", "service", "app", "param"}, " in match")
	m := &ConfiguratorMatch{Address: c.addressMatch(n, "address"), ProviderAddress: c.addressMatch(n, "providerAddress"),
		Service: c.listMatch(n, "service"), App: c.listMatch(n, "app")}
	p := n.get("param")
	switch {
	case p == nil || p.kind == nodeNull:
	case p.kind != nodeList:
		c.doubtful(p, "param must be a list, not "+p.kindName(), "write param: [{key: env, value: {exact: gray}}]")
	default:
		for _, item := range p.items {
			t := tagReader{reader: c.reader}
			if one, ok := t.match(item); ok {
				m.Param = append(m.Param, one)
			}
		}
	}
	return m
}

// doubtful reports what Dubbo passes over and Standard refuses.
func (c *configReader) doubtful(n *node, message, hint string) {
	if c.strict() {
		c.report.error(diag.BadMatch, n.span, message, hint)
		return
	}
	c.report.warn(diag.BadMatch, n.span, message, hint)
}

func (c *configReader) part(n *node, name string) *node {
	p := n.get(name)
	if p == nil || p.kind == nodeNull {
		return nil
	}
	if p.kind != nodeMapping {
		c.doubtful(p, name+" must be a mapping, not "+p.kindName(), "write "+name+": {exact: \"...\"}")
		return nil
	}
	return p
}

func (c *configReader) addressMatch(n *node, name string) *AddressMatch {
	p := c.part(n, name)
	if p == nil {
		return nil
	}
	c.keys(p, []string{"cird", "wildcard", "exact"}, " in "+name)
	m := &AddressMatch{Cird: matcherText(p, "cird"), Wildcard: matcherText(p, "wildcard"), Exact: matcherText(p, "exact"), Span: p.span}
	if m.Cird == nil && m.Wildcard == nil && m.Exact == nil {
		c.doubtful(p, name+" without a matcher matches nothing", "write one of cird, wildcard, exact")
	}
	if m.Cird == nil {
		return m
	}
	if _, err := match.CompileAddress(*m.Cird, c.dialect); err != nil {
		c.doubtful(p.get("cird"), "address expression "+quote(*m.Cird)+" cannot be read: "+message(err), "write 10.0.0.0/16 or 10.0.*.*")
	} else if name == "providerAddress" && !c.strict() {
		c.report.warn(diag.BadMatch, p.get("cird").span, "Dubbo compares cird with host:port as a whole, so it hardly ever matches", "use wildcard: \"10.0.*\"")
	}
	return m
}

func (c *configReader) listMatch(n *node, name string) *ListMatch {
	p := c.part(n, name)
	if p == nil {
		return nil
	}
	c.keys(p, []string{"oneof"}, " in "+name)
	m := &ListMatch{Span: p.span}
	list := p.get("oneof")
	if list == nil || list.kind != nodeList {
		c.doubtful(p, name+" without a list oneof: Dubbo fails on it", "write "+name+": {oneof: [{exact: \"...\"}]}")
		return m
	}
	m.HasOneOf = true
	t := tagReader{reader: c.reader}
	for _, item := range list.items {
		if item.kind != nodeMapping {
			c.doubtful(item, "an entry of oneof is a mapping, not "+item.kindName(), "write {exact: \"...\"}")
			continue
		}
		m.OneOf = append(m.OneOf, t.matchers(item))
	}
	return m
}

// matcherText returns a matcher's text; nil when there is none.
func matcherText(n *node, name string) *string {
	v := n.get(name)
	if v == nil || v.kind != nodeScalar {
		return nil
	}
	text := v.string()
	if v.scalarType() != typeText {
		text = v.javaText()
	}
	return &text
}

// compile returns the regular expression of m, which must cover the whole text; nil when it has none, or none that can be read.
func (m *StringMatch) compile() *regexp.Regexp {
	if m.Regex == nil {
		return nil
	}
	re, err := regexp.Compile("^(?:" + *m.Regex + ")$")
	if err != nil {
		return nil
	}
	return re
}

// Holder returns the test that m stands for: the first of exact, prefix, regex and wildcard that is set decides when the text
// is there; otherwise empty, then noempty (spec §4.2). The test may be used by many goroutines.
func (m StringMatch) Holder() func(text string, present bool) bool {
	re := m.compile()
	return func(text string, present bool) bool {
		blank := strings.TrimSpace(text) == ""
		switch {
		case present && m.Exact != nil:
			return text == *m.Exact
		case present && m.Prefix != nil:
			return strings.HasPrefix(text, *m.Prefix)
		case present && m.Regex != nil:
			return re != nil && re.MatchString(text)
		case present && m.Wildcard != nil:
			return *m.Wildcard == "*" || text == *m.Wildcard
		case m.Empty != nil:
			return blank
		case m.NoEmpty != nil:
			return !blank
		}
		return false
	}
}
