package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strconv"
	"time"

	"github.com/dubway-go/dubway"
	"github.com/dubway-go/dubway/admin"
	"github.com/dubway-go/dubway/source/mem"
)

// DemoOptions are the settings of the demo. The zero value of a field is its default, except where it says otherwise.
type DemoOptions struct {
	// Admin and Gateway are where the listeners go. Default the daemon's; a free port is taken where one is taken.
	Admin, Gateway string
	// BasePort is the first of the providers' ports, on loopback; a free port is taken where one is taken. 0 takes free ports for all.
	BasePort int
	// Rate is how many requests a second each of the two consumers makes. Default 300.
	Rate int
	// Seed makes the choices of tag and method reproducible.
	Seed uint64
	// Scripts switches script rules on.
	Scripts bool
	// Version is what the demo says it is.
	Version admin.Version
	// Logger gets news; nil discards.
	Logger *slog.Logger
}

// DefaultBasePort is the first of the demo providers' ports.
const DefaultBasePort = 20881

// Demo is the whole product in one process: an embedded registry and config centre, a fleet of providers on real TCP, two
// consumers that keep calling, and the daemon. StartDemo makes it; Shutdown ends it.
type Demo struct {
	o         DemoOptions
	began     time.Time
	store     *mem.Store
	app       *App
	providers []*demoServer
	chain     *dubway.Client // the order application's own client
	users     *dubway.Service
	load      *load
}

type demoServer struct {
	demoProvider

	server  *dubway.Server
	address string
}

// StartDemo starts everything. ctx bounds the starting only; on failure nothing is left behind.
func StartDemo(ctx context.Context, o DemoOptions) (*Demo, error) {
	if o.Rate <= 0 {
		o.Rate = 300
	}
	if o.Admin == "" {
		o.Admin = DefaultAdmin
	}
	if o.Gateway == "" {
		o.Gateway = DefaultGateway
	}
	d := &Demo{o: o, began: time.Now(), store: mem.New()}
	if err := d.start(ctx); err != nil {
		stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		return nil, errors.Join(err, d.Shutdown(stop))
	}
	return d, nil
}

func (d *Demo) start(ctx context.Context) error {
	for key, text := range presetRules() {
		if err := d.store.Put(ctx, key, text); err != nil {
			return fmt.Errorf("preset rule: %w", err)
		}
	}
	for i, p := range fleet() {
		s, err := d.provider(ctx, p, i)
		if err != nil {
			return fmt.Errorf("provider %s: %w", p.name, err)
		}
		d.providers = append(d.providers, s)
	}
	c := DefaultConfig()
	c.Admin.Listen, c.Gateway.Listen = d.o.Admin, d.o.Gateway
	c.Consumer.Host = "127.0.0.1"
	c.Scripts.Enabled = d.o.Scripts
	sources := FromMem(d.store)
	sources.Name = "embedded"
	var err error
	if d.app, err = Start(ctx, Options{Config: c, Sources: sources, FreePorts: true, Version: d.o.Version, Logger: d.o.Logger}); err != nil {
		return err
	}
	for _, p := range d.providers {
		d.app.traffic.name(p.address, p.name)
	}
	if d.chain, err = d.dial("order", "hangzhou"); err != nil {
		return err
	}
	if d.users, err = d.chain.Service(UserService); err != nil {
		return err
	}
	d.load, err = startLoad(d)
	return err
}

// provider starts one provider process of the fleet, a server of its own.
func (d *Demo) provider(ctx context.Context, p demoProvider, i int) (*demoServer, error) {
	server := dubway.NewServer(dubway.ServerOptions{Application: p.application, Registrar: d.store, Tag: p.tag, Notice: -1,
		Parameters: map[string]string{"region": p.region, "warmup": "0"}, Logger: d.o.Logger})
	var handler any
	switch p.service {
	case OrderService:
		handler = &orders{p, func() *dubway.Service { return d.users }}
	case UserService:
		handler = &users{p}
	default:
		handler = &stocks{p}
	}
	if err := server.HandleWith(p.service, handler, dubway.HandleOptions{Version: p.version}); err != nil {
		return nil, err
	}
	port := 0
	if d.o.BasePort > 0 {
		port = d.o.BasePort + i
	}
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		if l, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
			return nil, err
		}
	}
	if err := server.StartOn(ctx, l); err != nil {
		return nil, err
	}
	return &demoServer{p, server, server.Address()}, nil
}

// dial returns a client of one application of the demo.
func (d *Demo) dial(application, region string) (*dubway.Client, error) {
	return dubway.Dial(context.Background(), dubway.Options{Application: application, Registry: d.store, Rules: d.store.Rules(), Registrar: d.store,
		Host: "127.0.0.1", Parameters: map[string]string{"region": region}, Timeout: 5 * time.Second,
		Scripts: d.app.scripts, Dial: dial(d.app.metrics.open), Wrap: d.app.traffic.wrap(application), Logger: d.o.Logger})
}

// App returns the demo's daemon.
func (d *Demo) App() *App { return d.app }

// ProviderAddress returns the host:port of the provider with that name, "" when there is none.
func (d *Demo) ProviderAddress(name string) string {
	for _, p := range d.providers {
		if p.name == name {
			return p.address
		}
	}
	return ""
}

// Shutdown stops the consumers, then the daemon, then the providers.
func (d *Demo) Shutdown(ctx context.Context) error {
	var all []error
	if d.load != nil {
		all = append(all, d.load.stop())
	}
	if d.app != nil {
		all = append(all, d.app.Shutdown(ctx))
	}
	if d.chain != nil {
		all = append(all, d.chain.Close())
	}
	for _, p := range d.providers {
		all = append(all, p.server.Shutdown(ctx))
	}
	return errors.Join(all...)
}
