package main

import (
	"encoding/json"
	"fmt"
	"strings"
)

// target makes the URL that configurators are applied to.
func (g *generator) target() string {
	head := g.one("dubbo://10.1.0.1:20880", "dubbo://10.1.0.1:20880", "dubbo://10.1.0.2:20881", "consumer://10.0.0.9", "consumer://10.0.0.9", "dubbo://10.1.0.1", "dubbo://[fd00::1]:20880", "dubbo://web@10.1.0.1:20880", "dubbo:///x", "tri://host-a:50051")
	var q []string
	if g.chance(90) {
		q = append(q, g.one("side=consumer", "side=consumer", "side=provider"))
	}
	q = append(q, g.some(7, "application=web", "application=web", "application=shop", "interface=demo.shop.OrderService", "interface=demo.shop.OrderService", "group=g1", "version=1.0", "timeout=1000", "timeout=", "weight=100", "env=gray", "env=prod",
		"dubbo.tag=gray", "default.timeout=7", "methods=getOrder", "x=1", "getOrder.timeout=3", "category=providers", "enabled=true", "a=b=c", "note=a%26b", "anyhost=true", "default.env=gray")...)
	return head + g.one("/demo.shop.OrderService", "/demo.shop.OrderService", "/demo.shop.OrderService", "/demo.shop.OrderService", "", "/g1/demo.shop.OrderService:1.0") + "?" + strings.Join(q, "&")
}

// configuratorURL makes a rule as registries hold it.
func (g *generator) configuratorURL() string {
	scheme := g.one("override", "override", "override", "override", "absent", "absent", "empty", "Override", "condition", "provider", "dubbo")
	if g.chance(85) {
		scheme = g.one("override", "absent")
	}
	host := g.one("0.0.0.0", "0.0.0.0", "0.0.0.0", "10.0.0.9", "10.1.0.1", "10.1.0.1:20880", "10.1.0.2:20881", "0.0.0.0:20880", "", "[fd00::1]:20880", "10.1.0.1:0", "web@0.0.0.0", "0.0.0.0:-1", "10.1.0.1:020880", "*", "any:pw@0.0.0.0")
	path := g.one("/demo.shop.OrderService", "/demo.shop.OrderService", "/demo.shop.OrderService", "/demo.shop.OrderService", "/*", "", "/other.Service")
	q := g.some(8, "timeout=500", "timeout=500", "timeout=", "weight=50", "weight=0", "disabled=true", "enabled=false", "enabled=true", "enabled=", "category=configurators", "dynamic=false", "check=false", "anyhost=true", "anyhost=false",
		"application=web", "application=shop", "application=*", "application=", "side=consumer", "side=provider", "~env=gray", "~env=*", "~env=", "~nokey=1", "~timeout=1000", "~=1", "~side=consumer", "~~env=gray", "priority=1", "priority=-5", "priority=x", "priority=", "priority=007",
		"priority=+3", "priority=99999999999", "group=g1", "version=1.0", "group=*", "configVersion=v2.7", "configVersion=v3.0", "configVersion=v3.0.1", "configVersion=", "configVersion=v3", "providerAddresses=10.1.0.1:20880", "providerAddresses=10.1.0.1:2088", "providerAddresses=0.0.0.0",
		"providerAddresses=0.0.0.0:*", "providerAddresses=10.1.0.1", "providerAddresses=0.0.0.0:20880", "providerAddresses=10.1.0.2:20881,10.1.0.1:20880", "providerAddresses=", "providerAddresses=,", "compatible_config=true", "interfaces=a", "interface=demo.shop.OrderService", "interface=x",
		"interface=*", "default.timeout=9", "methods=putOrder", "getOrder.timeout=1", "a=b=c", "note=a%26b", "env=test", "dubbo.tag=blue", "mock=force:return+null", "router=tag", "rule=x", "type=y", "runtime=true", "x", "=v", "timeout=1&timeout=2", "default.default.z=1", "username=web", "host=h", "port=9", "protocol=p")
	return scheme + "://" + host + path + "?" + strings.Join(q, "&")
}

// override makes a case of area override.
func (g *generator) override() fields {
	in := fields{"target": g.target(), "localHost": "10.0.0.9"}
	switch {
	case g.chance(45):
		var urls []any
		for range 1 + g.IntN(4) {
			u := g.configuratorURL()
			if g.chance(10) {
				u = g.mutate(u)
			}
			urls = append(urls, u)
		}
		in["rules"] = map[string]any{"urls": urls}
	case g.chance(35):
		in = g.recorded()
		rules, _ := in["rules"].(map[string]any)
		if y, ok := rules["yaml"].(string); ok {
			rules["yaml"] = g.mutateDocument(y)
		} else if urls, ok := rules["urls"].([]any); ok && len(urls) > 0 {
			at := g.IntN(len(urls))
			urls[at] = g.mutate(text(urls[at]))
		}
		if g.chance(20) {
			in["target"] = g.mutate(text(in["target"]))
		}
	default:
		y := g.document()
		if g.chance(25) {
			y = g.mutateDocument(y)
		}
		in["rules"] = map[string]any{"yaml": y}
	}
	return in
}

