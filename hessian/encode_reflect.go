package hessian

import (
	"fmt"
	"math/big"
	"reflect"
	"time"
	"unsafe"
)

// encodeReflect encodes what the type switches of Encode do not name: registered structs and enums, named types,
// typed slices and maps, pointers.
func (e *Encoder) encodeReflect(v reflect.Value) error {
	if !v.IsValid() {
		e.EncodeNull()
		return nil
	}
	t := v.Type()
	if e.types != nil {
		if p := e.types.enumsGo[t]; p != nil {
			return e.encodeRegisteredEnum(p, v)
		}
	}
	switch v.Kind() {
	case reflect.Bool:
		e.EncodeBool(v.Bool())
	case reflect.String:
		if special(t) {
			return e.encodeSpecial(v)
		}
		e.EncodeString(v.String())
	case reflect.Int8, reflect.Int16, reflect.Int32:
		e.EncodeInt(int32(v.Int()))
	case reflect.Int, reflect.Int64:
		if special(t) {
			return e.Encode(v.Interface())
		}
		e.EncodeLong(v.Int())
	case reflect.Uint8, reflect.Uint16:
		e.EncodeInt(int32(v.Uint()))
	case reflect.Uint32:
		e.EncodeLong(int64(v.Uint()))
	case reflect.Uint, reflect.Uint64:
		return e.encodeUint(v.Uint())
	case reflect.Float32, reflect.Float64:
		e.EncodeDouble(v.Float())
	case reflect.Interface:
		return e.encodeInterface(v)
	case reflect.Pointer:
		return e.encodePointer(v)
	case reflect.Struct:
		return e.encodeStruct(v, nil)
	case reflect.Slice, reflect.Array:
		return e.encodeSlice(v)
	case reflect.Map:
		return e.encodeGoMap(v)
	default:
		return fmt.Errorf("%w: a Go %v has no Java counterpart", ErrType, t)
	}
	return nil
}

func (e *Encoder) encodeRegisteredEnum(p *enumPlan, v reflect.Value) error {
	name, err := p.name(v)
	if err != nil {
		return err
	}
	if name == "" { // the zero value: a Java enum has no constant without a name
		e.EncodeNull()
		return nil
	}
	e.refs.anonymous()
	e.objectHeader(p.class)
	e.EncodeString(name)
	return nil
}

func (e *Encoder) encodeInterface(v reflect.Value) error {
	if v.IsNil() {
		e.EncodeNull()
		return nil
	}
	return e.Encode(v.Elem().Interface())
}

func (e *Encoder) encodePointer(v reflect.Value) error {
	if v.IsNil() {
		e.EncodeNull()
		return nil
	}
	switch p := v.Interface().(type) {
	case *Object, *List, *Map, *Throwable, *big.Int:
		return e.Encode(p)
	}
	if err := e.enter(); err != nil {
		return err
	}
	defer e.leave()
	if elem := v.Elem(); elem.Kind() == reflect.Struct {
		return e.encodeStruct(elem, v.UnsafePointer())
	}
	return e.encodeReflect(v.Elem())
}

// encodeStruct encodes a struct; id is its address when it has an identity.
func (e *Encoder) encodeStruct(v reflect.Value, id unsafe.Pointer) error {
	t := v.Type()
	if t == timeType {
		if v.CanAddr() {
			e.EncodeTime(*(*time.Time)(v.Addr().UnsafePointer()))
			return nil
		}
		return e.Encode(v.Interface())
	}
	if special(t) {
		return e.Encode(v.Interface())
	}
	p, class, err := e.planOf(t)
	if err != nil {
		return err
	}
	if id == nil {
		e.refs.anonymous()
	} else if e.seen(id, uintptr(unsafe.Pointer(p)), 0) {
		return nil
	}
	if err := e.enter(); err != nil {
		return err
	}
	if class {
		e.objectHeader(p.class)
	} else {
		e.mapHeader("")
	}
	for i := range p.fields {
		f := &p.fields[i]
		if !class {
			e.EncodeString(f.name)
		}
		if err := e.encodeReflect(f.peek(v)); err != nil {
			return inField(t.String(), f.name, err)
		}
	}
	if !class {
		e.EncodeMapEnd()
	}
	e.leave()
	return nil
}

