package dubbo_test

import (
	"context"
	"reflect"
	"testing"
	"time"

	"github.com/dubway-go/dubway/hessian"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/transport/dubbo"
)

// TestSmallJavaTypesOfAGenericAnswer: a provider that answers as Java does to generic calls.
func TestSmallJavaTypesOfAGenericAnswer(t *testing.T) {
	span := map[string]any{"class": "java.time.Duration", "seconds": int64(90), "nano": int32(5)}
	locale := map[string]any{"class": "java.util.Locale", "language": "zh", "country": "CN"}
	shared := []any{span, locale}
	broken := map[string]any{"class": "java.time.Duration", "seconds": "ninety"}
	order := map[string]any{"class": "com.example.Order", "took": span, "all": shared, "again": shared, "broken": broken, "class2": "java.time.x"}
	order["self"] = order
	var answer any = order
	_, address := serve(t, dubbo.ServerOptions{}, dubbo.HandlerFunc(func(context.Context, *dubbo.ServerCall) (rpc.Result, error) {
		return rpc.Result{Value: answer}, nil
	}))
	c := newClient(t, dubbo.ClientOptions{})
	to := instance(t, address, "")
	got, err := c.Invoke(t.Context(), to, call("x"))
	if err != nil {
		t.Fatal(err)
	}
	took := 90*time.Second + 5
	m, ok := got.Value.(map[string]any)
	want := []any{took, hessian.Locale("zh_CN")}
	if !ok || m["took"] != took || !reflect.DeepEqual(m["all"], want) || !reflect.DeepEqual(m["again"], want) || !reflect.DeepEqual(m["broken"], broken) {
		t.Errorf("took %v, all %v, again %v, broken %v", m["took"], m["all"], m["again"], m["broken"])
	}
	if self, _ := m["self"].(map[string]any); reflect.ValueOf(self).Pointer() != reflect.ValueOf(m).Pointer() {
		t.Error("the object no longer contains itself")
	}
	answer = span
	if got, err := c.Invoke(t.Context(), to, call("x")); err != nil || got.Value != took {
		t.Errorf("alone: %v, %v", got.Value, err)
	}
	// A direct call gets what was sent: nobody made a map of an object there.
	if got, err := c.Invoke(t.Context(), to, direct("x", nil)); err == nil && !reflect.DeepEqual(got.Value, span) {
		t.Errorf("direct: %v", got.Value)
	}
}

// TestGenericArguments: scalars, containers and references among the arguments of a generic call arrive as they were.
func TestGenericArguments(t *testing.T) {
	var got []any
	_, address := serve(t, dubbo.ServerOptions{}, dubbo.HandlerFunc(func(_ context.Context, call *dubbo.ServerCall) (rpc.Result, error) {
		got = call.Args
		return rpc.Result{}, nil
	}))
	c := newClient(t, dubbo.ClientOptions{})
	to := instance(t, address, "")
	list := []any{"a", int64(1)}
	for _, args := range [][]any{
		{}, {int64(1 << 40)}, {"x", nil, true, 1.5}, {[]byte{1}, time.UnixMilli(5).UTC()}, {"1", "2", "3", "4", "5"}, {"1", "2", "3", "4", "5", "6", "7", "8", "9"},
		{list, list}, {"x", map[string]any{"a": list}, list, "y"}, {nil, []any{}},
	} {
		if _, err := c.Invoke(t.Context(), to, call("x", args...)); err != nil {
			t.Errorf("%v: %v", args, err)
		} else if len(got) != len(args) || len(args) > 0 && !reflect.DeepEqual(got, args) {
			t.Errorf("%v arrived as %v", args, got)
		}
	}
}
