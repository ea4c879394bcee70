package directory_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/directory"
	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/service"
)

// TestEmptyListClearsUnlessProtected guards user reports 60 and 65.
func TestEmptyListClearsUnlessProtected(t *testing.T) {
	w := newWorld(t, provider(1))
	open := w.open()
	protected := w.open(func(o *directory.Options) { o.EmptyProtection = directory.ProtectOn })
	w.providers()
	awaitCandidates(t, open, "forbidden")
	await(t, protected, "the protection shows", func() bool { return !protected.State().ProtectedSince.IsZero() })
	awaitCandidates(t, protected, "1")
	w.providers(provider(2))
	awaitCandidates(t, protected, "2")
	if st := protected.State(); !st.ProtectedSince.IsZero() {
		t.Error("the protection still shows after a real list")
	}
}

// TestLastListWins guards user reports 62 and 78: states apply in order of arrival, also when they come faster than
// they can be taken.
func TestLastListWins(t *testing.T) {
	w := newWorld(t, provider(1))
	d := w.open()
	for i := range 200 {
		w.providers(provider(1 + i%7))
	}
	w.providers(provider(9))
	awaitCandidates(t, d, "9")
}

// TestBurstsCoalesce: many changes in a row cost few rebuilds.
func TestBurstsCoalesce(t *testing.T) {
	var rebuilt atomic.Int64
	w := newWorld(t, provider(1))
	d := w.open(func(o *directory.Options) {
		o.Coalesce = directory.MaxCoalesce
		o.Hooks = &directory.Hooks{Rebuilt: func(*route.Snapshot, time.Duration) { rebuilt.Add(1) }}
	})
	before := rebuilt.Load()
	w.store.Hold()
	for i := range 500 {
		w.providers(provider(1), provider(2+i%200))
		w.put(webRule, conditions(fmt.Sprintf("method=m%d => host=x", i)))
	}
	w.providers(provider(3))
	w.store.Release()
	awaitCandidates(t, d, "3")
	w.settleByRule(d)
	if n := rebuilt.Load() - before; n > 10 {
		t.Errorf("1001 changes that were held back cost %d rebuilds", n)
	}
}

// TestConfigChangeWithoutProvidersStaysForbidden guards user report 67.
func TestConfigChangeWithoutProvidersStaysForbidden(t *testing.T) {
	w := newWorld(t)
	d := w.open()
	awaitCandidates(t, d, "forbidden")
	w.overrides(override("0.0.0.0", "timeout=9"))
	await(t, d, "the override arrives", func() bool { return d.State().Overrides == 1 })
	w.settleByRule(d)
	awaitCandidates(t, d, "forbidden")
}

// TestOverridesDoNotEmptyTheList guards user report 68.
func TestOverridesDoNotEmptyTheList(t *testing.T) {
	w := newWorld(t, provider(1), provider(2))
	d := w.open()
	w.overrides(override("0.0.0.0", "weight=9"))
	await(t, d, "the override applies", func() bool { return param(d, "weight") == "9 9" })
	w.overrides()
	await(t, d, "the override is gone", func() bool { return param(d, "weight") == "- -" })
}

// TestTwoPortsAreTwoProviders guards user report 69.
func TestTwoPortsAreTwoProviders(t *testing.T) {
	w := newWorld(t, provider(1), strings.Replace(provider(1), ":20880", ":20881", 1))
	if n := w.open().Snapshot().Set().Len(); n != 2 {
		t.Errorf("%d instances, want 2", n)
	}
}

// TestClosedDirectoryLeavesNothingBehind guards user reports 53, 71 and 88: no goroutine per refresh, no watcher after Close (goleak
// looks at the goroutines when the package's tests end; here they are counted).
func TestClosedDirectoryLeavesNothingBehind(t *testing.T) {
	w := newWorld(t, provider(1))
	before := runtime.NumGoroutine()
	d, err := directory.Open(t.Context(), orders, w.options())
	if err != nil {
		t.Fatal(err)
	}
	running := runtime.NumGoroutine()
	for i := range 50 {
		w.providers(provider(1 + i%3))
	}
	w.providers(provider(4))
	awaitCandidates(t, d, "4")
	if n := runtime.NumGoroutine(); n > running+1 { // one may be draining
		t.Errorf("%d goroutines after 50 refreshes, %d before", n, running)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	d.Close()
	// One that has said that it is done may still be on its way out.
	await(t, d, "the goroutines have ended", func() bool { return runtime.NumGoroutine() <= before })
	if _, err := d.Pick(call("get")); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("Pick on a closed directory: %v", err)
	}
	if !d.State().Closed {
		t.Error("State does not say that it is closed")
	}
}

