package dubway_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dubway-go/dubway"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/source/mem"
)

// TestTagStaysWithTheWholeRequest guards against apache/dubbo#8121, #7373, #6274 and #6286: the tag must reach the third hop and
// must not leak into the next request of the same server.
func TestTagStaysWithTheWholeRequest(t *testing.T) {
	for _, p := range []dubway.Propagation{dubway.PropagateTag, dubway.PropagateNothing} {
		registry := mem.New()
		last := dubway.HandlerFunc(func(ctx context.Context, _ *dubway.Request) (any, error) {
			user, _ := dubway.Attachments(ctx).Get("user")
			return dubway.Tag(ctx) + "/" + user, nil
		})
		serve(t, registry, dubway.ServerOptions{Application: "c", Propagation: p}, "com.example.C", last)
		chain := dial(t, registry, dubway.Options{Application: "b"})
		c := open(t, chain, "com.example.C")
		serve(t, registry, dubway.ServerOptions{Application: "b", Propagation: p}, "com.example.B",
			dubway.HandlerFunc(func(ctx context.Context, _ *dubway.Request) (any, error) { return c.Call(ctx, "last") }))
		b := open(t, dial(t, registry, dubway.Options{Application: "a"}), "com.example.B")

		ctx := dubway.WithAttachment(dubway.WithTag(t.Context(), "gray"), "user", "7")
		want := map[dubway.Propagation]string{dubway.PropagateTag: "gray/", dubway.PropagateNothing: "/"}[p]
		if got, err := b.Call(ctx, "middle"); err != nil || got != want {
			t.Errorf("propagation %d: got %v, %v, want %q", p, got, err, want)
		}
		if got, err := b.Call(t.Context(), "middle"); err != nil || got != "/" {
			t.Errorf("propagation %d: the next request got %v, %v, want no tag", p, got, err)
		}
	}
}

func TestTagAndAttachmentsOnAContext(t *testing.T) {
	registry := mem.New()
	serve(t, registry, dubway.ServerOptions{}, "com.example.Echo", dubway.HandlerFunc(func(_ context.Context, r *dubway.Request) (any, error) {
		out := map[string]any{}
		for _, k := range []string{rpc.TagKey, "a", "b"} {
			if v, ok := r.Attachments.Get(k); ok {
				out[k] = v
			}
		}
		return out, nil
	}))
	echo := open(t, dial(t, registry, dubway.Options{}), "com.example.Echo")
	base := dubway.WithAttachment(dubway.WithTag(t.Context(), "gray"), "a", "1")
	tests := []struct {
		name string
		ctx  context.Context
		inv  rpc.Attachments
		want map[string]any
	}{
		{"none", t.Context(), nil, map[string]any{}},
		{"both", base, nil, map[string]any{rpc.TagKey: "gray", "a": "1"}},
		{"more on top does not change the context below", dubway.WithAttachment(base, "b", "2"), nil, map[string]any{rpc.TagKey: "gray", "a": "1", "b": "2"}},
		{"later wins", dubway.WithAttachment(base, "a", "9"), nil, map[string]any{rpc.TagKey: "gray", "a": "9"}},
		{"an empty tag takes it away", dubway.WithTag(base, ""), nil, map[string]any{"a": "1"}},
		{"the tag's key is the tag", dubway.WithAttachment(base, rpc.TagKey, "blue"), nil, map[string]any{rpc.TagKey: "blue", "a": "1"}},
		{"the invocation wins", base, rpc.Attachments{{Key: rpc.TagKey, Value: "red"}}, map[string]any{rpc.TagKey: "red", "a": "1"}},
	}
	for _, tt := range tests {
		got, err := echo.Invoke(tt.ctx, &rpc.Invocation{Method: "echo", Attachments: tt.inv})
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		m, _ := got.Value.(map[string]any)
		if len(m) != len(tt.want) {
			t.Errorf("%s: got %v, want %v", tt.name, got.Value, tt.want)
		}
		for k, v := range tt.want {
			if m[k] != v {
				t.Errorf("%s: %s is %v, want %v", tt.name, k, m[k], v)
			}
		}
	}
}

type money struct {
	Amount   float64 `hessian:"amount"`
	Currency string  `hessian:"currency"`
}

type shop struct{}

