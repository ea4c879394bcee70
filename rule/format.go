package rule

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
)

// Format returns the canonical text of a document: fields in a fixed order, texts in double quotes, conditions as
// Condition.String prints them. Fields that have no effect (runtime, dynamic, unknown ones) and comments are left out. Parsed
// under the same origin and dialect the text gives an equal document, positions aside.
func Format(doc Document) string {
	var w yamlWriter
	switch d := doc.(type) {
	case *ConditionDocument:
		if d != nil {
			w.conditionDocument(d)
		}
	case *TagDocument:
		if d != nil {
			w.tagDocument(d)
		}
	case *ConfiguratorDocument:
		if d != nil {
			w.configuratorDocument(d)
		}
	case *AffinityDocument:
		if d != nil {
			w.affinityDocument(d)
		}
	case *MeshDocument:
		if d != nil {
			w.meshDocument(d)
		}
	}
	return w.String()
}

type yamlWriter struct{ strings.Builder }

func (w *yamlWriter) linef(format string, args ...any) {
	fmt.Fprintf(w, format, args...)
	w.WriteByte('\n')
}

func (w *yamlWriter) head(version, scope, key string, enabled, force, valid bool, priority int) {
	for _, x := range [...]struct{ name, value string }{{"configVersion", version}, {"scope", scope}, {"key", key}} {
		if x.value != "" {
			w.linef("%s: %s", x.name, yamlQuote(x.value))
		}
	}
	w.linef("enabled: %t", enabled)
	w.linef("force: %t", force)
	if priority != 0 {
		w.linef("priority: %d", priority)
	}
	if !valid {
		w.linef("valid: false")
	}
}

func (w *yamlWriter) conditionDocument(d *ConditionDocument) {
	w.head(d.ConfigVersion, d.Scope, d.Key, d.Enabled, d.Force, d.Valid, d.Priority)
	if len(d.Conditions)+len(d.Multi) == 0 {
		w.linef("conditions: []")
		return
	}
	w.linef("conditions:")
	for _, c := range d.Conditions {
		w.linef("  - %s", yamlQuote(c.String()))
	}
	for _, c := range d.Multi {
		dash := "-"
		if len(c.From) > 0 {
			w.linef("  - from: {match: %s}", yamlQuote(formatMulti(c.From, "true")))
			dash = " "
		}
		if len(c.To) == 0 {
			w.linef("  %s to: []", dash)
			continue
		}
		w.linef("  %s to:", dash)
		for _, t := range c.To {
			if len(t.Match) == 0 {
				w.linef("      - {weight: %d}", t.Weight)
				continue
			}
			w.linef("      - {match: %s, weight: %d}", yamlQuote(formatMulti(t.Match, "false")), t.Weight)
		}
	}
}

func formatMulti(clauses []Clause, word string) string {
	var b strings.Builder
	writeSide(&b, clauses, 0, false, word)
	return b.String()
}

func (w *yamlWriter) tagDocument(d *TagDocument) {
	w.head(d.ConfigVersion, "", d.Key, d.Enabled, d.Force, d.Valid || len(d.Tags) == 0, d.Priority)
	if len(d.Tags) == 0 {
		w.linef("tags: []")
		return
	}
	w.linef("tags:")
	for _, t := range d.Tags {
		w.linef("  - name: %s", yamlQuote(t.Name))
		if t.HasAddresses {
			texts := make([]string, len(t.Addresses))
			for i, a := range t.Addresses {
				texts[i] = yamlQuote(a.Text)
			}
			w.linef("    addresses: [%s]", strings.Join(texts, ", "))
		}
		if !t.HasMatch {
			continue
		}
		if len(t.Match) == 0 {
			w.linef("    match: []")
			continue
		}
		w.linef("    match:")
		for _, m := range t.Match {
			w.linef("      - key: %s", yamlQuote(m.Key))
			w.linef("        value: {%s}", strings.Join(m.Value.fields(), ", "))
		}
	}
}

func (w *yamlWriter) affinityDocument(d *AffinityDocument) {
	for _, x := range [...]struct{ name, value string }{{"configVersion", d.ConfigVersion}, {"scope", d.Scope}, {"key", d.Key}} {
		if x.value != "" {
			w.linef("%s: %s", x.name, yamlQuote(x.value))
		}
	}
	w.linef("enabled: %t", d.Enabled)
	ratio := strconv.FormatFloat(d.Ratio, 'f', -1, 64)
	if math.IsNaN(d.Ratio) {
		ratio = yamlQuote(ratio)
	}
	w.linef("affinityAware: {key: %s, ratio: %s}", yamlQuote(d.Affinity), ratio)
}

// fields prints the matchers that are set.
func (m StringMatch) fields() []string {
	var out []string
	for _, x := range [...]struct {
		name string
		text *string
	}{{"exact", m.Exact}, {"prefix", m.Prefix}, {"regex", m.Regex}, {"wildcard", m.Wildcard}, {"empty", m.Empty}, {"noempty", m.NoEmpty}} {
		if x.text != nil {
			out = append(out, x.name+": "+yamlQuote(*x.text))
		}
	}
	return out
}

// yamlQuote prints a YAML text in double quotes.
func yamlQuote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r <= 0xff:
			b.WriteString(`\x` + hexPad(r, 2))
		case r <= 0xffff:
			b.WriteString(`\u` + hexPad(r, 4))
		default:
			b.WriteString(`\U` + hexPad(r, 8))
		}
	}
	b.WriteByte('"')
	return b.String()
}

func hexPad(r rune, n int) string {
	s := strconv.FormatInt(int64(r), 16)
	return strings.Repeat("0", max(0, n-len(s))) + s
}
