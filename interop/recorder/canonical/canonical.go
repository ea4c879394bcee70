// Package canonical writes a case as the text that its id is made of.
package canonical

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf16"
)

// Write appends v, a value of JSON: keys sorted, everything beyond ASCII escaped, ", " and ": " between.
func Write(b *strings.Builder, v any) {
	switch v := v.(type) {
	case map[string]any:
		b.WriteByte('{')
		for i, k := range slices.Sorted(maps.Keys(v)) {
			if i > 0 {
				b.WriteString(", ")
			}
			Write(b, k)
			b.WriteString(": ")
			Write(b, v[k])
		}
		b.WriteByte('}')
	case []any:
		b.WriteByte('[')
		for i, e := range v {
			if i > 0 {
				b.WriteString(", ")
			}
			Write(b, e)
		}
		b.WriteByte(']')
	case string:
		quote(b, v)
	case nil:
		b.WriteString("null")
	default:
		fmt.Fprint(b, v)
	}
}

func quote(b *strings.Builder, s string) {
	b.WriteByte('"')
	for _, u := range utf16.Encode([]rune(s)) {
		switch {
		case u == '"' || u == '\\':
			b.WriteByte('\\')
			b.WriteByte(byte(u))
		case u == '\n':
			b.WriteString(`\n`)
		case u == '\r':
			b.WriteString(`\r`)
		case u == '\t':
			b.WriteString(`\t`)
		case u == '\b':
			b.WriteString(`\b`)
		case u == '\f':
			b.WriteString(`\f`)
		case u < 0x20 || u > 0x7e:
			fmt.Fprintf(b, `\u%04x`, u)
		default:
			b.WriteByte(byte(u))
		}
	}
	b.WriteByte('"')
}