func (shop) Add(a int32, b int64) int64 { return int64(a) + b }
func (shop) Price(_ context.Context, sku string) (money, error) {
	if sku == "" {
		return money{}, &dubway.RemoteException{Class: "java.lang.IllegalArgumentException", Message: "which article?"}
	}
	return money{1.5, "EUR"}, nil
}
func (shop) Sum(list []money) float64 {
	total := 0.
	for _, m := range list {
		total += m.Amount
	}
	return total
}
func (shop) Fail() error                      { return errors.New("it broke") }
func (shop) Nothing(*money)                   {}
func (shop) Busy() error                      { return &dubway.Error{Code: dubway.Limit, Message: "try later"} }
func (shop) Odd(chan int) (int, string, bool) { return 0, "", false } // cannot serve: left out

func TestMethodsByReflection(t *testing.T) {
	registry := mem.New()
	server := serve(t, registry, dubway.ServerOptions{Application: "shop"}, "com.example.Shop", shop{})
	s := open(t, dial(t, registry, dubway.Options{}), "com.example.Shop")

	if got := server.URLs()[0].Get("methods", ""); got != "add,busy,fail,nothing,price,sum" {
		t.Errorf("registered methods are %q", got)
	}
	if got, err := s.Call(t.Context(), "add", int32(1), int32(2)); err != nil || got != int64(3) {
		t.Errorf("add: %v, %v", got, err)
	}
	var m money
	if err := s.CallInto(t.Context(), &m, "price", "x"); err != nil || m != (money{1.5, "EUR"}) {
		t.Errorf("price: %v, %v", m, err)
	}
	if got, err := s.Call(t.Context(), "sum", []money{{1, "EUR"}, {2, "EUR"}}); err != nil || got != 3. {
		t.Errorf("sum: %v, %v", got, err)
	}
	if got, err := s.Call(t.Context(), "nothing", nil); err != nil || got != nil {
		t.Errorf("nothing: %v, %v", got, err)
	}
	failures := []struct {
		method, text string
		args         []any
		code         dubway.Code
	}{
		{"price", "which article?", []any{""}, dubway.Business},
		{"fail", "it broke", nil, dubway.Business},
		{"busy", "try later", nil, dubway.Limit},
		{"add", "2 arguments were given, the method takes", []any{int32(1)}, dubway.Validation},
		{"add", "argument 0", []any{"x", int64(1)}, dubway.Validation},
		{"odd", "the service has add", []any{nil}, dubway.MethodNotFound},
	}
	for _, tt := range failures {
		_, err := s.Call(t.Context(), tt.method, tt.args...)
		if got := dubway.CodeOf(err); got != tt.code {
			t.Errorf("%s(%v): code %v, want %v: %v", tt.method, tt.args, got, tt.code, err)
		}
		if tt.text != "2 arguments were given, the method takes" && !strings.Contains(err.Error(), tt.text) {
			t.Errorf("%s: %q does not say %q", tt.method, err, tt.text)
		}
	}
	var exception *dubway.RemoteException
	if _, err := s.Call(t.Context(), "price", ""); !errors.As(err, &exception) || exception.Class != "java.lang.IllegalArgumentException" {
		t.Errorf("the exception is lost: %v", err)
	}
}