// scalar spells a value of YAML.
func (g *generator) scalar(likely string) string {
	if g.chance(75) {
		return likely
	}
	return g.one("", "null", "~", "true", "yes", "on", "No", "False", `"`+likely+`"`, `'`+likely+`'`, "0", "1", "-1", "007", "0x1F", "0o17", "1_000", "1.0", "1e3", ".5", "1.", ".inf", ".nan", "190:20:30", "2024-01-02", "2024-01-02T03:04:05Z", "[1, 2]", "{a: 1}", "[]", "{}", "!!str 5",
		"!!int '5'", "99999999999", "9223372036854775808", "'a''b'", `"\u0041\n"`, "a b", "a: b", "a #c", "a#c", "*x", "&y 1", "|\n      text", ">\n      text", "é", `"a;b"`, `"a&b=c"`, `"50%"`, `"x?y"`, "0b11", "+5", "1e400", "12345678901234567890.5", "0.1", "100000000.0", "1.0E10", "=", "<<", "!!binary aGk=", "!foo x")
}

func (g *generator) textList(likely ...string) string {
	if g.chance(12) {
		return g.scalar(likely[0])
	}
	var out []string
	for range g.IntN(4) {
		out = append(out, g.scalar(`"`+g.one(likely...)+`"`))
	}
	return "[" + strings.ReplaceAll(strings.Join(out, ", "), "\n", " ") + "]"
}

func (g *generator) stringMatch(likely ...string) string {
	if g.chance(8) {
		return g.scalar(likely[0])
	}
	kinds := []string{"exact", "prefix", "regex", "noempty", "empty", "wildcard", "exact", "wildcard", "nosuch"}
	v := g.one(likely...)
	switch g.IntN(4) {
	case 0:
		v = v[:len(v)/2]
	case 1:
		v = v[:len(v)/2] + "*"
	}
	out := g.one(kinds...) + ": " + g.one(`"`+v+`"`, `"`+v+`"`, `"true"`, "true", `""`, `"*"`, `".*"`, "1", "null")
	if g.chance(15) {
		out += ", " + g.one(kinds...) + ": " + `"` + g.one(likely...) + `"`
	}
	return "{" + out + "}"
}

func (g *generator) addressMatch() string {
	if g.chance(8) {
		return g.scalar("10.0.0.9")
	}
	var out []string
	for range 1 + g.IntN(2) {
		out = append(out, g.one("cird", "wildcard", "exact", "cidr")+": "+g.one(`"10.0.0.0/24"`, `"10.0.0.9"`, `"10.0.*"`, `"*"`, `"0.0.0.0"`, `"10.1.0.1:20880"`, `"10.1.0.1"`, `"10.1.*.*"`, `"10.0.0.1-20"`, `"*:20880"`, `""`, "null", "5", `"10.0.0.0/99"`, `"10.0.0.0/x"`, `"10.1.0.0/16"`))
	}
	return "{" + strings.Join(out, ", ") + "}"
}

func (g *generator) match() string {
	if g.chance(6) {
		return g.scalar("x")
	}
	var out []string
	if g.chance(35) {
		out = append(out, "address: "+g.addressMatch())
	}
	if g.chance(35) {
		out = append(out, "providerAddress: "+g.addressMatch())
	}
	oneOf := func(likely ...string) string {
		if g.chance(10) {
			return g.one("{}", "null", "{oneof: null}", "{oneof: []}", "{oneof: {exact: a}}", "[]", "{oneOf: [{exact: web}]}", "{oneof: [null]}", "{oneof: [web]}")
		}
		var l []string
		for range 1 + g.IntN(2) {
			l = append(l, g.stringMatch(likely...))
		}
		return "{oneof: [" + strings.Join(l, ", ") + "]}"
	}
	if g.chance(30) {
		out = append(out, "service: "+oneOf("demo.shop.OrderService", "g1/demo.shop.OrderService:1.0", "demo.shop.OrderService:1.0"))
	}
	if g.chance(30) {
		out = append(out, "app: "+oneOf("web", "shop"))
	}
	if g.chance(40) {
		var l []string
		for range 1 + g.IntN(2) {
			l = append(l, "{key: "+g.one("env", "timeout", "nokey", "side", "application", "default.env", "null", `""`)+", value: "+g.stringMatch("gray", "1000", "web")+"}")
		}
		out = append(out, "param: ["+strings.Join(l, ", ")+"]")
	}
	if g.chance(5) {
		out = append(out, g.one("nosuch: 1", "param: null", "service: null", "address: null", "param: {key: a}", "param: [null]", "param: [{key: env}]", "param: []"))
	}
	return "{" + strings.Join(out, ", ") + "}"
}

