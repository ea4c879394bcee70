package merger

import (
	"fmt"
	"reflect"

	"github.com/dubway-go/dubway/hessian"
)

// items returns the elements of any list.
func items(v any) ([]any, error) {
	switch v := v.(type) {
	case nil:
		return nil, nil
	case []any:
		return v, nil
	case *hessian.List:
		return v.Items, nil
	}
	r := reflect.ValueOf(v)
	if r.Kind() != reflect.Slice {
		return nil, fmt.Errorf("%T is no list", v)
	}
	out := make([]any, r.Len())
	for i := range out {
		out[i] = r.Index(i).Interface()
	}
	return out, nil
}

// lists joins lists into one; nulls count as empty.
func lists(values []any) (any, error) {
	out := []any{}
	for _, v := range values {
		part, err := items(v)
		if err != nil {
			return nil, err
		}
		out = append(out, part...)
	}
	return out, nil
}

// slicesOf joins arrays of one type into an array of that type. A list of another type beside a []any makes a []any; two arrays of different
// types are an error, as in Dubbo.
func slicesOf(values []any) (any, error) {
	var kind reflect.Type
	for _, v := range values {
		if v == nil {
			continue
		}
		t := reflect.TypeOf(v)
		switch {
		case kind == nil:
			kind = t
		case t == kind:
		case t == reflect.TypeFor[[]any]() || kind == reflect.TypeFor[[]any]():
			return lists(values)
		default:
			return nil, fmt.Errorf("the results are of different types: %v and %v", kind, t)
		}
	}
	out := reflect.MakeSlice(kind, 0, 0)
	for _, v := range values {
		if v != nil {
			out = reflect.AppendSlice(out, reflect.ValueOf(v))
		}
	}
	return out.Interface(), nil
}

// arrays returns the merger of arrays with elements of type T.
func arrays[T any]() func([]any) (any, error) {
	return func(values []any) (any, error) {
		out := []T{}
		for _, v := range values {
			switch v := v.(type) {
			case nil:
			case []T:
				out = append(out, v...)
			default:
				part, err := items(v)
				if err != nil {
					return nil, fmt.Errorf("%T is no %T", v, out)
				}
				for _, one := range part {
					var to T
					if err := hessian.Assign(&to, one); err != nil {
						return nil, fmt.Errorf("%T is no %T: %w", v, out, err)
					}
					out = append(out, to)
				}
			}
		}
		return out, nil
	}
}

// texts joins char[], which arrive as text.
func texts(values []any) (any, error) {
	out := ""
	for _, v := range values {
		s, ok := v.(string)
		if !ok && v != nil {
			return nil, fmt.Errorf("%T is no text", v)
		}
		out += s
	}
	return out, nil
}

// maps lays maps over each other: where a key is in several, the last one's value counts.
func maps(values []any) (any, error) {
	out := map[string]any{}
	var other map[any]any // once a key is no text
	add := func(k, v any) error {
		if text, ok := k.(string); ok && other == nil {
			out[text] = v
			return nil
		}
		if k != nil && !reflect.TypeOf(k).Comparable() {
			return fmt.Errorf("a map with keys of type %T cannot be merged", k)
		}
		if other == nil {
			other = make(map[any]any, len(out))
			for text, v := range out {
				other[text] = v
			}
		}
		other[k] = v
		return nil
	}
	for _, v := range values {
		switch v := v.(type) {
		case nil:
		case map[string]any:
			for k, one := range v {
				if err := add(k, one); err != nil {
					return nil, err
				}
			}
		case map[any]any:
			for k, one := range v {
				if err := add(k, one); err != nil {
					return nil, err
				}
			}
		case *hessian.Map:
			for _, e := range v.Entries {
				if err := add(e.Key, e.Value); err != nil {
					return nil, err
				}
			}
		default:
			return nil, fmt.Errorf("%T is no map", v)
		}
	}
	if other != nil {
		return other, nil
	}
	return out, nil
}
