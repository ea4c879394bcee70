package hessian

import (
	"encoding"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"time"
)

// Assign stores the decoded value v in the variable that dst points to, converting where nothing is lost: numbers to other
// number types that hold them, lists to slices and arrays, maps and objects to structs (by field name, as
// TypesBuilder.Struct has it) and maps, Date and java.time values to time.Time, enums to text types. Null stores the zero
// value. Shared and circular structure is kept where dst has pointers.
func Assign(dst, v any) error { return (*Types)(nil).Assign(dst, v) }

// Assign is the function Assign with the enums and structs of t.
func (t *Types) Assign(dst, v any) error {
	p := reflect.ValueOf(dst)
	if p.Kind() != reflect.Pointer || p.IsNil() {
		return fmt.Errorf("%w: Assign needs a pointer to the variable, not %T", ErrType, dst)
	}
	a := assigner{types: t}
	return a.set(p.Elem(), v)
}

// assigner converts one decoded value. It remembers which pointers it made for which decoded containers.
type assigner struct {
	types *Types
	made  map[madeKey]reflect.Value
	plans map[reflect.Type]*plan
	depth int
}

type madeKey struct {
	from uintptr
	to   reflect.Type
}

func (a *assigner) set(dst reflect.Value, v any) error {
	if v == nil {
		dst.SetZero()
		return nil
	}
	src := reflect.ValueOf(v)
	t := dst.Type()
	if src.Type().AssignableTo(t) {
		dst.Set(src)
		return nil
	}
	if m, ok := v.(map[string]any); ok && dst.Kind() != reflect.Map && dst.Kind() != reflect.Pointer {
		if bean, ok := FromBean(m); ok {
			v, src = bean, reflect.ValueOf(bean)
			if src.Type().AssignableTo(t) {
				dst.Set(src)
				return nil
			}
		}
	}
	if a.depth++; a.depth > defaultMaxDepth {
		return limitError("nesting", defaultMaxDepth)
	}
	defer func() { a.depth-- }()
	if a.types != nil {
		if e := a.types.enumsGo[t]; e != nil {
			if name, ok := enumName(v); ok {
				return e.parseInto(dst, name)
			}
		}
	}
	if done, err := a.setJava(dst, v); done {
		return err
	}
	switch dst.Kind() {
	case reflect.Pointer:
		return a.setPointer(dst, v)
	case reflect.Bool, reflect.String:
		if src.Kind() == dst.Kind() {
			dst.Set(src.Convert(t))
			return nil
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Float32, reflect.Float64:
		return setNumber(dst, src)
	case reflect.Slice, reflect.Array:
		return a.setList(dst, v)
	case reflect.Map:
		return a.setMap(dst, v)
	case reflect.Struct:
		return a.setStruct(dst, v)
	}
	return mismatch(t, v)
}

func mismatch(t reflect.Type, v any) error {
	if o, ok := v.(*Object); ok {
		return fmt.Errorf("%w: an object of class %s does not fit a Go %v", ErrType, o.Name(), t)
	}
	return fmt.Errorf("%w: a %T does not fit a Go %v", ErrType, v, t)
}

func enumName(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case *Object:
		if v != nil && v.Class != nil && len(v.Class.Fields) == 1 && v.Class.Fields[0] == "name" {
			name, ok := v.Values[0].(string)
			return name, ok
		}
	}
	return "", false
}

// setJava handles targets of special Go types.
func (a *assigner) setJava(dst reflect.Value, v any) (bool, error) {
	switch p := dst.Addr().Interface().(type) {
	case *time.Time:
		if t, ok := toTime(v); ok {
			*p = t
			return true, nil
		}
		return true, mismatch(dst.Type(), v)
	case *string:
		if name, ok := enumName(v); ok {
			*p = name
			return true, nil
		}
		switch v := v.(type) {
		case Decimal:
			*p = string(v)
			return true, nil
		case UUID:
			*p = v.String()
			return true, nil
		case Locale:
			*p = string(v)
			return true, nil
		}
	case *Decimal:
		switch v := v.(type) {
		case string:
			*p = Decimal(v)
			return true, nil
		case *big.Int:
			*p = Decimal(v.String())
			return true, nil
		}
	case *big.Int:
		if b, ok := v.(*big.Int); ok && b != nil {
			p.Set(b)
			return true, nil
		}
		if i := reflect.ValueOf(v); i.CanInt() {
			p.SetInt64(i.Int())
			return true, nil
		}
	case *UUID:
		if s, ok := v.(string); ok {
			u, err := ParseUUID(s)
			*p = u
			return true, err
		}
	case encoding.TextUnmarshaler:
		if name, ok := enumName(v); ok {
			if err := p.UnmarshalText([]byte(name)); err != nil {
				return true, fmt.Errorf("%w: %q does not fit a Go %v: %w", ErrType, name, dst.Type(), err)
			}
			return true, nil
		}
	}
	return false, nil
}

// identity returns an address that stands for a decoded container, 0 for other values.
func identity(v any) uintptr {
	switch src := reflect.ValueOf(v); src.Kind() {
	case reflect.Map, reflect.Pointer:
		return src.Pointer()
	case reflect.Slice:
		if src.Len() > 0 {
			return src.Pointer()
		}
	}
	return 0
}

func (a *assigner) setPointer(dst reflect.Value, v any) error {
	t := dst.Type()
	key := madeKey{identity(v), t}
	if key.from != 0 {
		if p, ok := a.made[key]; ok {
			dst.Set(p)
			return nil
		}
	}
	p := reflect.New(t.Elem())
	if key.from != 0 {
		if a.made == nil {
			a.made = map[madeKey]reflect.Value{}
		}
		a.made[key] = p
	}
	dst.Set(p)
	return a.set(p.Elem(), v)
}

func setNumber(dst, src reflect.Value) error {
	lost := func() error {
		return fmt.Errorf("%w: %v %v does not fit a Go %v", ErrType, src.Kind(), src.Interface(), dst.Type())
	}
	if b, ok := src.Interface().(*big.Int); ok && b != nil && b.IsInt64() {
		src = reflect.ValueOf(b.Int64())
	}
	switch {
	case dst.CanInt() && src.CanInt():
		if dst.OverflowInt(src.Int()) {
			return lost()
		}
		dst.SetInt(src.Int())
	case dst.CanInt() && src.CanFloat():
		f := src.Float()
		if f != math.Trunc(f) || f < -1<<63 || f >= 1<<63 || dst.OverflowInt(int64(f)) {
			return lost()
		}
		dst.SetInt(int64(f))
	case dst.CanUint() && src.CanInt():
		if src.Int() < 0 || dst.OverflowUint(uint64(src.Int())) {
			return lost()
		}
		dst.SetUint(uint64(src.Int()))
	case dst.CanUint() && src.CanFloat():
		f := src.Float()
		if f != math.Trunc(f) || f < 0 || f >= 1<<63 || dst.OverflowUint(uint64(f)) {
			return lost()
		}
		dst.SetUint(uint64(f))
	case dst.CanFloat() && src.CanFloat():
		dst.SetFloat(src.Float())
	case dst.CanFloat() && src.CanInt():
		dst.SetFloat(float64(src.Int()))
	default:
		return mismatch(dst.Type(), src.Interface())
	}
	return nil
}
