package cluster

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/dubway-go/dubway/balance"
	"github.com/dubway-go/dubway/cluster/merger"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/directory"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/service"
)

// Strategy carries a call to providers and says what a failure means. The built-in strategies are safe for concurrent
// use. One that works in the background has a Close method: see Close.
type Strategy interface {
	// Name is the value of the parameter cluster that selects it.
	Name() string
	// Invoke makes the call: it routes through d, chooses, and calls through next, perhaps several times. Errors are
	// *rpc.Error, or the caller's own context error inside one.
	Invoke(ctx context.Context, d Directory, next rpc.Invoker, inv *rpc.Invocation) (rpc.Result, error)
}

// Directory is what a strategy needs of a directory. *directory.Directory is one.
type Directory interface {
	// Route returns the candidates for a call; the error is an *rpc.Error.
	Route(inv *rpc.Invocation) (route.Candidates, error)
	// Snapshot returns the snapshot in force; its consumer URL, with overrides applied, has the strategies' parameters.
	Snapshot() *route.Snapshot
}

// Drainer is a Directory that counts the calls under way, so that a provider which left finishes them before its
// connection closes.
type Drainer interface {
	// Begin says that a call to in starts and whether it may; false means that in has left: choose again.
	Begin(in *service.Instance) bool
	// End says that a call which Begin let through is over.
	End(in *service.Instance)
}

// Availability is an rpc.Invoker that knows which providers it cannot reach at present.
type Availability interface {
	// Available reports whether calls to host:port are worth a try; true for a provider never called.
	Available(address string) bool
}

// The names of the built-in strategies: values of the parameter cluster.
const (
	NameFailover  = "failover"
	NameFailfast  = "failfast"
	NameFailsafe  = "failsafe"
	NameFailback  = "failback"
	NameForking   = "forking"
	NameBroadcast = "broadcast"
	NameAvailable = "available"
	NameMergeable = "mergeable"
	// NameZoneAware chooses among registries, never among providers: see Registries.
	NameZoneAware = "zone-aware"
)

// Names returns the names of the built-in strategies that New makes. The slice is the caller's.
func Names() []string {
	return []string{NameFailover, NameFailfast, NameFailsafe, NameFailback, NameForking, NameBroadcast, NameAvailable, NameMergeable}
}

// Options are the settings of a strategy. The zero value is usable.
type Options struct {
	// Dialect selects the Dubbo version to agree with (spec §11.3).
	Dialect dialect.Dialect
	// Balancer chooses among candidates; nil means a balance.Selector of the dialect. Give the directory the same one, so
	// that there is one state.
	Balancer balance.Balancer
	// Mock answers for mock=true, mock=default and mock=NAME, where Dubbo calls a class; name is "true", "default" or the
	// name. Without it such a mock is reported and the call's own error returned.
	Mock func(ctx context.Context, name string, inv *rpc.Invocation) (rpc.Result, error)
	// Logger gets errors that a strategy swallows; nil discards them.
	Logger *slog.Logger
	// Custom are strategies of the application; New and ForConsumer find them by Name, before the built-in ones.
	Custom []Strategy
	// Mergers are mergers of the application: mergeable finds them by Name, before the built-in ones.
	Mergers []merger.Merger
	// RetryAfter is the time between background tries of failback; 0 means 5 s, as Dubbo.
	RetryAfter time.Duration
}

// New returns the strategy with the given name; the empty name is failover. The error lists the names.
func New(name string, o Options) (Strategy, error) {
	if name == "" {
		name = NameFailover
	}
	for _, s := range o.Custom {
		if s.Name() == name {
			return s, nil
		}
	}
	c, err := newCore(o)
	if err != nil {
		return nil, err
	}
	switch name {
	case NameFailover:
		return &Failover{c}, nil
	case NameFailfast:
		return &Failfast{c}, nil
	case NameFailsafe:
		return &Failsafe{c}, nil
	case NameFailback:
		return newFailback(c, o), nil
	case NameForking:
		return &Forking{c}, nil
	case NameBroadcast:
		return &Broadcast{c}, nil
	case NameAvailable:
		return &Available{c}, nil
	case NameMergeable:
		return newMergeable(c, o), nil
	case NameZoneAware:
		return nil, fmt.Errorf("cluster strategy %q chooses among registries: use one of %q for providers", name, Names())
	}
	return nil, fmt.Errorf("unknown cluster strategy %q: use one of %q, or give your own in Options.Custom", name, Names())
}

// ForConsumer returns the strategy that the parameter cluster of the consumer URL names, default failover, wrapped
// by mock, as Dubbo wraps every cluster. For a reference to several groups it is mergeable, whatever the parameter says (spec §8.7).
func ForConsumer(consumer durl.URL, o Options) (Strategy, error) {
	name := consumer.Get("cluster", NameFailover)
	if directory.IsMultiGroup(consumer.Group()) {
		if _, err := New(name, o); err != nil {
			return nil, err // inside the groups it counts
		}
		name = NameMergeable
	}
	inner, err := New(name, o)
	if err != nil {
		return nil, err
	}
	return NewMock(inner, o), nil
}

// Close ends the background work of a strategy, if it has any, and waits for it.
func Close(s Strategy) error {
	if c, ok := s.(interface{ Close() error }); ok {
		return c.Close()
	}
	return nil
}
