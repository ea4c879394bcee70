package conformance

import (
	"slices"
	"strings"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/directory"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/rule"
	"github.com/dubway-go/dubway/service"
)

// world is a config centre, a provider list and the routers that listen to both.
type world struct {
	dialect   dialect.Dialect
	consumer  durl.URL
	all, list []*service.Instance
	use       []int
	texts     map[string]string
	chain     route.Chain
	call      *rpc.Invocation
	err       string

	urls                           []*rule.ConditionDocument
	tag                            *rule.TagDocument
	service, provider, application directory.ConditionRules
	affinity                       *rule.AffinityDocument
	mesh                           mesh
	script                         scriptRouter
	whole                          bool // the routers are a whole chain
	byURL                          bool // the script router is that of a rule URL
	alone                          bool // the script router is the only one: its exceptions are recorded as such
	// app is the provider application that the tag and provider-application routers are bound to.
	app      string
	revision uint64
}

func newWorld(c *Case, d dialect.Dialect) *world {
	w := &world{dialect: d, texts: map[string]string{}, call: c.Call.invocation(), script: newScriptRouter()}
	w.consumer, w.all, w.err = c.urls(d)
	if w.err != "" {
		return w
	}
	w.chain = chainOf(c.Routers, d).Select(w.consumer.Get("router", ""), d)
	w.whole = slices.ContainsFunc(c.Routers, func(r string) bool { return strings.HasPrefix(r, "chain") })
	w.byURL, w.alone = c.scriptURL(), len(w.chain) == 1 && w.chain.Has(route.RouterScript)
	for k, v := range c.Initial {
		w.texts[k] = v
	}
	if c.scriptURL() && !w.script.fromURL(c.RuleURLs[0], d) {
		w.err = "illegal-rule"
		return w
	}
	if w.chain.Has(route.RouterURL) {
		for _, u := range c.RuleURLs {
			if doc, _ := rule.ParseRouteURL(u, d); doc != nil {
				w.urls = append(w.urls, doc)
			}
		}
	}
	if d != dialect.Dubbo26 {
		for _, key := range []string{w.serviceKey(), w.applicationKey(), w.affinityKey()} {
			if text, ok := w.texts[key]; ok && text != "" {
				w.set(key, text)
			}
		}
	}
	all := make([]int, len(w.all))
	for i := range all {
		all[i] = i
	}
	w.providers(all)
	return w
}

// chainOf names the routers of a case, in its order.
func chainOf(routers []string, d dialect.Dialect) route.Chain {
	switch {
	case slices.Contains(routers, "chain"):
		return route.DefaultChain(d)
	case slices.Contains(routers, "chain+affinity"):
		return route.DefaultChain(d).WithAffinity()
	}
	var out route.Chain
	for i, r := range routers {
		switch r {
		case "service":
			out = append(out, route.Stage{Router: route.RouterService, Priority: i})
		case "app":
			out = append(out, route.Stage{Router: route.RouterApplication, Priority: i})
		case "script-app", "script-url":
			out = append(out, route.Stage{Router: route.RouterScript, Priority: i})
		case "mesh":
			out = append(out, route.Stage{Router: route.RouterMesh, Priority: i})
		case "tag":
			out = append(out, route.Stage{Router: route.RouterTag, Priority: i})
		case "affinity-service":
			out = append(out, route.Stage{Router: route.RouterAffinityService, Priority: i})
		case "affinity-app":
			out = append(out, route.Stage{Router: route.RouterAffinityApplication, Priority: i})
		}
	}
	return out
}

func (w *world) serviceKey() string {
	return rule.ConditionKey(service.KeyOf(w.consumer).RuleKey())
}

func (w *world) affinityKey() string {
	return rule.AffinityKey(service.KeyOf(w.consumer).RuleKey())
}

func (w *world) applicationKey() string { return rule.ConditionKey(w.consumer.Application()) }

