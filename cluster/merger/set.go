package merger

import (
	"fmt"
	"math/big"
	"reflect"

	"github.com/dubway-go/dubway/hessian"
)

// maxCompared bounds the elements that have to be compared one with another, because they are lists, maps or objects.
const maxCompared = 4096

// members is a set of values: equal ones are in it once. The zero value is empty.
type members struct {
	plain map[any]struct{}
	deep  []any
}

// plainKey returns what stands for v in a Go map, false when v must be compared in depth.
func plainKey(v any) (any, bool) {
	switch v := v.(type) {
	case nil:
		return nil, true
	case *big.Int:
		return "big " + v.String(), true
	case *hessian.Object, *hessian.List, *hessian.Map:
		return nil, false
	}
	return v, reflect.ValueOf(v).Comparable()
}

func (m *members) has(v any) bool {
	if key, ok := plainKey(v); ok {
		_, there := m.plain[key]
		return there
	}
	for _, other := range m.deep {
		if reflect.DeepEqual(other, v) {
			return true
		}
	}
	return false
}

// add puts v in and reports whether it was new.
func (m *members) add(v any) (bool, error) {
	if m.has(v) {
		return false, nil
	}
	key, ok := plainKey(v)
	if !ok {
		if len(m.deep) >= maxCompared {
			return false, fmt.Errorf("a set of more than %d lists, maps or objects cannot be merged", maxCompared)
		}
		m.deep = append(m.deep, v)
		return true, nil
	}
	if m.plain == nil {
		m.plain = make(map[any]struct{})
	}
	m.plain[key] = struct{}{}
	return true, nil
}

// sets unites sets, in the order in which their elements are met first.
func sets(values []any) (any, error) {
	out := []any{}
	var seen members
	for _, v := range values {
		part, err := items(v)
		if err != nil {
			return nil, err
		}
		for _, one := range part {
			isNew, err := seen.add(one)
			if err != nil {
				return nil, err
			}
			if isNew {
				out = append(out, one)
			}
		}
	}
	return out, nil
}

// without returns the first list without what is in the others, or, when not remove, with only what is in all of them.
func without(values []any, remove bool) (any, error) {
	var out []any
	started := false
	for _, v := range values {
		if v == nil {
			continue
		}
		part, err := items(v)
		if err != nil {
			return nil, err
		}
		if !started {
			out, started = append([]any{}, part...), true
			continue
		}
		var these members
		for _, one := range part {
			if _, err := these.add(one); err != nil {
				return nil, err
			}
		}
		kept := out[:0]
		for _, one := range out {
			if these.has(one) != remove {
				kept = append(kept, one)
			}
		}
		out = kept
	}
	return out, nil
}
