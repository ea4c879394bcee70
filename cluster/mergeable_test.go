package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dubway-go/dubway/cluster"
	"github.com/dubway-go/dubway/cluster/merger"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/directory"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/service"
	"github.com/dubway-go/dubway/source"
	"github.com/dubway-go/dubway/source/mem"
)

// groupWorld is a live directory of a reference for several groups, and a transport whose answers a test writes down by address.
type groupWorld struct {
	t        testing.TB
	store    *mem.Store
	d        *directory.Directory
	strategy cluster.Strategy
	down     map[string]bool

	mu      sync.Mutex
	calls   []string
	answers map[string]func() (rpc.Result, error)
}

// newGroupWorld opens a reference with the query's parameters to providers "address?query".
func newGroupWorld(t testing.TB, v dialect.Dialect, group, query string, o cluster.Options, providers ...string) *groupWorld {
	t.Helper()
	w := &groupWorld{t: t, store: mem.New(), down: map[string]bool{}, answers: map[string]func() (rpc.Result, error){}}
	w.list(providers...)
	u, err := durl.Parse("consumer://10.0.0.9/demo.OrderService?application=web&group=" + group + "&" + query)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	w.d, err = directory.Open(ctx, service.Key{Interface: "demo.OrderService", Group: group},
		directory.Options{Registry: w.store, Config: w.store.Rules(), Consumer: u, Dialect: v})
	if err != nil {
		t.Fatal(err)
	}
	o.Dialect = v
	if w.strategy, err = cluster.ForConsumer(u, o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cluster.Close(w.strategy)
		_ = w.d.Close()
	})
	return w
}

func (w *groupWorld) list(providers ...string) {
	texts := make([]string, len(providers))
	for i, p := range providers {
		address, query, _ := strings.Cut(p, "?")
		texts[i] = fmt.Sprintf("dubbo://%s/demo.OrderService?application=order&interface=demo.OrderService&methods=get&side=provider&%s", address, query)
	}
	w.store.Replace("demo.OrderService", source.State{Providers: texts})
}

func (w *groupWorld) Available(address string) bool { return !w.down[address] }

func (w *groupWorld) Invoke(_ context.Context, to *service.Instance, _ *rpc.Invocation) (rpc.Result, error) {
	w.mu.Lock()
	w.calls = append(w.calls, to.Address())
	answer := w.answers[to.Address()]
	w.mu.Unlock()
	if answer == nil {
		return rpc.Result{Value: []any{to.Address()}}, nil
	}
	return answer()
}

func (w *groupWorld) says(address string, value any) {
	w.answers[address] = func() (rpc.Result, error) { return rpc.Result{Value: value}, nil }
}

func (w *groupWorld) fails(address string, code rpc.Code) {
	w.answers[address] = func() (rpc.Result, error) {
		return rpc.Result{}, &rpc.Error{Code: code, Instance: address, Message: "broken"}
	}
}

func (w *groupWorld) call() (any, error) {
	result, err := w.strategy.Invoke(context.Background(), w.d, w, &rpc.Invocation{Service: w.d.Key(), Method: "get", Seed: 1})
	return result.Value, err
}

// called returns the addresses called so far, sorted, and forgets them.
func (w *groupWorld) called() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	slices.Sort(w.calls)
	out := strings.Join(w.calls, " ")
	w.calls = nil
	return out
}

var dialects = []dialect.Dialect{dialect.Standard, dialect.Dubbo26, dialect.Dubbo27, dialect.Dubbo31, dialect.Dubbo33}

func TestMergeableIsForEveryReferenceToSeveralGroups(t *testing.T) {
	for query, want := range map[string]string{
		"group=a": "failover", "group=a&cluster=mergeable": "mergeable", "group=*": "mergeable", "group=a,b&cluster=failfast": "mergeable",
	} {
		u, _ := durl.Parse("consumer://10.0.0.9/demo.OrderService?" + query)
		s, err := cluster.ForConsumer(u, cluster.Options{})
		if err != nil || s.Name() != want {
			t.Errorf("%s: %v, %v; want %s", query, s, err, want)
		}
	}
	u, _ := durl.Parse("consumer://10.0.0.9/demo.OrderService?group=*&cluster=typo")
	if _, err := cluster.ForConsumer(u, cluster.Options{}); err == nil {
		t.Error("an unknown strategy inside the groups is not refused")
	}
}

