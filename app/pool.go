package app

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dubway-go/dubway"
	"github.com/dubway-go/dubway/admin"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/service"
)

// leastIdle is how long a service must have been unused before it may make room for another.
const leastIdle = 30 * time.Second

// pool keeps the services that the daemon has open: those of the configuration for ever, others from their first use until
// nobody used them for a while. It is bounded, and opens only what the registry lists, so that
// requests with made-up names cost nothing.
type pool struct {
	client  *dubway.Client
	sources *Sources
	config  *Config
	metrics *metrics

	// plain finds a service that was asked for without any wish of its own, by its key: the gateway's way.
	plain sync.Map // service.Key → *pooled

	mu     sync.Mutex
	open   map[string]*pooled
	closed bool

	listed listedInterfaces
}

type pooled struct {
	id     string
	key    service.Key
	ready  chan struct{} // closed when service and err are set
	s      *dubway.Service
	err    error
	pinned bool
	users  atomic.Int64
	used   atomic.Int64 // Unix nanoseconds
}

func newPool(client *dubway.Client, sources *Sources, config *Config, m *metrics) *pool {
	p := &pool{client: client, sources: sources, config: config, metrics: m, open: make(map[string]*pooled)}
	p.listed.lister = sources.Lister
	return p
}

// Call implements gateway.Caller.
func (p *pool) Call(ctx context.Context, inv *rpc.Invocation) (rpc.Result, error) {
	began := time.Now()
	result, err := p.call(ctx, inv)
	p.metrics.observe(inv.Service.String(), inv.Method, err, time.Since(began))
	return result, err
}

func (p *pool) call(ctx context.Context, inv *rpc.Invocation) (rpc.Result, error) {
	if v, ok := p.plain.Load(inv.Service); ok {
		e := v.(*pooled)
		e.users.Add(1)
		defer e.users.Add(-1)
		e.used.Store(time.Now().UnixNano())
		return e.s.Invoke(ctx, inv)
	}
	e, err := p.get(ctx, admin.Target{Service: inv.Service.String()})
	if err != nil {
		return rpc.Result{}, err
	}
	e.users.Add(1)
	defer e.users.Add(-1)
	return e.s.Invoke(ctx, inv)
}

// Open implements admin.Services.
func (p *pool) Open(ctx context.Context, t admin.Target) (*dubway.Service, error) {
	e, err := p.get(ctx, t)
	if err != nil {
		return nil, err
	}
	return e.s, nil
}

func (p *pool) get(ctx context.Context, t admin.Target) (*pooled, error) {
	key, err := service.ParseKey(t.Service)
	if err != nil {
		return nil, &rpc.Error{Code: rpc.Validation, Message: err.Error(), Cause: err}
	}
	if t.Group != "" {
		key.Group = t.Group
	}
	if t.Version != "" {
		key.Version = t.Version
	}
	o := dubway.ServiceOptions{Application: t.Application, Host: t.Host, Parameters: t.Parameters}
	if t.Dialect != "" {
		d, err := dialect.Parse(t.Dialect)
		if err != nil {
			return nil, &rpc.Error{Code: rpc.Validation, Service: key, Message: err.Error(), Cause: err}
		}
		if d != p.config.Dialect {
			o.Dialect = &d
		}
	}
	id := identity(key, &o)
	if !p.has(id) {
		if err := p.listed.check(ctx, key); err != nil {
			return nil, err
		}
	}
	return p.enter(ctx, key, id, o, false)
}

func (p *pool) has(id string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, ok := p.open[id]
	return ok
}

// enter returns the service called id, opened by the first who asks; everyone else waits for that.
func (p *pool) enter(ctx context.Context, key service.Key, id string, o dubway.ServiceOptions, pinned bool) (*pooled, error) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil, &rpc.Error{Code: rpc.Canceled, Service: key, Message: "the daemon is stopping"}
	}
	e, known := p.open[id]
	if !known {
		if err := p.room(key); err != nil {
			p.mu.Unlock()
			return nil, err
		}
		e = &pooled{id: id, key: key, ready: make(chan struct{}), pinned: pinned}
		p.open[id] = e
	}
	e.used.Store(time.Now().UnixNano())
	p.mu.Unlock()
	if !known {
		p.start(ctx, e, o)
	}
	select {
	case <-e.ready:
		return e, e.err
	case <-ctx.Done():
		return nil, &rpc.Error{Code: rpc.CodeOf(ctx.Err()), Service: key, Message: "the service was not open in time", Cause: ctx.Err()}
	}
}