func TestHandleRefusesWhatCannotServe(t *testing.T) {
	server := dubway.NewServer(dubway.ServerOptions{})
	for name, h := range map[string]any{"nil": nil, "no methods": struct{}{}, "a number": 7} {
		if err := server.Handle("com.example.X", h); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
	if err := server.Handle("", shop{}); err == nil {
		t.Error("an empty name was accepted")
	}
	if err := server.Handle("com.example.X", shop{}); err != nil {
		t.Fatal(err)
	}
	if err := server.Handle("com.example.X", shop{}); err == nil {
		t.Error("a second handler of the same service was accepted")
	}
}

func TestDirectAddressesNeedNoRegistry(t *testing.T) {
	server := serve(t, mem.New(), dubway.ServerOptions{}, "g/com.example.Shop:1.0", shop{})
	c := dial(t, nil, dubway.Options{})
	s, err := c.ServiceWith(t.Context(), "g/com.example.Shop:1.0", dubway.ServiceOptions{Direct: []string{server.Address()}})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := s.Call(t.Context(), "add", int32(1), int64(2)); err != nil || got != int64(3) {
		t.Errorf("got %v, %v", got, err)
	}
	if _, err := c.Service("com.example.Shop"); dubway.CodeOf(err) != dubway.Registry || !strings.Contains(err.Error(), "Options.Registry") {
		t.Errorf("without registry and addresses: %v", err)
	}
}

func TestTyposInNamesAreFoundWhenTheServiceIsOpened(t *testing.T) {
	c := dial(t, mem.New(), dubway.Options{})
	for _, o := range []dubway.ServiceOptions{{Cluster: "failovr"}, {LoadBalance: "rnd"}, {Direct: []string{"a:b:c"}}} {
		if _, err := c.ServiceWith(t.Context(), "com.example.X", o); dubway.CodeOf(err) != dubway.Validation {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

// TestShutdownLosesNoCall: a provider that leaves takes itself out of the registry first; callers never see it go.
func TestShutdownLosesNoCall(t *testing.T) {
	registry := mem.New()
	slow := dubway.HandlerFunc(func(_ context.Context, r *dubway.Request) (any, error) {
		time.Sleep(time.Millisecond)
		return r.Method, nil
	})
	leaving := serve(t, registry, dubway.ServerOptions{Application: "x", Notice: 50 * time.Millisecond}, "com.example.X", slow)
	serve(t, registry, dubway.ServerOptions{Application: "x"}, "com.example.X", slow)
	// no retries: a lost call would fail
	s, err := dial(t, registry, dubway.Options{}).ServiceWith(t.Context(), "com.example.X", dubway.ServiceOptions{Retries: -1})
	if err != nil {
		t.Fatal(err)
	}
	var calls, gone atomic.Int64
	stop := make(chan struct{})
	var work sync.WaitGroup
	for range 8 {
		work.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				ctx, record := dubway.WithRecord(context.Background())
				if _, err := s.Call(ctx, "get"); err != nil {
					t.Error(err)
					return
				}
				calls.Add(1)
				if record.Provider() == leaving.Address() {
					gone.Add(1)
				}
			}
		})
	}
	eventually(t, "both providers are called", func() bool { return gone.Load() > 10 && calls.Load() > 2*10 })
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := leaving.Shutdown(ctx); err != nil {
		t.Error(err)
	}
	after := gone.Load()
	before := calls.Load()
	eventually(t, "calls go on", func() bool { return calls.Load() > before+50 })
	close(stop)
	work.Wait()
	if gone.Load() != after {
		t.Errorf("%d calls went to the provider after it had stopped", gone.Load()-after)
	}
}

func TestCloseEndsEverything(t *testing.T) {
	registry := mem.New()
	serve(t, registry, dubway.ServerOptions{}, "com.example.Shop", shop{})
	c := dial(t, registry, dubway.Options{})
	s := open(t, c, "com.example.Shop")
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Call(t.Context(), "add", int32(1), int64(1)); err == nil {
		t.Error("a call of a closed client succeeded")
	}
	if _, err := c.Service("com.example.Shop"); !errors.Is(err, dubway.ErrClosed) {
		t.Errorf("opening on a closed client: %v", err)
	}
	if err := errors.Join(c.Close(), s.Close()); err != nil {
		t.Error(err)
	}
}

func TestClientEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	registry := mem.New()
	c, err := dubway.Dial(ctx, dubway.Options{Registry: registry})
	if err != nil {
		t.Fatal(err)
	}
	open(t, c, "com.example.Shop")
	cancel()
	eventually(t, "the client is closed", func() bool {
		_, err := c.Service("com.example.Shop")
		return errors.Is(err, dubway.ErrClosed)
	})
	if _, err := dubway.Dial(ctx, dubway.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("dial under an ended context: %v", err)
	}
}

// TestConsumersAreSeen: with a Registrar, the registry knows who consumes, until the service is closed.
func TestConsumersAreSeen(t *testing.T) {
	registry := mem.New()
	c := dial(t, registry, dubway.Options{Application: "web", Registrar: registry})
	s := open(t, c, "com.example.Shop")
	eventually(t, "the consumer is registered", func() bool {
		names, _ := registry.Services(t.Context())
		return len(names) == 1
	})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the consumer is gone", func() bool {
		names, _ := registry.Services(t.Context())
		return len(names) == 0
	})
}
