package cluster

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/service"
)

// Forking calls several providers at once, forks (default 2; 0 or less, or more than there are, means all), returns the
// first answer and cancels the other calls: for reads that must be quick. When all fail the last error is
// returned. A provider's exception is an answer. After the parameter timeout (default 1000 ms) standard fails with code
// timeout; the Dubbo dialects return an empty result, as there (spec §11.3).
type Forking struct{ *core }

// Name returns "forking".
func (*Forking) Name() string { return NameForking }

type forkAnswer struct {
	in     *service.Instance
	result rpc.Result
	err    error
}

// Invoke implements Strategy.
func (f *Forking) Invoke(ctx context.Context, d Directory, next rpc.Invoker, inv *rpc.Invocation) (rpc.Result, error) {
	list, err := d.Route(inv)
	if err != nil {
		return rpc.Result{}, err
	}
	if list.Len() == 0 {
		return rpc.Result{}, noProvider(list, inv)
	}
	s := f.settingsOf(d, list, inv.Method)
	chosen, err := f.several(d, list, next, inv, s)
	if err != nil {
		return rpc.Result{}, err
	}
	if len(chosen) == 0 {
		return rpc.Result{}, failure(rpc.Network, inv, "every chosen provider is being drained", nil)
	}
	forked, cancel := context.WithCancel(ctx)
	defer cancel()
	answers := make(chan forkAnswer, len(chosen))
	for _, in := range chosen {
		// The calls that lose may outlive this one: they get a copy that the caller cannot change.
		own := detached(inv)
		go func() {
			result, err := f.call(forked, d, next, attempt{list: list, chosen: in}, own)
			answers <- forkAnswer{in, result, err}
		}()
	}
	timer := time.NewTimer(s.timeout)
	defer timer.Stop()
	var failed triedList
	for {
		select {
		case a := <-answers:
			if a.err == nil || rpc.CodeOf(a.err) == rpc.Business {
				return a.result, a.err
			}
			if failed.add(a.in); failed.n == len(chosen) {
				return rpc.Result{}, exhausted(inv, &failed, a.err, nil)
			}
		case <-ctx.Done():
			return rpc.Result{}, failure(rpc.CodeOf(ctx.Err()), inv, fmt.Sprintf("forked to %d providers", len(chosen)), context.Cause(ctx))
		case <-timer.C:
			if f.dialect != dialect.Standard {
				return rpc.Result{}, nil
			}
			return rpc.Result{}, failure(rpc.Timeout, inv, fmt.Sprintf("no answer in %v from any of %d providers", s.timeout, len(chosen)), nil)
		}
	}
}

// several chooses distinct providers and marks them busy.
func (f *Forking) several(d Directory, list route.Candidates, next rpc.Invoker, inv *rpc.Invocation, s *settings) ([]*service.Instance, error) {
	drainer, drains := d.(Drainer)
	var chosen []*service.Instance
	take := func(in *service.Instance) {
		if !drains || drainer.Begin(in) {
			chosen = append(chosen, in)
		}
	}
	if s.forks <= 0 || s.forks >= list.Len() {
		for i := range list.Len() {
			take(list.At(i))
		}
		return chosen, nil
	}
	var tried triedList
	for range s.forks {
		i, err := f.choose(list, next, inv, s, &tried)
		if err != nil {
			for _, in := range chosen {
				if drains {
					drainer.End(in)
				}
			}
			return nil, err
		}
		in := list.At(i)
		if tried.has(in) {
			continue // fewer are left than were wanted
		}
		tried.add(in)
		take(in)
	}
	return chosen, nil
}

// detached copies a call for work that outlives it. What arguments point to is shared.
func detached(inv *rpc.Invocation) *rpc.Invocation {
	out := *inv
	out.ParamTypes = slices.Clone(inv.ParamTypes)
	out.Args = slices.Clone(inv.Args)
	out.Attachments = slices.Clone(inv.Attachments)
	return &out
}
