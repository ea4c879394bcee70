package rule

import (
	"strings"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
)

// conditionFields are the fields of a condition document.
var conditionFields = []string{"configVersion", "scope", "key", "enabled", "force", "runtime", "priority", "valid", "dynamic", "conditions"}

// ParseConditionDocument reads a condition rule document: the classic list of texts, or multi-destination rules when configVersion
// is v3.1 (Standard and dubbo-3.3; spec §3.2, §3.5, §3.6). All findings are returned; the document is nil iff there is an error among them.
// Spans point into text, also inside quoted and folded scalars.
//
// A document that is switched off ("enabled: false") is taken even if its conditions are broken: refusing it would leave the rule in force
// that its author wants off.
func ParseConditionDocument(o Origin, text string, d dialect.Dialect) (*ConditionDocument, diag.List) {
	r := &report{file: o.Name}
	doc := readConditionDocument(o, text, d, r)
	list := r.sorted()
	if list.HasErrors() {
		return nil, list
	}
	return doc, list
}

func readConditionDocument(o Origin, text string, d dialect.Dialect, r *report) *ConditionDocument {
	root := readYAML(text, r)
	if r.list.HasErrors() {
		return nil
	}
	f := reader{dialect: d, report: r}
	if !f.root(root, conditionFields) {
		return nil
	}
	doc := &ConditionDocument{
		Origin: o, Text: text,
		Enabled: f.bool(root, "enabled", true), Force: f.bool(root, "force", false), Valid: f.bool(root, "valid", true),
		Priority: f.int(root, "priority"), Key: f.text(root, "key"), Scope: f.text(root, "scope"),
	}
	f.unused(root, doc.Priority)
	f.checkIdentity(root, o, doc.Key, doc.Scope)
	version, ok := f.configVersion(root)
	doc.ConfigVersion = version
	if !ok {
		return nil
	}
	r.soft = !doc.Enabled
	conditions := root.get("conditions")
	switch {
	case conditions == nil || conditions.kind == nodeNull || conditions.kind == nodeList && len(conditions.items) == 0:
		r.soft = r.soft && f.strict() // Dubbo keeps the old list even then
		r.error(diag.NoConditions, root.span, "document has no conditions: Dubbo keeps the old rule in force",
			"give at least one condition, or switch the rule off with \"enabled: false\" and its conditions, or delete it")
	case conditions.kind != nodeList && (d == dialect.Dubbo31 || d == dialect.Dubbo33 && !multi(version)):
		doc.Valid = false
		r.warn(diag.WrongType, conditions.span, "conditions is "+conditions.kindName()+", not a list: Dubbo keeps the old rule in force", "write conditions: [...]")
	case conditions.kind != nodeList:
		f.wrongType(conditions, "conditions", "a list")
	case multi(version) && (d == dialect.Standard || d == dialect.Dubbo33):
		doc.Multi = f.multi(conditions.items)
	default:
		doc.Conditions = f.classic(conditions.items)
	}
	return doc
}

// multi reports whether a configVersion means multi-destination rules.
func multi(version string) bool {
	return len(version) >= 4 && strings.EqualFold(version[:4], "v3.1")
}

// configVersion reads the version of the format. Dubbo before 3.2 does not look at it.
func (f reader) configVersion(root *node) (string, bool) {
	n := root.get("configVersion")
	if n == nil || n.kind == nodeNull {
		return "", true
	}
	if f.old() || f.dialect == dialect.Dubbo31 {
		return n.string(), true
	}
	if n.kind != nodeScalar || n.scalarType() != typeText {
		f.report.error(diag.BadConfigVersion, n.span, "configVersion must be text, not "+n.kindName(), "write configVersion: v3.0 (or v3.1 for weighted destinations)")
		return "", false
	}
	version := n.string()
	switch {
	case multi(version):
	case strings.ToLower(version) > "v3.1":
		f.report.error(diag.BadConfigVersion, n.span, "configVersion "+quote(version)+" is newer than v3.1, the newest known", "write configVersion: v3.0, or v3.1 for weighted destinations")
		return "", false
	case f.strict() && (strings.HasPrefix(version, "3.") || strings.HasPrefix(version, "2.")):
		f.report.warn(diag.BadConfigVersion, n.span, "configVersion "+quote(version)+" lacks its \"v\": the document is read as a classic one", "write configVersion: v"+version)
	}
	return version, true
}

// checkIdentity compares the document's own key and scope, which Dubbo never looks at, with the key that it
// stands under (spec §3.1).
func (f reader) checkIdentity(root *node, o Origin, key, scope string) {
	place, err := ParseKey(o.Name)
	if err != nil {
		return
	}
	iface, _, _, service := place.Service()
	if n := root.get("key"); n != nil && key != "" && key != place.Target {
		bare := key
		if _, after, ok := strings.Cut(bare, "/"); ok {
			bare = after
		}
		bare, _, _ = strings.Cut(bare, ":")
		if !service || bare != iface {
			f.report.warn(diag.KeyDisagrees, n.span, "field key says "+quote(key)+", but the document is bound by its place: "+quote(place.Target), "put the document under the key that you mean")
		}
	}
	if n := root.get("scope"); n != nil && scope != "" && (scope == "service") != service {
		f.report.warn(diag.KeyDisagrees, n.span, "field scope says "+quote(scope)+", but the document's place makes it a rule for "+map[bool]string{true: "a service", false: "an application"}[service],
			"put the document under the key that you mean")
	}
}

// classic reads a list of condition texts.
func (f reader) classic(items []*node) []Condition {
	out := make([]Condition, 0, len(items))
	for _, n := range items {
		switch {
		case n.kind == nodeScalar:
			l := n.text
			if n.scalarType() != typeText && !f.strict() {
				l = located{text: n.javaText(), source: l.source, offsets: same(l.offset(0), len(n.javaText()))}
			}
			before := len(f.report.list)
			c := parseCondition(l, f.dialect, f.report)
			if !f.report.soft || !faulty(f.report.list[before:]) {
				out = append(out, c)
			}
		case f.dialect == dialect.Dubbo31 || f.dialect == dialect.Dubbo33:
			// Dubbo 3 turns whatever stands here into text, also the mappings of a v3.1 document.
			f.report.warn(diag.WrongType, n.span, "a condition is text; "+n.kindName()+" is printed and the print is read as a condition", "put the condition in double quotes")
			text := n.javaText()
			line := newSource(text)
			c := parseCondition(located{text: text, source: line}, f.dialect, &report{})
			_, list := ParseCondition(text, f.dialect)
			if list.HasErrors() {
				f.report.error(diag.WrongType, n.span, "a condition must be text, not "+n.kindName(), "put the condition in double quotes")
				continue
			}
			c.Span = n.span
			out = append(out, c)
		default:
			f.report.error(diag.WrongType, n.span, "a condition must be text, not "+n.kindName(), "put the condition in double quotes: - \"method=get* => region=hz\"")
		}
	}
	return out
}

// faulty reports whether a condition of a switched-off document is broken: its findings were softened.
func faulty(list diag.List) bool {
	for _, d := range list {
		switch d.Code {
		case diag.RuleEmpty, diag.RuleTooLong, diag.BadSeparator, diag.ValueWithoutKey, diag.CommaWithout:
			return true
		}
	}
	return false
}
