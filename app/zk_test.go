package app_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dubway-go/dubway"
	"github.com/dubway-go/dubway/admin"
	"github.com/dubway-go/dubway/app"
	"github.com/dubway-go/dubway/internal/zktest"
	"github.com/dubway-go/dubway/source/zk"
)

// TestServeOnRealZooKeeper: `serve` on a real ZooKeeper with providers of this library: gateway, explain and rules work, and
// neither a provider that is killed nor a restart of ZooKeeper loses a call.
func TestServeOnRealZooKeeper(t *testing.T) {
	server := zktest.Start(t)
	address := "zookeeper://" + server.Address() + "?session=4000"
	started := make([]*dubway.Server, 3)
	for i := range started {
		registry, err := zk.Open(t.Context(), address, zk.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { registry.Close() })
		o := dubway.ServerOptions{Application: "order", Registrar: registry, Notice: -1, Parameters: map[string]string{"region": fmt.Sprint("r", i)}}
		if i == 2 {
			o.Tag = "gray"
		}
		s := dubway.NewServer(o)
		if err := s.Handle("com.example.Order:1.0", dubway.HandlerFunc(func(context.Context, *dubway.Request) (any, error) { return i, nil })); err != nil {
			t.Fatal(err)
		}
		if err := s.Start(t.Context(), "127.0.0.1:0"); err != nil {
			t.Fatal(err)
		}
		started[i] = s
		t.Cleanup(func() {
			ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
			defer cancel()
			_ = s.Shutdown(ctx)
		})
	}
	c := freePorts()
	c.Registry = address
	c.Consumer.Timeout = 5 * time.Second
	a := start(t, app.Options{Config: c})
	client, err := admin.NewClient(a.AdminAddress(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	target := admin.Target{Service: "com.example.Order:1.0"}
	explain := func(tag string) []admin.Provider {
		q := admin.CallRequest{Target: target, Method: "get"}
		if tag != "" {
			q.Attachments = map[string]string{"dubbo.tag": tag}
		}
		x, err := client.Explain(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		return x.Candidates
	}
	if got := explain("gray"); len(got) != 1 || got[0].Tag != "gray" {
		t.Errorf("gray: %+v", got)
	}
	if got := explain(""); len(got) != 2 {
		t.Errorf("untagged: %+v", got)
	}
	key := "com.example.Order:1.0:.condition-router"
	if _, err := client.PutRule(t.Context(), key, admin.RuleWrite{Text: "conditions:\n  - \"=> region=r1\"\n"}); err != nil {
		t.Fatal(err)
	}
	within(t, "the rule is in force", func() bool { got := explain(""); return len(got) == 1 && got[0].Labels["region"] == "r1" })
	if _, err := client.DeleteRule(t.Context(), key); err != nil {
		t.Fatal(err)
	}
	within(t, "the rule is gone", func() bool { return len(explain("")) == 2 })

	var calls, failed atomic.Int64
	stop := make(chan struct{})
	var work sync.WaitGroup
	for range 4 {
		work.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				r, _ := http.NewRequest("POST", "http://"+a.GatewayAddress()+"/com.example.Order/get", strings.NewReader("[]"))
				r.Header.Set("Dubbo-Version", "1.0")
				resp, err := http.DefaultClient.Do(r)
				if err != nil {
					t.Error(err)
					return
				}
				_ = resp.Body.Close()
				calls.Add(1)
				if resp.StatusCode != 200 {
					failed.Add(1)
				}
				time.Sleep(2 * time.Millisecond)
			}
		})
	}
	during := func(what string, f func()) {
		before := calls.Load()
		f()
		within(t, "calls go on: "+what, func() bool { return calls.Load() > before+40 })
	}
	during("a provider leaves", func() {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		_ = started[0].Shutdown(ctx)
	})
	during("ZooKeeper is down", server.Stop)
	during("ZooKeeper is back", func() { server.Restart(t) })
	within(t, "the provider left is known after the restart", func() bool { return len(explain("")) == 1 })
	close(stop)
	work.Wait()
	if failed.Load() > 0 {
		t.Errorf("%d of %d calls failed", failed.Load(), calls.Load())
	}
	t.Logf("%d calls, %d failed", calls.Load(), failed.Load())
}
