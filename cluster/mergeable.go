package cluster

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/dubway-go/dubway/cluster/merger"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/directory"
	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/service"
)

// Grouped is a Directory whose calls may go to several groups. *directory.Directory is one.
type Grouped interface {
	Directory
	// Groups returns the groups of a call in the order in which they are tried; nil when there is nothing to choose among.
	Groups(inv *rpc.Invocation) ([]*directory.Group, error)
}

// Mergeable calls groups: the strategy of every reference for several groups (spec §8.7, §11.3). The parameter merger, method-scoped or plain,
// says how:
//
//   - none (absent, "false", "0", "null"): the call goes to the first group that can be reached and has a provider left; the others are not called;
//   - any other: the call goes to every group at once, and the merger of that name makes one result of what they answer.
//
// Inside a group the call is balanced and retried by the group's own strategy: the parameter cluster, default failover.
//
// A group that fails: in Standard it is left out, and logged; when all fail the call does. In the Dubbo dialects an exception or a timeout is
// left out too, but a group that has no provider left or cannot be connected to fails the whole call, and when every group is left out the
// result is empty. There the results are also merged in the order in which Java walks a HashMap of the groups' service keys.
type Mergeable struct {
	*core
	o       Options
	mergers merger.Options

	members sync.Map // *directory.Group, or onlyGroup → *groupMember
	mu      sync.Mutex
	closed  bool
}

// onlyGroup stands for the whole directory where it has one group only.
type onlyGroup struct{}

// groupMember is what a group is called with.
type groupMember struct {
	cluster  string
	strategy Strategy
}

func newMergeable(c *core, o Options) *Mergeable {
	return &Mergeable{core: c, o: o, mergers: merger.Options{Dialect: o.Dialect, Custom: o.Mergers}}
}

// Name returns "mergeable".
func (*Mergeable) Name() string { return NameMergeable }

// Close closes the strategies of the groups.
func (f *Mergeable) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	var all []error
	f.members.Range(func(group, m any) bool {
		f.members.Delete(group)
		all = append(all, Close(m.(*groupMember).strategy))
		return true
	})
	return errors.Join(all...)
}

// Invoke implements Strategy.
func (f *Mergeable) Invoke(ctx context.Context, d Directory, next rpc.Invoker, inv *rpc.Invocation) (rpc.Result, error) {
	text, _ := d.Snapshot().Consumer().URL.MethodParam(inv.Method, "merger")
	var how merger.Merger
	if merger.IsSet(text) {
		m, err := f.mergers.Find(text)
		if err != nil {
			return rpc.Result{}, failure(rpc.Validation, inv, "the results cannot be merged", err)
		}
		how = m
	}
	targets, err := f.targets(ctx, d, next, inv)
	if err != nil {
		return rpc.Result{}, err
	}
	if how == nil {
		return f.first(targets, inv)
	}
	return f.all(ctx, targets, how, inv)
}

// target is one of the things that a call may go to: a group, or a provider where the Dubbo dialects do not tell groups apart.
type target struct {
	label string
	// key is the service key, by which Dubbo tells results apart.
	key       string
	available func() bool
	invoke    func(inv *rpc.Invocation) (rpc.Result, error)
}

// targets returns what the call may go to; there is at least one.
func (f *Mergeable) targets(ctx context.Context, d Directory, next rpc.Invoker, inv *rpc.Invocation) ([]target, error) {
	var groups []*directory.Group
	if grouped, ok := d.(Grouped); ok {
		list, err := grouped.Groups(inv)
		if err != nil {
			return nil, err
		}
		groups = list
	}
	if groups == nil {
		if f.dialect == dialect.Standard {
			return []target{{label: "the only group", available: func() bool { return true }, invoke: func(inv *rpc.Invocation) (rpc.Result, error) {
				return f.plain(d, inv).Invoke(ctx, d, next, inv)
			}}}, nil
		}
		return f.providers(ctx, d, next, inv)
	}
	out := make([]target, len(groups))
	for i, g := range groups {
		out[i] = target{label: "group " + g.Label(), key: g.ServiceKey().String(),
			available: func() bool { return reachable(g.Instances(inv), next) },
			invoke: func(inv *rpc.Invocation) (rpc.Result, error) {
				return f.member(g, inv).Invoke(ctx, g, next, inv)
			}}
	}
	return out, nil
}

// reachable reports whether any provider of a set can be called.
func reachable(set *service.Set, next rpc.Invoker) bool {
	for i := range set.Len() {
		if available(next, set.At(i)) {
			return true
		}
	}
	return false
}

