package rule

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
)

// reader reads the fields of a document by the rules of a dialect (spec §3.2).
type reader struct {
	dialect dialect.Dialect
	report  *report
}

// strict reports whether doubtful texts are refused.
func (f reader) strict() bool { return f.dialect == dialect.Standard }

// old reports whether documents are bound as in 2.7: by type, not by text.
func (f reader) old() bool { return f.dialect == dialect.Dubbo27 || f.dialect == dialect.Dubbo26 }

func (f reader) wrongType(n *node, name, want string) {
	f.report.error(diag.WrongType, n.span, name+" must be "+want+", not "+n.kindName(), "write "+name+": "+example(want))
}

func example(want string) string {
	switch want {
	case "true or false":
		return "true"
	case "a whole number":
		return "1"
	case "a list":
		return "[...]"
	case "a mapping":
		return "{...}"
	}
	return "\"...\""
}

// bool reads a switch; absent or null is def.
func (f reader) bool(m *node, name string, def bool) bool {
	n := m.get(name)
	if n == nil || n.kind == nodeNull {
		return def
	}
	typed := n.kind == nodeScalar && n.scalarType() == typeBool
	text := ""
	if n.kind == nodeScalar {
		text = strings.ToLower(n.string())
	}
	switch {
	case typed:
		return n.bool()
	case f.old():
		f.wrongType(n, name, "true or false")
	case f.dialect == dialect.Dubbo31 || f.dialect == dialect.Dubbo33:
		return text == "true"
	case text == "true" || text == "false":
		return text == "true"
	default:
		f.wrongType(n, name, "true or false")
	}
	return def
}

// int reads a whole number of 32 bits; absent or null is 0.
func (f reader) int(m *node, name string) int {
	n := m.get(name)
	if n == nil || n.kind == nodeNull {
		return 0
	}
	if v, ok := f.number(n); ok {
		return v
	}
	f.wrongType(n, name, "a whole number")
	return 0
}

func (f reader) number(n *node) (int, bool) {
	if n.kind != nodeScalar {
		return 0, false
	}
	text := n.string()
	if n.scalarType() == typeInt {
		text = n.integer()
	} else if f.old() {
		return 0, false
	} else if n.scalarType() == typeFloat {
		text = n.javaText() // "1.0" is no whole number to Java
	}
	v, err := strconv.ParseInt(text, 10, 32)
	return int(v), err == nil
}

// text reads a text field; absent or null is "". Dubbo 3 refuses what YAML takes for another type.
func (f reader) text(m *node, name string) string {
	n := m.get(name)
	if n == nil || n.kind == nodeNull {
		return ""
	}
	if f.old() && n.kind != nodeScalar {
		return "" // not looked at
	}
	if n.kind != nodeScalar || (f.dialect == dialect.Dubbo31 || f.dialect == dialect.Dubbo33) && n.scalarType() != typeText {
		f.wrongType(n, name, "text in quotes")
		return ""
	}
	return n.string()
}

// unused checks the types of fields that have no effect, as far as the dialect refuses a document for them, and says that a
// priority has none (spec §12.2 L34).
func (f reader) unused(root *node, priority int) {
	if n := root.get("priority"); n != nil && priority != 0 {
		f.report.info(diag.NoEffect, n.span, "priority has no effect in a document", "rules of one scope are one document; the order of scopes is fixed")
	}
	if f.old() {
		f.bool(root, "runtime", true)
		f.bool(root, "dynamic", false)
		return
	}
	if f.dialect == dialect.Dubbo31 || f.dialect == dialect.Dubbo33 {
		f.text(root, "rawRule")
	}
}

// root checks that the document is a mapping and looks through its keys.
func (f reader) root(n *node, known []string) bool {
	if n == nil || n.kind == nodeNull {
		f.report.error(diag.NotAMapping, diag.Span{Line: 1, Col: 1, EndLine: 1, EndCol: 1}, "document is empty",
			"delete the rule to take it out of force; an empty text leaves the old rule in place")
		return false
	}
	if n.kind != nodeMapping {
		f.report.error(diag.NotAMapping, n.span, "document is "+n.kindName()+", not a mapping", "write fields such as \"conditions:\" one a line")
		return false
	}
	f.keys(n, known, "")
	return true
}

// fewFields is how many names are found again sooner by looking at each.
const fewFields = 16

// keys reports duplicate and unknown keys of a mapping.
func (f reader) keys(n *node, known []string, where string) {
	var seen map[string]bool
	if len(n.fields) > fewFields {
		seen = make(map[string]bool, len(n.fields))
	}
	for i, x := range n.fields {
		name := x.key.string()
		again := seen[name]
		if seen == nil {
			again = slices.ContainsFunc(n.fields[:i], func(y field) bool { return y.key.string() == name })
		}
		if again {
			severity := diag.Warning
			if f.strict() {
				severity = diag.Error
			}
			f.report.add(severity, diag.DuplicateKey, x.key.span, "field "+strconv.Quote(name)+" is given twice", "the last one counts for Dubbo: keep one")
			continue
		}
		if seen != nil {
			seen[name] = true
		}
		if near, ok := closest(name, known); !ok {
			hint := "it has no effect: take it out"
			if near != "" {
				hint = "did you mean " + strconv.Quote(near) + "?"
			}
			f.report.warn(diag.UnknownField, x.key.span, "unknown field "+strconv.Quote(name)+where, hint)
		}
	}
}

// closest reports whether name is known, and if not a known name that differs in at most two letters.
func closest(name string, known []string) (string, bool) {
	if slices.Contains(known, name) {
		return name, true
	}
	best, bound := "", 3
	for _, k := range known {
		if len(name) <= 32 {
			if d := editDistance(strings.ToLower(name), strings.ToLower(k)); d < bound {
				best, bound = k, d
			}
		}
	}
	return best, false
}

func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		previous := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := previous
			if a[i] != b[j] {
				cost = 1 + min(previous, row[j], row[j+1])
			}
			previous, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
