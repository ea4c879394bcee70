package app_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dubway-go/dubway"
	"github.com/dubway-go/dubway/admin"
	"github.com/dubway-go/dubway/app"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/service"
	"github.com/dubway-go/dubway/source/mem"
)

// freePorts returns a configuration on ports of the system's choice.
func freePorts() app.Config {
	c := app.DefaultConfig()
	c.Admin.Listen, c.Gateway.Listen, c.Consumer.Host = "127.0.0.1:0", "127.0.0.1:0", "127.0.0.1"
	return c
}

func start(t *testing.T, o app.Options) *app.App {
	t.Helper()
	a, err := app.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if err := a.Shutdown(ctx); err != nil {
			t.Error("shutdown:", err)
		}
		http.DefaultClient.CloseIdleConnections()
	})
	return a
}

func provider(t *testing.T, store *mem.Store, name string, h dubway.HandlerFunc) *dubway.Server {
	t.Helper()
	s := dubway.NewServer(dubway.ServerOptions{Application: "x", Registrar: store, Notice: -1})
	if err := s.Handle(name, h); err != nil {
		t.Fatal(err)
	}
	if err := s.Start(t.Context(), "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		_ = s.Shutdown(ctx)
	})
	return s
}

func echo(_ context.Context, r *dubway.Request) (any, error) { return r.Args, nil }

func get(t *testing.T, url string) (int, string) {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, string(b)
}

func post(t *testing.T, url, body string) (int, string) {
	t.Helper()
	resp, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, string(b)
}

func TestDaemonFromGatewayToMetrics(t *testing.T) {
	store := mem.New()
	p := provider(t, store, "com.example.Echo", echo)
	a := start(t, app.Options{Config: freePorts(), Sources: app.FromMem(store)})
	if status, body := get(t, "http://"+a.AdminAddress()+"/ready"); status != 200 {
		t.Errorf("ready: %d %s", status, body)
	}
	status, body := post(t, "http://"+a.GatewayAddress()+"/com.example.Echo/any", `[1,"a"]`)
	if status != 200 || body != "[1,\"a\"]\n" {
		t.Errorf("gateway: %d %s", status, body)
	}
	status, body = post(t, "http://"+a.GatewayAddress()+"/com.example.Ech/any", `[]`)
	if status != 503 || !strings.Contains(body, "did you mean com.example.Echo?") {
		t.Errorf("a service that does not exist: %d %s", status, body)
	}
	if err := store.Put(t.Context(), "com.example.Echo::.condition-router", "force: true\nconditions:\n  - \"=> region=nowhere\"\n"); err != nil {
		t.Fatal(err)
	}
	within(t, "the rule arrives", func() bool {
		status, body = post(t, "http://"+a.GatewayAddress()+"/com.example.Echo/any", `[]`)
		return status == 503
	})
	if !strings.Contains(body, "com.example.Echo::.condition-router:3:6") {
		t.Errorf("the failure does not name the rule: %s", body)
	}
	if err := store.Put(t.Context(), "com.example.Echo::.condition-router", "conditions: broken"); err != nil {
		t.Fatal(err)
	}
	var metrics string
	within(t, "the refused rule shows in the metrics", func() bool {
		_, metrics = get(t, "http://"+a.AdminAddress()+"/metrics")
		return strings.Contains(metrics, `dubway_rule_rejected{dialect="standard",key="com.example.Echo::.condition-router"`)
	})
	for _, want := range []string{
		`dubway_calls_total{code="ok",method="any",service="com.example.Echo"} `, `dubway_routing_decisions_total{decision="no-provider",service="com.example.Echo"}`,
		`dubway_directory_instances{dialect="standard",registry="",service="com.example.Echo"} 1`, "dubway_snapshot_age_seconds", "dubway_snapshot_build_seconds_count",
		`dubway_rule_in_force{dialect="standard",key="com.example.Echo::.condition-router"`, `dubway_source_up{dialect="standard",key="",registry="",service="com.example.Echo",source="registry"} 1`,
		"dubway_rules_rejected_total 1", "dubway_connections 1", "dubway_services_open 1", "dubway_call_duration_seconds_bucket",
	} {
		if !strings.Contains(metrics, want) {
			t.Errorf("metrics lack %s", want)
		}
	}
	_, traffic := get(t, "http://"+a.AdminAddress()+"/api/traffic")
	if !strings.Contains(traffic, `"provider":"`+p.Address()+`"`) {
		t.Errorf("traffic: %s", traffic)
	}
}

