package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"time"

	"github.com/dubway-go/dubway"
	"github.com/dubway-go/dubway/admin"
	"github.com/dubway-go/dubway/directory"
	"github.com/dubway-go/dubway/gateway"
	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/rpc"
)

// Options are what a daemon is started with.
type Options struct {
	Config Config
	// Sources are used instead of opening Config.Registry and Config.Rules; the daemon does not close them.
	Sources *Sources
	// FreePorts takes a free port where a configured one is taken.
	FreePorts bool
	// Version is what the daemon says it is.
	Version admin.Version
	// Logger gets the daemon's news; nil discards.
	Logger *slog.Logger
}

// App is a running daemon. Start makes it; Shutdown ends it.
type App struct {
	config  Config
	log     *slog.Logger
	sources *Sources
	mine    bool // the sources are the daemon's to close
	client  *dubway.Client
	pool    *pool
	scripts route.Scripts
	traffic *traffic
	metrics *metrics
	admin   *listener
	gateway *listener
	api     *admin.Server
	end     context.CancelFunc
	life    context.Context
	leaving chan struct{} // closed first when the daemon stops
	work    sync.WaitGroup
	probes  *probes
	once    sync.Once
	failure error
}

// Start starts a daemon: sources first, then the services of the configuration, then the listeners, so that whoever reaches a
// listener finds everything in place. ctx bounds the starting only. On failure nothing is left behind.
func Start(ctx context.Context, o Options) (*App, error) {
	a := &App{config: o.Config, log: o.Logger, sources: o.Sources, traffic: &traffic{}, metrics: newMetrics(),
		leaving: make(chan struct{})}
	if a.log == nil {
		a.log = slog.New(slog.DiscardHandler)
	}
	a.life, a.end = context.WithCancel(context.WithoutCancel(ctx))
	if err := a.start(ctx, &o); err != nil {
		stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		return nil, errors.Join(err, a.Shutdown(stop))
	}
	return a, nil
}

func (a *App) start(ctx context.Context, o *Options) error {
	c := &a.config
	var err error
	if a.admin, err = listenHTTP("admin", c.Admin.Listen, o.FreePorts); err != nil {
		return err
	}
	token, err := c.Admin.token(a.admin.loopback())
	if err != nil {
		return err
	}
	if c.Gateway.Listen != "" {
		if a.gateway, err = listenHTTP("gateway", c.Gateway.Listen, o.FreePorts); err != nil {
			return err
		}
	}
	if a.sources == nil {
		a.mine = true
		if a.sources, err = openConfigured(ctx, c, a.log); err != nil {
			return err
		}
	}
	a.probes = newProbes(a.life, &a.work, a.sources)
	do := dubway.Options{Application: c.Application, Host: c.Consumer.Host, Tag: c.Consumer.Tag, Parameters: c.Consumer.Parameters, Dialect: c.Dialect,
		RegistryCluster: c.RegistryCluster, Zone: c.Consumer.Zone, ForceZone: c.Consumer.ForceZone,
		Timeout: c.Consumer.Timeout, Dial: dial(a.metrics.open), Wrap: a.traffic.wrap(c.Application), Hooks: func(*dubway.Service) *directory.Hooks { return a.metrics.hooks() }, Logger: a.log}
	a.scripts = c.Scripts.runner()
	do.Scripts = a.scripts
	a.sources.options(&do)
	if a.client, err = dubway.Dial(a.life, do); err != nil {
		return err
	}
	a.pool = newPool(a.client, a.sources, c, a.metrics)
	a.metrics.registry.MustRegister(newCollector(a.pool.all))
	if err := a.pool.preopen(ctx); err != nil {
		return err
	}
	a.work.Go(func() { a.pool.tidy(a.life) })
	a.listen(o, token)
	return nil
}

// openConfigured opens the registry, or the registries, of a configuration.
func openConfigured(ctx context.Context, c *Config, log *slog.Logger) (*Sources, error) {
	switch {
	case len(c.Registries) > 0 && c.Registry != "":
		return nil, errors.New("give registry or registries, not both")
	case len(c.Registries) > 0:
		return openRegistries(ctx, c.Registries, c.Rules, log)
	}
	one := RegistryConfig{Address: c.Registry}
	if err := one.takeParameters(); err != nil { // of no use for one registry, but no reason to refuse it
		return nil, err
	}
	return OpenSources(ctx, one.Address, c.Rules, log)
}

// listen puts handlers behind the listeners.
func (a *App) listen(o *Options, token string) {
	v := o.Version
	v.Started, v.Registry, v.Gateway, v.Go = time.Now().UTC(), a.sources.Name, a.gateway.address(), runtime.Version()
	a.api = admin.New(admin.Options{Services: a.pool, Rules: a.sources.Store, Dialect: a.config.Dialect, Traffic: a.traffic.snapshot,
		Ready: a.ready, Registries: a.probes.health, Metrics: a.metrics.handler(), Version: v, Token: token, Local: a.admin.loopback(), Done: a.leaving, Logger: a.log})
	a.admin.serve(a.api)
	if a.gateway != nil {
		g := &a.config.Gateway
		h := gateway.New(a.pool, gateway.Options{MaxBody: g.MaxBody, MaxResult: g.MaxResult, MaxInFlight: g.MaxInFlight, Timeout: g.Timeout, MaxTimeout: g.MaxTimeout, Logger: a.log})
		a.gateway.serve(gateway.Guard(h, a.gateway.loopback()))
	}
	a.log.Info("dubway is ready", "admin", a.admin.address(), "gateway", a.gateway.address(), "registry", a.sources.Name, "dialect", a.config.Dialect.String())
}

// ready reports the first service of the configuration whose registry has not answered.
func (a *App) ready() error {
	for _, s := range a.pool.all() {
		if st := s.State(); !st.Ready {
			return fmt.Errorf("the registry has not told the providers of %s yet", st.Service)
		}
	}
	return nil
}

// AdminAddress returns the host:port of the admin API.
func (a *App) AdminAddress() string { return a.admin.address() }

// GatewayAddress returns the host:port of the gateway, "" when it is off.
func (a *App) GatewayAddress() string { return a.gateway.address() }

// Sources returns the daemon's registry and config centre.
func (a *App) Sources() *Sources { return a.sources }

// Call makes a routed call as the daemon; errors are *rpc.Error.
func (a *App) Call(ctx context.Context, inv *rpc.Invocation) (rpc.Result, error) {
	return a.pool.Call(ctx, inv)
}

// Shutdown stops taking requests, lets running ones finish until ctx ends, then closes services, connections and sources, in this
// order. It may be called again.
func (a *App) Shutdown(ctx context.Context) error {
	a.once.Do(func() {
		var all []error
		close(a.leaving)
		all = append(all, a.gateway.shutdown(ctx))
		all = append(all, a.admin.shutdown(ctx))
		a.probes.stop()
		a.end()
		a.work.Wait()
		if a.pool != nil {
			a.pool.close()
		}
		if a.client != nil {
			all = append(all, a.client.Close())
		}
		if a.mine {
			all = append(all, a.sources.close())
		}
		a.failure = errors.Join(all...)
		a.log.Info("dubway has stopped")
	})
	return a.failure
}
