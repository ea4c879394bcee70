package cluster_test

import (
	"bytes"
	"context"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dubway-go/dubway/cluster"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/rpc"
)

func TestFailfastTriesOnce(t *testing.T) {
	w := newWorld(t, "retries=5", "", "")
	w.fail(rpc.Network)
	_, err := strategy(t, "failfast", cluster.Options{}).Invoke(t.Context(), w, w, call("get"))
	if rpc.CodeOf(err) != rpc.Network || len(w.called()) != 1 {
		t.Errorf("%v after %v", err, w.called())
	}
}

func TestFailsafeLogsAndForgets(t *testing.T) {
	var log bytes.Buffer
	s := strategy(t, "failsafe", cluster.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	w := newWorld(t, "", "", "")
	w.fail(rpc.Network)
	result, err := s.Invoke(t.Context(), w, w, call("audit"))
	if err != nil || result.Value != nil || len(w.called()) != 1 || !strings.Contains(log.String(), "broken") {
		t.Errorf("%v, %v, log %s", result, err, log.String())
	}
	w.list() // no provider at all
	if _, err := s.Invoke(t.Context(), w, w, call("audit")); err != nil {
		t.Error(err)
	}
	w.list("")
	w.fail(rpc.Business)
	if _, err := s.Invoke(t.Context(), w, w, call("audit")); rpc.CodeOf(err) != rpc.Business {
		t.Errorf("a provider's exception became %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w.fail(rpc.Canceled)
	if _, err := s.Invoke(ctx, w, w, call("audit")); rpc.CodeOf(err) != rpc.Canceled {
		t.Errorf("a canceled call became %v", err)
	}
}

func TestFailbackDeliversLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := strategy(t, "failback", cluster.Options{}).(*cluster.Failback)
		w := newWorld(t, "", "", "")
		w.fail(rpc.Network)
		start := time.Now()
		result, err := s.Invoke(t.Context(), w, w, call("notify"))
		if err != nil || result.Value != nil || time.Since(start) != 0 || s.Pending() != 1 {
			t.Fatalf("%v, %v, pending %d", result, err, s.Pending())
		}
		time.Sleep(4 * time.Second)
		if n := len(w.called()); n != 1 {
			t.Errorf("%d calls after 4 s", n)
		}
		time.Sleep(2 * time.Second)
		if n := len(w.called()); n != 2 {
			t.Errorf("%d calls after 6 s", n)
		}
		w.fail(rpc.Network, "nobody")
		time.Sleep(5 * time.Second)
		if n := len(w.called()); n != 3 || s.Pending() != 0 {
			t.Errorf("%d calls after 11 s, pending %d", n, s.Pending())
		}
		calls := w.called()
		if calls[0] == calls[1] || calls[1] == calls[2] {
			t.Errorf("a retry went to the provider that had just failed: %v", calls)
		}
		if err := cluster.Close(s); err != nil || w.open() != 0 {
			t.Errorf("close: %v, open %d", err, w.open())
		}
	})
}

func TestFailbackGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := strategy(t, "failback", cluster.Options{}).(*cluster.Failback)
		w := newWorld(t, "notify.retries=2", "", "")
		w.fail(rpc.Network)
		if _, err := s.Invoke(t.Context(), w, w, call("notify")); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if n := len(w.called()); n != 3 || s.Pending() != 0 {
			t.Errorf("%d calls, pending %d", n, s.Pending())
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestFailbackWithoutProvidersTriesLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := strategy(t, "failback", cluster.Options{}).(*cluster.Failback)
		w := newWorld(t, "failbacktasks=1")
		for range 2 {
			if _, err := s.Invoke(t.Context(), w, w, call("notify")); err != nil || s.Pending() != 1 {
				t.Fatalf("%v, pending %d", err, s.Pending())
			}
		}
		w.list("")
		time.Sleep(6 * time.Second)
		if len(w.called()) != 1 || s.Pending() != 0 {
			t.Errorf("called %v, pending %d", w.called(), s.Pending())
		}
		_ = s.Close()
	})
}

func TestFailbackIsBoundedAndStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		s := strategy(t, "failback", cluster.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))}).(*cluster.Failback)
		w := newWorld(t, "failbacktasks=3", "", "")
		w.fail(rpc.Network)
		for range 10 {
			if _, err := s.Invoke(t.Context(), w, w, call("notify")); err != nil {
				t.Fatal(err)
			}
		}
		if s.Pending() != 3 || strings.Count(log.String(), "drops") != 7 {
			t.Errorf("pending %d, log %s", s.Pending(), log.String())
		}
		// A try in progress is canceled by Close.
		w.mu.Lock()
		w.answer = func(ctx context.Context, _ string, inv *rpc.Invocation) (rpc.Result, error) {
			<-ctx.Done()
			return rpc.Result{}, &rpc.Error{Code: rpc.Canceled, Cause: ctx.Err()}
		}
		w.mu.Unlock()
		time.Sleep(6 * time.Second)
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if s.Pending() != 0 || w.open() != 0 {
			t.Errorf("after close: pending %d, open %d", s.Pending(), w.open())
		}
		w.fail(rpc.Network)
		if _, err := s.Invoke(t.Context(), w, w, call("notify")); err != nil || s.Pending() != 0 {
			t.Errorf("after close: %v, pending %d", err, s.Pending())
		}
	})
}

func TestFailbackKeepsItsOwnCopy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := strategy(t, "failback", cluster.Options{}).(*cluster.Failback)
		w := newWorld(t, "", "")
		w.fail(rpc.Network)
		inv := call("notify", "first")
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		if _, err := s.Invoke(ctx, w, w, inv); err != nil {
			t.Fatal(err)
		}
		cancel() // the caller's own end does not stop the background
		inv.Args[0], inv.Method = "second", "other"
		w.fail(rpc.Network, "nobody")
		time.Sleep(6 * time.Second)
		_ = s.Close()
		if w.last.Args[0] != "first" || w.last.Method != "notify" || s.Pending() != 0 {
			t.Errorf("sent %v %v, pending %d", w.last.Method, w.last.Args, s.Pending())
		}
	})
}

func TestForkingTakesTheFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "forks=3", "", "", "", "", "")
		var canceled atomic.Int64
		var started atomic.Int64
		w.answer = func(ctx context.Context, address string, inv *rpc.Invocation) (rpc.Result, error) {
			n := started.Add(1)
			if n == 1 {
				return rpc.Result{}, &rpc.Error{Code: rpc.Network, Message: "down"}
			}
			select {
			case <-time.After(time.Duration(n) * 100 * time.Millisecond):
				return rpc.Result{Value: n}, nil
			case <-ctx.Done():
				canceled.Add(1)
				return rpc.Result{}, ctx.Err()
			}
		}
		start := time.Now()
		result, err := strategy(t, "forking", cluster.Options{}).Invoke(t.Context(), w, w, call("get"))
		if err != nil || result.Value != int64(2) || time.Since(start) != 200*time.Millisecond {
			t.Errorf("%v, %v after %v", result, err, time.Since(start))
		}
		synctest.Wait()
		if started.Load() != 3 || len(w.distinct()) != 3 || canceled.Load() != 1 || w.open() != 0 {
			t.Errorf("started %d %v, canceled %d, open %d", started.Load(), w.called(), canceled.Load(), w.open())
		}
	})
}