// document makes a configurator document.
func (g *generator) document() string {
	if g.chance(4) {
		var urls []string
		for range g.IntN(3) {
			raw, _ := json.Marshal(g.configuratorURL())
			urls = append(urls, string(raw))
		}
		return g.one("", " ", "\n") + "[" + strings.Join(urls, ", ") + "]" + g.one("", "\n", " x")
	}
	var b strings.Builder
	line := func(p int, key, value string) {
		if g.chance(p) {
			b.WriteString(key + ": " + value + "\n")
		}
	}
	line(85, "configVersion", g.scalar(g.one("v2.7", "v3.0", "v3.0", "v3.1", "v2.6", "v3.0.2")))
	scope := g.one("service", "application", "other", "Application", "")
	line(75, "scope", g.scalar(scope))
	key := g.one("demo.shop.OrderService", "demo.shop.OrderService", "g1/demo.shop.OrderService:1.0", "demo.shop.OrderService:1.0", "g1/demo.shop.OrderService", "*", "web", "/x", ":1", "a/b/c:d:e", "demo.shop.OrderService:")
	if scope == "application" {
		key = g.one("web", "shop", "*", "other", "we b")
	}
	line(95, "key", g.scalar(key))
	line(60, "enabled", g.scalar(g.one("true", "true", "false")))
	line(20, "runtime", g.scalar("true"))
	line(20, "priority", g.scalar("3"))
	line(5, "nosuch", g.scalar("1"))
	if g.chance(4) {
		line(80, "configs", g.scalar("[]"))
		return b.String()
	}
	b.WriteString("configs:\n")
	for range 1 + g.IntN(3) {
		first := true
		item := func(p int, key, value string) {
			if !g.chance(p) {
				return
			}
			if first {
				b.WriteString("  - ")
			} else {
				b.WriteString("    ")
			}
			first = false
			b.WriteString(key + ": " + value + "\n")
		}
		item(90, "side", g.scalar(g.one("consumer", "consumer", "provider")))
		item(50, "addresses", g.textList("0.0.0.0", "0.0.0.0", "10.0.0.9", "10.1.0.1", "10.1.0.1:20880", "10.1.0.2:20881", "0.0.0.0:20880"))
		item(30, "providerAddresses", g.textList("10.1.0.1:20880", "10.1.0.1", "0.0.0.0", "0.0.0.0:*", "0.0.0.0:20880", "10.1.0.1:2088"))
		item(30, "applications", g.textList("web", "shop", "*"))
		item(30, "services", g.textList("demo.shop.OrderService", "g1/demo.shop.OrderService:1.0", "*", "demo.shop.OrderService:1.0", "other"))
		item(25, "type", g.scalar(g.one("general", "weight", "balancing", "disabled", "General")))
		item(25, "enabled", g.scalar(g.one("true", "false")))
		item(30, "match", g.match())
		item(5, "nosuch", "1")
		var params []string
		for range g.IntN(4) {
			params = append(params, g.scalar(g.one("timeout", "weight", "x", "~env", "retries", "priority", "env", "default.timeout", "application", "side", "category", "group", "enabled", "a.b", "dubbo.tag"))+": "+g.scalar(g.one("500", "50", "gray", `"a b+c%20"`, "1.5", "true", "null", `"x;y#z"`, "web", "consumer")))
		}
		value := "{" + strings.ReplaceAll(strings.Join(params, ", "), "\n", " ") + "}"
		if g.chance(6) {
			value = g.scalar("[a, b]")
		}
		item(93, "parameters", value)
		if first {
			b.WriteString("  - " + g.one("null", "x", "{}", "[]") + "\n")
		}
	}
	if g.chance(3) {
		b.WriteString(g.one("...\n", "---\nkey: x\n", "key: again\n", "\tx: 1\n", "? a\n: b\n", "# comment\n"))
	}
	return b.String()
}

// mutateDocument edits a document by character, or by line.
func (g *generator) mutateDocument(y string) string {
	if g.chance(30) {
		return g.mutate(y)
	}
	lines := strings.Split(y, "\n")
	at := g.IntN(len(lines))
	switch g.IntN(6) {
	case 0:
		lines = append(lines[:at:at], lines[at+1:]...)
	case 1:
		lines = append(lines[:at+1:at+1], lines[at:]...)
	case 2:
		lines[at] = " " + lines[at]
	case 3:
		lines[at] = strings.TrimPrefix(lines[at], " ")
	case 4:
		if key, _, ok := strings.Cut(lines[at], ": "); ok {
			lines[at] = key + ": " + g.scalar(g.one("x", "consumer", "true"))
		}
	case 5:
		lines[at] += g.one(" ", " # c", " x", ":", ",", fmt.Sprint(g.IntN(10)))
	}
	return strings.Join(lines, "\n")
}
