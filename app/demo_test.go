package app_test

import (
	"bytes"
	"context"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dubway-go/dubway/admin"
	"github.com/dubway-go/dubway/app"
)

func demo(t *testing.T) (*app.Demo, *admin.Client) {
	t.Helper()
	d, err := app.StartDemo(t.Context(), app.DemoOptions{Admin: "127.0.0.1:0", Gateway: "127.0.0.1:0", Rate: 300, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if err := d.Shutdown(ctx); err != nil {
			t.Error("shutdown:", err)
		}
	})
	client, err := admin.NewClient(d.App().AdminAddress(), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return d, client
}

// counts returns the calls so far to each named provider of one service.
func counts(d *app.Demo, service string) map[string]uint64 {
	out := map[string]uint64{}
	for _, s := range d.Summary().Services {
		if s.Service == service {
			for _, p := range s.Providers {
				out[p.Name] = p.Calls
			}
		}
	}
	return out
}

// settled waits until the providers called over a window of 20 ms are exactly those wanted, and returns how long that took.
func settled(t *testing.T, d *app.Demo, service string, want ...string) time.Duration {
	t.Helper()
	began := time.Now()
	for time.Since(began) < 10*time.Second {
		at, before := time.Since(began), counts(d, service)
		var called []string
		for range 15 { // up to 300 ms to see each of them called
			time.Sleep(20 * time.Millisecond)
			called = called[:0]
			for name, n := range counts(d, service) {
				if n > before[name] {
					called = append(called, name)
				}
			}
			slices.Sort(called)
			if !subset(called, want) {
				break
			}
			if slices.Equal(called, want) {
				return at
			}
		}
	}
	t.Fatalf("after 10 s the calls of %s still do not go to %v alone: %v", service, want, counts(d, service))
	return 0
}

func subset(some, all []string) bool {
	for _, s := range some {
		if !slices.Contains(all, s) {
			return false
		}
	}
	return true
}

// TestRulesMoveTheDemosTraffic is the demo's promise: after a rule changes the shares change at once, and no call fails.
func TestRulesMoveTheDemosTraffic(t *testing.T) {
	d, client := demo(t)
	put := func(key, file string, replace ...string) {
		t.Helper()
		text, err := os.ReadFile("../examples/" + file)
		if err != nil {
			t.Fatal(err)
		}
		r, err := client.PutRule(t.Context(), key, admin.RuleWrite{Text: strings.NewReplacer(replace...).Replace(string(text))})
		if err != nil || !r.Stored || len(r.Diagnostics) > 0 {
			t.Fatalf("put %s: %+v, %v", key, r, err)
		}
	}
	settled(t, d, app.OrderService, "order-1", "order-2", "order-3", "order-4", "order-5")
	put("order.tag-router", "gray.yaml")
	t.Logf("tag rule: shares changed after %v", settled(t, d, app.OrderService, "order-1", "order-2", "order-3", "order-4"))
	put(app.OrderService+"::.condition-router", "blacklist.yaml", "127.0.0.1:20881", d.ProviderAddress("order-1"))
	t.Logf("black list: shares changed after %v", settled(t, d, app.OrderService, "order-2", "order-3", "order-4"))
	if _, err := client.DeleteRule(t.Context(), "order.tag-router"); err != nil {
		t.Fatal(err)
	}
	settled(t, d, app.OrderService, "order-2", "order-3", "order-4", "order-5")
	if s := d.Summary(); s.Failures > 0 || s.Calls == 0 {
		t.Errorf("%d calls, %d failures: %v %s", s.Calls, s.Failures, s.Codes, s.LastFailure)
	}
}

// TestTheDemoPassesTheTagOn: gray orders ask gray users, through a second hop that no consumer sees.
func TestTheDemoPassesTheTagOn(t *testing.T) {
	_, client := demo(t)
	for range 20 {
		r, err := client.Call(t.Context(), admin.CallRequest{Target: admin.Target{Service: app.OrderService}, Method: "createOrder",
			Args: []byte(`[{"@type":"long","value":7}, 9.5]`), Attachments: map[string]string{"dubbo.tag": "gray"}})
		if err != nil || !r.OK {
			t.Fatalf("%+v, %v", r, err)
		}
		if !strings.Contains(string(r.Value), `"provider":"order-5"`) || !strings.Contains(string(r.Value), `"provider":"user-3"`) {
			t.Fatalf("a gray request went another way: %s", r.Value)
		}
	}
}

func TestTheBoardShowsTheShares(t *testing.T) {
	d, _ := demo(t)
	settled(t, d, app.OrderService, "order-1", "order-2", "order-3", "order-4", "order-5")
	var out bytes.Buffer
	b := d.NewBoard(&out, false)
	b.Line()
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if len(lines) != 3 || !strings.Contains(lines[0], "order-1") || !strings.Contains(lines[1], "hz gray") || !strings.Contains(lines[2], "%") {
		t.Errorf("board:\n%s", out.String())
	}
	for _, l := range lines {
		if n := len([]rune(l)); n != len([]rune(lines[0])) {
			t.Errorf("the columns are not aligned: %d and %d\n%s", n, len([]rune(lines[0])), out.String())
		}
	}
}