func TestForkingEnds(t *testing.T) {
	block := func(ctx context.Context, _ string, _ *rpc.Invocation) (rpc.Result, error) {
		<-ctx.Done()
		return rpc.Result{}, ctx.Err()
	}
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "get.timeout=300", "", "", "")
		w.answer = block
		start := time.Now()
		_, err := strategy(t, "forking", cluster.Options{}).Invoke(t.Context(), w, w, call("get"))
		if rpc.CodeOf(err) != rpc.Timeout || time.Since(start) != 300*time.Millisecond {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		result, err := strategy(t, "forking", cluster.Options{Dialect: dialect.Dubbo33}).Invoke(t.Context(), w, w, call("get"))
		if err != nil || result.Value != nil {
			t.Errorf("Dubbo returns null, got %v, %v", result, err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if _, err = strategy(t, "forking", cluster.Options{}).Invoke(ctx, w, w, call("get")); rpc.CodeOf(err) != rpc.Timeout {
			t.Error(err)
		}
		w.fail(rpc.Network)
		before := len(w.called())
		if _, err = strategy(t, "forking", cluster.Options{}).Invoke(t.Context(), w, w, call("get")); rpc.CodeOf(err) != rpc.Network || len(w.called())-before != 2 {
			t.Errorf("%v after %d calls", err, len(w.called())-before)
		}
		synctest.Wait()
	})
	for _, forks := range []string{"0", "-1", "9"} {
		w := newWorld(t, "forks="+forks, "", "", "")
		w.fail(rpc.Network)
		if _, err := strategy(t, "forking", cluster.Options{}).Invoke(t.Context(), w, w, call("get")); err == nil || len(w.distinct()) != 3 {
			t.Errorf("forks=%s called %v", forks, w.called())
		}
	}
}

func TestBroadcast(t *testing.T) {
	cases := []struct {
		query  string
		d      dialect.Dialect
		broken []string
		calls  int
		code   rpc.Code
		ok     bool
	}{
		{query: "", calls: 4, ok: true},
		{query: "", broken: []string{"b:1"}, calls: 4, code: rpc.Network},
		{query: "broadcast.fail.percent=50", broken: []string{"a:1", "b:1", "c:1"}, calls: 2, code: rpc.Network},
		{query: "broadcast.fail.percent=150", broken: []string{"a:1", "b:1", "c:1"}, calls: 4, code: rpc.Network},
		{query: "broadcast.fail.percent=0", broken: []string{"b:1", "c:1"}, calls: 2, code: rpc.Network},
		{query: "broadcast.fail.percent=0", d: dialect.Dubbo33, broken: []string{"b:1", "c:1"}, calls: 4, code: rpc.Network},
	}
	for _, c := range cases {
		w := newWorld(t, c.query, "", "", "", "")
		w.fail(rpc.Network, append(c.broken, "nobody")...)
		result, err := strategy(t, "broadcast", cluster.Options{Dialect: c.d}).Invoke(t.Context(), w, w, call("refresh"))
		if (err == nil) != c.ok || err != nil && rpc.CodeOf(err) != c.code || len(w.called()) != c.calls {
			t.Errorf("%+v: %v, called %v", c, err, w.called())
		}
		if c.ok && result.Value != "d:1" || !slices.IsSorted(w.called()) || w.open() != 0 {
			t.Errorf("%+v: %v, called %v", c, result, w.called())
		}
	}
}

func TestAvailableTakesTheFirstInOrder(t *testing.T) {
	w := newWorld(t, "", "", "", "")
	w.down.Store("a:1", true)
	s := strategy(t, "available", cluster.Options{})
	if _, err := s.Invoke(t.Context(), w, w, call("get")); err != nil || w.called()[0] != "b:1" {
		t.Errorf("%v, called %v", err, w.called())
	}
	w.retired.Store("b:1", true)
	w.down.Store("c:1", true)
	if _, err := s.Invoke(t.Context(), w, w, call("get")); rpc.CodeOf(err) != rpc.NoProvider {
		t.Errorf("error %v", err)
	}
}