// providers delivers a new list: routers bound to the provider application may move (spec §3.9, §4.1).
func (w *world) providers(use []int) {
	w.use = use
	w.list = nil
	for _, i := range use {
		w.list = append(w.list, w.all[i])
	}
	if w.chain.Has(route.RouterMesh) {
		w.mesh.providers(w.list, w.texts, w.dialect)
	}
	if len(w.list) == 0 || w.dialect == dialect.Dubbo26 {
		return
	}
	app := w.list[0].URL.Get("remote.application", "")
	if app == "" || app == w.app {
		return
	}
	w.app = app
	for _, key := range []string{rule.TagKey(app), rule.ConditionKey(app), rule.ScriptKey(app)} {
		if text, ok := w.texts[key]; ok && text != "" && (!strings.HasSuffix(key, ".condition-router") || w.providerScope()) {
			w.bound(key, text)
		}
	}
}

// providerScope reports whether the provider-application router listens to a key of its own.
func (w *world) providerScope() bool {
	return (w.chain.Has(route.RouterProviderApplication) || w.chain.Has(route.RouterAffinityApplication)) && w.app != w.consumer.Application()
}

// listensForScripts reports whether the script router follows documents.
func (w *world) listensForScripts() bool { return w.chain.Has(route.RouterScript) && !w.byURL }

func (w *world) step(s *Step) {
	w.mesh.failed = false
	switch s.Op {
	case "set":
		w.texts[s.Key] = s.Text
		w.event(s.Key, s.Text)
	case "delete":
		delete(w.texts, s.Key)
		w.deleted(s.Key)
	case "providers":
		w.providers(s.Use)
	case "call":
		w.call = s.Call.invocation()
	}
}

func (w *world) event(key, text string) {
	if w.dialect == dialect.Dubbo26 {
		return
	}
	w.set(key, text)
	w.bound(key, text)
	w.mesh.event(key, text, w.dialect)
}

// set offers a text to the routers bound to the consumer's own keys.
func (w *world) set(key, text string) {
	if key == w.serviceKey() {
		w.offer(&w.service, key, text)
	}
	if key == w.affinityKey() {
		if doc, _ := rule.ParseAffinityDocument(rule.Origin{Name: key}, text, w.dialect); doc != nil {
			w.affinity = doc // one that is refused leaves the rule in force (spec §3.7)
		}
	}
	if key == w.applicationKey() {
		w.offer(&w.application, key, text)
		// The provider-application router listens to the consumer's own key too, and has one slot for both (spec §3.9).
		w.offer(&w.provider, key, text)
	}
}

// bound offers a text to the routers bound to the provider application.
func (w *world) bound(key, text string) {
	if w.app == "" {
		return
	}
	switch key {
	case rule.TagKey(w.app):
		if doc, _ := rule.ParseTagDocument(rule.Origin{Name: key}, text, w.dialect); doc != nil {
			w.tag = doc
		}
	case rule.ScriptKey(w.app):
		if w.listensForScripts() {
			w.script.set(key, text, w.dialect)
		}
	case rule.ConditionKey(w.app):
		if w.providerScope() {
			w.offer(&w.provider, key, text)
		}
	}
}

func (w *world) deleted(key string) {
	switch key {
	case w.serviceKey():
		w.service = directory.ConditionRules{}
	case w.applicationKey():
		w.application, w.provider = directory.ConditionRules{}, directory.ConditionRules{}
	case w.affinityKey():
		w.affinity = nil
	}
	w.mesh.deleted(key)
	if w.app != "" && key == rule.TagKey(w.app) {
		w.tag = nil
	}
	if w.app != "" && key == rule.ScriptKey(w.app) && w.listensForScripts() {
		w.script.delete(key)
	}
	if w.app != "" && key == rule.ConditionKey(w.app) {
		w.provider = directory.ConditionRules{}
	}
}

// answer routes the present call over the present state; numbers are those of the case's provider list.
func (w *world) answer() string {
	if w.mesh.stale && w.whole {
		return "[]"
	}
	return keep(w.compile(), w.call, w.use)
}

// rules are what is in force.
func (w *world) rules() route.Rules {
	return route.Rules{URL: w.urls, Tag: w.tag, Service: w.service.InForce(), ProviderApplication: w.provider.InForce(), Application: w.application.InForce(), Affinity: w.affinity, Mesh: w.mesh.docs, Script: w.script.filter}
}

// offer gives a text to one router.
func (w *world) offer(r *directory.ConditionRules, key, text string) {
	_, _, _ = r.Offer(rule.Origin{Name: key}, text, w.dialect)
}
