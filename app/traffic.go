package app

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dubway-go/dubway/admin"
	"github.com/dubway-go/dubway/cluster"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/service"
)

// maxFlows bounds how many flows are counted; calls of further ones are counted under the provider "other".
const maxFlows = 20_000

// traffic counts calls by service, consumer and provider. A call costs two atomic adds once its flow is known.
type traffic struct {
	flows sync.Map // flowKey → *flow
	count atomic.Int64
	names sync.Map // address → name, for display
}

type flowKey struct {
	service            service.Key
	consumer, provider string
}

type flow struct{ calls, failures atomic.Uint64 }

// wrap counts what consumer's invoker does.
func (t *traffic) wrap(consumer string) func(rpc.Invoker) rpc.Invoker {
	return func(next rpc.Invoker) rpc.Invoker { return counting{t, consumer, next} }
}

type counting struct {
	t        *traffic
	consumer string
	next     rpc.Invoker
}

// Invoke implements rpc.Invoker.
func (c counting) Invoke(ctx context.Context, to *service.Instance, inv *rpc.Invocation) (rpc.Result, error) {
	f := c.t.flow(flowKey{inv.Service, c.consumer, to.Address()})
	result, err := c.next.Invoke(ctx, to, inv)
	f.calls.Add(1)
	if err != nil && rpc.CodeOf(err) != rpc.Canceled {
		f.failures.Add(1)
	}
	return result, err
}

// Available implements cluster.Availability for the invoker inside.
func (c counting) Available(address string) bool {
	a, ok := c.next.(cluster.Availability)
	return !ok || a.Available(address)
}

func (t *traffic) flow(k flowKey) *flow {
	if f, ok := t.flows.Load(k); ok {
		return f.(*flow)
	}
	if t.count.Load() >= maxFlows {
		k.provider = "other"
	}
	f, known := t.flows.LoadOrStore(k, new(flow))
	if !known {
		t.count.Add(1)
	}
	return f.(*flow)
}

// name gives a provider a name for people.
func (t *traffic) name(address, name string) { t.names.Store(address, name) }

// snapshot returns the counters.
func (t *traffic) snapshot() admin.Traffic {
	out := admin.Traffic{At: time.Now().UTC(), Flows: []admin.Flow{}}
	t.flows.Range(func(k, v any) bool {
		key, f := k.(flowKey), v.(*flow)
		one := admin.Flow{Service: key.service.String(), Consumer: key.consumer, Provider: key.provider,
			Failures: f.failures.Load(), Calls: f.calls.Load()}
		if n, ok := t.names.Load(key.provider); ok {
			one.Name = n.(string)
		}
		out.Flows = append(out.Flows, one)
		return true
	})
	slices.SortFunc(out.Flows, func(a, b admin.Flow) int {
		if c := strings.Compare(a.Service, b.Service); c != 0 {
			return c
		}
		if c := strings.Compare(a.Consumer, b.Consumer); c != 0 {
			return c
		}
		return strings.Compare(a.Provider, b.Provider)
	})
	return out
}
