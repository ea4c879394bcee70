package dubbo_test

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dubway-go/dubway/hessian"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/service"
	"github.com/dubway-go/dubway/transport/dubbo"
)

func TestEchoValues(t *testing.T) {
	_, address := serve(t, dubbo.ServerOptions{}, echo)
	c := newClient(t, dubbo.ClientOptions{})
	to := instance(t, address, "")
	for _, v := range []any{
		nil, true, int32(42), int64(1) << 40, 2.5, "héllo 🌍", "", []byte{1, 2, 3}, strings.Repeat("x", 200_000),
		[]any{int32(1), "two", nil}, map[string]any{"a": int32(1), "b": []any{"c"}},
	} {
		for _, inv := range []*rpc.Invocation{
			call("hi", v),
			{Service: echoKey, Method: "hi", ParamTypes: []string{"java.lang.Object"}, Args: []any{v}},
			direct("hi", []string{"java.lang.Object"}, v),
			call("$echo", v),
		} {
			got, err := c.Invoke(t.Context(), to, inv)
			if err != nil {
				t.Fatalf("%T generic=%v: %v", v, !inv.Direct, err)
			}
			if !reflect.DeepEqual(got.Value, v) {
				t.Errorf("direct=%v: sent %#v, got %#v", inv.Direct, v, got.Value)
			}
		}
	}
}

func TestWhatTheHandlerSees(t *testing.T) {
	seen := make(chan *dubbo.ServerCall, 1)
	_, address := serve(t, dubbo.ServerOptions{}, dubbo.HandlerFunc(func(ctx context.Context, call *dubbo.ServerCall) (rpc.Result, error) {
		if _, ok := ctx.Deadline(); !ok {
			t.Error("no deadline from the timeout attachment")
		}
		call.SetAttachment("first", "1")
		seen <- call
		return rpc.Result{Attachments: rpc.Attachments{{Key: "second", Value: int32(2)}}}, nil
	}))
	c := newClient(t, dubbo.ClientOptions{Application: "web"})
	to := instance(t, address, "&token=secret&timeout=700")
	for _, isDirect := range []bool{false, true} {
		inv := &rpc.Invocation{
			Service: echoKey, Method: "put", ParamTypes: []string{"int", "java.lang.String[]"}, Args: []any{int32(7), []string{"a"}},
			Direct: isDirect,
			Attachments: rpc.Attachments{{Key: rpc.TagKey, Value: "gray"}, {Key: "n", Value: int64(5)}, {Key: "path", Value: "forged"},
				{Key: rpc.AddressKey, Value: netip.MustParseAddrPort("127.0.0.1:1")}}, // for the address router: stays here
		}
		res, err := c.Invoke(t.Context(), to, inv)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(res.Value, res.Attachments); got != "<nil> [{first 1} {second 2}]" {
			t.Errorf("result %s", got)
		}
		got := <-seen
		if got.Service != echoKey || got.Method != "put" || got.Generic == isDirect || got.OneWay || got.Tag() != "gray" || got.Remote == nil {
			t.Errorf("call %+v", got)
		}
		if !reflect.DeepEqual(got.ParamTypes, inv.ParamTypes) || len(got.Args) != 2 || got.Args[0] != int32(7) {
			t.Errorf("types %q args %v", got.ParamTypes, got.Args)
		}
		for key, want := range map[string]string{
			"path": "com.example.Echo", "interface": "com.example.Echo", "version": "1.0.0", "token": "secret", "timeout": "700",
			"application": "web", "remote.application": "web",
		} {
			if v, _ := got.Attachments.Get(key); v != want {
				t.Errorf("attachment %s = %q, want %q", key, v, want)
			}
		}
		if slices.ContainsFunc(got.Attachments, func(a rpc.Attachment) bool { return a.Key == rpc.AddressKey }) {
			t.Errorf("the wanted address was sent: %v", got.Attachments)
		}
		if v, ok := got.Attachments.Get("generic"); ok == isDirect || ok && v != "true" {
			t.Errorf("attachment generic = %q, %v for direct=%v", v, ok, isDirect)
		}
	}
}

func TestOneWay(t *testing.T) {
	seen := make(chan bool, 1)
	_, address := serve(t, dubbo.ServerOptions{}, dubbo.HandlerFunc(func(_ context.Context, call *dubbo.ServerCall) (rpc.Result, error) {
		seen <- call.OneWay
		return rpc.Result{Value: "nobody reads this"}, errors.New("nor this")
	}))
	c := newClient(t, dubbo.ClientOptions{})
	inv := call("fire", "x")
	inv.OneWay = true
	if res, err := c.Invoke(t.Context(), instance(t, address, ""), inv); err != nil || res.Value != nil {
		t.Fatal(res, err)
	}
	if !<-seen {
		t.Error("the handler was not told")
	}
}

