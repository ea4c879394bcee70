package dubway

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/dubway-go/dubway/hessian"
	"github.com/dubway-go/dubway/rpc"
)

// methods serves the exported methods of a Go value. Reflection looks at the methods once, when the service is
// registered; a call converts its arguments and makes one reflect call.
type methods struct {
	receiver string
	types    *hessian.Types
	byName   map[string]*method
	names    []string
}

type method struct {
	fn          reflect.Value
	params      []reflect.Type // without the context
	withContext bool
	variadic    bool
	value, err  int // index of the result and of the error, -1 when the method has none
}

// methodsOf finds the methods of v that can serve: optional context first, then arguments; a value, an error, both or neither
// as results. The first letter of the name becomes lower case, as Java spells it.
func methodsOf(v any, types *hessian.Types) (*methods, error) {
	r := reflect.ValueOf(v)
	m := &methods{receiver: r.Type().String(), types: types, byName: make(map[string]*method)}
	var unfit []string
	for i := range r.NumMethod() {
		name := r.Type().Method(i).Name
		one, why := methodOf(r.Method(i))
		if one == nil {
			unfit = append(unfit, name+" "+why)
			continue
		}
		m.byName[lowerFirst(name)] = one
		m.names = append(m.names, lowerFirst(name))
	}
	if len(m.names) == 0 {
		hint := "it has no exported methods; are they on the pointer?"
		if len(unfit) > 0 {
			hint = strings.Join(unfit, "; ")
		}
		return nil, fmt.Errorf("%s cannot serve calls: %s", m.receiver, hint)
	}
	slices.Sort(m.names)
	return m, nil
}

func methodOf(fn reflect.Value) (*method, string) {
	t := fn.Type()
	m := &method{fn: fn, value: -1, err: -1, variadic: t.IsVariadic()}
	for i := range t.NumIn() {
		in := t.In(i)
		if i == 0 && in == reflect.TypeFor[context.Context]() {
			m.withContext = true
			continue
		}
		switch in.Kind() {
		case reflect.Chan, reflect.Func, reflect.UnsafePointer, reflect.Complex64, reflect.Complex128:
			return nil, fmt.Sprintf("has a parameter of type %s, which no call can carry", in)
		}
		m.params = append(m.params, in)
	}
	failure := reflect.TypeFor[error]()
	switch n := t.NumOut(); {
	case n == 0:
	case n == 1 && t.Out(0) == failure:
		m.err = 0
	case n == 1:
		m.value = 0
	case n == 2 && t.Out(1) == failure:
		m.value, m.err = 0, 1
	default:
		return nil, "returns something else than a value and an error"
	}
	return m, ""
}

// Serve implements Handler.
func (m *methods) Serve(ctx context.Context, request *Request) (any, error) {
	one, ok := m.byName[request.Method]
	if !ok {
		return nil, &Error{Code: rpc.MethodNotFound, Service: request.Service, Method: request.Method,
			Message: fmt.Sprintf("the service has %s", strings.Join(m.names, ", "))}
	}
	in, err := one.arguments(ctx, request.Args, m.types)
	if err != nil {
		return nil, &Error{Code: rpc.Validation, Service: request.Service, Method: request.Method, Message: err.Error()}
	}
	out := one.call(in)
	if one.err >= 0 && !out[one.err].IsNil() {
		return nil, out[one.err].Interface().(error)
	}
	if one.value < 0 {
		return nil, nil
	}
	return out[one.value].Interface(), nil
}

func (m *method) call(in []reflect.Value) []reflect.Value {
	if m.variadic {
		return m.fn.CallSlice(in)
	}
	return m.fn.Call(in)
}

func (m *method) arguments(ctx context.Context, args []any, types *hessian.Types) ([]reflect.Value, error) {
	if len(args) != len(m.params) {
		return nil, fmt.Errorf("%d arguments were given, the method takes %d", len(args), len(m.params))
	}
	in := make([]reflect.Value, 0, len(args)+1)
	if m.withContext {
		in = append(in, reflect.ValueOf(ctx))
	}
	for i, t := range m.params {
		v := reflect.New(t)
		if err := types.Assign(v.Interface(), args[i]); err != nil {
			return nil, fmt.Errorf("argument %d: %w", i, err)
		}
		in = append(in, v.Elem())
	}
	return in, nil
}