// providers returns the providers as they are: what Dubbo hands to this strategy while all are of one group.
func (f *Mergeable) providers(ctx context.Context, d Directory, next rpc.Invoker, inv *rpc.Invocation) ([]target, error) {
	list, err := d.Route(inv)
	if err != nil {
		return nil, err
	}
	if list.Len() == 0 {
		return nil, noProvider(list, inv)
	}
	out := make([]target, list.Len())
	for i := range out {
		in := list.At(i)
		out[i] = target{label: "provider " + in.Address(), key: service.KeyOf(in.URL).String(),
			available: func() bool { return available(next, in) },
			invoke: func(inv *rpc.Invocation) (rpc.Result, error) {
				return f.one(ctx, d, next, list, in, inv)
			}}
	}
	return out, nil
}

// one calls one provider, without any retry.
func (f *Mergeable) one(ctx context.Context, d Directory, next rpc.Invoker, list route.Candidates, in *service.Instance, inv *rpc.Invocation) (rpc.Result, error) {
	if drainer, drains := d.(Drainer); drains && !drainer.Begin(in) {
		return rpc.Result{}, failure(rpc.Network, inv, "provider "+in.Address()+" has left and is being drained", nil)
	}
	result, err := f.call(ctx, d, next, attempt{list: list, chosen: in}, inv)
	if err != nil {
		err = asError(inv, err)
	}
	return result, err
}

// first calls the first target that can be reached and has a provider left.
func (f *Mergeable) first(targets []target, inv *rpc.Invocation) (rpc.Result, error) {
	var reasons []error
	for i := range targets {
		t := &targets[i]
		if !t.available() {
			continue
		}
		result, err := t.invoke(inv)
		if err == nil || rpc.CodeOf(err) != rpc.NoProvider || f.dialect == dialect.Dubbo26 {
			return result, err
		}
		reasons = append(reasons, err)
		f.logger.Debug("no provider is left in a group; the next one is tried", "service", inv.Service.Interface, "method", inv.Method, "at", t.label, "error", err)
	}
	if len(reasons) == len(targets) && len(targets) > 1 && f.dialect == dialect.Standard {
		return rpc.Result{}, failure(rpc.NoProvider, inv, "no group has a provider left", joined(reasons))
	}
	return targets[0].invoke(inv)
}

// answer is what a target gave.
type answer struct {
	result rpc.Result
	err    error
}

// all calls every target at once and merges what they answer.
func (f *Mergeable) all(ctx context.Context, targets []target, how merger.Merger, inv *rpc.Invocation) (rpc.Result, error) {
	if len(targets) == 1 && f.dialect == dialect.Standard {
		return targets[0].invoke(inv)
	}
	answers := make([]chan answer, len(targets))
	for i := range targets {
		answers[i] = make(chan answer, 1)
		// The calls may outlive this one when ctx ends: they get a copy that the caller cannot change.
		own := detached(inv)
		go func() {
			result, err := targets[i].invoke(own)
			answers[i] <- answer{result, err}
		}()
	}
	got := make([]answer, len(targets))
	for i := range targets {
		select {
		case got[i] = <-answers[i]:
		case <-ctx.Done():
			return rpc.Result{}, failure(rpc.CodeOf(ctx.Err()), inv, fmt.Sprintf("merging %d results", len(targets)), context.Cause(ctx))
		}
	}
	values, last, err := f.collect(targets, got, inv)
	switch {
	case err != nil:
		return rpc.Result{}, err
	case len(values) == 0:
		return rpc.Result{}, nil
	case len(values) == 1:
		return last, nil
	}
	value, err := how.Merge(values)
	if err != nil {
		return rpc.Result{}, failure(rpc.Unknown, inv, fmt.Sprintf("%d results cannot be merged with merger %q", len(values), how.Name()), err)
	}
	return rpc.Result{Value: value}, nil
}

// collect returns the values to merge, in order, and the last result.
func (f *Mergeable) collect(targets []target, got []answer, inv *rpc.Invocation) (values []any, last rpc.Result, err error) {
	order := make([]int, len(targets))
	for i := range order {
		order[i] = i
	}
	if f.dialect != dialect.Standard {
		order = javaOrder(targets)
	}
	var failed []error
	for _, i := range order {
		a := &got[i]
		if a.err == nil {
			values, last = append(values, a.result.Value), a.result
			continue
		}
		if f.dialect != dialect.Standard && !f.answered(a.err) {
			return nil, last, failure(rpc.CodeOf(a.err), inv, targets[i].label+" failed", a.err)
		}
		f.logger.Error("a group is left out of the merged result", "service", inv.Service.Interface, "method", inv.Method, "at", targets[i].label, "error", a.err)
		failed = append(failed, fmt.Errorf("%s: %w", targets[i].label, a.err))
	}
	if f.dialect == dialect.Standard && len(failed) == len(targets) {
		return nil, last, failure(rpc.CodeOf(failed[0]), inv, "every group failed", joined(failed))
	}
	return values, last, nil
}

