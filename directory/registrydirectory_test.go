package directory_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/directory"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/service"
)

// The behaviours of Dubbo's own registry directory suite (spec, appendix A.2), told again on a real
// directory with an embedded registry.

func TestOpenRefusesBadArguments(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct {
		name   string
		key    service.Key
		change func(*directory.Options)
		want   string
	}{
		{"no interface", service.Key{}, func(*directory.Options) {}, "names no interface"},
		{"no registry", orders, func(o *directory.Options) { o.Registry = nil }, "no registry"},
		{"no consumer", orders, func(o *directory.Options) { o.Consumer = durl.URL{} }, "no consumer URL"},
		{"another service", service.Key{Interface: "com.example.Other"}, func(*directory.Options) {}, "make them agree"},
		{"coalesce too long", orders, func(o *directory.Options) { o.Coalesce = directory.MaxCoalesce + 1 }, "use at most"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := directory.Open(t.Context(), c.key, w.options(c.change))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("got %v, want an error with %q", err, c.want)
			}
		})
	}
	if _, err := directory.Static(orders, consumer(""), nil, directory.Options{}); err == nil {
		t.Error("a static directory without providers was accepted")
	}
	if _, err := directory.Static(orders, consumer(""), []durl.URL{durl.New("dubbo", "", 0, "")}, directory.Options{}); err == nil {
		t.Error("a static provider without a host was accepted")
	}
}

func TestListIsTakenInAFixedOrder(t *testing.T) {
	w := newWorld(t, provider(3), provider(1), provider(2))
	d := w.open()
	awaitCandidates(t, d, "1 2 3")
	if got := d.Key(); got != orders {
		t.Errorf("Key = %v", got)
	}
}

func TestSameListAgainReusesEverything(t *testing.T) {
	w := newWorld(t, provider(1), provider(2))
	d := w.open()
	before, snapshot := instances(d), d.Snapshot()
	w.push() // the same texts again
	w.settleByRule(d)
	if d.Snapshot().Set() != snapshot.Set() {
		t.Error("the same list again made a new instance set")
	}
	for i, in := range instances(d) {
		if in != before[i] {
			t.Errorf("instance %d was made anew", i)
		}
	}
	if st := d.State(); st.Created != 2 || st.Retired != 0 {
		t.Errorf("created %d, retired %d; want 2, 0", st.Created, st.Retired)
	}
}

// settleByRule waits until a rule that was put after everything else arrived.
func (w *world) settleByRule(d *directory.Directory) {
	w.t.Helper()
	w.put("web.condition-router", "conditions: [\"method=settle => host=x\"]")
	await(w.t, d, "the rule arrives", func() bool { return d.Snapshot().Rules().Application != nil })
	w.delete("web.condition-router")
	await(w.t, d, "the rule is gone", func() bool { return d.Snapshot().Rules().Application == nil })
}

func TestOneChangedParameterMakesOneNewInstance(t *testing.T) {
	w := newWorld(t, provider(1), provider(2))
	d := w.open()
	before := instances(d)
	w.providers(provider(1, "region=hz"), provider(2))
	await(t, d, "the change arrives", func() bool { return d.State().Created == 3 })
	after := instances(d)
	if after[0] == before[0] || after[1] != before[1] {
		t.Error("the changed provider must be new and the other one kept")
	}
	if st := d.State(); st.Retired != 1 {
		t.Errorf("retired %d, want 1", st.Retired)
	}
}

func TestShrinkingAndGrowingLists(t *testing.T) {
	w := newWorld(t, provider(1), provider(2), provider(3))
	d := w.open()
	awaitCandidates(t, d, "1 2 3")
	w.providers(provider(1), provider(2))
	awaitCandidates(t, d, "1 2")
	w.providers(provider(2))
	awaitCandidates(t, d, "2")
	w.providers(provider(2), provider(4), provider(1))
	awaitCandidates(t, d, "1 2 4")
}

