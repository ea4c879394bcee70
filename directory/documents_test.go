package directory_test

import (
	"strings"
	"testing"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/directory"
	"github.com/dubway-go/dubway/rule"
)

const (
	serviceRule = iface + "::.condition-router"
	webRule     = "web.condition-router"
	shopRule    = "shop.condition-router"
	shopTags    = "shop.tag-router"
)

func conditions(lines ...string) string {
	return "configVersion: v3.0\nconditions:\n- \"" + strings.Join(lines, "\"\n- \"") + "\"\n"
}

func ruleStatus(d *directory.Directory, scope string) directory.RuleStatus {
	for _, r := range d.State().Rules {
		if r.Scope == scope {
			return r
		}
	}
	return directory.RuleStatus{}
}

// hz and bj are two providers in two regions.
func twoRegions() []string { return []string{provider(1, "region=hz"), provider(2, "region=bj")} }

func TestEveryScopeIsWatched(t *testing.T) {
	for _, c := range []struct {
		key    string
		scopes map[dialect.Dialect]bool
	}{
		{serviceRule, map[dialect.Dialect]bool{dialect.Standard: true, dialect.Dubbo27: true, dialect.Dubbo31: true, dialect.Dubbo33: true}},
		{webRule, map[dialect.Dialect]bool{dialect.Standard: true, dialect.Dubbo27: true, dialect.Dubbo31: true, dialect.Dubbo33: true}},
		{shopRule, map[dialect.Dialect]bool{dialect.Standard: true, dialect.Dubbo33: true}},
		{"other.condition-router", nil},
	} {
		for _, dl := range dialect.All() {
			w := newWorld(t, twoRegions()...)
			w.put(c.key, conditions("=> region=hz"))
			d := w.open(func(o *directory.Options) { o.Dialect = dl })
			want := "1 2"
			if c.scopes[dl] {
				want = "1"
			}
			if got := candidates(d, call("get")); got != want {
				t.Errorf("%s in %s: %q, want %q", c.key, dl, got, want)
			}
		}
	}
}

// TestRuleThatExistsBeforeTheDirectory guards user report 89, and user report 3: the keys are those that writers use.
func TestRuleThatExistsBeforeTheDirectory(t *testing.T) {
	w := newWorld(t, twoRegions()...)
	w.put(serviceRule, conditions("=> region=bj"))
	if got := candidates(w.open(), call("get")); got != "2" {
		t.Errorf("candidates %q right after Open, want 2", got)
	}
}

// TestCreateChangeAndDeleteOfARule guards user reports 90, 92, 94 and 95: a key that is new, changed or
// deleted takes effect without a restart.
func TestCreateChangeAndDeleteOfARule(t *testing.T) {
	w := newWorld(t, twoRegions()...)
	d := w.open()
	awaitCandidates(t, d, "1 2")
	w.put(serviceRule, conditions("=> region=hz"))
	awaitCandidates(t, d, "1")
	w.put(serviceRule, conditions("=> region=bj"))
	awaitCandidates(t, d, "2")
	w.delete(serviceRule)
	awaitCandidates(t, d, "1 2")
}

func TestABadDocumentLeavesTheLastGoodOne(t *testing.T) {
	for _, text := range []string{"conditions: [", "conditions:\n- \"=> region=\"\n- \"a=1 => & b=2\"\n", ""} {
		var refused []rule.Origin
		w := newWorld(t, twoRegions()...)
		w.put(serviceRule, conditions("=> region=hz"))
		hooks := &directory.Hooks{Rejected: func(o rule.Origin, l diag.List) {
			if l.HasErrors() {
				refused = append(refused, o)
			}
		}}
		d := w.open(func(o *directory.Options) { o.Hooks = hooks })
		good := ruleStatus(d, "service")
		snapshot := d.Snapshot()
		w.put(serviceRule, text)
		await(t, d, "the document is refused", func() bool { return ruleStatus(d, "service").Rejected != nil })
		st := ruleStatus(d, "service")
		if !st.InForce || st.Rev != good.Rev || st.Rejected.Origin.Rev == good.Rev || !st.Rejected.Findings.HasErrors() {
			t.Errorf("state %+v, want revision %s serving and a newer one refused", st, good.Rev)
		}
		if d.Snapshot() != snapshot || candidates(d, call("get")) != "1" {
			t.Errorf("%q changed the routing", text)
		}
		w.put(serviceRule, conditions("=> region=bj"))
		awaitCandidates(t, d, "2")
		if st := ruleStatus(d, "service"); st.Rejected != nil {
			t.Error("a good document leaves the refusal of the last one in the state")
		}
		d.Close()
		if len(refused) != 1 || refused[0].Name != serviceRule {
			t.Errorf("Hooks.Rejected told %v", refused)
		}
	}
}

