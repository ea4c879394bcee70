package app_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
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

// settled waits until the providers called over a window of 20 ms are exactly those wanted.
func settled(t *testing.T, d *app.Demo, service string, want ...string) {
	t.Helper()
	began := time.Now()
	for time.Since(began) < 10*time.Second {
		before := counts(d, service)
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
				return
			}
		}
	}
	t.Fatalf("after 10 s the calls of %s still do not go to %v alone: %v", service, want, counts(d, service))
}

func subset(some, all []string) bool {
	for _, s := range some {
		if !slices.Contains(all, s) {
			return false
		}
	}
	return true
}

// followed watches closely, for the figure that the demo promises, how soon a rule put at began is followed: when the first call through the
// gateway with the tag gray is answered by one of first, and when one of the demo's own consumers last called gone. A time is printed, not asserted.
func followed(t *testing.T, d *app.Demo, rule string, began time.Time, gone string, first ...string) {
	t.Helper()
	stored := time.Since(began)
	var answered time.Duration
	for answered == 0 {
		r, err := http.NewRequestWithContext(t.Context(), "POST", "http://"+d.App().GatewayAddress()+"/"+app.OrderService+"/getOrder", strings.NewReader("[42]"))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Dubbo-Tag", "gray")
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if err != nil || response.StatusCode != 200 {
			t.Fatalf("gateway: %d %s, %v", response.StatusCode, body, err)
		}
		switch {
		case slices.ContainsFunc(first, func(name string) bool { return strings.Contains(string(body), `"provider":"`+name+`"`) }):
			answered = time.Since(began)
		case time.Since(began) > 10*time.Second:
			t.Fatalf("after 10 s a gray call is still answered by another provider than %v: %s", first, body)
		}
	}
	var last time.Duration
	before := counts(d, app.OrderService)[gone]
	for quiet := time.Now(); time.Since(quiet) < 200*time.Millisecond; time.Sleep(time.Millisecond) {
		if n := counts(d, app.OrderService)[gone]; n > before {
			before, last, quiet = n, time.Since(began), time.Now()
		}
	}
	t.Logf("%s: stored after %v, first call that follows it after %v, last call of the consumers that does not after %v (0s: earlier than that)", rule, stored, answered, last)
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
	http.DefaultClient.CloseIdleConnections()
	defer http.DefaultClient.CloseIdleConnections()
	followed(t, d, "no rule", time.Now(), "none", "order-5") // opens the daemon's own directory
	began := time.Now()
	put("order.tag-router", "gray.yaml")
	followed(t, d, "tag rule", began, "order-5", "order-3", "order-4")
	settled(t, d, app.OrderService, "order-1", "order-2", "order-3", "order-4")
	began = time.Now()
	put(app.OrderService+"::.condition-router", "blacklist.yaml", "127.0.0.1:20881", d.ProviderAddress("order-1"))
	followed(t, d, "black list", began, "order-1", "order-3", "order-4")
	settled(t, d, app.OrderService, "order-2", "order-3", "order-4")
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
	if len(lines) != 4 || !strings.Contains(lines[0], "order-1    -2") || !strings.Contains(lines[1], "bj    hz |") || !strings.Contains(lines[2], "  gray |") || !strings.Contains(lines[3], "%") {
		t.Errorf("board:\n%s", out.String())
	}
	for _, l := range lines {
		if n := len([]rune(l)); n != len([]rune(lines[0])) {
			t.Errorf("the columns are not aligned: %d and %d\n%s", n, len([]rune(lines[0])), out.String())
		} else if n > 100 {
			t.Errorf("a line has %d columns, more than 100:\n%s", n, out.String())
		}
	}
}