func TestDuplicatesCollapse(t *testing.T) {
	w := newWorld(t, provider(1), "dubbo://10.0.0.1:20880/"+iface+"?methods=get,put&application=shop&side=provider&interface="+iface)
	d := w.open()
	awaitCandidates(t, d, "1")
	if x := d.Explain(call("get")); len(x.Excluded) != 1 || x.Excluded[0].Reason != directory.Duplicate {
		t.Errorf("excluded %+v, want one duplicate", x.Excluded)
	}
}

func TestBrokenURLsAreReportedAndTheRestIsUsed(t *testing.T) {
	w := newWorld(t, provider(1), "dubbo://10.0.0.2:99999999999/"+iface, "no url at all", "foo://10.0.0.3:20880/"+iface)
	d := w.open()
	awaitCandidates(t, d, "1")
	got := d.State().Excluded
	if got[directory.Unparsable] < 1 || got[directory.ProtocolUnsupported] != 1 {
		t.Errorf("excluded %v, want unparsable and protocol-unsupported", got)
	}
}

func TestAListOfWhichNothingCanBeUsedKeepsTheOldOne(t *testing.T) {
	for _, dialect := range dialect.All() {
		w := newWorld(t, provider(1))
		d := w.open(func(o *directory.Options) { o.Dialect = dialect })
		w.providers("foo://10.0.0.3:20880/" + iface + "?interface=" + iface)
		await(t, d, "the list arrives", func() bool { return d.State().Excluded[directory.ProtocolUnsupported] == 1 })
		if got := candidates(d, call("get")); got != "1" {
			t.Errorf("%s: candidates %q, want the old list", dialect, got)
		}
	}
}

func TestNoProvidersForbidsAndProvidersAllowAgain(t *testing.T) {
	for _, dialect := range []dialect.Dialect{dialect.Standard, dialect.Dubbo26, dialect.Dubbo27, dialect.Dubbo33} {
		w := newWorld(t, provider(1), provider(2))
		d := w.open(func(o *directory.Options) { o.Dialect = dialect })
		awaitCandidates(t, d, "1 2")
		w.providers()
		awaitCandidates(t, d, "forbidden")
		if st := d.State(); !st.Forbidden || st.Instances != 0 || st.Retired != 2 {
			t.Errorf("%s: %+v", dialect, st)
		}
		w.providers(provider(2))
		awaitCandidates(t, d, "2")
	}
}

func TestMergePutsTheConsumerOnTop(t *testing.T) {
	w := newWorld(t, provider(1, "timeout=1000", "weight=50", "dubbo.tag=gray", "threads=200", "timestamp=55"))
	d := w.open(func(o *directory.Options) {
		o.Consumer = consumer("timeout=3000&retries=1&timestamp=77&dubbo.tag=blue")
	})
	in := instances(d)[0]
	for key, want := range map[string]string{"timeout": "3000", "retries": "1", "weight": "50", "dubbo.tag": "gray", "threads": "",
		"application": "web", "remote.application": "shop", "side": "consumer", "timestamp": "55"} {
		if got := in.URL.Get(key, ""); got != want {
			t.Errorf("effective %s = %q, want %q", key, got, want)
		}
	}
	if got := in.Labels.Get("timeout", ""); got != "1000" {
		t.Errorf("rules see timeout=%s, want the provider's own 1000", got)
	}
	if in.Application() != "shop" || in.Provider.String() != provider(1, "timeout=1000", "weight=50", "dubbo.tag=gray", "threads=200", "timestamp=55") {
		t.Errorf("application %q, provider %s", in.Application(), in.Provider)
	}
}

