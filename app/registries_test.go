package app_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/dubway-go/dubway"
	"github.com/dubway-go/dubway/admin"
	"github.com/dubway-go/dubway/app"
	"github.com/dubway-go/dubway/internal/zktest"
	"github.com/dubway-go/dubway/source/mem"
	"github.com/dubway-go/dubway/source/zk"
)

func TestParseRegistry(t *testing.T) {
	for text, want := range map[string]app.RegistryConfig{
		"zookeeper://h:2181":                           {Address: "zookeeper://h:2181"},
		"hz=zookeeper://h:2181?zone=hz&group=dubbo":    {Name: "hz", Address: "zookeeper://h:2181?group=dubbo", Zone: "hz"},
		"zookeeper://h:2181?preferred=true&weight=0":   {Address: "zookeeper://h:2181", Preferred: true, Weight: -1},
		"bj=mem://?weight=50":                          {Name: "bj", Address: "mem://", Weight: 50},
		"zookeeper://u:p=x@h:2181?backup=a:1&zone=x=y": {Address: "zookeeper://u:p=x@h:2181?backup=a:1", Zone: "x=y"},
	} {
		if got, err := app.ParseRegistry(text); err != nil || got != want {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"mem://?weight=lots", "mem://?weight=-1", "mem://?preferred=yes"} {
		if got, err := app.ParseRegistry(text); err == nil {
			t.Errorf("%s: %+v, want an error", text, got)
		}
	}
}

func TestConfigOfRegistries(t *testing.T) {
	c, findings := app.ParseConfig("c", `
registries:
  - name: hangzhou
    address: zookeeper://10.0.0.1:2181
    zone: hz
    weight: 0
  - address: mem://
    preferred: true
registryCluster: failover
consumer: {zone: hz, forceZone: true}
services:
  - {name: "*/a.B", merger: "true", registries: [hangzhou]}
`)
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	want := []app.RegistryConfig{{Name: "hangzhou", Address: "zookeeper://10.0.0.1:2181", Zone: "hz", Weight: -1}, {Address: "mem://", Preferred: true}}
	if !reflect.DeepEqual(c.Registries, want) || c.RegistryCluster != "failover" || c.Consumer.Zone != "hz" || !c.Consumer.ForceZone ||
		c.Services[0].Merger != "true" || c.Services[0].Registries[0] != "hangzhou" {
		t.Errorf("%+v", c)
	}
	for text, message := range map[string]string{
		"registries: mem://\n":                        "a list of registries",
		"registries: [{name: a}]\n":                   "the registry has no address",
		"registries: [{address: a, weight: -1}]\n":    "no whole number",
		"registries: [{address: a, preferred: ja}]\n": `"ja" is none of true, false`,
		"registries: [{addres: a}]\n":                 "did you mean address?",
	} {
		if _, findings := app.ParseConfig("c", text); !strings.Contains(findings.Error(), message) {
			t.Errorf("%s: %v, want %q", text, findings, message)
		}
	}
	for message, change := range map[string]func(*app.Config){
		"not both": func(c *app.Config) { c.Registry, c.Registries = "mem://", []app.RegistryConfig{{Address: "mem://"}} },
		"two registries are called": func(c *app.Config) {
			c.Registries = []app.RegistryConfig{{Name: "a", Address: "mem://"}, {Name: "a", Address: "mem://"}}
		},
		"keeps rules but no providers": func(c *app.Config) {
			c.Registries = []app.RegistryConfig{{Address: "mem://"}, {Address: "file://" + t.TempDir()}}
		},
	} {
		c := freePorts()
		change(&c)
		if a, err := app.Start(t.Context(), app.Options{Config: c}); err == nil || !strings.Contains(err.Error(), message) {
			if err == nil {
				_ = a.Shutdown(t.Context())
			}
			t.Errorf("%v, want %q", err, message)
		}
	}
	c = freePorts()
	c.Registries = []app.RegistryConfig{{Address: "mem://"}, {Address: "mem://"}}
	a := start(t, app.Options{Config: c})
	if name := a.Sources().Name; name != "registry mem://, registry-2 mem://" {
		t.Errorf("names made of addresses: %q", name)
	}
}

// named returns a provider's answer: the name of its registry.
func named(name string) dubway.HandlerFunc {
	return func(context.Context, *dubway.Request) (any, error) { return name, nil }
}

func TestDaemonOnSeveralRegistries(t *testing.T) {
	hz, bj := mem.New(), mem.New()
	provider(t, hz, "com.example.Echo", named("hz"))
	provider(t, bj, "com.example.Echo", named("bj"))
	provider(t, bj, "com.example.Other", named("bj"))
	c := freePorts()
	c.Consumer.Zone = "hz"
	a := start(t, app.Options{Config: c, Sources: app.JoinSources([]app.NamedSources{
		{RegistryConfig: app.RegistryConfig{Name: "hangzhou", Zone: "hz"}, Sources: app.FromMem(hz)},
		{RegistryConfig: app.RegistryConfig{Name: "beijing", Zone: "bj"}, Sources: app.FromMem(bj)},
	})})
	client, err := admin.NewClient(a.AdminAddress(), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	list, err := client.Services(t.Context())
	if err != nil || len(list) != 2 || list[0].Providers != 2 || list[1].Service != "com.example.Other" {
		t.Errorf("services of both registries: %+v, %v", list, err)
	}
	call := func(zone string) string {
		q := admin.CallRequest{Target: admin.Target{Service: "com.example.Echo"}, Method: "get"}
		if zone != "" {
			q.Attachments = map[string]string{"registry_zone": zone}
		}
		r, err := client.Call(t.Context(), q)
		if err != nil || !r.OK {
			return fmt.Sprint(r.Error, err)
		}
		var name string
		_ = json.Unmarshal(r.Value, &name)
		return name
	}
	if got := call(""); got != "hz" {
		t.Errorf("the daemon's own zone: %s", got)
	}
	if got := call("bj"); got != "bj" {
		t.Errorf("the call's zone: %s", got)
	}
	x, err := client.Explain(t.Context(), admin.CallRequest{Target: admin.Target{Service: "com.example.Echo"}, Method: "get"})
	if err != nil || len(x.Registries) != 2 || !x.Registries[0].Chosen || x.Registries[0].Reason != "same-zone" || len(x.Candidates) != 1 || x.Candidates[0].Registry != "hangzhou" {
		t.Errorf("explanation %+v, %+v, %v", x.Registries, x.Candidates, err)
	}
	d, err := client.Service(t.Context(), admin.Target{Service: "com.example.Echo"})
	if err != nil || d.Instances != 2 || len(d.Registries) != 2 || d.Providers[1].Registry != "beijing" {
		t.Errorf("service %+v, %v", d, err)
	}
	_, metrics := get(t, "http://"+a.AdminAddress()+"/metrics")
	for _, line := range []string{`dubway_directory_instances{dialect="standard",registry="beijing",service="com.example.Echo"} 1`,
		`dubway_source_up{dialect="standard",key="",registry="hangzhou",service="com.example.Echo",source="registry"} 1`} {
		if !strings.Contains(metrics, line) {
			t.Errorf("metrics lack %s", line)
		}
	}

	// One registry is lost: calls, also into its zone, and the list of services go on; health and metrics say so.
	bj.Fail(errors.New("no route to host"))
	within(t, "the loss is told", func() bool {
		_, metrics := get(t, "http://"+a.AdminAddress()+"/metrics")
		return strings.Contains(metrics, `dubway_source_up{dialect="standard",key="",registry="beijing",service="com.example.Echo",source="registry"} 0`)
	})
	for zone, want := range map[string]string{"hz": "hz", "bj": "bj"} {
		if got := call(zone); got != want {
			t.Errorf("with a registry lost, a call of zone %s: %s", zone, got)
		}
	}
	if status, body := get(t, "http://"+a.AdminAddress()+"/ready"); status != 200 || !strings.Contains(body, `"name":"hangzhou"`) || !strings.Contains(body, `"zone":"bj"`) {
		t.Errorf("ready: %d %s", status, body)
	}
}

// TestTwoZooKeepers: two real registries, one of them dead at the start and one killed later. No call fails while either lives.
func TestTwoZooKeepers(t *testing.T) {
	one, two := zktest.Start(t), zktest.Start(t)
	for name, server := range map[string]*zktest.Server{"one": one, "two": two} {
		registry, err := zk.Open(t.Context(), "zookeeper://"+server.Address()+"?session=4000", zk.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { registry.Close() })
		s := dubway.NewServer(dubway.ServerOptions{Application: "order", Registrar: registry, Notice: -1})
		if err := s.Handle("com.example.Order", named(name)); err != nil {
			t.Fatal(err)
		}
		if err := s.Start(t.Context(), "127.0.0.1:0"); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
			defer cancel()
			_ = s.Shutdown(ctx)
		})
	}
	two.Stop()
	c := freePorts()
	c.Consumer.Timeout = 5 * time.Second
	for name, server := range map[string]*zktest.Server{"one": one, "two": two} {
		c.Registries = append(c.Registries, app.RegistryConfig{Name: name, Address: "zookeeper://" + server.Address() + "?session=4000", Zone: name})
	}
	a := start(t, app.Options{Config: c})
	client, err := admin.NewClient(a.AdminAddress(), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	call := func(zone string) string {
		r, err := client.Call(t.Context(), admin.CallRequest{Target: admin.Target{Service: "com.example.Order"}, Method: "get", Attachments: map[string]string{"registry_zone": zone}})
		if err != nil || !r.OK {
			return fmt.Sprint(r.Error, err)
		}
		return strings.Trim(string(r.Value), `"`)
	}
	up := func(name string) bool {
		_, body := get(t, "http://"+a.AdminAddress()+"/health")
		var h admin.Health
		if err := json.Unmarshal([]byte(body), &h); err != nil {
			t.Fatal(err)
		}
		for _, r := range h.Registries {
			if r.Name == name {
				return r.Up
			}
		}
		t.Fatalf("health does not show %s: %s", name, body)
		return false
	}
	if got := call("two"); got != "one" {
		t.Errorf("with two dead since before the start, a call of its zone: %s", got)
	}
	within(t, "one is up and two is down", func() bool { return up("one") && !up("two") })
	two.Restart(t)
	within(t, "two joins in", func() bool { return call("two") == "two" && up("two") })
	one.Stop()
	within(t, "one is down", func() bool { return !up("one") && up("two") })
	for range 20 {
		for _, zone := range []string{"one", "two"} {
			if got := call(zone); got != zone {
				t.Fatalf("with one killed, a call of zone %s: %s", zone, got)
			}
		}
	}
}
