package balance

import (
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxArgumentText bounds the text of one call's hashed arguments, and maxArgumentDepth its nesting.
const (
	maxArgumentText  = 64 << 10
	maxArgumentDepth = 16
)

// appendArgument is appendJavaText for one argument of a call. It keeps dst on the caller's stack: only the rarer
// kinds of argument go through a buffer of their own.
func appendArgument(dst []byte, v any) []byte {
	if out, ok := appendCommon(dst, v); ok {
		return out
	}
	return append(dst, appendJavaText(nil, v, 0)...)
}

// appendCommon appends the text of the kinds of argument that calls mostly have, and reports whether v is one.
func appendCommon(dst []byte, v any) (out []byte, ok bool) {
	switch v := v.(type) {
	case nil:
		return append(dst, "null"...), true
	case string:
		return append(dst, v...), true
	case int:
		return strconv.AppendInt(dst, int64(v), 10), true
	case int32:
		return strconv.AppendInt(dst, int64(v), 10), true
	case int64:
		return strconv.AppendInt(dst, v, 10), true
	case bool:
		return strconv.AppendBool(dst, v), true
	}
	return dst, false
}

// appendJavaText appends what Java's string concatenation makes of an argument: "null", decimal numbers,
// "true", lists as "[a, b]", maps as "{k=v}". Where Java's text depends on an object's identity or on a
// hash order (byte arrays, unordered maps, beans), the text here depends on the content only, so equal
// arguments always hash alike.
func appendJavaText(dst []byte, v any, depth int) []byte {
	if len(dst) > maxArgumentText || depth > maxArgumentDepth {
		return dst
	}
	if out, ok := appendCommon(dst, v); ok {
		return out
	}
	switch v := v.(type) {
	case int16:
		return strconv.AppendInt(dst, int64(v), 10)
	case int8:
		return strconv.AppendInt(dst, int64(v), 10)
	case float64:
		return appendJavaFloat(dst, v, 64)
	case float32:
		return appendJavaFloat(dst, float64(v), 32)
	case time.Time:
		return strconv.AppendInt(dst, v.UnixMilli(), 10)
	case []byte:
		return hex.AppendEncode(dst, v)
	case []any:
		dst = append(dst, '[')
		for i, e := range v {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = appendJavaText(dst, e, depth+1)
		}
		return append(dst, ']')
	case map[string]any:
		return appendJavaMap(dst, v, depth)
	case fmt.Stringer:
		return append(dst, v.String()...)
	}
	return fmt.Append(dst, v)
}

func appendJavaMap(dst []byte, m map[string]any, depth int) []byte {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	dst = append(dst, '{')
	for i, k := range keys {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = append(append(dst, k...), '=')
		dst = appendJavaText(dst, m[k], depth+1)
	}
	return append(dst, '}')
}

// appendJavaFloat follows Double.toString: at least one digit after the point, and computerized scientific
// notation below 10^-3 and from 10^7 on.
func appendJavaFloat(dst []byte, f float64, bits int) []byte {
	switch {
	case math.IsNaN(f):
		return append(dst, "NaN"...)
	case math.IsInf(f, 1):
		return append(dst, "Infinity"...)
	case math.IsInf(f, -1):
		return append(dst, "-Infinity"...)
	}
	size := math.Abs(f)
	if size == 0 || size >= 1e-3 && size < 1e7 {
		start := len(dst)
		dst = strconv.AppendFloat(dst, f, 'f', -1, bits)
		if !strings.Contains(string(dst[start:]), ".") {
			dst = append(dst, ".0"...)
		}
		return dst
	}
	text := strconv.FormatFloat(f, 'e', -1, bits)
	mantissa, exponent, _ := strings.Cut(text, "e")
	if !strings.Contains(mantissa, ".") {
		mantissa += ".0"
	}
	n, _ := strconv.Atoi(exponent)
	dst = append(append(dst, mantissa...), 'E')
	return strconv.AppendInt(dst, int64(n), 10)
}
