package dubway

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"github.com/dubway-go/dubway/balance"
	"github.com/dubway-go/dubway/cluster"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/directory"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/service"
	"github.com/dubway-go/dubway/transport/dubbo"
)

// ErrClosed is in the chain of errors of a Client or Service that was closed.
var ErrClosed = errors.New("closed")

// Client calls Dubbo services. It is safe for concurrent use; make it with Dial and end it with Close.
type Client struct {
	o       Options
	host    string
	life    context.Context
	end     context.CancelFunc
	invoker rpc.Invoker
	own     *dubbo.Client // nil when Options.Invoker is used
	shapes  *durl.Sharer  // what the provider URLs of all services have in common

	mu       sync.Mutex
	services map[*Service]struct{}
	closed   bool
}

// Dial returns a client. It connects to no provider until a call needs it. The client lives until Close, or until ctx ends.
func Dial(ctx context.Context, o Options) (*Client, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, fmt.Errorf("dial: %w", err)
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	o.Application = firstOf(o.Application, "dubway")
	o.ConnectTimeout = firstOf(o.ConnectTimeout, DefaultConnectTimeout)
	if err := o.checkRegistries(); err != nil {
		return nil, &Error{Code: Validation, Message: "dial: " + err.Error(), Cause: err}
	}
	c := &Client{o: o, host: firstOf(o.Host, ownHost()), invoker: o.Invoker, shapes: new(durl.Sharer), services: make(map[*Service]struct{})}
	if c.invoker == nil {
		c.own = dubbo.NewClient(dubbo.ClientOptions{Application: o.Application, Timeout: o.Timeout, Dial: o.Dial, Types: o.Types, Logger: o.Logger})
		c.invoker = c.own
	}
	if o.Wrap != nil {
		c.invoker = o.Wrap(c.invoker)
	}
	c.life, c.end = context.WithCancel(context.WithoutCancel(ctx))
	context.AfterFunc(ctx, func() { _ = c.Close() })
	return c, nil
}

// Service opens the directory of a service, named by its service key: "com.example.OrderService", with a group and version where it has
// them: "shop/com.example.OrderService:1.0". It waits for the first state of registry and config
// centre, at most Options.ConnectTimeout. Keep the result: it is what calls are made on.
func (c *Client) Service(name string) (*Service, error) {
	return c.ServiceWith(context.Background(), name, ServiceOptions{})
}

// ServiceWith is Service with options of its own. ctx bounds the opening only.
func (c *Client) ServiceWith(ctx context.Context, name string, o ServiceOptions) (*Service, error) {
	key, err := service.ParseKey(name)
	if err != nil {
		return nil, &Error{Code: Validation, Message: err.Error(), Cause: err}
	}
	key.Group, key.Version = firstOf(o.Group, key.Group), firstOf(o.Version, key.Version)
	closed := &Error{Code: Canceled, Service: key, Message: "the client is closed", Cause: ErrClosed}
	if c.life.Err() != nil {
		return nil, closed
	}
	s, err := c.open(ctx, key, o)
	if err != nil {
		if c.life.Err() != nil {
			return nil, closed
		}
		if e, ok := errors.AsType[*Error](err); ok {
			return nil, e
		}
		return nil, &Error{Code: Registry, Service: key, Message: "the service could not be opened: " + err.Error(), Cause: err}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		go func() { _ = s.shut() }()
		return nil, closed
	}
	c.services[s] = struct{}{}
	return s, nil
}

func (c *Client) open(ctx context.Context, key service.Key, o ServiceOptions) (*Service, error) {
	d := c.o.Dialect
	if o.Dialect != nil {
		d = *o.Dialect
	}
	consumer := c.consumer(key, &o)
	s := &Service{client: c, key: key, dialect: d, next: recorder{c.invoker}}
	if len(o.Direct) > 0 {
		return s, s.openDirect(consumer, &o)
	}
	registries, err := c.registriesOf(&o)
	if err != nil {
		return nil, &Error{Code: Validation, Service: key, Message: err.Error(), Cause: err}
	}
	if len(registries) == 0 {
		return nil, &Error{Code: Registry, Service: key,
			Message: "the client has no registry: set Options.Registry, or ServiceOptions.Direct to the addresses of providers"}
	}
	ctx, cancel := context.WithTimeout(ctx, c.o.ConnectTimeout)
	defer cancel()
	stop := context.AfterFunc(c.life, cancel)
	defer stop()
	if err := s.openRegistries(ctx, registries, consumer, &o); err != nil {
		return nil, errors.Join(err, s.shut())
	}
	s.announce(consumer)
	return s, nil
}

