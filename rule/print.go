package rule

import (
	"strings"

	"github.com/dubway-go/dubway/dialect"
)

// String returns the canonical text of the condition. Parsed in the same dialect it gives an equal condition,
// positions aside.
func (c Condition) String() string {
	var b strings.Builder
	writeSide(&b, c.When, c.Dialect, true, "true")
	if b.Len() > 0 {
		b.WriteByte(' ')
	}
	b.WriteString("=> ")
	switch {
	case c.Blacklist:
		b.WriteString("false")
	case len(c.Then) == 0:
		b.WriteString("&") // no key at all: no provider meets it
	default:
		writeSide(&b, c.Then, c.Dialect, true, "false")
	}
	return b.String()
}

// FormatClauses returns the canonical text of one side.
func FormatClauses(clauses []Clause) string {
	var b strings.Builder
	writeSide(&b, clauses, dialect.Standard, false, "true")
	return b.String()
}

// writeSide prints clauses. word is the text that would mean something else if it stood alone. A side that would not survive
// the cutting of blanks around it (control characters count) gets a separator that is skipped.
func writeSide(b *strings.Builder, clauses []Clause, d dialect.Dialect, escape bool, word string) {
	start := b.Len()
	if len(clauses) > 0 {
		k := clauses[0].Key
		alone := len(clauses) == 1 && len(clauses[0].In)+len(clauses[0].NotIn) == 0
		if k != "" && k[0] <= ' ' || alone && (k == word || blank(k, d)) {
			b.WriteString("& ")
		}
	}
	defer func() {
		if s := b.String(); len(s) > start && s[len(s)-1] <= ' ' {
			b.WriteString(" &")
		}
	}()
	for i, c := range clauses {
		if i > 0 {
			b.WriteString(" & ")
		}
		key := c.Key
		if escape {
			key = escapePrefixes(key, d)
		}
		b.WriteString(key)
		writeValues(b, "=", c.In, d, escape)
		if len(c.In) > 0 && len(c.NotIn) > 0 {
			b.WriteString(" & ")
			b.WriteString(key)
		}
		writeValues(b, "!=", c.NotIn, d, escape)
	}
}

func writeValues(b *strings.Builder, separator string, values []Value, d dialect.Dialect, escape bool) {
	for i, v := range values {
		switch {
		case i > 0:
			b.WriteByte(',')
		case strings.HasPrefix(v.Text, ">"):
			b.WriteString(separator + " ") // "=>" would end the left side
		default:
			b.WriteString(separator)
		}
		if escape {
			b.WriteString(escapePrefixes(v.Text, d))
		} else {
			b.WriteString(v.Text)
		}
	}
}

// escapePrefixes writes text that a Dubbo dialect's cutting of prefixes turns into s.
func escapePrefixes(s string, d dialect.Dialect) string {
	if d == dialect.Standard || !strings.Contains(s, prefixes[0]) && !strings.Contains(s, prefixes[1]) {
		return s
	}
	s = strings.ReplaceAll(s, prefixes[1], "proprovider.vider.")
	return strings.ReplaceAll(s, prefixes[0], "conconsumer.sumer.")
}
