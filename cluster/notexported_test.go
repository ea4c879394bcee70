package cluster_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/dubway-go/dubway/cluster"
	"github.com/dubway-go/dubway/rpc"
)

// lacks makes the addresses answer that they do not have the service, and all others fail with code.
func (w *world) lacks(code rpc.Code, addresses ...string) {
	w.answer = func(_ context.Context, address string, inv *rpc.Invocation) (rpc.Result, error) {
		e := &rpc.Error{Code: code, Service: inv.Service, Method: inv.Method, Instance: address, Message: "broken"}
		if slices.Contains(addresses, address) {
			e.Code, e.Cause = rpc.MethodNotFound, rpc.ErrNotExported
		} else if code == rpc.Unknown {
			return rpc.Result{Value: address}, nil
		}
		return rpc.Result{}, e
	}
}

func TestAMissingMethodIsNotTriedElsewhere(t *testing.T) {
	w := newWorld(t, "", "", "", "")
	w.fail(rpc.MethodNotFound)
	_, err := strategy(t, "failover", cluster.Options{}).Invoke(t.Context(), w, w, call("gone"))
	if rpc.CodeOf(err) != rpc.MethodNotFound || len(w.called()) != 1 || w.open() != 0 {
		t.Errorf("%v after %v, %d open", err, w.called(), w.open())
	}
}

func TestAMissingServiceIsTriedElsewhere(t *testing.T) {
	for seed := range uint64(50) {
		w := newWorld(t, "", "", "", "")
		w.lacks(rpc.Unknown, "a:1", "b:1")
		inv := call("get")
		inv.Seed = seed + 1
		result, err := strategy(t, "failover", cluster.Options{}).Invoke(t.Context(), w, w, inv)
		if err != nil || result.Value != "c:1" || w.open() != 0 {
			t.Fatalf("seed %d: %v, %v after %v", seed, result, err, w.called())
		}
	}
}

func TestAProviderWithoutTheServiceIsAskedOnce(t *testing.T) {
	t.Run("one provider", func(t *testing.T) {
		w := newWorld(t, "retries=5", "")
		w.lacks(rpc.Network, "a:1")
		_, err := strategy(t, "failover", cluster.Options{}).Invoke(t.Context(), w, w, call("get"))
		if !errors.Is(err, rpc.ErrNotExported) || len(w.called()) != 1 || strings.Contains(err.Error(), "try on") {
			t.Errorf("%v after %v", err, w.called())
		}
	})
	t.Run("none has it", func(t *testing.T) {
		w := newWorld(t, "retries=9", "", "", "")
		w.lacks(rpc.Network, "a:1", "b:1", "c:1")
		_, err := strategy(t, "failover", cluster.Options{}).Invoke(t.Context(), w, w, call("get"))
		if rpc.CodeOf(err) != rpc.MethodNotFound || len(w.called()) != 3 || len(w.distinct()) != 3 || w.open() != 0 {
			t.Errorf("%v after %v", err, w.called())
		}
	})
	t.Run("another one fails", func(t *testing.T) {
		for seed := range uint64(50) {
			w := newWorld(t, "retries=5", "", "")
			w.lacks(rpc.Network, "a:1")
			inv := call("get")
			inv.Seed = seed + 1
			_, err := strategy(t, "failover", cluster.Options{}).Invoke(t.Context(), w, w, inv)
			once := 0
			for _, address := range w.called() {
				if address == "a:1" {
					once++
				}
			}
			if rpc.CodeOf(err) != rpc.Network || len(w.called()) != 6 || once > 1 || w.open() != 0 {
				t.Fatalf("seed %d: %v after %v", seed, err, w.called())
			}
		}
	})
	t.Run("the other cannot be reached", func(t *testing.T) {
		w := newWorld(t, "retries=2", "", "")
		w.lacks(rpc.Network, "a:1")
		w.down.Store("b:1", true)
		_, err := strategy(t, "failover", cluster.Options{}).Invoke(t.Context(), w, w, call("get"))
		if rpc.CodeOf(err) != rpc.Network || !slices.Equal(w.called(), []string{"a:1", "b:1", "b:1"}) {
			t.Errorf("%v after %v", err, w.called())
		}
	})
}
