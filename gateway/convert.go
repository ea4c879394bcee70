package gateway

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/dubway-go/dubway/hessian"
)

// convertible reports whether class is one whose values are written as a plain JSON value rather than by their fields.
func convertible(class string) bool {
	switch class {
	case "int", "java.lang.Integer", "short", "java.lang.Short", "byte", "java.lang.Byte",
		"long", "java.lang.Long", "double", "java.lang.Double", "float", "java.lang.Float",
		"boolean", "java.lang.Boolean", "char", "java.lang.Character", "java.lang.String", "java.lang.CharSequence",
		"java.math.BigDecimal", "java.math.BigInteger", "java.util.Date", "java.sql.Timestamp", "byte[]", "[B":
		return true
	}
	return false
}

// convert turns a JSON value into the Go value that stands for a value of the Java class. Objects of other
// classes become maps with the key "class", from which a generic call's provider builds the object.
func convert(v any, class string) (any, error) {
	if v == nil {
		return nil, nil
	}
	wrong := func(what string) error {
		return fmt.Errorf("%s is no %s: give %s", show(v), class, what)
	}
	text, isText := textOf(v)
	switch class {
	case "int", "java.lang.Integer", "short", "java.lang.Short", "byte", "java.lang.Byte":
		bits := map[string]int{"short": 16, "java.lang.Short": 16, "byte": 8, "java.lang.Byte": 8}[class]
		if bits == 0 {
			bits = 32
		}
		n, err := strconv.ParseInt(text, 10, bits)
		if err != nil || !isText {
			return nil, wrong(fmt.Sprintf("a whole number of %d bits", bits))
		}
		return int32(n), nil
	case "long", "java.lang.Long":
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || !isText {
			return nil, wrong("a whole number of 64 bits")
		}
		return n, nil
	case "double", "java.lang.Double", "float", "java.lang.Float":
		f, err := strconv.ParseFloat(text, 64)
		if err != nil || !isText {
			return nil, wrong("a number")
		}
		return f, nil
	case "boolean", "java.lang.Boolean":
		switch {
		case v == true || text == "true":
			return true, nil
		case v == false || text == "false":
			return false, nil
		}
		return nil, wrong("true or false")
	case "java.lang.String", "java.lang.CharSequence", "char", "java.lang.Character":
		if b, ok := v.(bool); ok {
			return strconv.FormatBool(b), nil
		}
		if !isText {
			return nil, wrong("text")
		}
		return text, nil
	}
	return convertRich(v, class, text, isText, wrong)
}

func convertRich(v any, class, text string, isText bool, wrong func(string) error) (any, error) {
	switch class {
	case "java.math.BigDecimal":
		if !isText || !decimal(text) {
			return nil, wrong(`a number of at most 1000 digits, as text when it must stay exact: "1.50"`)
		}
		return hessian.Decimal(text), nil
	case "java.math.BigInteger":
		if !isText || len(text) > 1000 {
			return nil, wrong("a whole number of at most 1000 digits")
		}
		n, ok := new(big.Int).SetString(text, 10)
		if !ok {
			return nil, wrong("a whole number")
		}
		return n, nil
	case "java.util.Date", "java.sql.Timestamp":
		if ms, err := strconv.ParseInt(text, 10, 64); err == nil {
			return time.UnixMilli(ms).UTC(), nil
		}
		t, err := time.Parse(time.RFC3339Nano, text)
		if err != nil {
			return nil, wrong(`a time such as "2026-11-30T07:00:00Z", or milliseconds since 1970`)
		}
		return t, nil
	case "byte[]", "[B":
		if s, ok := v.(string); ok {
			b, err := base64.StdEncoding.DecodeString(s)
			if err != nil {
				return nil, wrong("base64 text")
			}
			return b, nil
		}
		return nil, wrong("base64 text")
	}
	switch t := v.(type) {
	case map[string]any:
		return resolve(t, class)
	case typed:
		return resolve(t, "")
	}
	return resolve(v, "") // a class that JSON shows as it is: Object, List, an enum's constant, …
}

// textOf returns a number or a text as text.
func textOf(v any) (string, bool) {
	switch t := v.(type) {
	case string:
		return strings.TrimSpace(t), true
	case json.Number:
		return t.String(), true
	}
	return "", false
}

func show(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprintf("%v", v)
	}
	return shortly(string(b))
}

// shortly returns at most 60 bytes of text: what a caller sent must not come back to it in full.
func shortly(text string) string {
	if len(text) > 60 {
		return strings.ToValidUTF8(text[:60], "") + "…"
	}
	return text
}

// decimal reports whether text is a decimal number that is harmless to whoever gets it: no more than 1000 characters, and
// an exponent of at most four digits, because a short text with a huge exponent costs its reader a huge number.
func decimal(text string) bool {
	if len(text) > 1000 {
		return false
	}
	mantissa, exponent, has := strings.Cut(strings.ToLower(text), "e")
	if has {
		exponent = strings.TrimLeft(exponent, "+-")
		if exponent == "" || len(exponent) > 4 || strings.Trim(exponent, "0123456789") != "" {
			return false
		}
	}
	mantissa = strings.TrimPrefix(strings.TrimPrefix(mantissa, "-"), "+")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	return whole+fraction != "" && strings.Trim(whole+fraction, "0123456789") == ""
}
