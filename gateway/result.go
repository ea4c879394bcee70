package gateway

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/dubway-go/dubway/hessian"
)

// ErrCircular is in the chain of errors about values that contain themselves, which JSON cannot show.
var ErrCircular = errors.New("the value contains itself, which JSON cannot show")

// ErrResultTooLarge is in the chain of errors about values whose JSON would be larger than allowed.
var ErrResultTooLarge = errors.New("the result is too large")

// DefaultMaxResult is how many bytes of JSON a result may be.
const DefaultMaxResult = 16 << 20

// maxResultDepth bounds nesting of results.
const maxResultDepth = 512

// JSON is LimitedJSON with DefaultMaxResult.
func JSON(v any) ([]byte, error) { return LimitedJSON(v, DefaultMaxResult) }

// LimitedJSON returns a call's value as JSON of at most limit bytes, else ErrResultTooLarge: a value that refers to its parts more than once is
// small on the wire and can be huge as JSON, so writing stops where the limit is passed. Numbers are numbers (NaN and the infinities are text), BigDecimal and BigInteger are text so that
// no digit is lost, times are RFC 3339 in UTC, byte arrays are base64, enum constants are their names, objects of Java classes are
// objects with their class under "@type". UUID, Locale and the types of java.time are
// text, also where a Java provider's generic answer has them as maps of their getters. Keys of maps are sorted; a key that is no text is shown as text.
func LimitedJSON(v any, limit int) ([]byte, error) {
	w := &jsonWriter{limit: limit}
	if err := w.value(v, 0); err != nil {
		return nil, err
	}
	if err := w.room(0); err != nil {
		return nil, err
	}
	return w.buf, nil
}

type jsonWriter struct {
	buf   []byte
	limit int
	path  []visit // containers that are being written
}

// visit identifies a container; a slice needs its length too, because a part of it begins at the same address.
type visit struct {
	p uintptr
	n int
}

func (w *jsonWriter) enter(v any, n, depth int) error {
	if depth > maxResultDepth {
		return fmt.Errorf("the value nests deeper than %d", maxResultDepth)
	}
	at := visit{reflect.ValueOf(v).Pointer(), n}
	if n > 0 && slices.Contains(w.path, at) {
		return ErrCircular
	}
	w.path = append(w.path, at)
	return nil
}

// room reports whether n more bytes may be written.
func (w *jsonWriter) room(n int) error {
	if n > w.limit-len(w.buf) {
		return fmt.Errorf("%w: its JSON has more than %d bytes", ErrResultTooLarge, w.limit)
	}
	return nil
}

func (w *jsonWriter) leave() { w.path = w.path[:len(w.path)-1] }

func (w *jsonWriter) text(s string) {
	b, _ := json.Marshal(s)
	w.buf = append(w.buf, b...)
}

func (w *jsonWriter) value(v any, depth int) error {
	if err := w.room(1); err != nil {
		return err
	}
	switch t := v.(type) {
	case nil:
		w.buf = append(w.buf, "null"...)
	case bool:
		w.buf = strconv.AppendBool(w.buf, t)
	case int32:
		w.buf = strconv.AppendInt(w.buf, int64(t), 10)
	case int64:
		w.buf = strconv.AppendInt(w.buf, t, 10)
	case float64:
		w.float(t)
	case float32:
		w.float(float64(t))
	case string:
		if err := w.room(len(t)); err != nil {
			return err
		}
		w.text(t)
	case time.Time:
		w.text(t.UTC().Format(time.RFC3339Nano))
	case hessian.Instant:
		w.text(t.UTC().Format(time.RFC3339Nano))
	case time.Duration:
		w.text(isoDuration(t))
	case *big.Int:
		w.text(t.String())
	case hessian.Decimal:
		w.text(string(t))
	case hessian.Enum:
		w.text(t.Name)
	case []any:
		return w.list(t, depth)
	case map[string]any:
		if small, ok := hessian.FromBean(t); ok {
			return w.value(small, depth)
		}
		return w.object("", t, depth, t)
	case map[any]any:
		return w.anyMap(t, depth)
	case *hessian.Object:
		return w.javaObject(t, depth)
	case *hessian.Map:
		return w.entries(t, depth)
	case *hessian.List:
		return w.list(t.Items, depth)
	default:
		return w.other(v, depth)
	}
	return nil
}

func (w *jsonWriter) float(f float64) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		w.text(strconv.FormatFloat(f, 'g', -1, 64))
		return
	}
	b, _ := json.Marshal(f)
	w.buf = append(w.buf, b...)
}

