package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/dubway-go/dubway/source"
	"github.com/dubway-go/dubway/source/file"
	"github.com/dubway-go/dubway/source/mem"
	"github.com/dubway-go/dubway/source/zk"
)

// Sources are the registry and config centre of a daemon. What an address does not offer is nil.
type Sources struct {
	// Name is the registry's address, without its password; of several, all names and addresses.
	Name string
	// Registries are the registries when there are several; Registry and Registrar are nil then.
	Registries []NamedSources
	Registry   source.Registry
	Registrar  source.Registrar
	Lister     source.Lister
	Rules      source.ConfigCenter
	Store      source.RuleStore
	// Close ends the connections; it may be nil.
	Close func() error
}

// opener opens one kind of address.
// With anyway it succeeds although the server does not answer yet.
type opener func(ctx context.Context, address string, log *slog.Logger, anyway bool) (*Sources, error)

// schemes is the table of adapters: which of them serves an address. A new adapter is one line here.
func schemes() map[string]opener {
	return map[string]opener{
		"mem":       openMem,
		"file":      openFile,
		"zookeeper": openZooKeeper,
	}
}

// OpenSources opens the registry at an address, and the config centre at rules when that is not empty.
func OpenSources(ctx context.Context, registry, rules string, log *slog.Logger) (*Sources, error) {
	out := &Sources{}
	if registry != "" {
		s, err := open(ctx, registry, log, false)
		if err != nil {
			return nil, fmt.Errorf("registry: %w", err)
		}
		if s.Registry == nil {
			return nil, errors.Join(fmt.Errorf("registry: %s keeps rules but no providers: give it with --rules", s.Name), s.close())
		}
		out = s
	}
	if rules == "" {
		return out, nil
	}
	s, err := open(ctx, rules, log, false)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("config centre: %w", err), out.close())
	}
	out.Rules, out.Store = s.Rules, s.Store
	first := out.Close
	out.Close = func() error {
		var all []error
		if first != nil {
			all = append(all, first())
		}
		return errors.Join(append(all, s.close())...)
	}
	return out, nil
}

func open(ctx context.Context, address string, log *slog.Logger, anyway bool) (*Sources, error) {
	scheme, _, ok := strings.Cut(address, "://")
	if !ok {
		return nil, fmt.Errorf("%q has no scheme: write for example zookeeper://127.0.0.1:2181", address)
	}
	openIt, ok := schemes()[scheme]
	if !ok {
		return nil, fmt.Errorf("no adapter for %s://: use zookeeper://host:port, file:///folder (rules only) or mem://", scheme)
	}
	return openIt(ctx, address, log, anyway)
}

func (s *Sources) close() error {
	if s == nil || s.Close == nil {
		return nil
	}
	return s.Close()
}

func openMem(context.Context, string, *slog.Logger, bool) (*Sources, error) {
	return FromMem(mem.New()), nil
}

// FromMem returns a store of package mem as Sources.
func FromMem(m *mem.Store) *Sources {
	return &Sources{Name: "mem://", Registry: m, Registrar: m, Lister: m, Rules: m.Rules(), Store: m}
}

func openZooKeeper(ctx context.Context, address string, log *slog.Logger, anyway bool) (*Sources, error) {
	c, err := zk.Open(ctx, address, zk.Options{Logger: log, StartAnyway: anyway})
	if err != nil {
		return nil, err
	}
	return &Sources{Name: redact(address), Registry: c, Registrar: c, Lister: c, Rules: c.Rules(), Store: c.Rules(), Close: func() error { c.Close(); return nil }}, nil
}

func openFile(_ context.Context, address string, log *slog.Logger, _ bool) (*Sources, error) {
	folder := strings.TrimPrefix(address, "file://")
	if folder == "" {
		return nil, errors.New("file:// names no folder: write file:///etc/dubway/rules or file://./rules")
	}
	f, err := file.Open(folder, file.Options{Logger: log})
	if err != nil {
		return nil, err
	}
	return &Sources{Name: address, Rules: f, Store: f, Close: func() error { f.Close(); return nil }}, nil
}