// planOf returns how t is encoded: as the class that it is registered as, else as an untyped map of its fields, which a
// Java method with a POJO parameter takes as well.
func (e *Encoder) planOf(t reflect.Type) (p *plan, class bool, err error) {
	if e.types != nil {
		if p := e.types.byType[t]; p != nil {
			return p, true, nil
		}
	}
	if p := e.plans[t]; p != nil {
		return p, false, nil
	}
	if p, err = newPlan("", t); err != nil {
		return nil, false, err
	}
	if e.plans == nil {
		e.plans = map[reflect.Type]*plan{}
	}
	e.plans[t] = p
	return p, false, nil
}

// encodeSlice encodes a typed slice or array as an untyped list, and what holds bytes as a byte[].
func (e *Encoder) encodeSlice(v reflect.Value) error {
	slice := v.Kind() == reflect.Slice
	if slice && v.IsNil() {
		e.EncodeNull()
		return nil
	}
	if special(v.Type()) {
		return e.encodeSpecial(v)
	}
	if v.Type().Elem().Kind() == reflect.Uint8 {
		if slice || v.CanAddr() {
			e.EncodeBinary(v.Bytes())
			return nil
		}
		b := make([]byte, v.Len())
		reflect.Copy(reflect.ValueOf(b), v)
		e.EncodeBinary(b)
		return nil
	}
	n := v.Len()
	if slice && n > 0 {
		if e.seen(v.UnsafePointer(), refSlice, n) {
			return nil
		}
	} else {
		e.refs.anonymous()
	}
	if err := e.enter(); err != nil {
		return err
	}
	e.listHeader("", n)
	for i := range n {
		if err := e.encodeReflect(v.Index(i)); err != nil {
			return fmt.Errorf("[%d]: %w", i, err)
		}
	}
	e.leave()
	return nil
}

// encodeSpecial is Encode for a field or element, without an allocation for the common types.
func (e *Encoder) encodeSpecial(v reflect.Value) error {
	if v.Type() == decimalType {
		e.encodeDecimal(v.String())
		return nil
	}
	if v.CanAddr() {
		switch p := v.Addr().Interface().(type) {
		case *[]string:
			return encodeArray(e, "[string", *p, AppendString)
		case *[]int32:
			return encodeArray(e, "[int", *p, AppendInt)
		case *[]int64:
			return encodeArray(e, "[long", *p, AppendLong)
		case *[]any:
			return e.encodeAnys("", *p)
		}
	}
	return e.Encode(v.Interface())
}

func (e *Encoder) encodeGoMap(v reflect.Value) error {
	switch m := v.Interface().(type) { // a map in an interface takes no memory
	case map[string]string:
		e.encodeStringMap(m)
		return nil
	case map[string]any:
		return e.encodeStringAnyMap(m)
	case map[any]any:
		return e.encodeAnyMap(m)
	}
	if v.IsNil() {
		e.EncodeNull()
		return nil
	}
	if e.seen(v.UnsafePointer(), refMap, 0) {
		return nil
	}
	if err := e.enter(); err != nil {
		return err
	}
	e.mapHeader("")
	for it := v.MapRange(); it.Next(); {
		if err := e.encodeReflect(it.Key()); err != nil {
			return fmt.Errorf("key %v: %w", it.Key(), err)
		}
		if err := e.encodeReflect(it.Value()); err != nil {
			return fmt.Errorf("[%v]: %w", it.Key(), err)
		}
	}
	e.EncodeMapEnd()
	e.leave()
	return nil
}