func within(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for range 6000 {
		if ok() {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatal("in 30 s this did not come true: " + what)
}

func TestShutdownLetsRunningCallsFinish(t *testing.T) {
	store := mem.New()
	entered, leave := make(chan struct{}), make(chan struct{})
	provider(t, store, "com.example.Slow", func(context.Context, *dubway.Request) (any, error) {
		close(entered)
		<-leave
		return "done", nil
	})
	c := freePorts()
	c.Consumer.Timeout = 5 * time.Second
	a := start(t, app.Options{Config: c, Sources: app.FromMem(store)})
	answer := make(chan string, 1)
	go func() {
		resp, err := http.Post("http://"+a.GatewayAddress()+"/com.example.Slow/wait", "application/json", nil)
		if err != nil {
			answer <- err.Error()
			return
		}
		defer resp.Body.Close()
		b, _ := io.ReadAll(resp.Body)
		answer <- string(b)
	}()
	<-entered
	stopped := make(chan error, 1)
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		stopped <- a.Shutdown(ctx)
	}()
	within(t, "the gateway stops listening", func() bool {
		conn, err := net.Dial("tcp", a.GatewayAddress())
		if err == nil {
			_ = conn.Close()
		}
		return err != nil
	})
	close(leave)
	if got := <-answer; got != "\"done\"\n" {
		t.Errorf("the running call got %s", got)
	}
	if err := <-stopped; err != nil {
		t.Errorf("shutdown: %v", err)
	}
}

func TestStartFailuresLeaveNothingBehind(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	change := func(f func(*app.Config)) app.Config {
		c := freePorts()
		f(&c)
		return c
	}
	tests := []struct {
		name   string
		config app.Config
		want   string
	}{
		{"admin port taken", change(func(c *app.Config) { c.Admin.Listen = taken.Addr().String() }), "admin: cannot listen on"},
		{"gateway port taken", change(func(c *app.Config) { c.Gateway.Listen = taken.Addr().String() }), "gateway: cannot listen on"},
		{"admin open to others without a token", change(func(c *app.Config) { c.Admin.Listen = "0.0.0.0:0" }), "a token is required"},
		{"token file missing", change(func(c *app.Config) { c.Admin.TokenFile = "/nonexistent" }), "the token cannot be read"},
		{"unknown scheme", change(func(c *app.Config) { c.Registry = "ftp://x" }), "no adapter for ftp://"},
		{"no scheme", change(func(c *app.Config) { c.Registry = "localhost:2181" }), "has no scheme"},
		{"rules are no registry", change(func(c *app.Config) { c.Registry = "file://" + t.TempDir() }), "keeps rules but no providers"},
		{"rule folder missing", change(func(c *app.Config) { c.Registry, c.Rules = "mem://", "file:///nonexistent-folder" }), "config centre"},
		{"bad cluster", change(func(c *app.Config) {
			c.Registry, c.Services = "mem://", []app.ServiceConfig{{Name: "a.B", Cluster: "nope"}}
		}), `"nope"`},
	}
	for _, tt := range tests {
		a, err := app.Start(t.Context(), app.Options{Config: tt.config})
		if err == nil {
			_ = a.Shutdown(t.Context())
			t.Errorf("%s: it started", tt.name)
			continue
		}
		if !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}

func TestAdminBeyondLoopbackNeedsTheToken(t *testing.T) {
	c := freePorts()
	c.Admin.Listen, c.Admin.Token, c.Registry = "0.0.0.0:0", "secret", "mem://"
	a := start(t, app.Options{Config: c})
	_, port, _ := net.SplitHostPort(a.AdminAddress())
	if status, _ := get(t, "http://127.0.0.1:"+port+"/api/services"); status != 401 {
		t.Errorf("without the token: %d", status)
	}
	client, err := admin.NewClient("127.0.0.1:"+port, "secret")
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if _, err := client.Services(t.Context()); err != nil {
		t.Errorf("with the token: %v", err)
	}
}

// TestManyServicesStayBounded: services open at their first use, idle ones make room, and made-up names open nothing.
func TestManyServicesStayBounded(t *testing.T) {
	store := mem.New()
	for i := range 8 {
		provider(t, store, fmt.Sprintf("com.example.S%d", i), echo)
	}
	c := freePorts()
	c.MaxServices, c.Idle = 4, 20*time.Millisecond
	a := start(t, app.Options{Config: c, Sources: app.FromMem(store)})
	call := func(i int) error {
		_, err := a.Call(t.Context(), &rpc.Invocation{Service: service.Key{Interface: fmt.Sprintf("com.example.S%d", i)}, Method: "m"})
		return err
	}
	for i := range 4 {
		if err := call(i); err != nil {
			t.Fatal(err)
		}
	}
	limited := false
	for i := 4; i < 8; i++ {
		within(t, "an idle service makes room", func() bool {
			err := call(i)
			limited = limited || rpc.CodeOf(err) == rpc.Limit
			return err == nil
		})
	}
	for range 100 {
		if err := call(99); rpc.CodeOf(err) != rpc.NoProvider {
			t.Fatalf("a made-up name: %v", err)
		}
	}
	client, err := admin.NewClient(a.AdminAddress(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	within(t, "idle services are closed", func() bool {
		list, err := client.Services(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		open := 0
		for _, s := range list {
			if s.Open {
				open++
			}
		}
		return open == 0 && len(list) == 8
	})
}

// TestCallsWhileServicesComeAndGo: closing idle services never takes one from under a call.
func TestCallsWhileServicesComeAndGo(t *testing.T) {
	store := mem.New()
	provider(t, store, "com.example.S", echo)
	c := freePorts()
	c.Idle = 10 * time.Millisecond
	a := start(t, app.Options{Config: c, Sources: app.FromMem(store)})
	var work sync.WaitGroup
	for w := range 4 {
		work.Go(func() {
			for i := range 40 {
				if _, err := a.Call(context.Background(), &rpc.Invocation{Service: service.Key{Interface: "com.example.S"}, Method: "m"}); err != nil {
					t.Errorf("call %d: %v", i, err)
					return
				}
				time.Sleep(time.Duration(w*7+i%13) * time.Millisecond)
			}
		})
	}
	work.Wait()
}

func TestServicesOfTheConfigurationStayOpen(t *testing.T) {
	store := mem.New()
	p := provider(t, store, "com.example.S:1.0", echo)
	c := freePorts()
	c.Idle = 10 * time.Millisecond
	c.Services = []app.ServiceConfig{{Name: "com.example.S:1.0"}, {Name: "com.example.S:direct", Direct: []string{p.Address()}}}
	a := start(t, app.Options{Config: c, Sources: app.FromMem(store)})
	time.Sleep(60 * time.Millisecond)
	_, body := get(t, "http://"+a.AdminAddress()+"/api/services")
	var out struct{ Services []admin.ServiceSummary }
	if err := json.Unmarshal([]byte(body), &out); err != nil {
		t.Fatal(err)
	}
	if len(out.Services) != 2 || !out.Services[0].Open || !out.Services[1].Open {
		t.Errorf("services: %s", body)
	}
}

func TestExplainForAnotherDialectAndConsumer(t *testing.T) {
	store := mem.New()
	provider(t, store, "com.example.S", echo)
	if err := store.Put(t.Context(), "com.example.S::.condition-router", "force: true\nconditions:\n  - \"application=web =>\"\n"); err != nil {
		t.Fatal(err)
	}
	a := start(t, app.Options{Config: freePorts(), Sources: app.FromMem(store)})
	client, err := admin.NewClient(a.AdminAddress(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for _, tt := range []struct {
		target admin.Target
		left   int
	}{
		{admin.Target{Service: "com.example.S"}, 1},
		{admin.Target{Service: "com.example.S", Application: "web"}, 0},
		{admin.Target{Service: "com.example.S", Application: "web", Dialect: "dubbo-3.3"}, 0},
		{admin.Target{Service: "com.example.S", Dialect: "dubbo-2.7"}, 1},
	} {
		x, err := client.Explain(t.Context(), admin.CallRequest{Target: tt.target, Method: "m"})
		if err != nil {
			t.Fatal(err)
		}
		if len(x.Candidates) != tt.left || (tt.target.Dialect != "" && x.Dialect.String() != tt.target.Dialect) {
			t.Errorf("%+v: %d left in %v", tt.target, len(x.Candidates), x.Dialect)
		}
	}
	var p *admin.Problem
	if _, err := client.Explain(t.Context(), admin.CallRequest{Target: admin.Target{Service: "com.example.S", Dialect: "dubbo-9"}}); !errors.As(err, &p) || p.Status != 400 {
		t.Errorf("an unknown dialect: %v", err)
	}
}

func TestShutdownEndsStreams(t *testing.T) {
	a := start(t, app.Options{Config: freePorts(), Sources: app.FromMem(mem.New())})
	resp, err := http.Get("http://" + a.AdminAddress() + "/api/traffic/stream")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := a.Shutdown(ctx); err != nil {
		t.Errorf("a client that only listens holds up the end: %v", err)
	}
	if b, err := io.ReadAll(resp.Body); err != nil || !strings.Contains(string(b), "event: traffic") {
		t.Errorf("the stream ended with %q, %v", b, err)
	}
}
