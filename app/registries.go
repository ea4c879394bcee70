package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/dubway-go/dubway"
	"github.com/dubway-go/dubway/admin"
	"github.com/dubway-go/dubway/service"
	"github.com/dubway-go/dubway/source"
)

// RegistryConfig is one of several registries.
type RegistryConfig struct {
	// Name tells it from the others; empty means one made of the address.
	Name, Address string
	// Preferred, Zone and Weight are those of dubway.RegistryOptions.
	Preferred bool
	Zone      string
	Weight    int
}

// ParseRegistry reads a registry as the flag --registry takes it: an address, with a name before it where that is wanted ("hangzhou=zookeeper://…"), and
// with the parameters zone, weight and preferred that Dubbo has in a registry's URL.
func ParseRegistry(text string) (RegistryConfig, error) {
	c := RegistryConfig{Address: text}
	if name, address, ok := strings.Cut(text, "="); ok && !strings.Contains(name, "://") {
		c.Name, c.Address = name, address
	}
	return c, c.takeParameters()
}

// takeParameters moves the parameters that are about the choice among registries from the address to the fields.
func (c *RegistryConfig) takeParameters() error {
	address, query, ok := strings.Cut(c.Address, "?")
	if !ok {
		return nil
	}
	var rest []string
	for part := range strings.SplitSeq(query, "&") {
		key, value, _ := strings.Cut(part, "=")
		switch key {
		case "zone":
			c.Zone = value
		case "preferred":
			c.Preferred = value == "true"
			if value != "true" && value != "false" {
				return fmt.Errorf("registry %s: preferred=%s: write true or false", redact(c.Address), value)
			}
		case "weight":
			n, err := strconv.Atoi(value)
			if err != nil || n < 0 {
				return fmt.Errorf("registry %s: weight=%s: write a number such as 100", redact(c.Address), value)
			}
			c.Weight = weightOf(n)
		default:
			rest = append(rest, part)
		}
	}
	if c.Address = address; len(rest) > 0 {
		c.Address += "?" + strings.Join(rest, "&")
	}
	return nil
}

// weightOf turns a weight as people write it, where 0 means none, into that of dubway.RegistryOptions.
func weightOf(n int) int {
	if n == 0 {
		return -1
	}
	return n
}

// nameRegistries gives each registry without a name one made of its address.
func nameRegistries(list []RegistryConfig) {
	taken := func(name string) bool {
		return slices.ContainsFunc(list, func(c RegistryConfig) bool { return c.Name == name })
	}
	for i := range list {
		if list[i].Name != "" {
			continue
		}
		_, rest, _ := strings.Cut(list[i].Address, "://")
		rest = rest[strings.LastIndexByte(rest, '@')+1:]
		if at := strings.IndexAny(rest, "?/,"); at >= 0 {
			rest = rest[:at]
		}
		name := strings.Map(func(r rune) rune {
			if strings.ContainsRune(" ,/:?&#@[]", r) {
				return '-'
			}
			return r
		}, rest)
		if name == "" {
			name = "registry"
		}
		unique := name
		for n := 2; taken(unique); n++ {
			unique = name + "-" + strconv.Itoa(n)
		}
		list[i].Name = unique
	}
}

// NamedSources are the sources of one of several registries.
type NamedSources struct {
	RegistryConfig
	*Sources
}

// openRegistries opens several registries. One that does not answer yet does not keep the others waiting: it joins in when it does. Rules come from the first
// that keeps any, unless rules names a config centre.
func openRegistries(ctx context.Context, list []RegistryConfig, rules string, log *slog.Logger) (*Sources, error) {
	list = slices.Clone(list)
	for i := range list {
		if err := list[i].takeParameters(); err != nil {
			return nil, err
		}
	}
	nameRegistries(list)
	var opened []NamedSources
	fail := func(err error) (*Sources, error) { return nil, errors.Join(err, closeNamed(opened)) }
	for _, c := range list {
		s, err := open(ctx, c.Address, log, true)
		if err != nil {
			return fail(fmt.Errorf("registry %s: %w", c.Name, err))
		}
		opened = append(opened, NamedSources{c, s})
		if s.Registry == nil {
			return fail(fmt.Errorf("registry %s: %s keeps rules but no providers: give it with --rules", c.Name, s.Name))
		}
	}
	out := JoinSources(opened)
	if rules == "" {
		return out, nil
	}
	s, err := open(ctx, rules, log, false)
	if err != nil {
		return fail(fmt.Errorf("config centre: %w", err))
	}
	out.Rules, out.Store = s.Rules, s.Store
	out.Close = func() error { return errors.Join(closeNamed(opened), s.close()) }
	return out, nil
}

// JoinSources returns several registries as the Sources of one daemon; rules are those of the first that keeps any. Close closes all of them. Each
// needs a name and a Registry.
func JoinSources(list []NamedSources) *Sources {
	out := &Sources{Registries: list, Lister: joinedLister(list), Close: func() error { return closeNamed(list) }}
	var names []string
	for _, r := range list {
		names = append(names, r.RegistryConfig.Name+" "+r.Sources.Name)
		if out.Rules == nil {
			out.Rules, out.Store = r.Rules, r.Store
		}
	}
	out.Name = strings.Join(names, ", ")
	return out
}

