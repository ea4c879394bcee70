package hessian

import (
	"fmt"
	"math"
	"math/big"
	"reflect"
	"time"
	"unsafe"
)

// Encode appends v; docs/hessian.md says which Java value each Go value becomes. On an error the buffer holds a
// part of v: see Truncate.
func (e *Encoder) Encode(v any) error {
	switch v := v.(type) {
	case nil:
		e.EncodeNull()
	case bool:
		e.EncodeBool(v)
	case string:
		e.EncodeString(v)
	case int32:
		e.EncodeInt(v)
	case int64:
		e.EncodeLong(v)
	case int:
		e.EncodeLong(int64(v))
	case int8:
		e.EncodeInt(int32(v))
	case int16:
		e.EncodeInt(int32(v))
	case uint8:
		e.EncodeInt(int32(v))
	case uint16:
		e.EncodeInt(int32(v))
	case uint32:
		e.EncodeLong(int64(v))
	case uint64:
		return e.encodeUint(v)
	case uint:
		return e.encodeUint(uint64(v))
	case float64:
		e.EncodeDouble(v)
	case float32:
		e.EncodeDouble(float64(v))
	case []byte:
		if v == nil {
			e.EncodeNull()
			return nil
		}
		e.EncodeBinary(v)
	case time.Time:
		e.EncodeTime(v)
	case []any:
		return e.encodeAnys("", v)
	case map[string]any:
		return e.encodeStringAnyMap(v)
	case map[string]string:
		e.encodeStringMap(v)
	case map[any]any:
		return e.encodeAnyMap(v)
	default:
		return e.encodeOther(v)
	}
	return nil
}

func (e *Encoder) encodeOther(v any) error {
	switch v := v.(type) {
	case []string:
		return encodeArray(e, "[string", v, AppendString)
	case []int32:
		return encodeArray(e, "[int", v, AppendInt)
	case []int64:
		return encodeArray(e, "[long", v, AppendLong)
	case []int:
		return encodeArray(e, "[long", v, func(b []byte, i int) []byte { return AppendLong(b, int64(i)) })
	case []int16:
		return encodeArray(e, "[short", v, func(b []byte, i int16) []byte { return AppendInt(b, int32(i)) })
	case []float64:
		return encodeArray(e, "[double", v, AppendDouble)
	case []float32:
		return encodeArray(e, "[float", v, func(b []byte, f float32) []byte { return AppendDouble(b, float64(f)) })
	case []bool:
		return encodeArray(e, "[boolean", v, AppendBool)
	case *Object:
		return e.encodeObject(v)
	case *List:
		if v == nil {
			e.EncodeNull()
			return nil
		}
		return e.encodeItems(v.Type, v.Items, refKey{unsafe.Pointer(v), refList, 0})
	case *Map:
		return e.encodeMap(v)
	case Enum:
		e.encodeEnum(v.Class, v.Name)
		return nil
	case *big.Int:
		return e.encodeBigInteger(v)
	case Decimal:
		e.encodeDecimal(string(v))
		return nil
	case *Throwable:
		return e.encodeThrowable(v)
	}
	if done, err := e.encodeJavaTime(v); done {
		return err
	}
	return e.encodeReflect(reflect.ValueOf(v))
}

func (e *Encoder) encodeUint(v uint64) error {
	if v > math.MaxInt64 {
		return fmt.Errorf("%w: uint64 %d does not fit a Java long: pass a *big.Int", ErrType, v)
	}
	e.EncodeLong(int64(v))
	return nil
}

func encodeArray[T any](e *Encoder, typ string, v []T, put func([]byte, T) []byte) error {
	if v == nil {
		e.EncodeNull()
		return nil
	}
	if len(v) > 0 && e.seen(unsafe.Pointer(unsafe.SliceData(v)), refSlice, len(v)) {
		return nil
	}
	if len(v) == 0 {
		e.refs.anonymous()
	}
	e.listHeader(typ, len(v))
	for _, item := range v {
		e.buf = put(e.buf, item)
	}
	return nil
}