func TestWhatRulesSeeOfAProviderByDialect(t *testing.T) {
	for d, want := range map[dialect.Dialect]string{
		dialect.Standard: "provider 9", dialect.Dubbo26: "consumer 9", dialect.Dubbo27: "consumer 9", dialect.Dubbo31: "provider -", dialect.Dubbo33: "provider -",
	} {
		w := newWorld(t, provider(1, "owner=provider"))
		w.overrides(override("0.0.0.0", "level=9"))
		dir := w.open(func(o *directory.Options) { o.Dialect = d; o.Consumer = consumer("owner=consumer") })
		in := instances(dir)[0]
		if got := in.Labels.Get("owner", "-") + " " + in.Labels.Get("level", "-"); got != want {
			t.Errorf("%s: rules see %q, want %q", d, got, want)
		}
		if in.URL.Get("level", "-") != "9" {
			t.Errorf("%s: the override is missing in the effective URL", d)
		}
	}
}

func TestMethodScopedParameterReachesTheInstance(t *testing.T) {
	w := newWorld(t, provider(1, "weight=10"))
	w.overrides(override("0.0.0.0", "get.weight=70"))
	d := w.open()
	in := instances(d)[0]
	if in.Weight("get") != 70 || in.Weight("put") != 10 {
		t.Errorf("weights %d, %d; want 70, 10", in.Weight("get"), in.Weight("put"))
	}
}

func TestProviderWithoutPathGetsTheInterface(t *testing.T) {
	w := newWorld(t, "dubbo://10.0.0.1:20880?application=shop&interface="+iface)
	d := w.open()
	if got := instances(d)[0].URL.Path(); got != iface {
		t.Errorf("path %q", got)
	}
}

func TestArgumentDecidesTheRoute(t *testing.T) {
	w := newWorld(t, provider(1, "region=hz"), provider(2, "region=bj"))
	w.put(iface+"::.condition-router", "conditions:\n- \"method=get & arguments[0]=42 => region=bj\"\n")
	d := w.open()
	inv := call("get")
	inv.Args = []any{"42"}
	awaitCall(t, d, inv, "2")
	awaitCandidates(t, d, "1 2")
}

func TestRouteURLsInAndOut(t *testing.T) {
	for _, dialect := range []dialect.Dialect{dialect.Standard, dialect.Dubbo27} {
		w := newWorld(t, provider(1, "region=hz"), provider(2, "region=bj"))
		d := w.open(func(o *directory.Options) { o.Dialect = dialect })
		awaitCandidates(t, d, "1 2")
		w.routes(routeURL("=> region=hz"))
		awaitCandidates(t, d, "1")
		w.routes("route://0.0.0.0/" + iface + "?category=routers&router=condition&rule=" + durl.Encode("=> region=bj"))
		awaitCandidates(t, d, "2")
		w.routes()
		awaitCandidates(t, d, "1 2")
		w.routes(routeURL("=> false"))
		awaitCandidates(t, d, "no-provider")
	}
}

func TestRouteURLsBeforeProviders(t *testing.T) {
	w := newWorld(t)
	w.routes(routeURL("=> region=hz"))
	d := w.open()
	awaitCandidates(t, d, "forbidden")
	w.providers(provider(1, "region=hz"), provider(2, "region=bj"))
	awaitCandidates(t, d, "1")
}

func TestLateDubbosIgnoreRouteURLsAndSaySo(t *testing.T) {
	for _, dialect := range []dialect.Dialect{dialect.Dubbo31, dialect.Dubbo33} {
		w := newWorld(t, provider(1, "region=hz"), provider(2, "region=bj"))
		w.routes(routeURL("=> region=hz"))
		d := w.open(func(o *directory.Options) { o.Dialect = dialect })
		awaitCandidates(t, d, "1 2")
		if st := d.State(); len(st.Rejected) != 1 || st.RouteURLs != 0 {
			t.Errorf("%s: %+v", dialect, st.Rejected)
		}
	}
}

func TestOverridesBeforeProviders(t *testing.T) {
	w := newWorld(t)
	w.overrides(override("0.0.0.0", "timeout=9"))
	d := w.open()
	w.providers(provider(1), provider(2))
	awaitCandidates(t, d, "1 2")
	if got := param(d, "timeout"); got != "9 9" {
		t.Errorf("timeouts %q", got)
	}
}

