package route

import (
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"
)

// maxTextDepth bounds how deep JavaText looks into collections.
const maxTextDepth = 8

// JavaText returns the text that Java's String.valueOf gives for the Java value that v travels as: what
// arguments[N] of a condition rule is compared with (spec §2.6). Texts that Java itself makes up from
// an identity ("[B@1f2a") have no counterpart; the part before the @ is returned.
func JavaText(v any) string {
	var buf [32]byte
	if b, ok := appendNumber(buf[:0], v); ok {
		return string(b)
	}
	return javaText(v, 0)
}

// appendNumber appends the text of null, booleans and numbers; false means v is something else.
func appendNumber(b []byte, v any) ([]byte, bool) {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...), true
	case bool:
		return strconv.AppendBool(b, v), true
	case int:
		return strconv.AppendInt(b, int64(v), 10), true
	case int8:
		return strconv.AppendInt(b, int64(v), 10), true
	case int16:
		return strconv.AppendInt(b, int64(v), 10), true
	case int32:
		return strconv.AppendInt(b, int64(v), 10), true
	case int64:
		return strconv.AppendInt(b, v, 10), true
	case uint8:
		return strconv.AppendInt(b, int64(v), 10), true
	case uint16:
		return strconv.AppendInt(b, int64(v), 10), true
	case uint32:
		return strconv.AppendInt(b, int64(v), 10), true
	case uint64:
		return strconv.AppendUint(b, v, 10), true
	case float32:
		return appendFloat(b, float64(v), 32), true
	case float64:
		return appendFloat(b, v, 64), true
	}
	return b, false
}

// appendFloat writes a float as Java does: 1.0, 0.001, 1.0E10, NaN, Infinity.
func appendFloat(b []byte, f float64, bits int) []byte {
	switch {
	case math.IsNaN(f):
		return append(b, "NaN"...)
	case math.IsInf(f, 1):
		return append(b, "Infinity"...)
	case math.IsInf(f, -1):
		return append(b, "-Infinity"...)
	}
	if a := math.Abs(f); a == 0 || a >= 1e-3 && a < 1e7 {
		start := len(b)
		b = strconv.AppendFloat(b, f, 'f', -1, bits)
		for _, c := range b[start:] {
			if c == '.' {
				return b
			}
		}
		return append(b, '.', '0')
	}
	var tmp [32]byte
	text := strconv.AppendFloat(tmp[:0], f, 'e', -1, bits)
	dot := false
	for i, c := range text {
		if c == '.' {
			dot = true
		}
		if c != 'e' {
			b = append(b, c)
			continue
		}
		if !dot {
			b = append(b, '.', '0')
		}
		b = append(b, 'E')
		exp := text[i+1:]
		if exp[0] == '-' {
			b = append(b, '-')
		}
		exp = exp[1:]
		for len(exp) > 1 && exp[0] == '0' {
			exp = exp[1:]
		}
		return append(b, exp...)
	}
	return b
}

func javaText(v any, depth int) string {
	var buf [32]byte
	if b, ok := appendNumber(buf[:0], v); ok {
		return string(b)
	}
	if depth > maxTextDepth {
		return "…"
	}
	switch v := v.(type) {
	case string:
		return v
	case []byte:
		return "[B"
	case []string:
		return "[Ljava.lang.String;"
	case []any:
		parts := make([]string, len(v))
		for i := range v {
			parts[i] = javaText(v[i], depth+1)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case map[string]any:
		parts := make([]string, 0, len(v))
		for k, e := range v {
			parts = append(parts, k+"="+javaText(e, depth+1))
		}
		sort.Strings(parts)
		return "{" + strings.Join(parts, ", ") + "}"
	case map[any]any:
		parts := make([]string, 0, len(v))
		for k, e := range v {
			parts = append(parts, javaText(k, depth+1)+"="+javaText(e, depth+1))
		}
		sort.Strings(parts)
		return "{" + strings.Join(parts, ", ") + "}"
	case fmt.Stringer:
		return v.String()
	case error:
		return v.Error()
	}
	return fmt.Sprintf("%T", v)
}
