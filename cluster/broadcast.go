package cluster

import (
	"context"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/rpc"
)

// Broadcast calls every candidate, one after another in the directory's order, and returns the last result: for
// refreshing caches everywhere. When any call failed, the last error is returned after all were called; it stops
// early once broadcast.fail.percent (default 100) of the providers failed (spec §11.3). Exceptions of providers count
// as failures.
//
// In the Dubbo dialects a percentage that comes to less than one provider never stops early, as there; in
// standard it stops at the first failure.
type Broadcast struct{ *core }

// Name returns "broadcast".
func (*Broadcast) Name() string { return NameBroadcast }

// Invoke implements Strategy.
func (f *Broadcast) Invoke(ctx context.Context, d Directory, next rpc.Invoker, inv *rpc.Invocation) (rpc.Result, error) {
	drainer, drains := d.(Drainer)
	list, err := d.Route(inv)
	if err != nil {
		return rpc.Result{}, err
	}
	n := list.Len()
	if n == 0 {
		return rpc.Result{}, noProvider(list, inv)
	}
	limit := n * f.settingsOf(d, list, inv.Method).failPercent / 100
	if f.dialect == dialect.Standard {
		limit = max(limit, 1)
	}
	var last rpc.Result
	var failed triedList
	var lastError error
	for i := range n {
		in := list.At(i)
		if drains && !drainer.Begin(in) {
			continue // it left: there is nothing to tell it
		}
		result, err := f.call(ctx, d, next, attempt{list: list, chosen: in}, inv)
		if err == nil {
			last = result
			continue
		}
		failed.add(in)
		lastError = err
		f.logger.Warn("broadcast: a provider failed", "service", inv.Service.Interface, "method", inv.Method, "instance", in.Address(), "error", err)
		if failed.n == limit || ctx.Err() != nil {
			break
		}
	}
	if lastError != nil {
		return rpc.Result{}, exhausted(inv, &failed, lastError, nil)
	}
	return last, nil
}
