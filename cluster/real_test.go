package cluster_test

import (
	"context"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dubway-go/dubway/cluster"
	"github.com/dubway-go/dubway/directory"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/source/mem"
	"github.com/dubway-go/dubway/transport/dubbo"
)

var (
	_ cluster.Directory    = (*directory.Directory)(nil)
	_ cluster.Drainer      = (*directory.Directory)(nil)
	_ cluster.Availability = (*dubbo.Client)(nil)
)

type answering struct {
	name  string
	calls atomic.Int64
}

func (a *answering) Invoke(context.Context, *dubbo.ServerCall) (rpc.Result, error) {
	a.calls.Add(1)
	return rpc.Result{Value: a.name}, nil
}

// TestKilledProviderLosesNoCall runs callers over the real directory and transport while one of two providers is killed
// without taking leave of the registry, then leaves the registry too.
func TestKilledProviderLosesNoCall(t *testing.T) {
	store := mem.New()
	urls := make([]durl.URL, 2)
	servers := make([]*dubbo.Server, 2)
	handlers := make([]*answering, 2)
	for i := range servers {
		handlers[i] = &answering{name: string(rune('a' + i))}
		servers[i] = dubbo.NewServer(dubbo.ServerOptions{})
		servers[i].Handle(orders, handlers[i])
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		go servers[i].Serve(l)
		urls[i] = durl.New("dubbo", "127.0.0.1", l.Addr().(*net.TCPAddr).Port, orders.Interface, durl.Param{Key: "interface", Value: orders.Interface})
		if err := store.Register(t.Context(), urls[i]); err != nil {
			t.Fatal(err)
		}
	}
	consumer, _ := durl.Parse("consumer://127.0.0.1/demo.OrderService?application=test&timeout=2000")
	client := dubbo.NewClient(dubbo.ClientOptions{})
	d, err := directory.Open(t.Context(), orders, directory.Options{Registry: store, Consumer: consumer, Check: true})
	if err != nil {
		t.Fatal(err)
	}
	s, err := cluster.ForConsumer(d.Consumer(), cluster.Options{})
	if err != nil {
		t.Fatal(err)
	}
	stop, failures, calls := make(chan struct{}), make(chan error, 8), new(atomic.Int64)
	for range 8 {
		go func() {
			for {
				select {
				case <-stop:
					failures <- nil
					return
				default:
				}
				inv := &rpc.Invocation{Service: orders, Method: "get", ParamTypes: []string{}, Direct: true}
				if _, err := s.Invoke(t.Context(), d, client, inv); err != nil {
					failures <- err
					return
				}
				calls.Add(1)
			}
		}()
	}
	waitFor(t, "calls on both", func() bool { return handlers[0].calls.Load() > 50 && handlers[1].calls.Load() > 50 })
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_ = servers[0].Shutdown(gone) // at once: connections break in the middle of calls
	before := calls.Load()
	waitFor(t, "calls after the kill", func() bool { return calls.Load() > before+500 })
	if err := store.Unregister(t.Context(), urls[0]); err != nil {
		t.Error(err)
	}
	before = calls.Load()
	waitFor(t, "calls after it left", func() bool { return calls.Load() > before+500 })
	close(stop)
	for range 8 {
		if err := <-failures; err != nil {
			t.Error(err)
		}
	}
	t.Logf("%d calls, a %d, b %d", calls.Load(), handlers[0].calls.Load(), handlers[1].calls.Load())
	_, _ = d.Close(), client.Close()
	if err := servers[1].Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}

func waitFor(t *testing.T, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}