// TestLossOfContactKeepsServing: the last state serves, State tells since when, news after the loss is taken.
func TestLossOfContactKeepsServing(t *testing.T) {
	var told atomic.Int64
	w := newWorld(t, twoRegions()...)
	w.put(serviceRule, conditions("=> region=hz"))
	d := w.open(func(o *directory.Options) { o.Hooks = &directory.Hooks{Ambient: func(error) { told.Add(1) }} })
	w.store.Fail(errors.New("connection refused"))
	await(t, d, "the loss shows", func() bool { return len(d.State().Lost) >= 2 })
	awaitCandidates(t, d, "1")
	since := d.State().Lost[0]
	if since.Since.IsZero() || !strings.Contains(since.Error, "connection refused") {
		t.Errorf("%+v", since)
	}
	if told.Load() < 2 {
		t.Errorf("Hooks.Ambient was called %d times", told.Load())
	}
	w.providers(provider(3, "region=hz"))
	w.store.Fail(nil)
	awaitCandidates(t, d, "3")
	await(t, d, "the loss is over", func() bool { return len(d.State().Lost) == 0 })
}

// TestOpenWithoutContact: without Check a directory opens empty and fills when contact comes.
func TestOpenWithoutContact(t *testing.T) {
	w := newWorld(t, provider(1))
	w.store.Fail(errors.New("connection refused"))
	if _, err := directory.Open(t.Context(), orders, w.options(func(o *directory.Options) { o.Check = true })); rpc.CodeOf(err) != rpc.Registry {
		t.Errorf("with Check: %v, want a registry error", err)
	}
	d := w.open()
	_, err := d.Pick(call("get"))
	if rpc.CodeOf(err) != rpc.Registry {
		t.Errorf("before the first state: %v, want a registry error", err)
	}
	w.store.Fail(nil)
	awaitCandidates(t, d, "1")
}

// TestRestartOnAnotherPortIsNoticed guards user reports 74, 75 and 80: what left the list is gone, what came is there.
func TestRestartOnAnotherPortIsNoticed(t *testing.T) {
	w := newWorld(t, provider(1), provider(2))
	d := w.open()
	w.providers(provider(1), strings.Replace(provider(2), ":20880", ":20990", 1))
	await(t, d, "the new port is there", func() bool {
		list := instances(d)
		return len(list) == 2 && list[1].Address() == "10.0.0.2:20990"
	})
}

// TestNoSharedLists guards user report 48: two services of one process share nothing that changes.
func TestNoSharedLists(t *testing.T) {
	w := newWorld(t, provider(1))
	other := service.Key{Interface: "com.example.shop.StockService"}
	d := w.open()
	empty := w.openKey(other, func(o *directory.Options) {
		o.Consumer = mustURL("consumer://10.0.0.9/" + other.Interface + "?application=web")
	})
	w.providers(provider(1), provider(2))
	awaitCandidates(t, d, "1 2")
	inv := &rpc.Invocation{Service: other, Method: "get"}
	if got, err := empty.Append(nil, inv); rpc.CodeOf(err) != rpc.Forbidden || len(got) != 0 {
		t.Errorf("the other service has %v, %v", got, err)
	}
}

// TestTheUserFindsOutWhyNoProviderIsLeft guards user report 54.
func TestTheUserFindsOutWhyNoProviderIsLeft(t *testing.T) {
	w := newWorld(t, append(twoRegions(), provider(3, "version=2.0"))...)
	w.put(serviceRule, "force: true\n"+conditions("method=get => region=sh"))
	d := w.open()
	_, err := d.Pick(call("get"))
	if rpc.CodeOf(err) != rpc.NoProvider {
		t.Fatalf("got %v", err)
	}
	for _, part := range []string{"2 providers", serviceRule, "region=sh", "1 version-mismatch"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the error does not mention %q: %v", part, err)
		}
	}
	x := d.Explain(call("get"))
	if x.Code != "no-provider" || len(x.Excluded) != 1 || x.Trace.Instances != 2 {
		t.Errorf("%+v", x)
	}
	for address, want := range map[string]directory.Outcome{"10.0.0.1:20880": directory.TakenOut, "10.0.0.3:20880": directory.NotTaken, "10.9.9.9:1": directory.Unknown} {
		if a := d.ExplainNot(address, call("get")); a.Outcome != want || a.Message == "" {
			t.Errorf("%s: %+v, want %s", address, a, want)
		}
	}
	if a := d.ExplainNot("10.0.0.1:20880", call("put")); a.Outcome != directory.Candidate {
		t.Errorf("%+v", a)
	}
}