// TestWithoutAMerger: one group is called: the first that can be reached and, since 2.7, has a provider left.
func TestWithoutAMerger(t *testing.T) {
	for _, v := range dialects {
		for _, off := range []string{"", "merger=false", "merger=0", "merger=N/A"} {
			w := newGroupWorld(t, v, "a,b", off, cluster.Options{}, "a:1?group=a", "b:1?group=b")
			if value, err := w.call(); err != nil || fmt.Sprint(value) != "[a:1]" || w.called() != "a:1" {
				t.Errorf("%v, %q: %v, %v", v, off, value, err)
			}
			w.down["a:1"] = true
			if _, err := w.call(); err != nil || w.called() != "b:1" {
				t.Errorf("%v: the group that cannot be reached was called: %v", v, err)
			}
			w.down["b:1"] = true
			if _, err := w.call(); err != nil || w.called() != "a:1" {
				t.Errorf("%v: with none in reach the first is called: %v", v, err)
			}
		}
		w := newGroupWorld(t, v, "a,b", "", cluster.Options{}, "a:1?group=a&dubbo.tag=gray", "b:1?group=b")
		_, err := w.call()
		switch called := w.called(); {
		case v == dialect.Standard && (err != nil || called != "b:1"):
			t.Errorf("%v: a group without a provider left is not skipped: %v, called %q", v, err, called)
		case v == dialect.Dubbo26 && (err != nil || called != "b:1"): // the list of groups is routed there
			t.Errorf("%v: %v, called %q", v, err, called)
		case v != dialect.Standard && v != dialect.Dubbo26 && (err != nil || called != "a:1"): // the first provider's tag is the call's
			t.Errorf("%v: %v, called %q", v, err, called)
		}
		w = newGroupWorld(t, v, "a,b", "", cluster.Options{}, "a:1?group=a", "b:1?group=b")
		w.fails("a:1", rpc.NoProvider)
		if _, err := w.call(); (rpc.CodeOf(err) == rpc.NoProvider) != (v == dialect.Dubbo26) || !strings.HasPrefix(w.called(), "a:1") {
			t.Errorf("%v: a group that has no provider left: %v", v, err)
		}
		w = newGroupWorld(t, v, "a,b", "", cluster.Options{}, "a:1?group=a", "b:1?group=b")
		w.fails("a:1", rpc.Business)
		if _, err := w.call(); rpc.CodeOf(err) != rpc.Business || w.called() != "a:1" {
			t.Errorf("%v: an exception is the answer: %v", v, err)
		}
	}
}

// TestGroupsAreTriedLikeReferences: inside a group the reference's strategy and balancer work as ever.
func TestGroupsAreTriedLikeReferences(t *testing.T) {
	w := newGroupWorld(t, dialect.Standard, "a,b", "retries=2&merger=true", cluster.Options{}, "a:1?group=a", "a:2?group=a", "b:1?group=b")
	w.fails("a:1", rpc.Network)
	for range 20 {
		value, err := w.call()
		if err != nil || fmt.Sprint(value) != "[a:2 b:1]" {
			t.Fatalf("%v, %v", value, err)
		}
	}
	w = newGroupWorld(t, dialect.Standard, "a,b", "cluster=failfast&merger=true", cluster.Options{}, "a:1?group=a", "b:1?group=b")
	w.fails("a:1", rpc.Network)
	if value, err := w.call(); err != nil || fmt.Sprint(value) != "[b:1]" || w.called() != "a:1 b:1" {
		t.Errorf("failfast inside: %v, %v", value, err)
	}
	w = newGroupWorld(t, dialect.Standard, "a,b", "cluster=failsafe&merger=true", cluster.Options{}, "a:1?group=a", "b:1?group=b")
	w.fails("a:1", rpc.Network)
	w.fails("b:1", rpc.Network)
	if value, err := w.call(); err != nil || value != nil {
		t.Errorf("failsafe inside: %v, %v", value, err)
	}
	w = newGroupWorld(t, dialect.Standard, "a,b", "get.merger=set&merger=list", cluster.Options{}, "a:1?group=a", "b:1?group=b")
	w.says("a:1", []any{"x"})
	w.says("b:1", []any{"x"})
	if value, err := w.call(); err != nil || fmt.Sprint(value) != "[x]" {
		t.Errorf("the method's own merger: %v, %v", value, err)
	}
}

