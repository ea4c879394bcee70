package directory

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/dubway-go/dubway/balance"
	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/rule"
	"github.com/dubway-go/dubway/service"
	"github.com/dubway-go/dubway/source"
)

// Defaults of Options.
const (
	// DefaultCoalesce is how long the writer gathers further news before it rebuilds.
	DefaultCoalesce = 2 * time.Millisecond
	// MaxCoalesce is the longest accepted Options.Coalesce.
	MaxCoalesce = 5 * time.Millisecond
	// DefaultDrain is how long a provider that left may still finish its calls.
	DefaultDrain = 10 * time.Second
)

// Protection says what an empty provider list from the registry does to a directory that has providers.
type Protection uint8

const (
	// ProtectByDialect keeps the last list in dubbo-3.1, where that is the default, and clears it otherwise (spec §10.4).
	ProtectByDialect Protection = iota
	// ProtectOff clears: calls fail with code forbidden until providers come back.
	ProtectOff
	// ProtectOn keeps the last list and tells so in State.
	ProtectOn
)

// Options says what a directory joins and how. The zero value of every field but Registry and Consumer is usable.
type Options struct {
	// Name is what people call the registry, shown by State and Explain; it may stay empty where there is only one.
	Name string
	// Registry delivers providers, overrides and route URLs. Open needs it; Static ignores it.
	Registry source.Registry
	// Config delivers rule documents; nil means there are none.
	Config source.ConfigCenter
	// Consumer is the calling side: its host is the consumer's own address, its parameters are those of the
	// reference ("application", "dubbo.tag", "timeout", "protocol", …). interface, group and version are
	// filled in from the service key, and side=consumer, where they are absent.
	Consumer durl.URL
	// Dialect is the Dubbo generation to agree with.
	Dialect dialect.Dialect
	// Scripts runs script rules; nil, the default, means that they are switched off: State and Explain tell of each that there is. Whoever may
	// write rules runs code in this process then, within the limits of script.NewRunner, which makes one.
	Scripts route.Scripts
	// Balancer makes Pick's choice; nil means the one that the
	// parameter loadbalance names, random by weight when none does.
	Balancer balance.Balancer
	// Check makes Open fail when no call could be made after the first state of all sources (Dubbo's
	// check=true). Off, a directory may open empty and fill later.
	Check bool
	// Protocols are the protocols that the caller's transports speak; other providers are left out and
	// told by Explain. Empty means dubbo alone. The consumer's parameter "protocol" narrows it further (spec §8.4).
	Protocols []string
	// EmptyProtection says whether an empty list clears the directory.
	EmptyProtection Protection
	// Coalesce is how long the writer gathers news before a rebuild: 0 means DefaultCoalesce, negative
	// means not at all; more than MaxCoalesce is an error.
	Coalesce time.Duration
	// DrainTimeout bounds how long a retired provider may finish its calls: 0 means DefaultDrain, negative no time.
	DrainTimeout time.Duration
	// Logger receives what State and Hooks also tell; nil discards.
	Logger *slog.Logger
	// Hooks are called as things happen; nil means none.
	Hooks *Hooks
	// Shapes lets the provider URLs of several directories share what they have in common, which saves memory where a process has
	// many; nil means a Sharer of the directory's own.
	Shapes *durl.Sharer
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// Hooks are told what a directory does. All but Retired are called from the writer goroutine and hold
// it up: they must be quick and must not call Close. Any field may be nil.
type Hooks struct {
	// Rebuilt is called after a new snapshot was published, with the time it took to make.
	Rebuilt func(*route.Snapshot, time.Duration)
	// Rejected is called when a rule document, a route URL or an override was refused.
	Rejected func(rule.Origin, diag.List)
	// Ambient is called when contact to a source is lost. The last state goes on serving.
	Ambient func(error)
	// Retired is called once for each provider that left, when its last call ended or DrainTimeout passed:
	// its connection may close. It runs on a goroutine of its own.
	Retired func(*service.Instance)
}

// settings are validated Options, with everything that never changes in a directory's life worked out.
type settings struct {
	Options
	key service.Key
	// consumer is the reference's own URL; subscribe is what the registry's URLs are matched against.
	consumer, subscribe durl.URL
	// localHost is the consumer's own address.
	localHost string
	// accepted is the reference's own list of protocols, empty for all of those that are spoken.
	accepted, spoken []string
	merge            *merger
	scriptCounts     *scriptCounts
	// shapes lets the provider URLs share what they have in common. Only the writer uses what follows: reader reads them, kinds tells what they are
	// to this consumer, merged is what it makes of them, before overrides, and unchecked that with check=false, as Dubbo's dialects have
	// it after overrides.
	shapes            *durl.Sharer
	reader            *durl.Reader
	kinds             *durl.Memo[*sorted]
	merged, unchecked *durl.Derivation
	// ordinary is the oddity of entries that have none.
	ordinary *oddity
	log      *slog.Logger
	// matching is off where somebody else already chose the URLs: direct addresses and replays.
	matching bool
	// multi is set for a reference to several groups.
	multi bool
}

func newSettings(key service.Key, o Options) (*settings, error) {
	if key.Interface == "" {
		return nil, errors.New("directory: the service key names no interface: give it one such as com.example.OrderService")
	}
	if o.Consumer.IsZero() {
		return nil, errors.New("directory: no consumer URL: give one such as consumer://10.0.0.9/com.example.OrderService?application=web")
	}
	if iface := o.Consumer.Interface(); iface != "" && iface != key.Interface {
		return nil, fmt.Errorf("directory: the consumer URL is about %q but the service is %q: make them agree", iface, key.Interface)
	}
	if o.Coalesce > MaxCoalesce {
		return nil, fmt.Errorf("directory: Coalesce is %v: use at most %v", o.Coalesce, MaxCoalesce)
	}
	if o.Coalesce == 0 {
		o.Coalesce = DefaultCoalesce
	}
	if o.DrainTimeout == 0 {
		o.DrainTimeout = DefaultDrain
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Hooks == nil {
		o.Hooks = &Hooks{}
	}
	if o.Balancer == nil {
		b, err := balance.NewSelector(balance.Options{Dialect: o.Dialect, Now: o.Now, Logger: o.Logger})
		if err != nil {
			return nil, fmt.Errorf("directory: %w", err)
		}
		o.Balancer = b
	}
	s := &settings{Options: o, key: key, log: o.Logger, matching: true, spoken: slices.Clone(o.Protocols)}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if len(s.spoken) == 0 {
		s.spoken = []string{"dubbo"}
	}
	s.localHost = o.Consumer.Get("register.ip", o.Consumer.Host())
	s.consumer = completeConsumer(key, o.Consumer).WithHost(s.localHost).WithPort(0)
	s.subscribe = s.consumer.With("category", "providers,configurators,routers")
	for name := range strings.SplitSeq(s.consumer.Get("protocol", ""), ",") {
		if name = strings.TrimSpace(name); name != "" {
			s.accepted = append(s.accepted, name)
		}
	}
	s.scriptCounts = &scriptCounts{log: s.log, service: key.String(), now: s.Now}
	s.merge = newMerger(o.Dialect, s.consumer)
	if s.shapes = o.Shapes; s.shapes == nil {
		s.shapes = new(durl.Sharer)
	}
	s.reader = durl.NewReader(s.shapes, o.Dialect)
	s.kinds = durl.NewMemo(s.sortIn, sortsIn)
	s.merged = durl.NewDerivation(s.shapes, s.mergeProvider, s.merge.effect)
	s.unchecked = durl.NewDerivation(s.shapes, func(u durl.URL) durl.URL { return u.With("check", "false") }, func(key string) durl.Effect {
		if key == "check" {
			return durl.Replaces
		}
		return durl.Keeps
	})
	s.ordinary = new(oddity)
	return s, nil
}

// completeConsumer fills in what Dubbo's reference always carries.
func completeConsumer(key service.Key, u durl.URL) durl.URL {
	u = u.Without("category")
	for _, p := range [...]durl.Param{
		{Key: "interface", Value: key.Interface}, {Key: "side", Value: "consumer"},
		{Key: "group", Value: key.Group}, {Key: "version", Value: key.Version},
	} {
		if u.Get(p.Key, "") == "" && p.Value != "" {
			u = u.With(p.Key, p.Value)
		}
	}
	return u.WithPath(key.Interface)
}

// protects reports whether an empty list from the registry is to be ignored.
func (s *settings) protects() bool {
	return s.EmptyProtection == ProtectOn || (s.EmptyProtection == ProtectByDialect && s.Dialect == dialect.Dubbo31)
}

// routerConsumer returns the consumer URL that routers see (spec §1.7): configured is the consumer after configurators.
func (s *settings) routerConsumer(configured durl.URL) durl.URL {
	scheme := "consumer"
	switch s.Dialect {
	case dialect.Dubbo26:
		return s.subscribe.WithScheme(scheme)
	case dialect.Dubbo27:
		scheme = configured.Get("protocol", "dubbo")
	case dialect.Dubbo31, dialect.Dubbo33:
		scheme = configured.Get("protocol", scheme)
	}
	return configured.WithScheme(scheme)
}
