package rule

import (
	"regexp"
	"strings"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
)

// matches reads a tag's match list into tag, if the dialect heeds it there (spec §4.2).
func (f *tagReader) matches(tag *Tag, n *node) {
	active := f.strict() || f.dialect == dialect.Dubbo33 && f.v30
	switch {
	case tag.HasAddresses && len(tag.Addresses) > 0:
		f.report.warn(diag.MatchIgnored, n.span, "match is ignored in a tag that has addresses", "keep one of them")
		active = false
	case !active:
		f.report.warn(diag.MatchIgnored, n.span, "match is ignored here", "Dubbo reads it from 3.2 on, under configVersion: v3.0")
	case f.strict() && !f.v30:
		f.report.warn(diag.NotAvailable, n.span, "Dubbo ignores match without configVersion: v3.0", "write configVersion: v3.0 at the top")
	}
	if n.kind != nodeList {
		f.doubt(diag.WrongType, n, "match is "+n.kindName()+", not a list", "write match: [{key: env, value: {exact: gray}}]")
		return
	}
	var out []ParamMatch
	for _, item := range n.items {
		if m, ok := f.match(item); ok {
			out = append(out, m)
		}
	}
	if active {
		tag.Match, tag.HasMatch = out, true
	}
}

// doubt reports what Dubbo passes over (it then matches nothing) and Standard refuses.
func (f *tagReader) doubt(code string, n *node, message, hint string) {
	if f.strict() {
		f.report.error(code, n.span, message, hint)
		return
	}
	f.report.warn(code, n.span, message, hint)
}

func (f *tagReader) match(n *node) (ParamMatch, bool) {
	if n.kind != nodeMapping {
		f.doubt(diag.BadTagMatch, n, "a match is a mapping with key and value, not "+n.kindName(), "write - {key: env, value: {exact: gray}}")
		return ParamMatch{}, false
	}
	f.keys(n, []string{"key", "value"}, " in a match")
	m := ParamMatch{Span: n.span}
	if key := n.get("key"); key != nil && key.kind == nodeScalar {
		m.Key = key.string()
	}
	if m.Key == "" {
		f.doubt(diag.BadTagMatch, n, "a match without a key", "write key: env")
	}
	value := n.get("value")
	if value == nil || value.kind != nodeMapping {
		f.doubt(diag.BadTagMatch, n, "a match has a key and a value with one matcher", "write - {key: env, value: {exact: gray}}")
		return m, true
	}
	m.Value = f.matchers(value)
	return m, true
}

func (f *tagReader) matchers(value *node) StringMatch {
	var m StringMatch
	matchers := []struct {
		name string
		at   **string
	}{
		{"exact", &m.Exact}, {"prefix", &m.Prefix}, {"regex", &m.Regex},
		{"wildcard", &m.Wildcard}, {"empty", &m.Empty}, {"noempty", &m.NoEmpty},
	}
	known, set := make([]string, 0, len(matchers)), 0
	for _, x := range matchers {
		known = append(known, x.name)
		v := value.get(x.name)
		switch {
		case v == nil || v.kind == nodeNull:
		case v.kind != nodeScalar:
			f.doubt(diag.WrongType, v, x.name+" must be text, not "+v.kindName(), "write "+x.name+": \"...\"")
		default:
			text := v.string()
			if v.scalarType() != typeText {
				text = v.javaText()
			}
			*x.at = &text
			set++
		}
	}
	f.keys(value, known, " in a match")
	if set == 0 {
		f.doubt(diag.BadTagMatch, value, "a match without a matcher matches nothing", "write one of exact, prefix, regex, wildcard, empty, noempty")
	}
	if m.Regex != nil {
		if _, err := regexp.Compile(*m.Regex); err != nil {
			f.doubt(diag.BadTagMatch, value.get("regex"), "regular expression "+quote(*m.Regex)+" cannot be read: "+strings.TrimPrefix(err.Error(), "error parsing regexp: "),
				"look-around and back references are not supported")
		}
	}
	return m
}