// answered reports whether Dubbo learns of an error from the result that it waits for, and leaves it out of the merge. Other errors are raised while the
// call is sent, and fail the merge. In 2.6, where a thread waits for each group, only exceptions of providers are results.
func (f *Mergeable) answered(err error) bool {
	switch code := rpc.CodeOf(err); code {
	case rpc.Business:
		return true
	case rpc.NoProvider, rpc.Forbidden, rpc.Network, rpc.Registry, rpc.Canceled:
		return false
	default:
		return f.dialect != dialect.Dubbo26
	}
}

// javaOrder returns the targets in the order of Java's HashMap of their keys. Of several with one key the last counts.
func javaOrder(targets []target) []int {
	at := make(map[string]int, len(targets))
	var keys []string
	for i := range targets {
		if _, known := at[targets[i].key]; !known {
			keys = append(keys, targets[i].key)
		}
		at[targets[i].key] = i
	}
	out := make([]int, 0, len(keys))
	for _, key := range directory.JavaMapOrder(keys) {
		out = append(out, at[key])
	}
	return out
}

// joinedErrors are several errors in one sentence.
type joinedErrors []error

func joined(list []error) error { return joinedErrors(list) }

func (j joinedErrors) Error() string {
	texts := make([]string, len(j))
	for i, err := range j {
		texts[i] = err.Error()
	}
	return strings.Join(texts, "; ")
}

// Unwrap returns the errors, for errors.Is and errors.As.
func (j joinedErrors) Unwrap() []error { return j }

// plain returns the strategy for a directory that has one group only. It needs no mock of its own: that goes around all of this.
func (f *Mergeable) plain(d Directory, inv *rpc.Invocation) Strategy {
	return f.strategy(onlyGroup{}, d.Snapshot().Set(), inv, func(s Strategy) Strategy { return s })
}

// member returns the strategy of a group.
func (f *Mergeable) member(g *directory.Group, inv *rpc.Invocation) Strategy {
	return f.strategy(g, g.Instances(inv), inv, func(s Strategy) Strategy { return NewMock(s, f.o) })
}

// strategy returns what is remembered for a group, made by the parameter cluster of its first provider, as Dubbo does (spec §8.7).
func (f *Mergeable) strategy(of any, set *service.Set, inv *rpc.Invocation, wrap func(Strategy) Strategy) Strategy {
	name := ""
	if set.Len() > 0 {
		name = set.At(0).URL.Get("cluster", "")
	}
	if v, ok := f.members.Load(of); ok && v.(*groupMember).cluster == name {
		return v.(*groupMember).strategy
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if v, ok := f.members.Load(of); ok && v.(*groupMember).cluster == name {
		return v.(*groupMember).strategy
	}
	f.forget(of, inv)
	m := &groupMember{cluster: name, strategy: wrap(f.inner(name))}
	if f.closed {
		_ = Close(m.strategy)
		return m.strategy
	}
	f.members.Store(of, m)
	return m.strategy
}

// inner makes the strategy that a name stands for inside a group.
func (f *Mergeable) inner(name string) Strategy {
	if name == NameMergeable {
		if f.dialect != dialect.Standard {
			return newMergeable(f.core, f.o) // so cluster=mergeable calls every provider of a group there
		}
		name = NameFailover
	}
	s, err := New(name, f.o)
	if err != nil {
		f.logger.Warn("cluster strategy of a group ignored", "problem", err, "instead", NameFailover)
		return &Failover{f.core}
	}
	return s
}

// forget closes the strategy that of had, and those of groups that are gone. The caller holds mu.
func (f *Mergeable) forget(of any, inv *rpc.Invocation) {
	var gone []Strategy
	f.members.Range(func(key, v any) bool {
		g, ok := key.(*directory.Group)
		if key == of || ok && g.Instances(inv).Len() == 0 && f.dialect != dialect.Dubbo26 { // in 2.6 a group may be there for other methods only
			f.members.Delete(key)
			gone = append(gone, v.(*groupMember).strategy)
		}
		return true
	})
	for _, s := range gone {
		go func() { _ = Close(s) }() // it waits for background work
	}
}
