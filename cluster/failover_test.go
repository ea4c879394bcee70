package cluster_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/dubway-go/dubway/balance"
	"github.com/dubway-go/dubway/cluster"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/rpc"
)

func strategy(t testing.TB, name string, o cluster.Options) cluster.Strategy {
	t.Helper()
	s, err := cluster.New(name, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestFailoverTries(t *testing.T) {
	cases := []struct {
		name, consumer string
		provider       string
		method         string
		attachment     any
		dialect        dialect.Dialect
		want           int
	}{
		{name: "default", want: 3},
		{name: "parameter", consumer: "retries=1", want: 2},
		{name: "zero", consumer: "retries=0", want: 1},
		{name: "negative", consumer: "retries=-5", want: 1},
		{name: "malformed counts as absent", consumer: "retries=many", want: 3},
		{name: "method-scoped", consumer: "retries=0&pay.retries=3", method: "pay", want: 4},
		{name: "of another method", consumer: "retries=0&pay.retries=3", want: 1},
		{name: "provider's", provider: "retries=4", want: 5},
		{name: "consumer before provider", consumer: "retries=1", provider: "retries=4", want: 2},
		{name: "provider's is ignored by Dubbo 3", provider: "retries=4", dialect: dialect.Dubbo33, want: 3},
		{name: "attachment", consumer: "retries=1", attachment: int32(3), want: 4},
		{name: "attachment as text", consumer: "retries=1", attachment: "0", want: 1},
		{name: "attachment as text in Dubbo 3", consumer: "retries=1", attachment: "0", dialect: dialect.Dubbo33, want: 2},
		{name: "attachment in Dubbo 2.7", consumer: "retries=1", attachment: 5, dialect: dialect.Dubbo27, want: 2},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, c.consumer, c.provider, c.provider, c.provider, c.provider, c.provider, c.provider)
			w.fail(rpc.Network)
			inv := call("get")
			if c.method != "" {
				inv.Method = c.method
			}
			if c.attachment != nil {
				inv.Attachments = rpc.Attachments{{Key: "x", Value: "1"}, {Key: "retries", Value: c.attachment}}
			}
			_, err := strategy(t, "failover", cluster.Options{Dialect: c.dialect}).Invoke(t.Context(), w, w, inv)
			if err == nil {
				t.Fatal("no error")
			}
			if got := len(w.called()); got != c.want || len(w.distinct()) != c.want {
				t.Errorf("called %v, want %d distinct providers", w.called(), c.want)
			}
			if rpc.CodeOf(err) != rpc.Network {
				t.Errorf("code %v", rpc.CodeOf(err))
			}
			if w.open() != 0 {
				t.Errorf("%d calls still counted", w.open())
			}
			if c.dialect == dialect.Standard && c.attachment != nil {
				if _, sent := w.last.Attachments.Get("retries"); sent || len(w.last.Attachments) != 1 || len(inv.Attachments) != 2 {
					t.Errorf("sent %v, caller's %v", w.last.Attachments, inv.Attachments)
				}
			}
		})
	}
}

func TestFailoverSucceedsElsewhere(t *testing.T) {
	w := newWorld(t, "", "", "", "")
	for seed := range uint64(50) {
		w.fail(rpc.Timeout, "a:1", "b:1")
		inv := call("get")
		inv.Seed = seed + 1
		result, err := strategy(t, "", cluster.Options{}).Invoke(t.Context(), w, w, inv)
		if err != nil || result.Value != "c:1" {
			t.Fatalf("seed %d: %v, %v", seed, result, err)
		}
	}
}

func TestFailoverRoutesAnew(t *testing.T) {
	w := newWorld(t, "retries=3", "", "")
	w.fail(rpc.Network, "a:1", "b:1")
	w.onRoute = func(n int64) {
		if n == 3 { // the second retry meets a list with a third provider
			w.list("", "", "")
		}
	}
	result, err := strategy(t, "failover", cluster.Options{}).Invoke(t.Context(), w, w, call("get"))
	if err != nil || result.Value != "c:1" || len(w.called()) != 3 {
		t.Errorf("%v, %v after %v", result, err, w.called())
	}
}