func (w *jsonWriter) list(list []any, depth int) error {
	if err := w.enter(list, len(list), depth); err != nil {
		return err
	}
	defer w.leave()
	w.buf = append(w.buf, '[')
	for i, e := range list {
		if i > 0 {
			w.buf = append(w.buf, ',')
		}
		if err := w.value(e, depth+1); err != nil {
			return err
		}
	}
	w.buf = append(w.buf, ']')
	return nil
}

// object writes members under their sorted keys; self is the container, by its identity.
func (w *jsonWriter) object(class string, members map[string]any, depth int, self any) error {
	if err := w.enter(self, 1, depth); err != nil {
		return err
	}
	defer w.leave()
	w.buf = append(w.buf, '{')
	first := true
	key := func(k string) {
		if !first {
			w.buf = append(w.buf, ',')
		}
		first = false
		w.text(k)
		w.buf = append(w.buf, ':')
	}
	if class != "" {
		key(TypeKey)
		w.text(class)
	}
	if err := w.room(len(members)); err != nil {
		return err // each member takes more than a byte
	}
	names := make([]string, 0, len(members))
	for k := range members {
		names = append(names, k)
	}
	slices.Sort(names)
	for _, k := range names {
		if err := w.room(len(k)); err != nil {
			return err
		}
		key(k)
		if err := w.value(members[k], depth+1); err != nil {
			return err
		}
	}
	w.buf = append(w.buf, '}')
	return nil
}

func (w *jsonWriter) anyMap(m map[any]any, depth int) error {
	members := make(map[string]any, len(m))
	for k, v := range m {
		name, err := keyText(k)
		if err != nil {
			return err
		}
		members[name] = v
	}
	return w.object("", members, depth, m)
}

func (w *jsonWriter) entries(m *hessian.Map, depth int) error {
	members := make(map[string]any, len(m.Entries))
	for _, e := range m.Entries {
		name, err := keyText(e.Key)
		if err != nil {
			return err
		}
		members[name] = e.Value
	}
	return w.object("", members, depth, m)
}

func keyText(k any) (string, error) {
	switch t := k.(type) {
	case string:
		return t, nil
	case nil:
		return "null", nil
	case *hessian.Object:
		if name, ok := enumName(t); ok {
			return name, nil
		}
		return "", fmt.Errorf("a map has a key of class %s, which JSON cannot show", t.Name())
	case bool, int32, int64, float64:
		return fmt.Sprint(t), nil
	case time.Time:
		return t.UTC().Format(time.RFC3339Nano), nil
	case hessian.Instant:
		return t.UTC().Format(time.RFC3339Nano), nil
	case time.Duration:
		return isoDuration(t), nil
	case hessian.Locale:
		return string(t), nil
	case encoding.TextMarshaler:
		text, err := t.MarshalText()
		return string(text), err
	case map[string]any:
		if small, ok := hessian.FromBean(t); ok {
			return keyText(small)
		}
	}
	return "", fmt.Errorf("a map has a key of type %T, which JSON cannot show", k)
}

// javaObject shows enum constants by their name, other objects by their fields.
func (w *jsonWriter) javaObject(o *hessian.Object, depth int) error {
	if o == nil {
		w.buf = append(w.buf, "null"...)
		return nil
	}
	if name, ok := enumName(o); ok {
		w.text(name)
		return nil
	}
	members := make(map[string]any, len(o.Values))
	for i, f := range o.Class.Fields {
		members[f] = o.Values[i]
	}
	return w.object(o.Name(), members, depth, o)
}

// enumName returns the constant's name of an object that looks like an enum constant: one text field called name.
func enumName(o *hessian.Object) (string, bool) {
	if o == nil || len(o.Values) != 1 || o.Class.Fields[0] != "name" {
		return "", false
	}
	s, ok := o.Values[0].(string)
	return s, ok
}

// other writes typed Go lists and maps, and Go structs of known classes.
func (w *jsonWriter) other(v any, depth int) error {
	r := reflect.ValueOf(v)
	switch r.Kind() {
	case reflect.Slice, reflect.Array:
		if r.Type().Elem().Kind() == reflect.Uint8 {
			break
		}
		if err := w.room(r.Len()); err != nil {
			return err
		}
		list := make([]any, r.Len())
		for i := range list {
			list[i] = r.Index(i).Interface()
		}
		return w.list(list, depth)
	case reflect.Pointer:
		if r.IsNil() {
			return w.value(nil, depth)
		}
	}
	if left := w.limit - len(w.buf); !weighs(r, &left, 0) {
		return w.room(w.limit + 1)
	}
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("cannot show %T as JSON: %w", v, err)
	}
	w.buf = append(w.buf, b...)
	return w.room(0)
}
