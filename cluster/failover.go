package cluster

import (
	"context"
	"errors"
	"math"
	"strconv"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/rpc"
)

// Failover tries again on another provider: retries (default 2) more times after the first. Before each retry the
// call is routed again, so a rule or a list that changed meanwhile counts. A provider's exception and the end of the caller's
// context are not tried again; everything else is, as in Dubbo, although the provider may have run the call. A one-way call
// is tried again only while it could not be sent.
//
// Unlike Dubbo it does not repeat what cannot succeed: a method that the provider's interface does not have is final, and a provider that
// does not export the service (rpc.ErrNotExported: a deployment may be under way) is not asked again; others are.
//
// Each try has the timeout of the provider's effective URL, all together
// have the context's deadline (spec §11.3).
//
// The attachment retries, a number, replaces the parameter for one call and is not sent (Dubbo 3; also standard, where it
// may be text).
type Failover struct{ *core }

// Name returns "failover".
func (*Failover) Name() string { return NameFailover }

// Invoke implements Strategy.
func (f *Failover) Invoke(ctx context.Context, d Directory, next rpc.Invoker, inv *rpc.Invocation) (rpc.Result, error) {
	inv, override := f.retriesOf(inv)
	a, err := f.begin(d, next, inv, nil)
	if err != nil {
		return rpc.Result{}, err
	}
	result, err := f.call(ctx, d, next, a, inv)
	if err == nil {
		return result, nil
	}
	retries := a.settings.retries
	if retries < 0 {
		retries = DefaultRetries
	}
	if override >= 0 {
		retries = override
	}
	return f.again(ctx, d, next, inv, a, retries, result, err)
}

// again makes the retries after a first try that failed.
func (f *Failover) again(ctx context.Context, d Directory, next rpc.Invoker, inv *rpc.Invocation, a attempt, retries int, result rpc.Result, err error) (rpc.Result, error) {
	var tried triedList
	tried.add(a.chosen)
	tried.note(a.chosen, err)
	for ; retries > 0 && !final(ctx, err); retries-- {
		a, left := f.begin(d, next, inv, &tried)
		if errors.Is(left, errNoOther) {
			break
		}
		if left != nil {
			return rpc.Result{}, exhausted(inv, &tried, err, left)
		}
		failed := err
		tried.add(a.chosen)
		if result, err = f.call(ctx, d, next, a, inv); err == nil {
			f.logger.Warn("call succeeded on a retry", "service", inv.Service.Interface, "method", inv.Method,
				"tries", tried.n, "instance", a.chosen.Address(), "failed", failed)
			return result, nil
		}
		tried.note(a.chosen, err)
	}
	if rpc.CodeOf(err) == rpc.Business {
		return result, asError(inv, err) // an answer, whatever came before it
	}
	return result, exhausted(inv, &tried, err, nil)
}

// retriesOf takes the attachment retries off a call; -1 means there is none.
func (f *Failover) retriesOf(inv *rpc.Invocation) (*rpc.Invocation, int) {
	if f.dialect == dialect.Dubbo26 || f.dialect == dialect.Dubbo27 {
		return inv, -1
	}
	at := -1
	for i := range inv.Attachments {
		if inv.Attachments[i].Key == "retries" {
			at = i
			break
		}
	}
	if at < 0 {
		return inv, -1
	}
	n, ok := wholeNumber(inv.Attachments[at].Value, f.dialect == dialect.Standard)
	if !ok {
		return inv, -1
	}
	out := *inv
	out.Attachments = append(append(make(rpc.Attachments, 0, len(inv.Attachments)), inv.Attachments[:at]...), inv.Attachments[at+1:]...)
	return &out, min(max(n, 0), maxRetries)
}

func wholeNumber(v any, text bool) (int, bool) {
	switch v := v.(type) {
	case int:
		return v, true
	case int32:
		return int(v), true
	case int64:
		return int(min(max(v, math.MinInt32), math.MaxInt32)), true
	case float64:
		return int(min(max(v, math.MinInt32), math.MaxInt32)), v == v
	case string:
		n, err := strconv.Atoi(v)
		return n, text && err == nil
	}
	return 0, false
}
