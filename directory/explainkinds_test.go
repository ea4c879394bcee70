package directory_test

import (
	"context"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/directory"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/rule"
	"github.com/dubway-go/dubway/script"
)

// firstOnly is a script that leaves the first provider.
const firstOnly = "invokers.subList(0, 1)"

// kindOfRule is one kind of rule that takes provider 2 out, and what ExplainNot must name.
type kindOfRule struct {
	kind      string
	key, text string // a document
	setup     func(w *world)
	params    string // of the consumer
	inv       *rpc.Invocation
	// read are the dialects in which the rule counts; in the others provider 2 is a candidate.
	read []dialect.Dialect
	// otherwise are dialects in which the rule means something else.
	otherwise []dialect.Dialect
	// router, source, rule and line are those of the step, or of the override.
	router, source, rule string
	line                 int
	// reason is part of the sentence.
	reason string
}

func kindsOfRules() []kindOfRule {
	all := dialect.All()
	documents := documentDialects()
	since32 := []dialect.Dialect{dialect.Dubbo33, dialect.Standard}
	standard := []dialect.Dialect{dialect.Standard}
	gray := call("get", rpc.TagKey, "gray")
	there := call("get")
	there.Attachments = rpc.Attachments{{Key: rpc.AddressKey, Value: netip.MustParseAddrPort("10.0.0.1:20880")}}
	const centre, registry = "config-centre", "registry"
	hzURL := routeURL("=> region=hz")
	scriptURL := "script://0.0.0.0/" + iface + "?category=routers&type=javascript&runtime=true&rule=" + durl.Encode(firstOnly)
	off := override("10.0.0.2:20880", "disabled=true")
	return []kindOfRule{
		{kind: "condition of the service", key: serviceRule, text: "conditions:\n- '=> region=hz'\n", read: documents, router: "service", source: centre, rule: serviceRule, line: 2, reason: `wanted region=hz, has "bj"`},
		{kind: "condition of the consumer's application", key: webRule, text: "conditions:\n- '=> region=hz'\n", read: documents, router: "application, in dubbo-3.3 provider-application", source: centre, rule: webRule, line: 2, reason: `wanted region=hz, has "bj"`},
		{kind: "condition of the provider's application", key: shopRule, text: "conditions:\n- '=> region=hz'\n", read: since32, router: "provider-application", source: centre, rule: shopRule, line: 2, reason: `wanted region=hz, has "bj"`},
		{kind: "force", key: serviceRule, text: "force: true\nconditions:\n- '=> region=none'\n", read: documents, router: "service", source: centre, rule: serviceRule, line: 3, reason: `wanted region=none, has "bj"`},
		{kind: "blacklist", key: serviceRule, text: "conditions:\n- 'host=10.0.0.9 =>'\n", read: documents, router: "service", source: centre, rule: serviceRule, line: 2, reason: "the rule blocks this call"},
		{kind: "weighted destination", key: serviceRule, text: "configVersion: v3.1\nconditions:\n- to:\n  - match: region=hz\n", read: since32, router: "service", source: centre, rule: serviceRule, line: 4, reason: `wanted region=hz, has "bj"`},
		{kind: "no destination", key: serviceRule, text: "configVersion: v3.1\nforce: true\nconditions:\n- to:\n  - match: region=none\n", read: since32, otherwise: []dialect.Dialect{dialect.Dubbo31}, router: "service", source: centre, rule: serviceRule, line: 4, reason: "is in no destination of the rule"},
		{kind: "tag by address", key: shopTags, text: "tags:\n- name: gray\n  addresses: ['10.0.0.1:20880']\n", inv: gray, read: documents, router: "tag", source: centre, rule: shopTags, line: 2, reason: "wanted tag gray"},
		{kind: "tag by match", key: shopTags, text: "configVersion: v3.0\ntags:\n- name: gray\n  match:\n  - key: region\n    value: {exact: hz}\n", inv: gray, read: since32, router: "tag", source: centre, rule: shopTags, line: 3, reason: "wanted tag gray"},
		{kind: "untagged call, listed provider", key: shopTags, text: "tags:\n- name: blue\n  addresses: ['10.0.0.9:20880']\n- name: gray\n  addresses: ['10.0.0.2:20880']\n", read: documents, router: "tag", source: centre, rule: shopTags, line: 4, reason: `the tag rule lists it under tag "gray"`},
		{kind: "untagged call, tagged provider", setup: func(w *world) { w.providers(provider(1), provider(2, "dubbo.tag=gray")) }, read: all, router: "tag", reason: `carries tag "gray"`},
		{kind: "affinity of the service", key: serviceAffinity, text: "configVersion: v3.1\naffinityAware:\n  key: region\n  ratio: 1\n", params: "region=hz", read: standard, router: "affinity-service", source: centre, rule: serviceAffinity, line: 3, reason: `wanted region=$region, has "bj"`},
		{kind: "affinity, registered", key: serviceAffinity, text: "configVersion: v3.1\naffinityAware:\n  key: region\n  ratio: 1\n", params: "region=hz&router=affinity-service", read: since32, router: "affinity-service", source: centre, rule: serviceAffinity, line: 3, reason: `has "bj"`},
		{kind: "affinity of the application", key: shopAffinity, text: "configVersion: v3.1\naffinityAware:\n  key: region\n  ratio: 1\n", params: "region=hz", read: standard, router: "affinity-app", source: centre, rule: shopAffinity, line: 3, reason: `has "bj"`},
		{kind: "mesh", key: shopMesh, text: toHZ, read: meshDialects(), router: "mesh", source: centre, rule: shopMesh, line: 7, reason: `wanted subset hz: region=hz, has "bj"`},
		{kind: "mesh of another application", key: "depot.MESHAPPRULE", text: meshTo("depot", "hz"), setup: func(w *world) { w.providers(of("depot", 1, "hz"), provider(2)) },
			read: meshDialects(), router: "mesh", source: centre, rule: "depot.MESHAPPRULE", line: 7, reason: `the mesh rules of its application "shop" say nothing about this call`},
		{kind: "rule of the registry", setup: func(w *world) { w.routes(hzURL) }, params: "methods=get", read: []dialect.Dialect{dialect.Dubbo26, dialect.Dubbo27, dialect.Standard}, router: "url", source: registry, rule: hzURL, line: 1, reason: `wanted region=hz, has "bj"`},
		{kind: "override of the registry", setup: func(w *world) { w.overrides(off) }, read: all, source: registry, rule: off, reason: "disabled by override " + off},
		{kind: "override document", key: serviceOverrides, text: "key: " + iface + "\nconfigs:\n- side: consumer\n  providerAddresses: ['10.0.0.2:20880']\n  parameters: {disabled: true}\n",
			read: documents, source: centre, rule: serviceOverrides, line: 3, reason: "disabled by override " + serviceOverrides + ":3:3 of the config-centre"},
		{kind: "script of the application", key: "shop.script-router", text: "key: shop\nscript: " + firstOnly + "\n", read: since32, router: "script", source: centre, rule: "shop.script-router", line: 2, reason: "the script's list does not have it"},
		{kind: "script of the registry", setup: func(w *world) { w.routes(scriptURL) }, params: "methods=get", read: []dialect.Dialect{dialect.Dubbo26, dialect.Dubbo27, dialect.Standard},
			router: "url", source: registry, rule: "script://0.0.0.0/" + iface + "?category=routers&runtime=true&type=javascript", line: 1, reason: "the script's list does not have it"},
		{kind: "mock", setup: func(w *world) { w.providers(provider(1), "mock"+strings.TrimPrefix(provider(2), "dubbo")) }, read: all, router: "mock", reason: `wanted protocol other than mock, has "mock"`},
		{kind: "address", inv: there, params: "address=true", read: []dialect.Dialect{dialect.Dubbo27, dialect.Standard}, router: "address", reason: `wanted address wanted by the call, has "10.0.0.2:20880"`},
	}
}

