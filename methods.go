package dubway

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

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
	fn          reflect.Value  // takes the receiver first
	params      []reflect.Type // without receiver and context
	withContext bool
	variadic    bool
	value, err  int       // index of the result and of the error, -1 when the method has none
	inputs      sync.Pool // *inputs
}

// inputs is what a method gets: the receiver, the context if it takes one, the arguments. It is pooled.
type inputs struct {
	values []reflect.Value
	ctx    context.Context // where the value for the context points
}

// methodsOf finds the methods of v that can serve: optional context first, then arguments; a value, an error, both or neither
// as results. The first letter of the name becomes lower case, as Java spells it.
func methodsOf(v any, types *hessian.Types) (*methods, error) {
	r := reflect.ValueOf(v)
	m := &methods{receiver: r.Type().String(), types: types, byName: make(map[string]*method)}
	var unfit []string
	for i := range r.NumMethod() {
		name := r.Type().Method(i).Name
		one, why := methodOf(r, r.Type().Method(i).Func)
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

// methodOf looks at one method as a function of its receiver, which costs less to call than a method value.
func methodOf(receiver, fn reflect.Value) (*method, string) {
	t := fn.Type()
	m := &method{fn: fn, value: -1, err: -1, variadic: t.IsVariadic()}
	m.inputs.New = func() any {
		in := &inputs{values: make([]reflect.Value, 1, t.NumIn())}
		in.values[0] = receiver
		return in
	}
	for i := 1; i < t.NumIn(); i++ {
		in := t.In(i)
		if i == 1 && in == reflect.TypeFor[context.Context]() {
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
	in := one.inputs.Get().(*inputs)
	defer one.giveBack(in)
	if err := one.arguments(in, ctx, request.Args, m.types); err != nil {
		return nil, &Error{Code: rpc.Validation, Service: request.Service, Method: request.Method, Message: err.Error()}
	}
	out := one.call(in.values)
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

// giveBack keeps in for another call, without what this one put in.
func (m *method) giveBack(in *inputs) {
	clear(in.values[1:])
	in.values, in.ctx = in.values[:1], nil
	m.inputs.Put(in)
}

// arguments appends the context and the arguments, converted, to in.
func (m *method) arguments(in *inputs, ctx context.Context, args []any, types *hessian.Types) error {
	if len(args) != len(m.params) {
		return fmt.Errorf("%d arguments were given, the method takes %d", len(args), len(m.params))
	}
	if m.withContext {
		in.ctx = ctx
		in.values = append(in.values, reflect.ValueOf(&in.ctx).Elem())
	}
	for i, t := range m.params {
		if v := reflect.ValueOf(args[i]); v.IsValid() && v.Type() == t {
			in.values = append(in.values, v) // the usual case of a text or number: nothing to convert
			continue
		}
		v := reflect.New(t)
		if err := types.Assign(v.Interface(), args[i]); err != nil {
			return fmt.Errorf("argument %d: %w", i, err)
		}
		in.values = append(in.values, v.Elem())
	}
	return nil
}
