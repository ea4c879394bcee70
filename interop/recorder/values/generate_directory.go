package main

import (
	"net/url"
	"strings"
)

// provider makes a provider URL as a registry lists it.
func (g *generator) provider() string {
	scheme := g.one("dubbo", "dubbo", "dubbo", "dubbo", "dubbo", "dubbo", "dubbo", "foo", "empty")
	q := append([]string{"application=shop", "interface=demo.shop.OrderService"}, g.some(6, "methods=getOrder,putOrder", "methods=getOrder", "methods=*", "side=provider", "region=north", "region=south", "weight=5", "weight=50", "timeout=7", "timestamp=1", "timestamp=2", "disabled=true", "disabled=false",
		"enabled=false", "dubbo.tag=gray", "env=gray", "group=g1", "version=1.0", "category=providers", "category=routers", "category=nosuch", "category=configurators", "compatible_config=true", "default.timeout=3", "getOrder.timeout=8", "dynamic=false", "mock=true", "anyhost=true", "protocol=x", "category=", "timeout=")...)
	return scheme + "://" + g.one("10.1.0.1:20880", "10.1.0.2:20880", "10.1.0.3:20880", "10.1.0.4:20880", "10.1.0.1:20881") + g.one("/demo.shop.OrderService", "/demo.shop.OrderService", "/demo.shop.OrderService", "/demo.shop.OrderService", "") + "?" + strings.Join(q, "&")
}

func (g *generator) configuratorNotice() string {
	if g.chance(15) {
		return "empty://10.0.0.9/demo.shop.OrderService?category=configurators"
	}
	return g.one("override", "override", "absent") + "://" + g.one("0.0.0.0", "0.0.0.0", "0.0.0.0", "10.0.0.9", "10.1.0.1:20880", "10.1.0.2:20880", "10.1.0.1") + "/demo.shop.OrderService?" + strings.Join(append([]string{g.one("category=configurators", "category=configurators", "category=configurators", "dynamic=false", "category=dynamicconfigurators")},
		g.some(5, "timeout=9", "timeout=11", "weight=77", "weight=1", "disabled=true", "disabled=false", "enabled=false", "~region=north", "~weight=5", "application=web", "application=shop", "application=*", "side=consumer", "side=provider", "priority=2", "priority=-1", "group=g1", "version=1.0", "dubbo.tag=blue",
			"providerAddresses=10.1.0.1:20880", "configVersion=v2.7", "region=west", "compatible_config=true", "anyhost=true", "methods=putOrder", "interface=demo.shop.OrderService")...), "&")
}

func (g *generator) routerNotice() string {
	if g.chance(15) {
		return "empty://10.0.0.9/demo.shop.OrderService?category=routers"
	}
	rule := url.QueryEscape(g.one("=> region=north", "=> host=10.1.0.1", "method=getOrder => region=south", "=> false", "=> timeout=9", "=> weight=77", "host != 10.0.0.9 => host=10.1.0.1", "=> region=$region", "", "x ==> y", "=> region != north", "method=putOrder => false", "=> dubbo.tag=gray"))
	return g.one("condition", "condition", "route", "script0") + "://0.0.0.0/demo.shop.OrderService?" + strings.Join(append([]string{"category=routers", "rule=" + rule}, g.some(4, "router=condition", "router=condition", "force=true", "force=false", "runtime=true", "runtime=false", "priority=3", "priority=1", "enabled=false", "dynamic=false", "compatible_config=true")...), "&")
}