func TestErrorsArriveAsTheyLeft(t *testing.T) {
	fail := make(chan error, 1)
	_, address := serve(t, dubbo.ServerOptions{}, dubbo.HandlerFunc(func(context.Context, *dubbo.ServerCall) (rpc.Result, error) {
		if err := <-fail; err != nil {
			return rpc.Result{}, err
		}
		panic("boom")
	}))
	c := newClient(t, dubbo.ClientOptions{})
	to := instance(t, address, "")
	for _, test := range []struct {
		name  string
		err   error
		code  rpc.Code
		class string
		text  string
	}{
		{"exception", &rpc.RemoteException{Class: "com.example.SoldOut", Message: "none left"}, rpc.Business, "com.example.SoldOut", "none left"},
		{"plain error", errors.New("disk full"), rpc.Business, "java.lang.RuntimeException", "disk full"},
		{"throwable", &hessian.Throwable{Class: "java.io.IOException", Message: "torn"}, rpc.Business, "java.io.IOException", "torn"},
		{"forbidden", &rpc.Error{Code: rpc.Forbidden, Message: "no"}, rpc.Forbidden, "org.apache.dubbo.rpc.RpcException", "no"},
		{"validation", &rpc.Error{Code: rpc.Validation, Message: "bad"}, rpc.Validation, "org.apache.dubbo.rpc.RpcException", "bad"},
		{"limit", &rpc.Error{Code: rpc.Limit, Message: "busy"}, rpc.Limit, "", "busy"},
		{"no method", &rpc.Error{Code: rpc.MethodNotFound, Message: "no such method x"}, rpc.MethodNotFound, "", "no such method x"},
		{"no service behind it", &rpc.Error{Code: rpc.MethodNotFound, Message: "it is gone", Cause: rpc.ErrNotExported}, rpc.MethodNotFound, "", "it is gone"},
		{"late", context.DeadlineExceeded, rpc.Timeout, "", "deadline"},
		{"panic", nil, rpc.Unknown, "", "failed unexpectedly"},
	} {
		for _, inv := range []*rpc.Invocation{call("x", "a"), direct("x", []string{"java.lang.String"}, "a")} {
			fail <- test.err
			_, err := c.Invoke(t.Context(), to, inv)
			e, ok := errors.AsType[*rpc.Error](err)
			if !ok || e.Code != test.code || e.Instance != address || e.Method != "x" || e.Service != echoKey || !strings.Contains(err.Error(), test.text) {
				t.Errorf("%s direct=%v: %v", test.name, inv.Direct, err)
			}
			if errors.Is(err, rpc.ErrNotExported) != errors.Is(test.err, rpc.ErrNotExported) {
				t.Errorf("%s direct=%v: not exported: %v", test.name, inv.Direct, err)
			}
			remote, ok := errors.AsType[*rpc.RemoteException](err)
			if ok != (test.class != "") || ok && (remote.Class != test.class || !strings.Contains(remote.Message, test.text)) {
				t.Errorf("%s direct=%v: exception %v", test.name, inv.Direct, remote)
			}
		}
	}
}

func TestServiceLookup(t *testing.T) {
	s, address := serve(t, dubbo.ServerOptions{}, echo)
	name := func(n string) dubbo.Handler {
		return dubbo.HandlerFunc(func(context.Context, *dubbo.ServerCall) (rpc.Result, error) { return rpc.Result{Value: n}, nil })
	}
	s.Handle(service.Key{Interface: "com.example.Echo"}, name("plain"))
	s.Handle(service.Key{Interface: "com.example.Echo", Group: "g", Version: "2.0.0"}, name("g2"))
	c := newClient(t, dubbo.ClientOptions{})
	at := func(rest string) *service.Instance { return instanceOf(t, "dubbo://"+address+rest) }
	for rest, want := range map[string]string{
		"/com.example.Echo":                                "plain",
		"/com.example.Echo?version=0.0.0":                  "plain",
		"/com.example.Echo?group=g&version=2.0.0":          "g2",
		"/ctx/com.example.Echo?interface=com.example.Echo": "plain",
		"/com.example.Echo?group=g&version=3.0.0":          "!it is exported with",
		"/com.example.Other":                               "!Not found exported service: com.example.Other",
	} {
		res, err := c.Invoke(t.Context(), at(rest), call("hi", "x"))
		if text, bad := strings.CutPrefix(want, "!"); bad {
			if rpc.CodeOf(err) != rpc.MethodNotFound || !errors.Is(err, rpc.ErrNotExported) || !strings.Contains(err.Error(), text) {
				t.Errorf("%s: %v", rest, err)
			}
		} else if err != nil || res.Value != want {
			t.Errorf("%s: %v, %v", rest, res.Value, err)
		}
	}
	// An address without a service: the invocation says which.
	plain := at("")
	for _, key := range []service.Key{{Interface: "com.example.Echo"}, {Interface: "com.example.Echo", Group: "g", Version: "2.0.0"}} {
		inv := call("hi", "x")
		inv.Service = key
		if res, err := c.Invoke(t.Context(), plain, inv); err != nil || res.Value != map[string]string{"": "plain", "g": "g2"}[key.Group] {
			t.Errorf("%v: %v, %v", key, res.Value, err)
		}
	}
	s.Handle(service.Key{Interface: "com.example.Echo"}, nil)
	if _, err := c.Invoke(t.Context(), at("/com.example.Echo"), call("hi", "x")); rpc.CodeOf(err) != rpc.MethodNotFound {
		t.Errorf("after it was taken out: %v", err)
	}
}

func TestManyCallsAtOnce(t *testing.T) {
	const calls = 10_000
	arrived := make(chan struct{}, calls)
	release := make(chan struct{})
	_, address := serve(t, dubbo.ServerOptions{}, dubbo.HandlerFunc(func(_ context.Context, call *dubbo.ServerCall) (rpc.Result, error) {
		arrived <- struct{}{}
		<-release
		return rpc.Result{Value: call.Args[0]}, nil
	}))
	c := newClient(t, dubbo.ClientOptions{})
	to := instance(t, address, "&timeout=60000")
	var wg sync.WaitGroup
	for i := range calls {
		wg.Go(func() {
			if res, err := c.Invoke(t.Context(), to, call("hi", int32(i))); err != nil || res.Value != int32(i) {
				t.Errorf("call %d: %v, %v", i, res.Value, err)
			}
		})
	}
	for range calls { // all of them run at the same time, on one connection
		<-arrived
	}
	close(release)
	wg.Wait()
}
