package cluster_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/service"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var orders = service.Key{Interface: "demo.OrderService"}

// world is a directory and a transport in one: calls go to answer, and what happens is noted.
type world struct {
	t        testing.TB
	dialect  dialect.Dialect
	consumer durl.URL
	snapshot atomic.Pointer[route.Snapshot]
	revision uint64
	routed   atomic.Int64
	running  sync.Map // *service.Instance → *atomic.Int64
	retired  sync.Map // address → true: Begin refuses
	down     sync.Map // address → true: not available
	onRoute  func(n int64)

	mu     sync.Mutex
	calls  []string // addresses in order
	last   *rpc.Invocation
	answer func(ctx context.Context, address string, inv *rpc.Invocation) (rpc.Result, error)
}

// newWorld has providers a, b, c, … with the given queries; query is the consumer's.
func newWorld(t testing.TB, query string, providers ...string) *world {
	w := &world{t: t}
	u, err := durl.Parse("consumer://10.0.0.9/demo.OrderService?interface=demo.OrderService&" + query)
	if err != nil {
		t.Fatal(err)
	}
	w.consumer = u
	w.answer = func(context.Context, string, *rpc.Invocation) (rpc.Result, error) {
		return rpc.Result{Value: "ok"}, nil
	}
	w.list(providers...)
	return w
}

func providerName(i int) string { return string(rune('a'+i)) + ":1" }

// list publishes a new list of providers, each a query; "name?query" gives the host.
func (w *world) list(queries ...string) {
	w.t.Helper()
	list := make([]*service.Instance, len(queries))
	for i, q := range queries {
		scheme := "dubbo"
		if q == "mock" || len(q) > 5 && q[:5] == "mock=" {
			scheme = "mock"
		}
		u, err := durl.Parse(fmt.Sprintf("%s://%s/demo.OrderService?%s", scheme, providerName(i), q))
		if err != nil {
			w.t.Fatal(err)
		}
		list[i] = service.NewInstance(u, u, u)
	}
	w.revision++
	s, _ := route.Compile(route.Input{Dialect: w.dialect, Consumer: service.Consumer{URL: w.consumer}, Set: service.NewSet(w.revision, list), Previous: w.snapshot.Load()})
	w.snapshot.Store(s)
}

func (w *world) Snapshot() *route.Snapshot { return w.snapshot.Load() }

func (w *world) Route(inv *rpc.Invocation) (route.Candidates, error) {
	n := w.routed.Add(1)
	if w.onRoute != nil {
		w.onRoute(n)
	}
	c := w.snapshot.Load().Route(inv)
	if c.Len() == 0 {
		return c, &rpc.Error{Code: rpc.NoProvider, Service: inv.Service, Method: inv.Method, Message: "0 providers"}
	}
	return c, nil
}

func (w *world) Begin(in *service.Instance) bool {
	if _, gone := w.retired.Load(in.Address()); gone {
		return false
	}
	n, ok := w.running.Load(in)
	if !ok {
		n, _ = w.running.LoadOrStore(in, new(atomic.Int64))
	}
	n.(*atomic.Int64).Add(1)
	return true
}

func (w *world) End(in *service.Instance) {
	n, _ := w.running.Load(in)
	n.(*atomic.Int64).Add(-1)
}

// open returns how many calls were begun and not ended.
func (w *world) open() (n int64) {
	w.running.Range(func(_, v any) bool { n += v.(*atomic.Int64).Load(); return true })
	return n
}

func (w *world) Available(address string) bool {
	_, down := w.down.Load(address)
	return !down
}

func (w *world) Invoke(ctx context.Context, to *service.Instance, inv *rpc.Invocation) (rpc.Result, error) {
	w.mu.Lock()
	w.calls = append(w.calls, to.Address())
	w.last = inv
	answer := w.answer
	w.mu.Unlock()
	return answer(ctx, to.Address(), inv)
}

// called returns the addresses called so far, in order.
func (w *world) called() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.calls)
}

// distinct returns the addresses called so far, sorted, each once.
func (w *world) distinct() []string {
	out := w.called()
	slices.Sort(out)
	return slices.Compact(out)
}

// fail makes calls to the addresses fail with code; to all when there are none.
func (w *world) fail(code rpc.Code, addresses ...string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.answer = func(_ context.Context, address string, inv *rpc.Invocation) (rpc.Result, error) {
		if len(addresses) == 0 || slices.Contains(addresses, address) {
			e := &rpc.Error{Code: code, Service: inv.Service, Method: inv.Method, Instance: address, Message: "broken"}
			if code == rpc.Business {
				e.Cause = &rpc.RemoteException{Class: "demo.Sold", Message: "out"}
			}
			return rpc.Result{}, e
		}
		return rpc.Result{Value: address}, nil
	}
}

func call(method string, args ...any) *rpc.Invocation {
	return &rpc.Invocation{Service: orders, Method: method, Args: args}
}