// start opens e. A service that cannot be opened is forgotten, so that the next one to ask tries again.
func (p *pool) start(ctx context.Context, e *pooled, o dubway.ServiceOptions) {
	e.s, e.err = p.client.ServiceWith(context.WithoutCancel(ctx), e.key.String(), o)
	p.mu.Lock()
	switch {
	case e.err != nil:
		delete(p.open, e.id)
	case p.closed:
		e.err = &rpc.Error{Code: rpc.Canceled, Service: e.key, Message: "the daemon is stopping"}
	case e.id == e.key.String():
		p.plain.Store(e.key, e)
	}
	p.mu.Unlock()
	close(e.ready)
}

// room makes sure that one more service may be opened. The caller holds mu.
func (p *pool) room(key service.Key) error {
	if len(p.open) < p.config.MaxServices {
		return nil
	}
	var oldest *pooled
	for _, e := range p.open {
		if p.removable(e, min(leastIdle, p.config.Idle)) && (oldest == nil || e.used.Load() < oldest.used.Load()) {
			oldest = e
		}
	}
	if oldest == nil {
		return &rpc.Error{Code: rpc.Limit, Service: key,
			Message: fmt.Sprintf("%d services are open and in use, the most allowed: raise maxServices", p.config.MaxServices)}
	}
	p.drop(oldest)
	return nil
}

func (p *pool) removable(e *pooled, idle time.Duration) bool {
	select {
	case <-e.ready:
	default:
		return false
	}
	return !e.pinned && e.err == nil && e.users.Load() == 0 && time.Since(time.Unix(0, e.used.Load())) >= idle
}

// drop forgets e and closes it. The caller holds mu.
func (p *pool) drop(e *pooled) {
	delete(p.open, e.id)
	p.plain.CompareAndDelete(e.key, e)
	go func() { _ = e.s.Close() }()
}

// tidy closes services that nobody used for a while, until ctx ends.
func (p *pool) tidy(ctx context.Context) {
	ticks := time.NewTicker(max(p.config.Idle/4, 10*time.Millisecond))
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		}
		p.mu.Lock()
		for _, e := range p.open {
			if p.removable(e, p.config.Idle) {
				p.drop(e)
			}
		}
		p.mu.Unlock()
	}
}

// close refuses further services. Those that are open end with the client.
func (p *pool) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
}

// all returns the services that are open now.
func (p *pool) all() []*dubway.Service {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []*dubway.Service
	for _, e := range p.open {
		select {
		case <-e.ready:
			if e.err == nil {
				out = append(out, e.s)
			}
		default:
		}
	}
	return out
}

// identity is the same for equal wishes: the key alone when there are none.
func identity(key service.Key, o *dubway.ServiceOptions) string {
	var b strings.Builder
	b.WriteString(key.String())
	add := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "\x00%s=%s", name, value)
		}
	}
	add("application", o.Application)
	add("host", o.Host)
	if o.Dialect != nil {
		add("dialect", o.Dialect.String())
	}
	for _, k := range slices.Sorted(maps.Keys(o.Parameters)) {
		add(":"+k, o.Parameters[k])
	}
	return b.String()
}

// preopen opens the services of the configuration.
func (p *pool) preopen(ctx context.Context) error {
	var all []error
	for i := range p.config.Services {
		c := &p.config.Services[i]
		key, err := service.ParseKey(c.Name)
		if err != nil {
			all = append(all, err)
			continue
		}
		_, err = p.enter(ctx, key, key.String(), dubway.ServiceOptions{Cluster: c.Cluster, LoadBalance: c.LoadBalance, Timeout: c.Timeout,
			Retries: c.Retries, Direct: c.Direct, Parameters: c.Parameters, Merger: c.Merger, Registries: c.Registries}, true)
		if err != nil {
			all = append(all, fmt.Errorf("service %s: %w", c.Name, err))
		}
	}
	return errors.Join(all...)
}
