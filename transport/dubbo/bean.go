package dubbo

import (
	"bytes"
	"reflect"

	"github.com/dubway-go/dubway/hessian"
)

// withoutBeans returns v, the value of body, with every map of getters that stands for a UUID, Locale or java.time value replaced by that
// value (hessian.FromBean): a Java provider answers generic calls so. The containers of v are changed in place; body tells whether there can
// be any such map, so that others cost nothing.
func withoutBeans(v any, body []byte) any {
	if !bytes.Contains(body, []byte("java.time.")) && !bytes.Contains(body, []byte("java.util.")) {
		return v
	}
	return (&beanWalk{}).value(v)
}

// beanWalk visits each container once, because containers can be shared and can contain themselves. Decoding has bounded their depth.
type beanWalk struct{ seen map[beanPlace]any }

type beanPlace struct {
	at uintptr
	n  int
}

func (w *beanWalk) value(v any) any {
	var place beanPlace
	switch t := v.(type) {
	case map[string]any, map[any]any, *hessian.Object, *hessian.Map, *hessian.List:
		place = beanPlace{reflect.ValueOf(v).Pointer(), -1}
	case []any:
		place = beanPlace{reflect.ValueOf(v).Pointer(), len(t)}
	default:
		return v
	}
	if small, ok := w.seen[place]; ok {
		return small
	}
	if w.seen == nil {
		w.seen = make(map[beanPlace]any)
	}
	w.seen[place] = v
	switch t := v.(type) {
	case []any:
		w.list(t)
	case map[string]any:
		if small, ok := hessian.FromBean(t); ok {
			w.seen[place] = small
			return small
		}
		for k, e := range t {
			t[k] = w.value(e)
		}
	case map[any]any:
		for k, e := range t {
			t[k] = w.value(e)
		}
	case *hessian.Object:
		w.list(t.Values)
	case *hessian.List:
		w.list(t.Items)
	case *hessian.Map:
		for i := range t.Entries {
			e := &t.Entries[i]
			e.Key, e.Value = w.value(e.Key), w.value(e.Value)
		}
	}
	return v
}

func (w *beanWalk) list(items []any) {
	for i, e := range items {
		items[i] = w.value(e)
	}
}
