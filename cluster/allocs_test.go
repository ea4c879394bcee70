package cluster_test

import (
	"context"
	"testing"

	"github.com/dubway-go/dubway/balance"
	"github.com/dubway-go/dubway/cluster"
	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/service"
)

// quiet is a directory and a transport that cost nothing themselves.
type quiet struct{ snapshot *route.Snapshot }

func (q *quiet) Snapshot() *route.Snapshot { return q.snapshot }
func (q *quiet) Route(inv *rpc.Invocation) (route.Candidates, error) {
	return q.snapshot.Route(inv), nil
}
func (q *quiet) Begin(*service.Instance) bool { return true }
func (q *quiet) End(*service.Instance)        {}
func (q *quiet) Available(string) bool        { return true }
func (q *quiet) Invoke(context.Context, *service.Instance, *rpc.Invocation) (rpc.Result, error) {
	return rpc.Result{}, nil
}

func newQuiet(t testing.TB, consumer string, n int, query string) *quiet {
	queries := make([]string, n)
	for i := range queries {
		queries[i] = query
	}
	return &quiet{newWorld(t, consumer, queries...).Snapshot()}
}

// TestSuccessAllocatesNothing guards the common path: one try that succeeds.
func TestSuccessAllocatesNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	for _, name := range []string{"failover", "failfast", "failsafe", "failback", "available"} {
		for _, balancer := range balance.Names() {
			if balancer == "adaptive" {
				continue // puts an attachment on the call
			}
			q := newQuiet(t, "retries=3&other.mock=true", 20, "weight=50&sticky=true&loadbalance="+balancer)
			s, err := cluster.ForConsumer(q.snapshot.Consumer().URL.With("cluster", name), cluster.Options{})
			if err != nil {
				t.Fatal(err)
			}
			inv := call("get", "key")
			invoke := func() {
				inv.Seed++
				if _, err := s.Invoke(t.Context(), q, q, inv); err != nil {
					t.Fatal(err)
				}
			}
			for range 100 {
				invoke()
			}
			if n := testing.AllocsPerRun(200, invoke); n > 0 && name != "failback" || n > 1 {
				t.Errorf("%s with %s: %v allocations", name, balancer, n)
			}
			_ = cluster.Close(s)
		}
	}
}

func BenchmarkInvoke(b *testing.B) {
	for _, name := range []string{"failover", "failfast"} {
		b.Run(name, func(b *testing.B) {
			q := newQuiet(b, "", 100, "")
			s, err := cluster.ForConsumer(q.snapshot.Consumer().URL.With("cluster", name), cluster.Options{})
			if err != nil {
				b.Fatal(err)
			}
			inv := call("get", "key")
			ctx := context.Background()
			b.ReportAllocs()
			for b.Loop() {
				inv.Seed++
				if _, err := s.Invoke(ctx, q, q, inv); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