// directory makes a case of area directory.
func (g *generator) directory() fields {
	reference := []string{"application=web", "interface=demo.shop.OrderService", "methods=getOrder,putOrder", "register.ip=10.0.0.9", "side=consumer"}
	group, version := "", ""
	if g.chance(12) {
		version = "1.0"
		reference = append(reference, "version=1.0")
	}
	if g.chance(12) {
		group = "g1"
		reference = append(reference, "group=g1")
	}
	reference = append(reference, g.some(2, "region=north", "env=gray", "timeout=5", "weight=9", "protocol=dubbo", "dubbo.tag=gray", "timestamp=3", "check=false", "disabled=true", "getOrder.timeout=2", "token=t")...)
	documents := g.chance(40)
	var known, steps []any
	pool := make([]string, 2+g.IntN(4))
	for i := range pool {
		pool[i] = g.provider()
	}
	notice := func(u ...string) {
		steps = append(steps, map[string]any{"op": "notify", "urls": list(u...)})
		known = append(known, u)
	}
	providers := func() []string {
		var u []string
		for _, p := range pool {
			if g.chance(75) {
				u = append(u, p)
			}
		}
		g.Shuffle(len(u), func(i, j int) { u[i], u[j] = u[j], u[i] })
		if len(u) > 0 && g.chance(8) {
			u = append(u, u[g.IntN(len(u))])
		}
		return u
	}
	for range 1 + g.IntN(7) {
		switch g.IntN(14) {
		case 0, 1, 2, 3:
			notice(providers()...)
		case 4:
			notice("empty://10.0.0.9/demo.shop.OrderService?category=" + g.one("providers", "providers", "configurators", "routers", "nosuch", "providers,configurators"))
		case 5, 6:
			var u []string
			for range 1 + g.IntN(3) {
				u = append(u, g.configuratorNotice())
			}
			notice(u...)
		case 7, 8:
			var u []string
			for range 1 + g.IntN(2) {
				u = append(u, g.routerNotice())
			}
			notice(u...)
		case 9: // all categories in one notification
			u := providers()
			for range g.IntN(3) {
				u = append(u, g.configuratorNotice())
			}
			for range g.IntN(2) {
				u = append(u, g.routerNotice())
			}
			if g.chance(20) {
				u = append(u, "empty://10.0.0.9/demo.shop.OrderService?category=providers")
			}
			g.Shuffle(len(u), func(i, j int) { u[i], u[j] = u[j], u[i] })
			notice(u...)
		case 10: // the same once more, or nothing at all
			if len(known) > 0 && g.chance(70) {
				if u, ok := known[g.IntN(len(known))].([]string); ok {
					notice(u...)
				}
			} else {
				notice()
			}
		case 11:
			steps = append(steps, map[string]any{"op": "call", "call": map[string]any{"method": g.one("getOrder", "putOrder", "other", "$invoke"), "args": list(g.one("x", "y"))}})
		default:
			if !documents {
				pool[g.IntN(len(pool))] = g.provider()
				continue
			}
			key := "demo.shop.OrderService:" + version + ":" + group + g.one(".configurators", ".configurators", ".configurators", ".condition-router", ".tag-router")
			if g.chance(25) {
				key = g.one("web.configurators", "web.condition-router", "shop.tag-router", "shop.configurators", "demo.shop.OrderService.configurators", "shop.condition-router")
			}
			if g.chance(25) {
				steps = append(steps, map[string]any{"op": "delete", "key": key})
				continue
			}
			doc := g.configuratorDocument()
			if strings.HasSuffix(key, "condition-router") {
				doc = "conditions:\n- \"" + g.one("=> region=north", "=> host=10.1.0.2", "method=getOrder => region=south", "=> timeout=9") + "\"\n" + g.one("", "force: true\n", "enabled: false\n", "force: false\n", "x: [\n")
			}
			if strings.HasSuffix(key, "tag-router") {
				doc = g.one("key: shop\ntags:\n- name: gray\n  addresses: [\"10.1.0.1:20880\"]\n", "key: shop\nforce: true\nenabled: true\ntags:\n- name: gray\n  addresses: [\"10.1.0.2:20880\"]\n", "key: shop\n", "tags: x\n")
			}
			steps = append(steps, map[string]any{"op": "set", "key": key, "text": doc})
		}
	}
	if len(steps) == 0 {
		notice(pool...)
	}
	return fields{"reference": strings.Join(reference, "&"), "watch": list("timeout", "weight", "region"), "call": map[string]any{"method": "getOrder", "args": list("x")}, "steps": steps}
}

// configuratorDocument makes a document that is mostly good, so that it shows in the list.
func (g *generator) configuratorDocument() string {
	if g.chance(10) {
		return g.document()
	}
	var b strings.Builder
	b.WriteString("configVersion: " + g.one("v2.7", "v3.0") + "\n")
	if g.chance(20) {
		b.WriteString("scope: application\nkey: " + g.one("web", "shop") + "\n")
	} else {
		b.WriteString("scope: service\nkey: demo.shop.OrderService\n")
	}
	b.WriteString(g.one("", "enabled: true\n", "enabled: false\n", "enabled: true\n"))
	if g.chance(8) {
		b.WriteString("configs: []\n")
		return b.String()
	}
	b.WriteString("configs:\n")
	for range 1 + g.IntN(2) {
		b.WriteString("  - side: " + g.one("consumer", "consumer", "consumer", "provider") + "\n    parameters: {" + g.one("timeout: 21", "weight: 33", "disabled: true", "region: north", "timeout: 22, weight: 1", "router: tag", "type: x", "~region: north, timeout: 23", "timeout: 24, rule: x, runtime: 1") + "}\n")
		if g.chance(40) {
			b.WriteString("    addresses: [\"" + g.one("0.0.0.0", "10.0.0.9", "10.1.0.1", "10.1.0.1:20880", "0.0.0.0:20880") + "\"]\n")
		}
		if g.chance(30) {
			b.WriteString("    providerAddresses: [\"" + g.one("10.1.0.1:20880", "10.1.0.2", "0.0.0.0") + "\"]\n")
		}
		if g.chance(20) {
			b.WriteString("    match: {param: [{key: region, value: {exact: north}}]}\n")
		}
		if g.chance(15) {
			b.WriteString("    applications: [\"" + g.one("web", "shop", "*") + "\"]\n")
		}
	}
	return b.String()
}