// TestDeletionIsADeletion: also after a refused text.
func TestDeletionIsADeletion(t *testing.T) {
	w := newWorld(t, twoRegions()...)
	w.put(serviceRule, conditions("=> region=hz"))
	d := w.open()
	w.put(serviceRule, "conditions: [")
	await(t, d, "the document is refused", func() bool { return ruleStatus(d, "service").Rejected != nil })
	w.delete(serviceRule)
	awaitCandidates(t, d, "1 2")
	if st := ruleStatus(d, "service"); st.InForce || st.Rejected != nil {
		t.Errorf("%+v", st)
	}
}

// TestADocumentWithoutConditions: Dubbo silently goes on with the old ones (spec §3.4). Standard refuses a document
// that has none, and takes "valid: false" at its word.
func TestADocumentWithoutConditions(t *testing.T) {
	for text, standard := range map[string]string{"configVersion: v3.0\nconditions: []\n": "1", "enabled: true\n": "1",
		"valid: false\nconditions: [\"=> region=bj\"]\n": "1 2"} {
		for dl, want := range map[dialect.Dialect]string{dialect.Standard: standard, dialect.Dubbo27: "1", dialect.Dubbo31: "1", dialect.Dubbo33: "1"} {
			w := newWorld(t, twoRegions()...)
			w.put(webRule, conditions("=> region=hz"))
			d := w.open(func(o *directory.Options) { o.Dialect = dl })
			before := d.State().Generation
			w.put(webRule, text)
			await(t, d, "the document is taken", func() bool { return d.State().Generation > before })
			if got := candidates(d, call("get")); got != want {
				t.Errorf("%s %q: %q, want %q", dl, text, got, want)
			}
			if st := ruleStatus(d, "application"); dl == dialect.Standard && want == "1" && st.Rejected == nil {
				t.Errorf("%q was not reported: %+v", text, st)
			}
		}
	}
}

func TestSwitchedOffDocumentPassesEverything(t *testing.T) {
	w := newWorld(t, twoRegions()...)
	w.put(serviceRule, conditions("=> region=hz"))
	d := w.open()
	w.put(serviceRule, "enabled: false\n"+conditions("=> region=hz"))
	awaitCandidates(t, d, "1 2")
}

func TestTagRuleOfTheProvidersApplication(t *testing.T) {
	w := newWorld(t, provider(1), provider(2), provider(3, "dubbo.tag=blue"))
	w.put(shopTags, "tags:\n- name: gray\n  addresses: [\"10.0.0.2:20880\"]\n")
	d := w.open()
	awaitCandidates(t, d, "1")
	awaitCall(t, d, call("get", "dubbo.tag", "gray"), "2")
	awaitCall(t, d, call("get", "dubbo.tag", "blue"), "3")
	w.put(shopTags, "tags: [")
	await(t, d, "the document is refused", func() bool { return ruleStatus(d, "tag").Rejected != nil })
	awaitCall(t, d, call("get", "dubbo.tag", "gray"), "2")
	w.delete(shopTags)
	awaitCandidates(t, d, "1 2")
}

// TestRulesFollowTheProvidersApplication: when the first provider's application changes, the watched keys move.
// In the Dubbo dialects the old application's rule stays when the new one has none (spec §4.1).
func TestRulesFollowTheProvidersApplication(t *testing.T) {
	moved := func(n int) string { return strings.Replace(provider(n), "application=shop", "application=store", 1) }
	for dl, want := range map[dialect.Dialect]string{dialect.Standard: "1 2", dialect.Dubbo33: "1", dialect.Dubbo27: "1"} {
		w := newWorld(t, provider(1), provider(2))
		w.put(shopTags, "tags:\n- name: gray\n  addresses: [\"10.0.0.2:20880\"]\n")
		d := w.open(func(o *directory.Options) { o.Dialect = dl })
		awaitCandidates(t, d, "1")
		w.providers(moved(1), moved(2))
		await(t, d, "the key moves", func() bool { return ruleStatus(d, "tag").Key == "store.tag-router" })
		w.settleByRule(d)
		awaitCandidates(t, d, want)
		w.put("store.tag-router", "tags:\n- name: gray\n  addresses: [\"10.0.0.1:20880\"]\n")
		awaitCandidates(t, d, "2")
		w.put(shopTags, "tags:\n- name: gray\n  addresses: [\"10.0.0.9:20880\"]\n")
		w.settleByRule(d)
		awaitCandidates(t, d, "2")
	}
}

