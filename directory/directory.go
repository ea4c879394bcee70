package directory

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/dubway-go/dubway/balance"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/service"
	"github.com/dubway-go/dubway/source"
)

// Directory is the providers of one service as one consumer may call them. All methods are safe for
// concurrent use. Close it when it is no longer needed.
type Directory struct {
	s        *settings
	current  atomic.Pointer[generation]
	drains   *drainer
	inbox    *inbox
	contacts contacts
	writer   *writer
	opened   chan struct{}
	cancel   context.CancelFunc
	work     sync.WaitGroup
	closing  sync.Once
}

// Open subscribes to the registry and the config centre and returns once each has answered, or ctx ends.
// ctx bounds only the opening.
//
// Without Check a directory may open empty, or without contact to the registry; it fills by itself. With
// Check, Open fails with an *rpc.Error when no provider could be called: code registry when the
// registry does not answer, no-provider or forbidden when it lists nothing usable. When ctx ends before all
// sources answered, Open fails with code registry and says which.
func Open(ctx context.Context, key service.Key, o Options) (*Directory, error) {
	d, err := Start(ctx, key, o)
	if err != nil {
		return nil, err
	}
	if err := d.wait(ctx); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	if o.Check {
		if err := d.check(); err != nil {
			return nil, errors.Join(err, d.Close())
		}
	}
	return d, nil
}

// Static returns a directory of fixed providers, for direct addresses. The URLs are taken as meant for this consumer:
// group, version and category are not compared. One without a path or an interface gets those of key.
// With Options.Config, rule documents apply as they arrive; use Ready to wait for the first.
func Static(key service.Key, consumer durl.URL, providers []durl.URL, o Options) (*Directory, error) {
	if len(providers) == 0 {
		return nil, errors.New("directory: no providers: give at least one address such as dubbo://10.0.0.7:20880")
	}
	o.Registry, o.Consumer = nil, consumer
	s, err := newSettings(key, o)
	if err != nil {
		return nil, err
	}
	s.matching = false
	texts := make([]string, 0, len(providers))
	for _, u := range providers {
		if u.Host() == "" {
			return nil, fmt.Errorf("directory: provider %q has no host: give an address such as dubbo://10.0.0.7:20880", u.Redacted())
		}
		if u.Path() == "" {
			u = u.WithPath(key.Interface)
		}
		texts = append(texts, u.String())
	}
	slices.Sort(texts)
	d := newDirectory(s)
	d.writer.answered = true
	d.inbox.putState(source.Event[source.State]{Value: source.State{Providers: slices.Compact(texts)}})
	life, cancel := context.WithCancel(context.Background())
	d.cancel = cancel
	d.writer.step(life, d.inbox.take())
	d.work.Go(func() { d.writer.run(life) })
	return d, nil
}

func newDirectory(s *settings) *Directory {
	d := &Directory{s: s, inbox: newInbox(), opened: make(chan struct{})}
	d.drains = newDrainer(s.Options)
	d.writer = &writer{d: d, j: newJoin(s)}
	d.writer.j.providers.table.owner = d.drains
	if s.multi {
		d.writer.groups = newGroups(d)
		d.writer.j.groupNamed = d.writer.groups.find
	}
	return d
}

// start publishes an empty generation and starts the writer.
func (d *Directory) start(parent context.Context) context.Context {
	life, cancel := context.WithCancel(parent)
	d.cancel = cancel
	d.writer.step(life, news{})
	d.work.Go(func() { d.writer.run(life) })
	return life
}

// Ready returns nil once every source has answered for the first time; it is what Open waits for.
func (d *Directory) Ready(ctx context.Context) error { return d.wait(ctx) }

func (d *Directory) wait(ctx context.Context) error {
	select {
	case <-d.opened:
		return nil
	case <-ctx.Done():
	}
	what := "the config centre did not answer in time"
	if !d.current.Load().status.Ready {
		what = "the registry did not answer in time"
	}
	for _, c := range d.contacts.list() {
		what += "; " + c.Source + ": " + c.Error
	}
	return &rpc.Error{Code: rpc.Registry, Service: d.s.key, Message: what, Cause: context.Cause(ctx)}
}

// check is Dubbo's check=true.
func (d *Directory) check() error {
	g := d.current.Load()
	if g.fail == failNone && g.status.Instances > 0 {
		return nil
	}
	e := &rpc.Error{Code: rpc.NoProvider, Service: d.s.key}
	switch g.fail {
	case failForbidden:
		e.Code = rpc.Forbidden
	case failUnheard:
		e.Code = rpc.Registry
	}
	var b strings.Builder
	fmt.Fprintf(&b, "check failed: no provider of %s can be called", d.s.key)
	b.WriteString(summarize(g.excluded))
	for _, c := range d.contacts.list() {
		fmt.Fprintf(&b, "; %s: %s", c.Source, c.Error)
	}
	b.WriteString("; start a provider, or open without Check")
	e.Message = b.String()
	return e
}