func TestOverridesWithProviders(t *testing.T) {
	w := newWorld(t, provider(1, "timeout=5"), provider(2))
	w.overrides(override("10.0.0.1:20880", "timeout=9"))
	d := w.open()
	if got := param(d, "timeout"); got != "9 -" {
		t.Errorf("timeouts %q", got)
	}
}

func TestOverridesAfterProvidersAndCleared(t *testing.T) {
	w := newWorld(t, provider(1), provider(2, "timeout=5"))
	d := w.open(func(o *directory.Options) { o.Consumer = consumer("timeout=3") })
	if got := param(d, "timeout"); got != "3 3" {
		t.Fatalf("timeouts %q", got)
	}
	w.overrides(override("0.0.0.0", "timeout=9&weight=1"), override("10.0.0.2:20880", "timeout=11"))
	await(t, d, "the overrides apply", func() bool { return param(d, "timeout") == "9 11" })
	w.overrides()
	await(t, d, "they are gone", func() bool { return param(d, "timeout") == "3 3" && param(d, "weight") == "- -" })
}

func TestAbsentFillsInOnly(t *testing.T) {
	w := newWorld(t, provider(1, "weight=7"), provider(2))
	w.overrides("absent://0.0.0.0/" + iface + "?category=configurators&weight=50")
	d := w.open()
	if got := param(d, "weight"); got != "7 50" {
		t.Errorf("weights %q", got)
	}
}

func TestSpecificHostAndLargerPriorityWin(t *testing.T) {
	w := newWorld(t, provider(1), provider(2))
	w.overrides(override("0.0.0.0", "timeout=1&priority=9"), override("0.0.0.0", "timeout=2&priority=3"), override("10.0.0.2:20880", "timeout=4"))
	d := w.open()
	if got := param(d, "timeout"); got != "1 4" {
		t.Errorf("timeouts %q", got)
	}
}

func TestDisableOneAndEnableAgain(t *testing.T) {
	w := newWorld(t, provider(1), provider(2))
	d := w.open()
	w.overrides(override("10.0.0.1:20880", "disabled=true"))
	awaitCandidates(t, d, "2")
	if a := d.ExplainNot("10.0.0.1:20880", call("get")); a.Outcome != directory.NotTaken || a.Excluded[0].Reason != directory.Disabled {
		t.Errorf("%+v", a)
	}
	w.overrides(override("10.0.0.1:20880", "disabled=false&enabled=false"))
	awaitCandidates(t, d, "1 2") // disabled is there, so enabled is not looked at
	w.overrides(override("10.0.0.1:20880", "enabled=false"))
	awaitCandidates(t, d, "1 2") // enabled is a key of the override itself, not of the provider
}

// TestDisableAll guards user reports 66 and 73: a disabled provider is not called. The Dubbo dialects keep
// the old list, as those versions do (spec §12.1 Q25).
func TestDisableAll(t *testing.T) {
	for _, c := range []struct {
		dialect dialect.Dialect
		want    string
	}{{dialect.Standard, "no-provider"}, {dialect.Dubbo26, "1 2"}, {dialect.Dubbo27, "1 2"}, {dialect.Dubbo33, "1 2"}} {
		w := newWorld(t, provider(1), provider(2))
		d := w.open(func(o *directory.Options) { o.Dialect = c.dialect })
		w.overrides(override("0.0.0.0", "disabled=true"))
		await(t, d, "the override arrives", func() bool { return d.State().Overrides == 1 })
		awaitCandidates(t, d, c.want)
		if c.dialect == dialect.Standard {
			_, err := d.Pick(call("get"))
			if err == nil || !strings.Contains(err.Error(), "2 disabled") {
				t.Errorf("the error does not say that they are disabled: %v", err)
			}
		}
		w.overrides()
		awaitCandidates(t, d, "1 2")
	}
}