// TestExplainNotNamesEveryKindOfRule: for one rule of each kind, in each dialect, the answer to "why not provider 2" is the rule, its source, document and
// line, and the test that the provider failed; and where the dialect does not read the rule, the provider is a candidate.
func TestExplainNotNamesEveryKindOfRule(t *testing.T) {
	runner := script.NewRunner(script.Limits{Time: time.Minute})
	held, _ := runner.Replace(nil, &rule.ScriptDocument{Enabled: true, Valid: true, Type: "javascript", Script: firstOnly}, dialect.Standard)
	defer held.Close() // its machines are shared with the rules of every directory below
	for _, c := range kindsOfRules() {
		for _, dl := range dialect.All() {
			w := newWorld(t, twoRegions()...)
			if c.key != "" {
				w.put(c.key, c.text)
			}
			if c.setup != nil {
				c.setup(w)
			}
			// A script takes its time to compile under the race detector, longer than other tests wait.
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			d, err := directory.Open(ctx, orders, w.options(func(o *directory.Options) {
				o.Dialect, o.Consumer, o.Protocols = dl, consumer(c.params), []string{"dubbo", "mock"}
				o.Scripts = runner
			}))
			cancel()
			if err != nil {
				t.Fatalf("%s in %s: %v", c.kind, dl, err)
			}
			inv := c.inv
			if inv == nil {
				inv = call("get")
			}
			a := d.ExplainNot("10.0.0.2:20880", inv)
			if err := d.Close(); err != nil { // a hundred directories need not stay open together
				t.Fatal(err)
			}
			read := slices.Contains(c.read, dl)
			if !read && (a.Outcome == directory.Candidate || slices.Contains(c.otherwise, dl)) {
				continue
			}
			source, name, line, router := "", "", 0, ""
			switch {
			case a.Step != nil:
				source, name, line, router = a.Step.Source, a.Step.Rule, a.Step.Line, a.Step.Router
				if a.Drop.Rule != "" {
					name, line = a.Drop.Rule, a.Drop.Line
				}
			case len(a.Excluded) > 0 && a.Excluded[0].By != nil:
				source, name, line = a.Excluded[0].By.Source, a.Excluded[0].By.Rule, a.Excluded[0].By.Line
			}
			if !read || !strings.Contains(c.router, router) || (router == "") != (c.router == "") || source != c.source || name != c.rule || line != c.line || !strings.Contains(a.Message, c.reason) {
				t.Errorf("%s in %s: %s\n\trouter %q source %q rule %q line %d, want %q %q %q %d with %q", c.kind, dl, a.Message, router, source, name, line,
					c.router, c.source, c.rule, c.line, c.reason)
			}
		}
	}
}