func closeNamed(list []NamedSources) error {
	var all []error
	for _, r := range list {
		all = append(all, r.close())
	}
	return errors.Join(all...)
}

// options returns the registries as a client takes them.
func (s *Sources) options(o *dubway.Options) {
	o.Rules = s.Rules
	if len(s.Registries) == 0 {
		o.Registry, o.Registrar = s.Registry, s.Registrar
		return
	}
	for _, r := range s.Registries {
		o.Registries = append(o.Registries, dubway.RegistryOptions{Name: r.RegistryConfig.Name, Registry: r.Registry, Registrar: r.Registrar,
			Preferred: r.Preferred, Zone: r.Zone, Weight: r.Weight})
	}
}

// joinedLister lists what any of the registries has. It fails only when all do: a registry that is lost hides nothing of the others.
type joinedLister []NamedSources

// Services implements source.Lister.
func (l joinedLister) Services(ctx context.Context) ([]string, error) {
	lists, errs := make([][]string, len(l)), make([]error, len(l))
	var wait sync.WaitGroup
	for i, r := range l {
		if r.Lister == nil {
			continue
		}
		wait.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
			defer cancel()
			if lists[i], errs[i] = r.Lister.Services(ctx); errs[i] != nil {
				errs[i] = fmt.Errorf("registry %s: %w", r.RegistryConfig.Name, errs[i])
			}
		})
	}
	wait.Wait()
	var out []string
	failed := 0
	for i := range l {
		out = append(out, lists[i]...)
		if errs[i] != nil {
			failed++
		}
	}
	if failed == len(l) {
		return nil, errors.Join(errs...)
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// peek reads the present state of one interface in every registry, nil when none tells in time.
func (s *Sources) peek(ctx context.Context, name string) *source.State {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	if len(s.Registries) == 0 {
		return peek(ctx, s.Registry, name)
	}
	states := make([]*source.State, len(s.Registries))
	var wait sync.WaitGroup
	for i, r := range s.Registries {
		wait.Go(func() { states[i] = peek(ctx, r.Registry, name) })
	}
	wait.Wait()
	var out *source.State
	for _, one := range states {
		if one == nil {
			continue
		}
		if out == nil {
			out = &source.State{}
		}
		out.Providers = append(out.Providers, one.Providers...)
	}
	return out
}

// peek reads the present state of one interface, nil when that does not come in time or contact is lost.
func peek(ctx context.Context, from source.Registry, name string) *source.State {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var state *source.State
	_ = from.Watch(ctx, service.Key{Interface: name}, func(e source.Event[source.State]) {
		if e.Err == nil && state == nil {
			state = &e.Value
		}
		cancel()
	})
	return state
}

// Times of the probes of registries.
const (
	// probeFresh is how long an answer is believed.
	probeFresh = time.Second
	// probeTime is how long a registry may take to answer.
	probeTime = 2 * time.Second
	// probePatience is how long whoever asks waits for news: what asks for health must not hang because a registry does.
	probePatience = 300 * time.Millisecond
)

// probes asks the registries whether they answer. Its goroutines are counted in work and end with life.
type probes struct {
	life context.Context
	work *sync.WaitGroup
	list []NamedSources

	mu      sync.Mutex
	at      time.Time
	last    []admin.RegistryHealth
	running chan struct{} // closed when the questions under way are answered; nil when there are none
	stopped bool
}

func newProbes(life context.Context, work *sync.WaitGroup, s *Sources) *probes {
	p := &probes{life: life, work: work, list: s.Registries}
	if len(p.list) == 0 {
		p.list = []NamedSources{{Sources: s}}
	}
	p.list = slices.DeleteFunc(slices.Clone(p.list), func(r NamedSources) bool { return r.Lister == nil })
	for _, r := range p.list {
		p.last = append(p.last, p.entry(r, errors.New("it has not answered yet")))
	}
	return p
}

func (*probes) entry(r NamedSources, err error) admin.RegistryHealth {
	h := admin.RegistryHealth{Name: r.RegistryConfig.Name, Address: r.Sources.Name, Zone: r.Zone, Preferred: r.Preferred, Up: err == nil}
	if err != nil {
		h.Error = err.Error()
	}
	return h
}

// health returns one entry for each registry: what it said last when it does not answer at once. The caller must not change the slice.
func (p *probes) health(ctx context.Context) []admin.RegistryHealth {
	p.mu.Lock()
	if p.running == nil && time.Since(p.at) >= probeFresh && !p.stopped {
		p.running = make(chan struct{})
		p.work.Go(p.ask)
	}
	running := p.running
	p.mu.Unlock()
	if running != nil {
		timer := time.NewTimer(probePatience)
		defer timer.Stop()
		select {
		case <-running:
		case <-timer.C:
		case <-ctx.Done():
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.last
}

// stop asks nobody any more.
func (p *probes) stop() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stopped = true
}

// ask asks every registry, all at once.
func (p *probes) ask() {
	ctx, cancel := context.WithTimeout(p.life, probeTime)
	defer cancel()
	out := make([]admin.RegistryHealth, len(p.list))
	var wait sync.WaitGroup
	for i, r := range p.list {
		wait.Go(func() {
			_, err := r.Lister.Services(ctx)
			out[i] = p.entry(r, err)
		})
	}
	wait.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.at, p.last = time.Now(), out
	close(p.running)
	p.running = nil
}