func TestFailoverKeepsTheLastErrorWhenProvidersVanish(t *testing.T) {
	w := newWorld(t, "", "", "")
	w.fail(rpc.Network)
	w.onRoute = func(n int64) {
		if n == 2 {
			w.list()
		}
	}
	_, err := strategy(t, "failover", cluster.Options{}).Invoke(t.Context(), w, w, call("get"))
	if rpc.CodeOf(err) != rpc.Network || !strings.Contains(err.Error(), "after 1 try on") || !strings.Contains(err.Error(), "0 providers") {
		t.Errorf("error %v", err)
	}
}

func TestFailoverDoesNotRetry(t *testing.T) {
	t.Run("business exceptions", func(t *testing.T) {
		w := newWorld(t, "", "", "", "")
		w.fail(rpc.Business)
		_, err := strategy(t, "failover", cluster.Options{}).Invoke(t.Context(), w, w, call("get"))
		var remote *rpc.RemoteException
		if !errors.As(err, &remote) || remote.Class != "demo.Sold" || len(w.called()) != 1 {
			t.Errorf("%v after %v", err, w.called())
		}
	})
	t.Run("canceled calls", func(t *testing.T) {
		w := newWorld(t, "", "", "", "")
		ctx, cancel := context.WithCancel(t.Context())
		w.answer = func(ctx context.Context, _ string, inv *rpc.Invocation) (rpc.Result, error) {
			cancel()
			return rpc.Result{}, &rpc.Error{Code: rpc.Canceled, Service: inv.Service, Cause: ctx.Err()}
		}
		_, err := strategy(t, "failover", cluster.Options{}).Invoke(ctx, w, w, call("get"))
		if !errors.Is(err, context.Canceled) || rpc.CodeOf(err) != rpc.Canceled || len(w.called()) != 1 {
			t.Errorf("%v after %v", err, w.called())
		}
	})
	t.Run("after the deadline", func(t *testing.T) {
		w := newWorld(t, "", "", "", "")
		ctx, cancel := context.WithCancelCause(t.Context())
		w.answer = func(ctx context.Context, a string, inv *rpc.Invocation) (rpc.Result, error) {
			cancel(context.DeadlineExceeded)
			return rpc.Result{}, &rpc.Error{Code: rpc.Timeout, Service: inv.Service, Instance: a}
		}
		_, err := strategy(t, "failover", cluster.Options{}).Invoke(ctx, w, w, call("get"))
		if rpc.CodeOf(err) != rpc.Timeout || len(w.called()) != 1 {
			t.Errorf("%v after %v", err, w.called())
		}
	})
}

func TestFailoverErrorTellsTriesAndAddresses(t *testing.T) {
	w := newWorld(t, "retries=1", "", "")
	w.fail(rpc.Timeout)
	_, err := strategy(t, "failover", cluster.Options{}).Invoke(t.Context(), w, w, call("get"))
	var e *rpc.Error
	if !errors.As(err, &e) {
		t.Fatal(err)
	}
	text := e.Error()
	for _, part := range []string{"failed after 2 tries on ", "a:1", "b:1", "last error: timeout", "broken", "demo.OrderService.get"} {
		if !strings.Contains(text, part) {
			t.Errorf("%q lacks %q", text, part)
		}
	}
	if e.Code != rpc.Timeout || e.Instance != w.called()[1] || e.Cause == nil {
		t.Errorf("error %+v", e)
	}
}

func TestFailoverTriesAgainWhereNothingElseIsLeft(t *testing.T) {
	w := newWorld(t, "retries=5", "", "")
	w.fail(rpc.Network)
	_, err := strategy(t, "failover", cluster.Options{}).Invoke(t.Context(), w, w, call("get"))
	if err == nil || len(w.called()) != 6 || len(w.distinct()) != 2 {
		t.Errorf("%v after %v", err, w.called())
	}
}