// openDirect makes the directory of a service with direct addresses.
func (s *Service) openDirect(consumer durl.URL, o *ServiceOptions) error {
	m, err := s.newMember(RegistryOptions{}, consumer)
	if err != nil {
		return err
	}
	providers, err := directURLs(s.key, o.Direct, s.dialect)
	if err != nil {
		return &Error{Code: Validation, Service: s.key, Message: err.Error(), Cause: err}
	}
	m.directory, err = directory.Static(s.key, consumer, providers, s.directoryOptions(m, consumer))
	s.members = []*member{m}
	return err
}

// newMember returns the service in one registry, without its directory.
func (s *Service) newMember(r RegistryOptions, consumer durl.URL) (*member, error) {
	balancer, err := chooser(consumer, s.dialect, s.client.o.Logger)
	if err == nil {
		o := s.clusterOptions()
		o.Balancer = balancer
		var strategy cluster.Strategy
		if strategy, err = cluster.ForConsumer(consumer, o); err == nil {
			return &member{registry: r, balancer: balancer, strategy: strategy}, nil
		}
	}
	return nil, &Error{Code: Validation, Service: s.key, Message: err.Error(), Cause: err}
}

func (s *Service) clusterOptions() cluster.Options {
	return cluster.Options{Dialect: s.dialect, Logger: s.client.o.Logger, Custom: s.client.o.Strategies, Mergers: s.client.o.Mergers}
}

// directoryOptions are those of the service's directory in one registry.
func (s *Service) directoryOptions(m *member, consumer durl.URL) directory.Options {
	return directory.Options{Name: m.registry.Name, Registry: m.registry.Registry, Config: s.client.o.Rules, Consumer: consumer, Dialect: s.dialect,
		Scripts: s.client.o.Scripts, Balancer: m.balancer, Shapes: s.client.shapes, Logger: s.client.o.Logger, Hooks: s.client.hooks(s)}
}

// consumer returns the consumer URL of a reference (spec §1.7).
func (c *Client) consumer(key service.Key, o *ServiceOptions) durl.URL {
	params := append([]durl.Param{{Key: "interface", Value: key.Interface}}, c.o.params(o)...)
	if key.Group != "" {
		params = append(params, durl.Param{Key: "group", Value: key.Group})
	}
	if key.Version != "" {
		params = append(params, durl.Param{Key: "version", Value: key.Version})
	}
	return durl.New("consumer", firstOf(o.Host, c.host), 0, key.Interface, params...)
}

// chooser returns the balancer of a reference. Names are checked here, because a typo found at the first call is found late.
func chooser(consumer durl.URL, d dialect.Dialect, log *slog.Logger) (balance.Balancer, error) {
	o := balance.Options{Dialect: d, Logger: log}
	if name := consumer.Get("loadbalance", ""); name != "" {
		if _, err := balance.New(name, o); err != nil {
			return nil, err
		}
	}
	return balance.NewSelector(o)
}

// directURLs turns addresses into provider URLs.
func directURLs(key service.Key, addresses []string, d dialect.Dialect) ([]durl.URL, error) {
	out := make([]durl.URL, 0, len(addresses))
	for _, text := range addresses {
		if !hasScheme(text) {
			text = "dubbo://" + text
		}
		u, err := durl.ParseAs(text, d)
		if err != nil {
			return nil, fmt.Errorf("provider address %s: %w", text, err)
		}
		if u.Path() == "" {
			u = u.WithPath(key.Interface)
		}
		for _, p := range [...]durl.Param{{Key: "interface", Value: key.Interface}, {Key: "group", Value: key.Group}, {Key: "version", Value: key.Version}} {
			if p.Value != "" && u.Get(p.Key, "") == "" {
				u = u.With(p.Key, p.Value)
			}
		}
		out = append(out, u)
	}
	return out, nil
}

// Close closes every service of the client and its connections. Calls that run end with an error. It may be called again.
func (c *Client) Close() error {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return nil
	}
	c.closed = true
	open := make([]*Service, 0, len(c.services))
	for s := range c.services {
		open = append(open, s)
	}
	clear(c.services)
	c.mu.Unlock()
	c.end()
	var all []error
	for _, s := range open {
		all = append(all, s.shut())
	}
	if c.own != nil {
		all = append(all, c.own.Close())
	}
	return errors.Join(all...)
}
