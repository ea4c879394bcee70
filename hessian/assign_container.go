package hessian

import (
	"fmt"
	"reflect"
)

func (a *assigner) setList(dst reflect.Value, v any) error {
	if l, ok := v.(*List); ok && l != nil {
		v = l.Items
	}
	src := reflect.ValueOf(v)
	if src.Kind() != reflect.Slice && src.Kind() != reflect.Array {
		return mismatch(dst.Type(), v)
	}
	n := src.Len()
	if dst.Kind() == reflect.Array {
		if n != dst.Len() {
			return fmt.Errorf("%w: a list of %d does not fit a Go %v", ErrType, n, dst.Type())
		}
		dst.SetZero()
	} else {
		key := madeKey{identity(v), dst.Type()}
		if made, ok := a.made[key]; ok && key.from != 0 && made.Len() == n {
			dst.Set(made)
			return nil
		}
		dst.Set(reflect.MakeSlice(dst.Type(), n, n))
		if key.from != 0 {
			if a.made == nil {
				a.made = map[madeKey]reflect.Value{}
			}
			a.made[key] = dst
		}
	}
	for i := range n {
		if err := a.set(dst.Index(i), src.Index(i).Interface()); err != nil {
			return fmt.Errorf("[%d]: %w", i, err)
		}
	}
	return nil
}

// entriesOf calls yield with each key and value of a decoded map or object.
func entriesOf(v any, yield func(k, v any) error) (bool, error) {
	switch v := v.(type) {
	case *Object:
		for i, name := range v.Class.Fields {
			if err := yield(name, v.Values[i]); err != nil {
				return true, err
			}
		}
		return true, nil
	case *Map:
		for _, e := range v.Entries {
			if err := yield(e.Key, e.Value); err != nil {
				return true, err
			}
		}
		return true, nil
	}
	src := reflect.ValueOf(v)
	if src.Kind() != reflect.Map {
		return false, nil
	}
	for it := src.MapRange(); it.Next(); {
		if err := yield(it.Key().Interface(), it.Value().Interface()); err != nil {
			return true, err
		}
	}
	return true, nil
}

func (a *assigner) setMap(dst reflect.Value, v any) error {
	t := dst.Type()
	key := madeKey{identity(v), t}
	if made, ok := a.made[key]; ok && key.from != 0 {
		dst.Set(made)
		return nil
	}
	m := reflect.MakeMap(t)
	if key.from != 0 {
		if a.made == nil {
			a.made = map[madeKey]reflect.Value{}
		}
		a.made[key] = m
	}
	ok, err := entriesOf(v, func(k, v any) error {
		key := reflect.New(t.Key()).Elem()
		if err := a.set(key, k); err != nil {
			return fmt.Errorf("key %v: %w", k, err)
		}
		if !key.Comparable() {
			return fmt.Errorf("%w: a %T cannot be the key of a Go map", ErrType, k)
		}
		value := reflect.New(t.Elem()).Elem()
		if err := a.set(value, v); err != nil {
			return fmt.Errorf("[%v]: %w", k, err)
		}
		m.SetMapIndex(key, value)
		return nil
	})
	if !ok {
		return mismatch(t, v)
	}
	dst.Set(m)
	return err
}

func (a *assigner) setStruct(dst reflect.Value, v any) error {
	t := dst.Type()
	if src := reflect.ValueOf(v); src.Kind() == reflect.Pointer && src.Type().Elem() == t && !src.IsNil() {
		dst.Set(src.Elem())
		return nil
	}
	p, err := a.planOf(t)
	if err != nil {
		return err
	}
	ok, err := entriesOf(v, func(k, v any) error {
		name, _ := k.(string)
		f := p.field(name)
		if f == nil {
			return nil
		}
		if err := a.set(f.of(dst), v); err != nil {
			return inField(t.String(), name, err)
		}
		return nil
	})
	if !ok {
		return mismatch(t, v)
	}
	return err
}

func (a *assigner) planOf(t reflect.Type) (*plan, error) {
	if a.types != nil {
		if p := a.types.byType[t]; p != nil {
			return p, nil
		}
	}
	if p := a.plans[t]; p != nil {
		return p, nil
	}
	p, err := newPlan("", t)
	if err != nil {
		return nil, err
	}
	if a.plans == nil {
		a.plans = map[reflect.Type]*plan{}
	}
	a.plans[t] = p
	return p, nil
}