func TestUnavailableProvidersAreAvoided(t *testing.T) {
	w := newWorld(t, "", "", "", "")
	w.down.Store("a:1", true)
	w.down.Store("c:1", true)
	s := strategy(t, "failfast", cluster.Options{})
	for range 40 {
		if _, err := s.Invoke(t.Context(), w, w, call("get")); err != nil {
			t.Fatal(err)
		}
	}
	if got := w.distinct(); len(got) != 1 || got[0] != "b:1" {
		t.Errorf("called %v", got)
	}
	w.down.Store("b:1", true) // nobody is left: call somebody all the same
	if _, err := s.Invoke(t.Context(), w, w, call("get")); err != nil {
		t.Error(err)
	}
	off := newWorld(t, "cluster.availablecheck=false", "", "")
	off.down.Store("a:1", true)
	for range 40 {
		if _, err := s.Invoke(t.Context(), off, off, call("get")); err != nil {
			t.Fatal(err)
		}
	}
	if len(off.distinct()) != 2 {
		t.Errorf("without the check called %v", off.distinct())
	}
}

func TestDrainedProvidersAreChosenAnew(t *testing.T) {
	w := newWorld(t, "", "", "")
	w.retired.Store("a:1", true)
	s := strategy(t, "failfast", cluster.Options{})
	for range 30 {
		if _, err := s.Invoke(t.Context(), w, w, call("get")); err != nil {
			t.Fatal(err)
		}
	}
	if got := w.distinct(); len(got) != 1 || got[0] != "b:1" {
		t.Errorf("called %v", got)
	}
	w.retired.Store("b:1", true)
	if _, err := s.Invoke(t.Context(), w, w, call("get")); rpc.CodeOf(err) != rpc.Network {
		t.Errorf("error %v", err)
	}
}

func TestSticky(t *testing.T) {
	w := newWorld(t, "", "sticky=true", "sticky=true", "sticky=true", "sticky=true")
	s := strategy(t, "failover", cluster.Options{})
	invoke := func() string {
		t.Helper()
		if _, err := s.Invoke(t.Context(), w, w, call("get")); err != nil {
			t.Fatal(err)
		}
		calls := w.called()
		return calls[len(calls)-1]
	}
	first := invoke()
	for range 30 {
		if got := invoke(); got != first {
			t.Fatalf("left %s for %s", first, got)
		}
	}
	w.list("sticky=true", "sticky=true", "sticky=true", "sticky=true") // a new snapshot, the same addresses
	if got := invoke(); got != first {
		t.Errorf("a new snapshot moved the call from %s to %s", first, got)
	}
	w.down.Store(first, true)
	second := invoke()
	if second == first {
		t.Error("stuck to a provider that cannot be reached")
	}
	w.down.Delete(first)
	if got := invoke(); got != second {
		t.Errorf("left %s for %s", second, got)
	}
	w.fail(rpc.Network, second)
	if got := invoke(); got == second {
		t.Error("the retry went to the provider that failed")
	}
}

func TestRefusedByTheBalancer(t *testing.T) {
	b := balance.NewConsistentHash(balance.Options{Dialect: dialect.Dubbo33})
	w := newWorld(t, "", "hash.arguments=x", "hash.arguments=x")
	_, err := strategy(t, "failover", cluster.Options{Balancer: b}).Invoke(t.Context(), w, w, call("get", "a"))
	if err == nil || !strings.Contains(err.Error(), "hash.arguments") || len(w.called()) != 0 {
		t.Errorf("%v after %v", err, w.called())
	}
}

func TestUnknownNames(t *testing.T) {
	if _, err := cluster.New("failsave", cluster.Options{}); err == nil || !strings.Contains(err.Error(), "failsafe") {
		t.Errorf("error %v", err)
	}
	w := newWorld(t, "cluster=nothing", "")
	if _, err := cluster.ForConsumer(w.consumer, cluster.Options{}); err == nil {
		t.Error("no error")
	}
	own := strategy(t, "failfast", cluster.Options{})
	if s, err := cluster.New("failfast", cluster.Options{Custom: []cluster.Strategy{own}}); err != nil || s != own {
		t.Errorf("custom strategy not found: %v, %v", s, err)
	}
}
