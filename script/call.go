package script

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"sort"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/rpc"
)

// Bounds of what of a call a script sees.
const (
	maxCallDepth = 16
	maxCallNodes = 50_000
	maxCallBytes = 4 << 20
)

var errTooLarge = errors.New("the call's arguments are too large for a script")

// call is the invocation as scripts see it.
type call struct {
	method      string
	args        []any
	types       []string
	attachments rpc.Attachments
}

// newCall shows a generic call as $invoke in the Dubbo dialects, as their scripts see the invocation itself; Standard shows the
// method that is called.
func newCall(inv *rpc.Invocation, d dialect.Dialect) *call {
	c := &call{method: inv.Method, args: inv.Args, types: inv.ParamTypes, attachments: inv.Attachments}
	if !inv.Direct && d != dialect.Standard {
		types := make([]any, len(inv.ParamTypes))
		for i, t := range inv.ParamTypes {
			types[i] = t
		}
		c.method, c.types = "$invoke", []string{"java.lang.String", "[Ljava.lang.String;", "[Ljava.lang.Object;"}
		c.args = []any{inv.Method, array(types), array(inv.Args)}
	}
	return c
}

// array marks a Java array, which a slice inside a value is not.
type array []any

// part returns one part of the call as JSON for the prelude.
func (c *call) part(kind string) (string, error) {
	e := callEncoder{}
	switch kind {
	case "arguments":
		e.list("a", c.args, 0)
	case "types":
		types := make([]any, len(c.types))
		for i, t := range c.types {
			types[i] = t
		}
		e.list("a", types, 0)
	case "attachments":
		e.buf = append(e.buf, `["m"`...)
		for _, a := range c.attachments {
			e.buf = append(e.buf, ",["...)
			e.text(a.Key)
			e.buf = append(e.buf, ',')
			e.value(a.Value, 1)
			e.buf = append(e.buf, ']')
		}
		e.buf = append(e.buf, ']')
	}
	if e.nodes > maxCallNodes || len(e.buf) > maxCallBytes {
		return "", errTooLarge
	}
	return string(e.buf), nil
}

type callEncoder struct {
	buf   []byte
	nodes int
}

func (e *callEncoder) text(s string) {
	if len(s) > maxCallBytes {
		e.nodes = maxCallNodes + 1
		s = ""
	}
	b, _ := json.Marshal(s) // text always encodes
	e.buf = append(e.buf, b...)
}

func (e *callEncoder) list(tag string, values []any, depth int) {
	e.buf = append(append(append(e.buf, `["`...), tag...), '"')
	for _, v := range values {
		e.buf = append(e.buf, ',')
		e.value(v, depth+1)
	}
	e.buf = append(e.buf, ']')
}

func (e *callEncoder) pairs(keys []string, get func(string) any, depth int) {
	sort.Strings(keys)
	e.buf = append(e.buf, `["m"`...)
	for _, k := range keys {
		e.buf = append(e.buf, ",["...)
		e.text(k)
		e.buf = append(e.buf, ',')
		e.value(get(k), depth+1)
		e.buf = append(e.buf, ']')
	}
	e.buf = append(e.buf, ']')
}

func (e *callEncoder) value(v any, depth int) {
	if e.nodes++; depth > maxCallDepth || e.nodes > maxCallNodes || len(e.buf) > maxCallBytes {
		e.buf = append(e.buf, "null"...)
		return
	}
	switch v := v.(type) {
	case nil:
		e.buf = append(e.buf, "null"...)
	case string:
		e.text(v)
	case float64:
		e.number(v)
	case float32:
		e.number(float64(v))
	case bool, int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64:
		e.buf = fmt.Append(e.buf, v)
	case []byte:
		e.buf = append(e.buf, `["a"`...)
		for _, b := range v {
			if e.nodes++; e.nodes > maxCallNodes {
				break
			}
			e.buf = fmt.Appendf(e.buf, ",%d", int8(b))
		}
		e.buf = append(e.buf, ']')
	case array:
		e.list("a", v, depth)
	case []any:
		e.list("l", v, depth)
	case []string:
		e.buf = append(e.buf, `["a"`...)
		for _, s := range v {
			e.buf = append(e.buf, ',')
			e.value(s, depth+1)
		}
		e.buf = append(e.buf, ']')
	case map[string]any:
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		e.pairs(keys, func(k string) any { return v[k] }, depth)
	case map[any]any:
		byText := make(map[string]any, len(v))
		keys := make([]string, 0, len(v))
		for k, x := range v {
			s := fmt.Sprint(k)
			if _, ok := byText[s]; !ok {
				keys = append(keys, s)
			}
			byText[s] = x
		}
		e.pairs(keys, func(k string) any { return byText[k] }, depth)
	case fmt.Stringer:
		e.text(v.String())
	default:
		e.text(fmt.Sprintf("%T", v))
	}
}

func (e *callEncoder) number(f float64) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		e.buf = append(e.buf, "null"...) // JSON has no word for it
		return
	}
	b, _ := json.Marshal(f) // finite numbers always encode
	e.buf = append(e.buf, b...)
}