// outcomes a group can have in the random test.
const (
	saysList = iota
	saysNull
	throws
	timesOut
	broken
	unrouted
	kindsOfOutcome
)

// expectMerged is Dubbo's MergeableClusterInvoker read line by line, slowly: what a call to groups with these outcomes gives. The result is nil for
// null; failed tells that the call fails.
func expectMerged(v dialect.Dialect, names []string, outcome map[string]int) (value any, failed bool) {
	standard := v == dialect.Standard
	order := names
	if !standard {
		keys := make([]string, len(names))
		for i, n := range directory.JavaMapOrder(names) { // the groups are a HashMap, and so are their results
			keys[i] = n + "/demo.OrderService"
		}
		order = nil
		for _, k := range directory.JavaMapOrder(keys) {
			order = append(order, strings.TrimSuffix(k, "/demo.OrderService"))
		}
	}
	var lists [][]any
	nulls, answers := 0, 0
	for _, n := range order {
		switch outcome[n] {
		case saysList:
			lists = append(lists, []any{n})
			answers++
		case saysNull:
			nulls++
			answers++
		case throws:
		case timesOut:
			if v == dialect.Dubbo26 {
				return nil, true
			}
		case broken, unrouted:
			if !standard {
				return nil, true
			}
		}
	}
	if answers == 0 {
		return nil, standard
	}
	if len(lists) == 0 {
		return nil, false
	}
	out := []any{}
	for _, l := range lists {
		out = append(out, l...)
	}
	return out, false
}

func TestMergingAgreesWithTheObvious(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for round := range 400 {
		v := dialects[round%len(dialects)]
		names := []string{"blue", "gray", "order", "stock", "hangzhou"}[:2+r.IntN(4)]
		outcome := map[string]int{}
		var providers []string
		for _, n := range names {
			o := r.IntN(kindsOfOutcome)
			if v != dialect.Standard && o == unrouted && r.IntN(3) > 0 {
				o = saysList // most calls would fail otherwise
			}
			outcome[n] = o
			providers = append(providers, n+":1?group="+n)
		}
		w := newGroupWorld(t, v, strings.Join(names, ","), "merger=true&retries=0", cluster.Options{}, providers...)
		for n, o := range outcome {
			switch o {
			case saysList:
				w.says(n+":1", []any{n})
			case saysNull:
				w.says(n+":1", nil)
			case throws:
				w.fails(n+":1", rpc.Business)
			case timesOut:
				w.fails(n+":1", rpc.Timeout)
			case broken:
				w.fails(n+":1", rpc.Network)
			case unrouted:
				w.fails(n+":1", rpc.NoProvider)
			}
		}
		want, fails := expectMerged(v, names, outcome)
		value, err := w.call()
		if (err != nil) != fails || !fails && fmt.Sprint(value) != fmt.Sprint(want) {
			t.Fatalf("%v, %v: %v, %v; want %v, fails %v", v, outcome, value, err, want, fails)
		}
		if called := strings.Fields(w.called()); len(called) != len(names) {
			t.Fatalf("%v: %d groups, called %v", v, len(names), called)
		}
	}
}

func TestMergeErrors(t *testing.T) {
	w := newGroupWorld(t, dialect.Standard, "a,b", "merger=sum", cluster.Options{}, "a:1?group=a", "b:1?group=b")
	if _, err := w.call(); rpc.CodeOf(err) != rpc.Validation || w.called() != "" {
		t.Error("an unknown merger:", err)
	}
	w = newGroupWorld(t, dialect.Standard, "a,b", "merger=true", cluster.Options{}, "a:1?group=a", "b:1?group=b")
	w.says("a:1", "x")
	w.says("b:1", "y")
	if _, err := w.call(); !errors.Is(err, merger.ErrNone) {
		t.Error("texts have no merger:", err)
	}
	w.fails("a:1", rpc.Business)
	w.fails("b:1", rpc.Network)
	_, err := w.call()
	if rpc.CodeOf(err) != rpc.Business || !strings.Contains(err.Error(), "group a") || !strings.Contains(err.Error(), "group b") {
		t.Error("every group failed:", err)
	}
	w.list()
	for deadline := time.Now().Add(10 * time.Second); ; {
		if _, err = w.call(); rpc.CodeOf(err) == rpc.Forbidden {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("no providers at all:", err)
		}
	}
}

