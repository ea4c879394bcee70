package dubbo_test

import (
	"context"
	"errors"
	"net"
	"testing"
	"time"

	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/service"
	"github.com/dubway-go/dubway/transport/dubbo"
)

var echoKey = service.Key{Interface: "com.example.Echo", Version: "1.0.0"}

// echo answers its first argument.
var echo = dubbo.HandlerFunc(func(_ context.Context, call *dubbo.ServerCall) (rpc.Result, error) {
	return rpc.Result{Value: call.Args[0]}, nil
})

// serve runs a server with h under echoKey until the test ends, and returns it with its address.
func serve(t testing.TB, o dubbo.ServerOptions, h dubbo.Handler) (*dubbo.Server, string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return serveOn(t, l, o, h), l.Addr().String()
}

func serveOn(t testing.TB, l net.Listener, o dubbo.ServerOptions, h dubbo.Handler) *dubbo.Server {
	t.Helper()
	s := dubbo.NewServer(o)
	s.Handle(echoKey, h)
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(l) }()
	t.Cleanup(func() {
		s.Close()
		if err := <-ended; !errors.Is(err, dubbo.ErrServerClosed) {
			t.Errorf("Serve returned %v", err)
		}
	})
	return s
}

func newClient(t testing.TB, o dubbo.ClientOptions) *dubbo.Client {
	t.Helper()
	c := dubbo.NewClient(o)
	t.Cleanup(func() { c.Close() })
	return c
}

// instance is a provider of echoKey at address, with more parameters ("&timeout=100").
func instance(t testing.TB, address, params string) *service.Instance {
	t.Helper()
	u, err := durl.Parse("dubbo://" + address + "/com.example.Echo?interface=com.example.Echo&version=1.0.0" + params)
	if err != nil {
		t.Fatal(err)
	}
	return service.NewInstance(u, u, u)
}

func call(method string, args ...any) *rpc.Invocation {
	return &rpc.Invocation{Service: echoKey, Method: method, Args: args}
}

func direct(method string, types []string, args ...any) *rpc.Invocation {
	inv := call(method, args...)
	inv.Direct, inv.ParamTypes = true, types
	return inv
}

func within(t testing.TB, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	t.Cleanup(cancel)
	return ctx
}

func instanceOf(t testing.TB, text string) *service.Instance {
	t.Helper()
	u, err := durl.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return service.NewInstance(u, u, u)
}