// swap publishes a generation.
func (d *Directory) swap(g *generation) {
	if old := d.current.Swap(g); old != nil {
		close(old.changed)
	}
}

// Key returns the service.
func (d *Directory) Key() service.Key { return d.s.key }

// Consumer returns the consumer URL that the directory was opened with, completed from the service key.
func (d *Directory) Consumer() durl.URL { return d.s.consumer }

// Balancer returns the balancer that Pick uses.
func (d *Directory) Balancer() balance.Balancer { return d.s.Balancer }

// Snapshot returns the snapshot in force; never nil. It stays valid after it is superseded. In dubbo-2.6 calls
// are routed over lists by method (spec §7.1), and those of a multi-group reference group by group (§8.7), so route them with Route.
func (d *Directory) Snapshot() *route.Snapshot { return d.current.Load().snapshot }

// Changed returns a channel that is closed when the state of now is superseded.
func (d *Directory) Changed() <-chan struct{} { return d.current.Load().changed }

// Route returns the candidates for a call. The error is an *rpc.Error: forbidden while the registry
// lists no providers, no-provider with a short explanation when the rules leave none, registry while
// nothing was heard yet. A call keeps its candidates whatever changes meanwhile. For a multi-group reference the candidates are those of the
// first group that has any; Groups has them all.
func (d *Directory) Route(inv *rpc.Invocation) (route.Candidates, error) {
	g := d.current.Load()
	if g.fail != failNone {
		return route.Candidates{}, g.refuse(d.s, inv)
	}
	c := g.route(inv)
	if c.Len() == 0 {
		return c, g.noProvider(d.s, c, inv)
	}
	return c, nil
}

// Pick returns the provider for a call, chosen by the directory's balancer; errors are those of Route. It neither
// locks nor, once warm, allocates. Bracket the call with Begin and End, or the provider's connection may close under it.
func (d *Directory) Pick(inv *rpc.Invocation) (*service.Instance, error) {
	c, err := d.Route(inv)
	if err != nil {
		return nil, err
	}
	n := d.s.Balancer.Pick(c, inv)
	if n < 0 {
		return nil, d.refused(c, inv)
	}
	return c.At(n), nil
}

// refused returns the error for a call that the balancer would not place.
func (d *Directory) refused(c route.Candidates, inv *rpc.Invocation) error {
	e := &rpc.Error{Code: rpc.Unknown, Service: d.s.key, Method: inv.Method, Message: "balancer " + d.s.Balancer.Name() + " chose none of the candidates"}
	if r, ok := d.s.Balancer.(balance.Refuser); ok {
		e.Cause = r.Refusal(c, inv)
	}
	return e
}

// Append appends the candidates for a call to dst, in the directory's order; errors are those of Route.
func (d *Directory) Append(dst []*service.Instance, inv *rpc.Invocation) ([]*service.Instance, error) {
	c, err := d.Route(inv)
	if err != nil {
		return dst, err
	}
	for i := range c.Len() {
		dst = append(dst, c.At(i))
	}
	return dst, nil
}

// State returns the directory's present state. The caller must not change what it points to.
func (d *Directory) State() Status {
	g := d.current.Load()
	st := g.status
	st.Age = d.s.Now().Sub(st.Built)
	st.Lost = d.contacts.list()
	st.Draining = d.drains.count()
	if d.s.Scripts != nil {
		st.Scripts = d.s.scriptCounts.status()
	}
	return st
}

// Close stops watching, lets running calls finish for at most Options.DrainTimeout, tells Hooks.Retired of
// every provider and returns. Later calls fail. It is safe to call more than once; the error is always nil.
func (d *Directory) Close() error {
	d.closing.Do(func() {
		d.cancel()
		d.work.Wait()
		d.swap(d.current.Load().end())
		p := &d.writer.j.providers
		p.clear()
		d.drains.retire(p.retired)
		d.drains.wait()
		d.writer.j.closeScripts()
		for _, one := range d.writer.groups.all() {
			one.j.closeScripts()
		}
	})
	return nil
}

// end returns the closed form of a generation.
func (g *generation) end() *generation {
	st := g.status
	st.Closed = true
	st.Generation++
	return &generation{snapshot: g.snapshot, lists: g.lists, fail: failClosed, status: st, excluded: g.excluded, overrides: g.overrides, changed: make(chan struct{})}
}