func TestOwnMerger(t *testing.T) {
	longest := merger.Func(".longest", func(values []any) (any, error) {
		best := ""
		for _, v := range values {
			if s, ok := v.(string); ok && len(s) > len(best) {
				best = s
			}
		}
		return best, nil
	})
	w := newGroupWorld(t, dialect.Dubbo33, "a,b", "merger=.longest", cluster.Options{Mergers: []merger.Merger{longest}}, "a:1?group=a", "b:1?group=b")
	w.says("a:1", "x")
	w.says("b:1", "yy")
	if value, err := w.call(); err != nil || value != "yy" {
		t.Error(value, err)
	}
}

// TestOneGroup: Dubbo hands the providers of a single group to this strategy as they are (spec §8.7): without a merger the first is called
// every time, with one every provider is called and one result counts. Standard calls a group, as always.
func TestOneGroup(t *testing.T) {
	for _, v := range dialects {
		w := newGroupWorld(t, v, "*", "", cluster.Options{}, "a:1?group=g", "b:1?group=g", "c:1?group=g")
		seen := map[string]bool{}
		for i := range 60 {
			if _, err := w.strategy.Invoke(context.Background(), w.d, w, &rpc.Invocation{Service: w.d.Key(), Method: "get", Seed: uint64(i + 1)}); err != nil {
				t.Fatal(err)
			}
			seen[w.called()] = true
		}
		if want := map[bool]int{true: 3, false: 1}[v == dialect.Standard]; len(seen) != want {
			t.Errorf("%v: %d providers are called without a merger, want %d", v, len(seen), want)
		}
		w = newGroupWorld(t, v, "*", "merger=true", cluster.Options{}, "a:1?group=g", "b:1?group=g", "c:1?group=g")
		value, err := w.call()
		called := strings.Fields(w.called())
		if v == dialect.Standard {
			if err != nil || len(called) != 1 || fmt.Sprint(value) != fmt.Sprint(called) {
				t.Errorf("%v: %v, %v, called %v", v, value, err, called)
			}
		} else if err != nil || len(called) != 3 || fmt.Sprint(value) != "[c:1]" {
			t.Errorf("%v: %v, %v, called %v", v, value, err, called)
		}
	}
}

// TestMergeableInside: cluster=mergeable beside several groups makes Dubbo call every provider of every group; in standard it is failover.
func TestMergeableInside(t *testing.T) {
	for _, v := range dialects {
		w := newGroupWorld(t, v, "a,b", "cluster=mergeable&merger=true", cluster.Options{}, "a:1?group=a", "a:2?group=a", "b:1?group=b")
		_, err := w.call()
		want := map[bool]int{true: 2, false: 3}[v == dialect.Standard]
		if called := strings.Fields(w.called()); err != nil || len(called) != want {
			t.Errorf("%v: called %v, %v; want %d", v, called, err, want)
		}
	}
}

// TestMergeEndsWithItsContext: a group that does not answer holds up nobody longer than the call's context.
func TestMergeEndsWithItsContext(t *testing.T) {
	w := newGroupWorld(t, dialect.Standard, "a,b", "merger=true", cluster.Options{}, "a:1?group=a", "b:1?group=b")
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	w.answers["b:1"] = func() (rpc.Result, error) { <-release; return rpc.Result{}, nil }
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	_, err := w.strategy.Invoke(ctx, w.d, w, &rpc.Invocation{Service: w.d.Key(), Method: "get"})
	if rpc.CodeOf(err) != rpc.Timeout {
		t.Error(err)
	}
}

// TestStrategiesOfGroupsEnd: a group that is gone takes the strategy with it, background work included.
func TestStrategiesOfGroupsEnd(t *testing.T) {
	w := newGroupWorld(t, dialect.Standard, "*", "cluster=failback&merger=true", cluster.Options{RetryAfter: time.Hour}, "a:1?group=a", "b:1?group=b")
	w.fails("a:1", rpc.Network)
	w.fails("b:1", rpc.Network)
	if value, err := w.call(); err != nil || value != nil {
		t.Fatal(value, err)
	}
	changed := w.d.Changed()
	w.list("c:1?group=c", "d:1?group=d")
	<-changed
	if value, err := w.call(); err != nil || fmt.Sprint(value) != "[c:1 d:1]" {
		t.Fatal(value, err)
	}
} // goleak sees whether the tries of a and b end