func (e *Encoder) encodeAnys(typ string, v []any) error {
	if v == nil {
		e.EncodeNull()
		return nil
	}
	return e.encodeItems(typ, v, refKey{unsafe.Pointer(unsafe.SliceData(v)), refSlice, len(v)})
}

func (e *Encoder) encodeItems(typ string, items []any, id refKey) error {
	if len(items) == 0 {
		e.refs.anonymous()
	} else if e.seen(id.p, id.kind, id.n) {
		return nil
	}
	if err := e.enter(); err != nil {
		return err
	}
	e.listHeader(typ, len(items))
	for i, item := range items {
		if err := e.Encode(item); err != nil {
			return fmt.Errorf("[%d]: %w", i, err)
		}
	}
	e.leave()
	return nil
}

func (e *Encoder) encodeStringMap(m map[string]string) {
	if m == nil {
		e.EncodeNull()
		return
	}
	if e.seen(reflect.ValueOf(m).UnsafePointer(), refMap, 0) {
		return
	}
	e.mapHeader("")
	for k, v := range m {
		e.buf = AppendString(AppendString(e.buf, k), v)
	}
	e.EncodeMapEnd()
}

func (e *Encoder) encodeStringAnyMap(m map[string]any) error {
	if m == nil {
		e.EncodeNull()
		return nil
	}
	if e.seen(reflect.ValueOf(m).UnsafePointer(), refMap, 0) {
		return nil
	}
	if err := e.enter(); err != nil {
		return err
	}
	e.mapHeader("")
	for k, v := range m {
		e.EncodeString(k)
		if err := e.Encode(v); err != nil {
			return fmt.Errorf("[%q]: %w", k, err)
		}
	}
	e.EncodeMapEnd()
	e.leave()
	return nil
}

func (e *Encoder) encodeAnyMap(m map[any]any) error {
	if m == nil {
		e.EncodeNull()
		return nil
	}
	if e.seen(reflect.ValueOf(m).UnsafePointer(), refMap, 0) {
		return nil
	}
	if err := e.enter(); err != nil {
		return err
	}
	e.mapHeader("")
	for k, v := range m {
		if err := e.encodeEntry(k, v); err != nil {
			return err
		}
	}
	e.EncodeMapEnd()
	e.leave()
	return nil
}

func (e *Encoder) encodeEntry(k, v any) error {
	if err := e.Encode(k); err != nil {
		return fmt.Errorf("key %v: %w", k, err)
	}
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("[%v]: %w", k, err)
	}
	return nil
}

func (e *Encoder) encodeMap(m *Map) error {
	if m == nil {
		e.EncodeNull()
		return nil
	}
	if e.seen(unsafe.Pointer(m), refMapValue, 0) {
		return nil
	}
	if err := e.enter(); err != nil {
		return err
	}
	e.mapHeader(m.Type)
	for _, entry := range m.Entries {
		if err := e.encodeEntry(entry.Key, entry.Value); err != nil {
			return err
		}
	}
	e.EncodeMapEnd()
	e.leave()
	return nil
}

func (e *Encoder) encodeObject(o *Object) error {
	if o == nil {
		e.EncodeNull()
		return nil
	}
	if o.Class == nil || len(o.Class.Fields) != len(o.Values) {
		return fmt.Errorf("%w: hessian.Object %q needs one value for each field of its class: use NewObject", ErrType, o.Name())
	}
	if e.seen(unsafe.Pointer(o), refObject, 0) {
		return nil
	}
	if err := e.enter(); err != nil {
		return err
	}
	e.objectHeader(o.Class)
	for i, v := range o.Values {
		if err := e.Encode(v); err != nil {
			return fmt.Errorf("%s.%s: %w", o.Class.Name, o.Class.Fields[i], err)
		}
	}
	e.leave()
	return nil
}

func (e *Encoder) encodeEnum(class, name string) {
	e.refs.anonymous()
	for i, known := range e.classes {
		if known.Name == class && len(known.Fields) == 1 && known.Fields[0] == "name" {
			e.objectHeader(e.classes[i])
			e.EncodeString(name)
			return
		}
	}
	e.objectHeader(&Class{Name: class, Fields: []string{"name"}})
	e.EncodeString(name)
}
