package app

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dubway-go/dubway/admin"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/service"
	"github.com/dubway-go/dubway/source"
)

// listFresh is how long the registry's list of interfaces is believed.
const listFresh = time.Second

// maxDetailed bounds for how many interfaces List reads the providers.
const maxDetailed = 500

// listedInterfaces remembers for a moment which interfaces the registry has.
type listedInterfaces struct {
	lister source.Lister

	mu    sync.Mutex
	at    time.Time
	known map[string]bool
}

// check refuses interfaces that the registry does not have. A registry that cannot tell lets everything pass.
func (l *listedInterfaces) check(ctx context.Context, key service.Key) error {
	if l.lister == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if time.Since(l.at) > listFresh {
		names, err := l.lister.Services(ctx)
		if err != nil {
			return nil // opening says what is wrong, or serves what it can
		}
		l.known, l.at = make(map[string]bool, len(names)), time.Now()
		for _, n := range names {
			l.known[n] = true
		}
	}
	if l.known[key.Interface] {
		return nil
	}
	message := "the registry has no such interface"
	if near := similar(key.Interface, slices.Sorted(maps.Keys(l.known))); near != "" {
		message += "; did you mean " + near + "?"
	} else if n := len(l.known); n > 0 {
		message += fmt.Sprintf("; it has %d others: `dubway services` lists them", n)
	} else {
		message += "; it lists no services at all"
	}
	return &rpc.Error{Code: rpc.NoProvider, Service: key, Message: message}
}

// similar finds a known interface with the same simple name, or nearly the same name.
func similar(name string, known []string) string {
	simple := name[strings.LastIndexByte(name, '.')+1:]
	for _, k := range known {
		if strings.EqualFold(k[strings.LastIndexByte(k, '.')+1:], simple) {
			return k
		}
	}
	return nearest(name, known)
}

// List implements admin.Services: every interface of the registry, by group and version.
func (p *pool) List(ctx context.Context) ([]admin.ServiceSummary, error) {
	rows := make(map[string]*admin.ServiceSummary)
	row := func(k service.Key) *admin.ServiceSummary {
		r, ok := rows[k.String()]
		if !ok {
			r = &admin.ServiceSummary{Service: k.String(), Interface: k.Interface, Group: k.Group, Version: k.Version}
			rows[k.String()] = r
		}
		return r
	}
	if p.sources.Lister != nil {
		names, err := p.sources.Lister.Services(ctx)
		if err != nil {
			return nil, err
		}
		p.detail(ctx, names, row)
	}
	for _, s := range p.all() {
		r := row(s.Key())
		r.Open = true
		r.Providers = max(r.Providers, s.State().Instances)
	}
	out := make([]admin.ServiceSummary, 0, len(rows))
	for _, k := range slices.Sorted(maps.Keys(rows)) {
		out = append(out, *rows[k])
	}
	return out, nil
}

// detail reads the providers of interfaces, some at a time.
func (p *pool) detail(ctx context.Context, names []string, row func(service.Key) *admin.ServiceSummary) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	states := make([]*source.State, len(names))
	work := make(chan int)
	var wait sync.WaitGroup
	for range min(8, len(names)) {
		wait.Go(func() {
			for i := range work {
				states[i] = p.sources.peek(ctx, names[i])
			}
		})
	}
	for i := range min(len(names), maxDetailed) {
		work <- i
	}
	close(work)
	wait.Wait()
	for i, name := range names {
		if states[i] == nil {
			row(service.Key{Interface: name}).Providers = -1
			continue
		}
		summarize(name, states[i], row)
	}
}

func summarize(name string, state *source.State, row func(service.Key) *admin.ServiceSummary) {
	if len(state.Providers) == 0 {
		row(service.Key{Interface: name})
		return
	}
	for _, text := range state.Providers {
		u, err := durl.Parse(text)
		if err != nil {
			continue
		}
		r := row(service.Key{Interface: name, Group: u.Group(), Version: u.Version()})
		r.Providers++
		if a := u.Application(); a != "" && !slices.Contains(r.Applications, a) {
			r.Applications = append(r.Applications, a)
			slices.Sort(r.Applications)
		}
	}
}