func TestMock(t *testing.T) {
	cases := []struct {
		mock  string
		code  rpc.Code // of the call
		calls int
		value any
		fails bool
		err   rpc.Code
		class string
	}{
		{mock: "", code: rpc.Network, calls: 3, fails: true, err: rpc.Network},
		{mock: "false", code: rpc.Network, calls: 3, fails: true, err: rpc.Network},
		{mock: "force:return+null", calls: 0},
		{mock: "force:return+true", calls: 0, value: true},
		{mock: "force:return+%7B%22id%22:7,%22tags%22:%5B1.5%5D%7D", value: map[string]any{"id": int64(7), "tags": []any{1.5}}},
		{mock: "force:return+'a+b'", value: "a b"},
		{mock: "force:return+plain", value: "plain"},
		{mock: "force:return+empty", value: map[string]any{}},
		{mock: "force:return+%7Bbad", fails: true, err: rpc.Unknown},
		{mock: "force:throw+demo.Down", fails: true, err: rpc.Business, class: "demo.Down"},
		{mock: "fail:return+42", code: rpc.Network, calls: 3, value: int64(42)},
		{mock: "return+42", code: rpc.Timeout, calls: 3, value: int64(42)},
		{mock: "return", code: rpc.Timeout, calls: 3},
		{mock: "fail:return+42", code: rpc.Business, calls: 1, fails: true, err: rpc.Business},
		{mock: "throw", code: rpc.Network, calls: 3, fails: true, err: rpc.Unknown},
		{mock: "true", code: rpc.Network, calls: 3, value: "mocked true"},
		{mock: "force:demo.Stub", value: "mocked demo.Stub"},
	}
	for _, c := range cases {
		t.Run(c.mock+"/"+c.code.String(), func(t *testing.T) {
			w := newWorld(t, "get.mock="+c.mock, "", "", "")
			if c.code != rpc.Unknown {
				w.fail(c.code)
			}
			s, err := cluster.ForConsumer(w.consumer, cluster.Options{Mock: func(_ context.Context, name string, _ *rpc.Invocation) (rpc.Result, error) {
				return rpc.Result{Value: "mocked " + name}, nil
			}})
			if err != nil {
				t.Fatal(err)
			}
			for range 2 { // the second comes from what is remembered
				result, err := s.Invoke(t.Context(), w, w, call("get"))
				if !reflect.DeepEqual(result.Value, c.value) || (err != nil) != c.fails {
					t.Fatalf("%#v, %v", result.Value, err)
				}
				if err != nil && (rpc.CodeOf(err) != c.err || !strings.Contains(err.Error(), c.class)) {
					t.Errorf("error %v", err)
				}
				if m, ok := result.Value.(map[string]any); ok {
					m["spoiled"] = true
				}
			}
			if len(w.called()) != 2*c.calls {
				t.Errorf("%d calls, want %d", len(w.called()), 2*c.calls)
			}
			other := newWorld(t, "get.mock="+c.mock, "")
			if result, err := s.Invoke(t.Context(), other, other, call("put")); err != nil || result.Value != "ok" {
				t.Errorf("another method: %v, %v", result, err)
			}
		})
	}
}

func TestMockProvidersAnswerFirst(t *testing.T) {
	w := newWorld(t, "mock=force:return+consumer", "", "mock=return+provider")
	s, err := cluster.ForConsumer(w.consumer, cluster.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if result, err := s.Invoke(t.Context(), w, w, call("get")); err != nil || result.Value != "provider" || len(w.called()) != 0 {
		t.Errorf("%v, %v, called %v", result, err, w.called())
	}
}

func TestMockWithoutFunction(t *testing.T) {
	w := newWorld(t, "mock=true", "")
	w.fail(rpc.Network)
	s, err := cluster.ForConsumer(w.consumer, cluster.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Invoke(t.Context(), w, w, call("get")); rpc.CodeOf(err) != rpc.Network {
		t.Errorf("error %v", err)
	}
	if s.Name() != "failover" {
		t.Errorf("name %q", s.Name())
	}
}