func TestSeveralProviderApplicationsAreRemarkedUpon(t *testing.T) {
	w := newWorld(t, provider(1), strings.Replace(provider(2), "application=shop", "application=store", 1))
	w.put(shopTags, "tags:\n- name: gray\n  addresses: [\"10.0.0.2:20880\"]\n")
	d := w.open()
	awaitCandidates(t, d, "1")
	for _, r := range d.State().Remarks {
		if r.Code == "DW266" {
			return
		}
	}
	t.Errorf("remarks %v, want DW266", d.State().Remarks)
}

// TestABadRouteURLLeavesTheGoodOneItReplaces: Standard; in dubbo-2.7 an unusable URL counts as nothing (spec §8.3).
func TestABadRouteURLLeavesTheGoodOneItReplaces(t *testing.T) {
	for dl, want := range map[dialect.Dialect]string{dialect.Standard: "1", dialect.Dubbo27: "1 2"} {
		w := newWorld(t, twoRegions()...)
		w.routes(routeURL("=> region=hz", "name=one"))
		d := w.open(func(o *directory.Options) { o.Dialect = dl })
		awaitCandidates(t, d, "1")
		w.routes(routeURL("=> => region=bj", "name=one"))
		await(t, d, "the URL is refused", func() bool { return len(d.State().Rejected) == 1 })
		if got := candidates(d, call("get")); got != want {
			t.Errorf("%s: %q, want %q", dl, got, want)
		}
		w.routes(routeURL("=> region=bj", "name=one"))
		awaitCandidates(t, d, "2")
		if got := d.State().Rejected; len(got) != 0 {
			t.Errorf("%s: still refused: %v", dl, got)
		}
		w.routes(routeURL("=> => region=bj", "name=two"))
		await(t, d, "the URL is refused", func() bool { return len(d.State().Rejected) == 1 })
		awaitCandidates(t, d, "1 2") // the bad one stands in another place
	}
}

func TestRulesFromBothSourcesApply(t *testing.T) {
	w := newWorld(t, provider(1, "region=hz", "zone=a"), provider(2, "region=hz", "zone=b"), provider(3, "region=bj", "zone=a"))
	w.routes(routeURL("=> region=hz"))
	w.put(serviceRule, conditions("=> zone=a"))
	d := w.open()
	awaitCandidates(t, d, "1")
	sources := map[string]bool{}
	for _, s := range d.Explain(call("get")).Trace.Steps {
		sources[s.Source] = true
	}
	if !sources["registry"] || !sources["config-centre"] {
		t.Errorf("explain names the sources %v", sources)
	}
}

// TestConsumerAndProviderRuleShareASlotIn33: there a provider-application rule takes the place of the consumer's in the
// second of two slots, and a deletion of either clears that one (spec §3.9). What the consumer's application router does is not touched.
func TestConsumerAndProviderRuleShareASlotIn33(t *testing.T) {
	w := newWorld(t, provider(1, "region=hz", "zone=a"), provider(2, "region=hz", "zone=b"), provider(3, "region=bj", "zone=a"))
	d := w.open(func(o *directory.Options) { o.Dialect = dialect.Dubbo33 })
	w.put(shopRule, conditions("=> zone=a"))
	awaitCandidates(t, d, "1 3")
	w.put(webRule, conditions("=> region=hz"))
	awaitCandidates(t, d, "1 2") // the consumer's rule came last and stands in both slots
	w.put(shopRule, conditions("=> zone=b"))
	awaitCandidates(t, d, "2")
	w.delete(webRule)
	awaitCandidates(t, d, "1 2 3") // clears both
}