func TestMockProvidersAreNotCalled(t *testing.T) {
	w := newWorld(t, provider(1), "mock://10.0.0.2:20880/"+iface+"?interface="+iface)
	d := w.open(func(o *directory.Options) { o.Protocols = []string{"dubbo", "mock"} })
	awaitCandidates(t, d, "1")
	awaitCall(t, d, call("get", "invocation.need.mock", "true"), "2")
}

func TestAcceptedProtocolsOfTheReference(t *testing.T) {
	tri := "tri://10.0.0.2:20880/" + iface + "?interface=" + iface + "&application=shop"
	for accept, want := range map[string]string{"": "1 2", "dubbo": "1", "tri": "2", "tri,dubbo": "1 2"} {
		w := newWorld(t, provider(1), tri)
		d := w.open(func(o *directory.Options) {
			o.Protocols = []string{"dubbo", "tri"}
			if accept != "" {
				o.Consumer = consumer("protocol=" + accept)
			}
		})
		if got := candidates(d, call("get")); got != want {
			t.Errorf("protocol=%q: %q, want %q", accept, got, want)
		}
	}
}

func TestGroupVersionAndEnabledAreMatched(t *testing.T) {
	w := newWorld(t, provider(1, "version=1.0"), provider(2, "version=2.0"), provider(3, "group=g", "version=1.0"), provider(4, "version=1.0", "enabled=false"), provider(5))
	d := w.openKey(service.Key{Interface: iface, Version: "1.0"})
	awaitCandidates(t, d, "1")
	want := map[string]directory.Reason{"10.0.0.2:20880": directory.VersionMismatch, "10.0.0.3:20880": directory.GroupMismatch,
		"10.0.0.4:20880": directory.NotEnabled, "10.0.0.5:20880": directory.VersionMismatch}
	for address, reason := range want {
		a := d.ExplainNot(address, call("get"))
		if a.Outcome != directory.NotTaken || a.Excluded[0].Reason != reason {
			t.Errorf("%s: %+v, want %s", address, a, reason)
		}
	}
	any := w.openKey(service.Key{Interface: iface, Version: "*", Group: "*"})
	if got := param(any, "version"); got != "1.0 2.0 1.0 *" {
		t.Errorf("versions of a reference to all groups and versions: %q", got)
	}
	awaitCandidates(t, any, "1 2 5") // one group is called: the one without a name is the first
}

func TestCompatibleConfigIsFor26Only(t *testing.T) {
	for d, want := range map[dialect.Dialect]string{dialect.Dubbo26: "1 2", dialect.Dubbo27: "2", dialect.Standard: "2"} {
		w := newWorld(t, provider(1, "compatible_config=true"), provider(2))
		w.routes(routeURL("=> false", "compatible_config=true"))
		if d == dialect.Dubbo26 {
			w.routes()
		}
		dir := w.open(func(o *directory.Options) { o.Dialect = d })
		if got := candidates(dir, call("get")); got != want {
			t.Errorf("%s: %q, want %q", d, got, want)
		}
	}
}

func TestCheckFailsWithAReason(t *testing.T) {
	w := newWorld(t, provider(1, "version=9"))
	_, err := directory.Open(t.Context(), orders, w.options(func(o *directory.Options) { o.Check = true }))
	e, ok := errors.AsType[*rpc.Error](err)
	if !ok || e.Code != rpc.Forbidden || !strings.Contains(err.Error(), "version-mismatch") {
		t.Fatalf("got %v, want forbidden with the reason", err)
	}
	w.providers(provider(1))
	d, err := directory.Open(t.Context(), orders, w.options(func(o *directory.Options) { o.Check = true }))
	if err != nil {
		t.Fatal(err)
	}
	d.Close()
}

func TestOpenIsBoundedByItsContext(t *testing.T) {
	w := newWorld(t, provider(1))
	w.store.Hold()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := directory.Open(ctx, orders, w.options())
	if rpc.CodeOf(err) != rpc.Registry || !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want a registry error caused by the context", err)
	}
	w.store.Release()
}