// TestRetiredInstancesFinishTheirCalls guards user reports 64 and 72: drained first, then closed, each once.
func TestRetiredInstancesFinishTheirCalls(t *testing.T) {
	var mu sync.Mutex
	var closed []string
	count := func() int { mu.Lock(); defer mu.Unlock(); return len(closed) }
	w := newWorld(t, provider(1), provider(2))
	d := w.open(func(o *directory.Options) {
		o.DrainTimeout = time.Hour
		o.Hooks = &directory.Hooks{Retired: func(in *service.Instance) { mu.Lock(); closed = append(closed, in.Address()); mu.Unlock() }}
	})
	busy, idle := instances(d)[0], instances(d)[1]
	if !d.Begin(busy) || !d.Begin(busy) {
		t.Fatal("Begin refused a live instance")
	}
	w.providers(provider(3))
	awaitCandidates(t, d, "3")
	await(t, d, "the idle one is closed", func() bool { return count() == 1 })
	if d.Begin(idle) {
		t.Error("Begin accepted a drained instance")
	}
	if st := d.State(); st.Draining != 1 {
		t.Errorf("%d draining, want 1", st.Draining)
	}
	d.End(busy)
	if !d.Begin(busy) { // a call on an older generation may still start
		t.Error("Begin refused an instance that is not drained")
	}
	d.End(busy)
	if count() != 1 {
		t.Error("closed while a call runs")
	}
	d.End(busy)
	await(t, d, "the busy one is closed", func() bool { return count() == 2 && d.State().Draining == 0 })
	d.End(busy) // too many: must not harm
	d.Close()
	if count() != 3 {
		t.Errorf("closed %v, want each of three once", closed)
	}
}

// TestDrainingIsBounded: an instance whose calls do not end is given up.
func TestDrainingIsBounded(t *testing.T) {
	closed := make(chan struct{})
	w := newWorld(t, provider(1))
	d := w.open(func(o *directory.Options) {
		o.DrainTimeout = -1
		o.Hooks = &directory.Hooks{Retired: func(in *service.Instance) {
			if in.Address() == "10.0.0.1:20880" {
				close(closed)
			}
		}}
	})
	stuck := instances(d)[0]
	d.Begin(stuck)
	w.providers(provider(2))
	select {
	case <-closed:
	case <-time.After(patience):
		t.Fatal("never given up")
	}
	d.End(stuck)
	if d.Begin(stuck) {
		t.Error("Begin accepted an instance that was given up")
	}
}

// TestSlowClosingDoesNotHoldUpTheNextList guards user report 79: nothing that takes long stands between two notifications.
func TestSlowClosingDoesNotHoldUpTheNextList(t *testing.T) {
	release := make(chan struct{})
	w := newWorld(t, provider(1))
	d := w.open(func(o *directory.Options) {
		o.Hooks = &directory.Hooks{Retired: func(*service.Instance) { <-release }}
	})
	w.providers(provider(2))
	awaitCandidates(t, d, "2")
	w.providers(provider(3))
	awaitCandidates(t, d, "3")
	w.put(serviceRule, conditions("=> false"))
	awaitCandidates(t, d, "no-provider") // user report 57: an error value, whatever the rules leave
	close(release)
}

// TestMethodsOfAProviderIn26: only those that name the method are candidates there, and explain says so.
func TestMethodsOfAProviderIn26(t *testing.T) {
	putOnly := strings.Replace(provider(2), "methods=get,put", "methods=put", 1)
	w := newWorld(t, provider(1), putOnly)
	w.routes(routeURL("method=put => host=10.0.0.2"))
	d := w.open(func(o *directory.Options) { o.Dialect = dialect.Dubbo26; o.Consumer = consumer("methods=get,put") })
	for method, want := range map[string]string{"get": "1", "put": "2", "other": "1 2"} {
		awaitCall(t, d, call(method), want)
	}
	a := d.ExplainNot("10.0.0.2:20880", call("get"))
	if a.Outcome != directory.TakenOut || a.Step.Router != "methods" {
		t.Errorf("%+v", a)
	}
	if a := d.ExplainNot("10.0.0.1:20880", call("put")); a.Outcome != directory.TakenOut || a.Step.Router != "url" {
		t.Errorf("%+v", a)
	}
}
