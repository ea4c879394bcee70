package dubway_test

import (
	"context"
	"testing"
	"time"

	"github.com/dubway-go/dubway"
	"github.com/dubway-go/dubway/source/mem"
)

// startProvider serves OrderService from a registry of its own, for the examples; it ends with the process.
func startProvider(tag string) *mem.Store {
	registry := mem.New()
	server := dubway.NewServer(dubway.ServerOptions{Application: "order", Registrar: registry, Tag: tag, Notice: -1})
	if err := server.Handle("com.example.OrderService", OrderService{}); err != nil {
		panic(err)
	}
	if err := server.Start(context.Background(), "127.0.0.1:0"); err != nil {
		panic(err)
	}
	exampleServers = append(exampleServers, server)
	return registry
}

// exampleServers are stopped by TestMain.
var exampleServers []*dubway.Server

func stopExamples() {
	for _, s := range exampleServers {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		_ = s.Shutdown(ctx)
		cancel()
	}
}

// serve starts a provider that ends with the test.
func serve(t *testing.T, registry *mem.Store, o dubway.ServerOptions, name string, handler any) *dubway.Server {
	t.Helper()
	o.Registrar = registry
	if o.Notice == 0 {
		o.Notice = -1
	}
	s := dubway.NewServer(o)
	if err := s.Handle(name, handler); err != nil {
		t.Fatal(err)
	}
	if err := s.Start(t.Context(), "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if err := s.Shutdown(ctx); err != nil {
			t.Error("shutdown:", err)
		}
	})
	return s
}

// dial returns a client that ends with the test.
func dial(t *testing.T, registry *mem.Store, o dubway.Options) *dubway.Client {
	t.Helper()
	if registry != nil {
		o.Registry, o.Rules = registry, registry.Rules()
	}
	o.Host = "127.0.0.1"
	c, err := dubway.Dial(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error("close:", err)
		}
	})
	return c
}

func open(t *testing.T, c *dubway.Client, name string) *dubway.Service {
	t.Helper()
	s, err := c.Service(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// eventually waits for what the system does by itself in a moment.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for range 6000 {
		if ok() {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatal("in 30 s this did not come true: " + what)
}
