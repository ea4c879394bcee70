package cluster

import (
	"context"
	"errors"

	"github.com/dubway-go/dubway/rpc"
)

// Failfast tries once and returns the error: for calls that must not run twice (spec §11.3).
type Failfast struct{ *core }

// Name returns "failfast".
func (*Failfast) Name() string { return NameFailfast }

// Invoke implements Strategy.
func (f *Failfast) Invoke(ctx context.Context, d Directory, next rpc.Invoker, inv *rpc.Invocation) (rpc.Result, error) {
	result, err := f.once(ctx, d, next, inv)
	if err != nil {
		return result, asError(inv, err)
	}
	return result, nil
}

// once routes, chooses and calls a single time.
func (c *core) once(ctx context.Context, d Directory, next rpc.Invoker, inv *rpc.Invocation) (rpc.Result, error) {
	a, err := c.begin(d, next, inv, nil)
	if err != nil {
		return rpc.Result{}, err
	}
	return c.call(ctx, d, next, a, inv)
}

// Failsafe tries once; an error is logged and the result is empty: for calls that may be lost, such as audit
// records (spec §11.3). A provider's exception is an answer and is returned; so is the caller's own cancellation.
type Failsafe struct{ *core }

// Name returns "failsafe".
func (*Failsafe) Name() string { return NameFailsafe }

// Invoke implements Strategy.
func (f *Failsafe) Invoke(ctx context.Context, d Directory, next rpc.Invoker, inv *rpc.Invocation) (rpc.Result, error) {
	result, err := f.once(ctx, d, next, inv)
	switch {
	case err == nil:
		return result, nil
	case belongsToCaller(ctx, err):
		return result, asError(inv, err)
	}
	f.logger.Error("failsafe ignores a failed call", "service", inv.Service.Interface, "method", inv.Method, "error", err)
	return rpc.Result{}, nil
}

// belongsToCaller reports whether an error must reach the caller even where failures are swallowed: a provider's
// exception is an answer, and a caller that cancels must not be told of success.
func belongsToCaller(ctx context.Context, err error) bool {
	return rpc.CodeOf(err) == rpc.Business || errors.Is(ctx.Err(), context.Canceled)
}

// Available calls the first candidate that can be reached, in the directory's order, once (spec §11.3).
type Available struct{ *core }

// Name returns "available".
func (*Available) Name() string { return NameAvailable }

// Invoke implements Strategy.
func (f *Available) Invoke(ctx context.Context, d Directory, next rpc.Invoker, inv *rpc.Invocation) (rpc.Result, error) {
	drainer, drains := d.(Drainer)
	list, err := d.Route(inv)
	if err != nil {
		return rpc.Result{}, err
	}
	for i := range list.Len() {
		in := list.At(i)
		if !available(next, in) || drains && !drainer.Begin(in) {
			continue
		}
		result, err := f.call(ctx, d, next, attempt{list: list, chosen: in}, inv)
		if err != nil {
			return result, asError(inv, err)
		}
		return result, nil
	}
	return rpc.Result{}, failure(rpc.NoProvider, inv, "no provider can be reached at present", nil)
}
