package gateway

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// DefaultDepth is how deep JSON arguments may nest.
const DefaultDepth = 64

// TypeKey is the JSON key that names a Java class: {"@type":"java.lang.Long","value":1} is a Long,
// {"@type":"com.example.Order","id":1} an Order.
const TypeKey = "@type"

// Arguments reads the arguments of a call. A JSON array holds one element an argument; any other JSON value is the only
// argument, except an object, which is refused because the names of parameters are not known; an empty text is no argument.
//
// types are the Java names of the parameters, or nil. With them, each argument is turned into its type or refused. Without
// them, whole numbers become int32, or int64 where they do not fit, other numbers float64; and when every argument names its type by
// TypeKey, those types are returned, else nil. depth bounds nesting; 0 means DefaultDepth.
// Errors tell the argument and what was expected.
func Arguments(text []byte, types []string, depth int) ([]any, []string, error) {
	if depth <= 0 {
		depth = DefaultDepth
	}
	text = bytes.TrimSpace(text)
	if len(text) == 0 {
		return checked(nil, nil, types)
	}
	if text[0] == '{' {
		return nil, nil, errors.New(`the body is an object, but parameter names are not known: give the arguments in order as an array, for example [{"id": 42}]`)
	}
	d := &jsonReader{dec: json.NewDecoder(bytes.NewReader(text)), limit: depth}
	d.dec.UseNumber()
	v, err := d.value(0)
	if err == nil {
		err = d.end()
	}
	if err != nil {
		return nil, nil, err
	}
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	return checked(list, d.named(list), types)
}

// typed is a value that said its own Java type.
type typed struct {
	class string
	value any
}

// named returns the types that the arguments themselves tell, nil unless all of them do.
func (d *jsonReader) named(list []any) []string {
	names := make([]string, len(list))
	for i, v := range list {
		t, ok := v.(typed)
		if !ok {
			return nil
		}
		names[i] = t.class
	}
	if len(names) == 0 {
		return nil
	}
	return names
}

func checked(list []any, named, types []string) ([]any, []string, error) {
	if types != nil && len(types) != len(list) {
		return nil, nil, fmt.Errorf("%d arguments were given for the parameter types %s", len(list), strings.Join(types, ", "))
	}
	out := make([]any, len(list))
	for i, v := range list {
		wanted := ""
		if types != nil {
			wanted = types[i]
		}
		value, err := resolve(v, wanted)
		if err != nil {
			return nil, nil, fmt.Errorf("argument %d: %w", i, err)
		}
		out[i] = value
	}
	if types != nil {
		return out, types, nil
	}
	return out, named, nil
}

// resolve turns what the JSON reader built into what the codec takes: numbers and typed values become Go values.
func resolve(v any, wanted string) (any, error) {
	switch t := v.(type) {
	case typed:
		return convert(t.value, t.class)
	case json.Number:
		if wanted != "" {
			return convert(v, wanted)
		}
		return number(t)
	case []any:
		if convertible(wanted) && wanted != "" {
			return convert(v, wanted)
		}
		element := ""
		if name, ok := strings.CutSuffix(wanted, "[]"); ok {
			element = name
		}
		for i := range t {
			e, err := resolve(t[i], element)
			if err != nil {
				return nil, fmt.Errorf("[%d]: %w", i, err)
			}
			t[i] = e
		}
		return t, nil
	case map[string]any:
		for k := range t {
			e, err := resolve(t[k], "")
			if err != nil {
				return nil, fmt.Errorf("%s: %w", k, err)
			}
			t[k] = e
		}
		if wanted != "" && !strings.HasPrefix(wanted, "java.") {
			t["class"] = wanted // from which the provider of a generic call builds the object
		}
		return t, nil
	}
	if wanted != "" && v != nil {
		return convert(v, wanted)
	}
	return v, nil
}

// number gives a JSON number the smallest Go type that Dubbo knows: int32, int64, float64.
func number(n json.Number) (any, error) {
	if !strings.ContainsAny(n.String(), ".eE") {
		i, err := strconv.ParseInt(n.String(), 10, 64)
		if err != nil {
			return nil, fmt.Errorf(`%s does not fit in 64 bits: write {"@type":"java.math.BigInteger","value":"%[1]s"}`, shortly(n.String()))
		}
		if i >= math.MinInt32 && i <= math.MaxInt32 {
			return int32(i), nil
		}
		return i, nil
	}
	f, err := n.Float64()
	if err != nil {
		return nil, fmt.Errorf(`%s is no double: write {"@type":"java.math.BigDecimal","value":"%[1]s"}`, shortly(n.String()))
	}
	return f, nil
}

// jsonReader builds values from tokens, so that nesting is bounded before it is built.
type jsonReader struct {
	dec   *json.Decoder
	limit int
}

func (d *jsonReader) value(depth int) (any, error) {
	t, err := d.dec.Token()
	if err != nil {
		return nil, d.explain(err)
	}
	open, ok := t.(json.Delim)
	if !ok {
		return t, nil
	}
	if depth >= d.limit {
		return nil, fmt.Errorf("the JSON nests deeper than %d", d.limit)
	}
	if open == '[' {
		list := []any{}
		for d.dec.More() {
			v, err := d.value(depth + 1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err := d.dec.Token()
		return list, d.explain(err)
	}
	return d.object(depth)
}

func (d *jsonReader) object(depth int) (any, error) {
	m := make(map[string]any)
	for d.dec.More() {
		key, err := d.dec.Token()
		if err != nil {
			return nil, d.explain(err)
		}
		v, err := d.value(depth + 1)
		if err != nil {
			return nil, err
		}
		m[key.(string)] = v
	}
	if _, err := d.dec.Token(); err != nil {
		return nil, d.explain(err)
	}
	class, ok := m[TypeKey]
	if !ok {
		return m, nil
	}
	name, ok := class.(string)
	if !ok || name == "" {
		return nil, fmt.Errorf("%q must be the name of a Java class", TypeKey)
	}
	delete(m, TypeKey)
	if v, ok := m["value"]; ok && len(m) == 1 && convertible(name) {
		return typed{name, v}, nil
	}
	return typed{name, m}, nil
}

func (d *jsonReader) end() error {
	if _, err := d.dec.Token(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("there is more text after the JSON value, at byte %d", d.dec.InputOffset())
	}
	return nil
}

func (d *jsonReader) explain(err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("the JSON ends too early, at byte %d", d.dec.InputOffset())
	}
	if s, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("not JSON at byte %d: %w", s.Offset, err)
	}
	return fmt.Errorf("not JSON at byte %d: %w", d.dec.InputOffset(), err)
}
