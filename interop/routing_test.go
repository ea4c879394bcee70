package interop

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dubway-go/dubway"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/service"
)

// open dials dubway on the fleet's ZooKeeper and opens a service once all the providers are listed.
func open(t *testing.T, f *fleet, key service.Key, o dubway.ServiceOptions, addresses ...string) *dubway.Service {
	t.Helper()
	z := f.zookeeper(t)
	f.waitForProviders(t, z, key, addresses...)
	c, err := dubway.Dial(t.Context(), dubway.Options{Application: "interop", Registry: z, Rules: z.Rules(), Host: host, Types: types(t), Timeout: 5 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	o.Version = key.Version
	s, err := c.ServiceWith(t.Context(), key.Interface, o)
	if err != nil {
		t.Fatal(err)
	}
	settle(t, s, addresses...)
	return s
}

// settle waits until the directory of s has exactly the addresses.
func settle(t *testing.T, s *dubway.Service, addresses ...string) {
	t.Helper()
	want := slices.Sorted(slices.Values(addresses))
	deadline := time.Now().Add(20 * time.Second)
	for {
		set := s.Directory().Snapshot().Set()
		var have []string
		for i := range set.Len() {
			have = append(have, set.At(i).Address())
		}
		slices.Sort(have)
		if slices.Equal(have, want) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the directory has %v, want %v", have, want)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// who calls whoami n times and returns the addresses that answered, sorted.
func who(ctx context.Context, s *dubway.Service, n int) ([]string, error) {
	seen := map[string]bool{}
	for range n {
		v, err := s.Call(ctx, "whoami")
		if err != nil {
			return nil, err
		}
		text, _ := v.(string)
		address, _, _ := strings.Cut(text, "|")
		seen[address] = true
	}
	return slices.Sorted(maps.Keys(seen)), nil
}

func TestTagRoutingAcrossImplementations(t *testing.T) {
	f := theFleet(t)
	s := open(t, f, service.Key{Interface: echo}, dubway.ServiceOptions{}, addr33, addr27, addrGo)
	for _, c := range []struct {
		tag  string
		want []string
	}{
		{"", []string{addr33, addrGo}},
		{grayTag, []string{addr27}},
		{"unknown", []string{addr33, addrGo}},
	} {
		ctx := t.Context()
		if c.tag != "" {
			ctx = dubway.WithTag(ctx, c.tag)
		}
		got, err := who(ctx, s, 40)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("tag %q: answered by %v, %v; want %v", c.tag, got, err, c.want)
		}
		left := slices.Sorted(slices.Values(s.Explain(ctx, "whoami").Trace.Left))
		if !slices.Equal(left, c.want) {
			t.Errorf("tag %q: explain leaves %v, want %v", c.tag, left, c.want)
		}
	}
}

func TestRuleDocumentMovesCalls(t *testing.T) {
	f := theFleet(t)
	z := f.zookeeper(t)
	key := echo + "::.condition-router"
	s := open(t, f, service.Key{Interface: echo}, dubway.ServiceOptions{}, addr33, addr27, addrGo)
	rule := "configVersion: v3.0\nscope: service\nforce: true\nruntime: true\nenabled: true\nkey: " + echo + "\nconditions:\n  - method=whoami => address=" + addrGo + "\n"
	if err := z.Put(t.Context(), key, rule); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := z.Delete(context.WithoutCancel(t.Context()), key); err != nil {
			t.Error(err)
		}
	}()
	deadline := time.Now().Add(10 * time.Second)
	for !slices.Equal(s.Explain(t.Context(), "whoami").Trace.Left, []string{addrGo}) {
		if time.Now().After(deadline) {
			t.Fatalf("the rule has no effect: %s", s.Explain(t.Context(), "whoami").Trace.Short())
		}
		time.Sleep(5 * time.Millisecond)
	}
	if got, err := who(t.Context(), s, 20); err != nil || !slices.Equal(got, []string{addrGo}) {
		t.Errorf("answered by %v, %v; want %v", got, err, addrGo)
	}
	if v, err := s.Call(t.Context(), "echoString", "x"); err != nil || v != "x" {
		t.Errorf("another method: %v, %v", v, err)
	}
}

// TestDubboGoProvider calls the dubbo-go provider alone.
func TestDubboGoProvider(t *testing.T) {
	theFleet(t)
	d := dial(t, addrGo, nil)
	for _, c := range []struct {
		method, typ string
		arg         any
	}{
		{"echoString", "java.lang.String", "Müller 世界 😀"},
		{"echoInt", "int", int32(-70000)},
		{"echoLong", "long", int64(1) << 40},
		{"echoDouble", "double", 3.25},
		{"echoBool", "boolean", true},
	} {
		got, err := d.call(rpc.Invocation{Method: c.method, ParamTypes: []string{c.typ}, Args: []any{c.arg}, Direct: true})
		if err != nil || got.Value != c.arg {
			t.Errorf("%s: %v, %v, want %v", c.method, got.Value, err, c.arg)
		}
		got, err = d.call(rpc.Invocation{Method: c.method, ParamTypes: []string{c.typ}, Args: []any{c.arg}})
		if err != nil || got.Value != c.arg {
			t.Errorf("generic %s: %v, %v, want %v", c.method, got.Value, err, c.arg)
		}
	}
	got, err := d.call(rpc.Invocation{Method: "echoStrings", ParamTypes: []string{"java.lang.String[]"}, Args: []any{[]string{"a", "b"}}, Direct: true})
	if err != nil || fmt.Sprint(got.Value) != "[a b]" {
		t.Errorf("echoStrings: %v, %v", got.Value, err)
	}
	got, err = d.call(rpc.Invocation{Method: "echoMap", ParamTypes: []string{"java.util.Map"}, Args: []any{map[string]any{"a": "b"}}, Direct: true})
	if m, ok := got.Value.(map[string]any); err != nil || !ok || m["a"] != "b" {
		t.Errorf("echoMap: %v, %v", got.Value, err)
	}
	_, err = d.call(rpc.Invocation{Method: "failRuntime", ParamTypes: []string{"java.lang.String"}, Args: []any{"broken"}, Direct: true})
	if remote, ok := errors.AsType[*rpc.RemoteException](err); !ok || !strings.Contains(remote.Message, "broken") {
		t.Errorf("failRuntime: %v", err)
	}
	got, err = d.call(rpc.Invocation{Method: "attachments", ParamTypes: []string{}, Args: []any{}, Direct: true, Attachments: rpc.Attachments{{Key: "trace", Value: "t-1"}}})
	if m, ok := got.Value.(map[string]any); err != nil || !ok || m["trace"] != "t-1" {
		t.Errorf("attachments: %v, %v", got.Value, err)
	}
}
