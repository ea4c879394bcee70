package main

import (
	"fmt"
	"net/url"
	"strings"
)

// addressText makes a URL that is often good and sometimes odd in one part.
func (g *generator) addressText() string {
	var b strings.Builder
	b.WriteString(g.one("dubbo://", "dubbo://", "dubbo://", "consumer://", "tri://", "file:/", "", "override://", "://", " dubbo://", "Dubbo://", "a:b://", "dubbo:///"))
	if g.chance(15) {
		b.WriteString(g.one("user@", "user:pw@", ":pw@", "us:p:w@", "us@er:pw@", "@", ":@", "user:@", "a/b@", "a?b@", "%75ser:p%20w@", "user :pw@", "你:好@"))
	}
	b.WriteString(g.one("10.1.0.1", "10.1.0.1", "10.1.0.1", "[fd00::1]", "fd00::1", "[fe80::1%25eth0]", "fe80::1%eth0", "host", "", "0.0.0.0", "10.1.0.1.", "host_a", "HOST", "a,b", "10.1.0.1 "))
	b.WriteString(g.one(":20880", ":20880", ":20880", "", ":", ":0", ":-1", ":x", ":65536", ":2147483648", ":020880", ":+5", ": 5", ":5 ", ":1_0", ":80:81", ":٣"))
	b.WriteString(g.one("/demo.shop.OrderService", "/demo.shop.OrderService", "/demo.shop.OrderService", "", "/", "//a", "/a/b", "/a:1.0", "/a/", "/ ", "/a b", "/a%2Fb", "/a#f", "/a@b", "/a;v=1", "/*", "/a?"))
	if g.chance(85) {
		b.WriteString("?" + g.query())
	}
	if g.chance(5) {
		b.WriteString(g.one("#frag", "#", "?x=1", "&", " ", "\n"))
	}
	return b.String()
}

func (g *generator) query() string {
	var parts []string
	for range g.IntN(6) {
		key := g.one("interface", "group", "version", "application", "side", "category", "timeout", "default.timeout", "default.default.a", "default.", "getOrder.timeout", "default.getOrder.timeout",
			"methods", "weight", "a", "b", "", " a", "a.b", "dubbo.tag", "enabled", "anyhost", "timestamp", "path", "host", "port", "protocol", "username", "password", "generic", "é", "a[0]", "default.side", "default.interface", "classifier")
		value := g.one("demo.shop.OrderService", "1.0", "g1", "web", "consumer", "provider", "Consumer", "", "1", "-5", "true", "*", "a=b", "=", "a,b", "%20", "%", "%zz", "a%26b", "a+b", " a ", "你", "%E4%BD%A0", "0.0.0", "x;y=1", "$host", "a/b", "a:b", "a?b", "a@b")
		if key == "side" && g.chance(80) {
			value = g.one("consumer", "provider")
		}
		parts = append(parts, key+g.one("=", "=", "=", "=", "=", "=", "", "==")+value)
	}
	return strings.Join(parts, g.one("&", "&", "&", ";", "&&", "& ", "&amp;"))
}

// url makes a case of area url.
func (g *generator) url() fields {
	if g.chance(35) {
		return g.mutated()
	}
	switch g.IntN(20) {
	case 0, 1, 2, 3, 4, 5:
		text := g.addressText()
		if g.chance(20) {
			text = g.mutate(text)
		}
		return fields{"op": "parse", "url": text}
	case 6, 7, 8:
		text := url.QueryEscape(g.addressText())
		switch g.IntN(6) {
		case 0:
			text = g.mutate(text)
		case 1:
			text = url.QueryEscape(text)
		case 2:
			text = strings.NewReplacer("%2F", "%2f", "%3D", "%3d", "%26", "%26").Replace(text)
		}
		return fields{"op": "parseEncoded", "url": text}
	case 9:
		return fields{"op": g.one("encode", "decode"), "text": g.mutate(g.one("", "a b", "a%20b", "a+b", "%E4%BD%A0", "你", "*-_.~!'()", "a%", "%C3%28", "%ED%A0%80", "%F0%9D%84%9E"))}
	case 10, 11:
		side := func(proto string) string {
			return proto + g.one("10.0.0.9", "10.1.0.1:20880") + "/" + g.one("demo.shop.OrderService", "demo.shop.OrderService", "*", "x", "") + "?" + strings.Join(g.some(5,
				"interface=demo.shop.OrderService", "interface=*", "interface=", "group=g1", "group=g1,g2", "group=*", "group=", "group=g1 , g2", "group=,g1", "version=1.0", "version=*", "version=", "version=1.0,2.0", "classifier=c1",
				"classifier=*", "classifier=", "enabled=false", "enabled=*", "enabled=", "enabled=true", "category=providers", "category=routers", "category=*", "category=-routers", "category=providers,configurators",
				"category=", "default.group=g1", "default.version=1.0", "side=consumer"), "&")
		}
		return fields{"op": "match", "consumer": side("consumer://"), "provider": side(g.one("dubbo://", "empty://", "override://"))}
	case 12:
		c := func() string {
			return g.one("providers", "routers", "configurators", "", "*", "-", "-routers", "-providers", "providers,routers", "dynamicconfigurators", "providers, routers", "-a,providers", "a*", "consumers")
		}
		return fields{"op": "category", "category": c(), "wanted": c()}
	case 13:
		texts := []string{"", "*", "a", "a*", "*a", "a*b", "a*b*", "**", "ab", "aba", "ab*ba", "$host", "$port", "$", "$nosuch", "$group", "$protocol", "$path", "$address", "$username", "$*", "A", "a b", "你*", "*.*", "10.*", "0"}
		in := fields{"op": "glob", "pattern": g.one(texts...), "value": g.one(append(texts, "10.1.0.1", "dubbo", "demo.shop.OrderService", "g1", "20880", "user", "")...)}
		if g.chance(10) {
			in["value"] = nil
		}
		if g.chance(70) {
			in["param"] = g.one("dubbo://user:pw@10.1.0.1:20880/demo.shop.OrderService?group=g1&host=h2", "consumer://10.0.0.9/a?group=", "dubbo://10.1.0.1/a?default.group=g1", "dubbo://10.1.0.1:20880/a?group=a*&address=10.*&protocol=x&port=1&path=p")
		}
		return in
	case 14, 15, 16:
		return fields{"op": "ip", "pattern": g.ipPattern(), "host": g.one("10.1.0.1", "10.1.0.11", "10.1.0.255", "192.168.0.1", "fd00::1", "fd00:0:0:0:0:0:1:11", "127.0.0.1", "0.0.0.0", "fe80:0:0:0:0:0:0:1", "::1", "::ffff:10.1.0.1"), "port": number([]int{20880, 20881, 0, -1, 1, 65535}[g.IntN(6)])}
	case 17:
		return fields{"op": "methodParam", "url": "dubbo://10.1.0.1/demo.shop.OrderService?" + strings.Join(g.some(6, "timeout=1", "default.timeout=2", "getOrder.timeout=3", "default.getOrder.timeout=4", "getOrder.0.timeout=5", "*.timeout=6", "getOrder.timeout=",
			"timeout=", "a.b.timeout=7", "methods=getOrder", "methods=*", "methods=getOrder,putOrder", "get.Order.timeout=8", "default.default.getOrder.timeout=9", ".timeout=1", "getOrder.=3", "getOrder..timeout=2"), "&"),
			"method": g.one("getOrder", "putOrder", "getOrder.0", "", "*", "a.b", "get.Order", "default.getOrder", "getorder"), "key": g.one("timeout", "nokey", "", "0.timeout", ".timeout", "b.timeout", "default.timeout", "Order.timeout")}
	case 18:
		n := g.one("5", "-5", "+5", "007", "0x1F", "1_000", "1e3", "2147483647", "2147483648", "-2147483648", "-2147483649", "", " 5", "5 ", "5.0", "٣", "５", "-", "+", "--5", "99999999999999999999", "0", "-0", "true")
		key := g.one("x", "x", "x", "default.x", "y")
		return fields{"op": "intParam", "url": "dubbo://10.1.0.1/a?" + key + "=" + n, "key": "x", "default": number(g.IntN(3) - 1)}
	default:
		if g.chance(40) {
			v := g.one("true", "false", "TRUE", "True", "", "1", "yes", " true", "true ", "tru", "null", "ｔｒｕｅ")
			return fields{"op": "boolParam", "url": "dubbo://10.1.0.1/a?" + g.one("x", "x", "default.x", "y") + g.one("=", "=", "") + v, "key": "x", "default": g.chance(50)}
		}
		return g.merge()
	}
}

// ipPattern makes an address pattern. Names cost a look-up, so there are none.
func (g *generator) ipPattern() string {
	segment := func() string {
		return g.one("10", "1", "0", "*", "0-11", "1-255", "11-0", "a-b", "00", "000", "01", "255", "256", "1-", "-1", "1-2-3", "", " 1", "0x1", "1*")
	}
	switch g.IntN(5) {
	case 0:
		return g.one("10.1.0.0", "10.1.0.1", "192.168.0.0", "fd00::", "fd00:0:0:0:0:0:1:0", "0.0.0.0", "10.1.0", "") + "/" + g.one("0", "8", "16", "24", "32", "33", "-1", "31", "64", "128", "129", "x", "", "24:20880", "24 ", "+24", "255.0.0.0", "7", "1")
	case 1:
		s := make([]string, 8)
		for i := range s {
			s[i] = g.one("0", "0", "fd00", "1", "*", "0-ff", "11", "0000", "FD00", "f-0", "ffff", "10000")
		}
		out := strings.Join(s, ":")
		if g.chance(40) {
			out = "[" + out + "]" + g.one("", ":20880", ":1", ":*", ":")
		}
		return out
	case 2:
		return g.one("*", "*.*.*.*", "*:20880", "*.*.*.*:20880", "fd00::1", "[fd00::1]:20880", "[fd00::1]", "::1", "fd00::*", "fd00::1-ff", "::", "[::]:20880", "10.1.0.1:", ":20880", "10.1.0.1:20880:1", " 10.1.0.1 ", "10.1.0.*:20880-20881", "10.1.0.1:*", "10.1.0.1: 20880", "10.1.0.*:020880", "[10.1.0.1]:20880")
	default:
		n := 4
		if g.chance(10) {
			n = 3 + 2*g.IntN(2)
		}
		s := make([]string, n)
		for i := range s {
			s[i] = []string{"10", "1", "0", "1"}[i%4]
			if g.chance(35) {
				s[i] = segment()
			}
		}
		// Without * or - the text is looked up as a name.
		out := strings.Join(s, ".")
		if !strings.ContainsAny(out, "*-") {
			out = "10.1.0." + g.one("1", "*", "1-9", "0-255", "01", "256", "1-300", "*1")
		}
		return out + g.one("", "", ":20880", ":20881", ":0", ":")
	}
}

// mergeKeys are the parameters that merging treats in some way, and some plain ones.
func mergeKeys() []string {
	return []string{"application", "remote.application", "timestamp", "remote.timestamp", "dubbo", "version", "group", "methods", "release", "dubbo.tag", "generic", "async", "threads", "threadpool", "threadname",
		"corethreads", "queues", "alive", "transporter", "default.threads", "default.transporter", "default.queues", "reference.filter", "invoker.listener", "default.reference.filter", "side", "timeout", "default.timeout", "getOrder.timeout",
		"weight", "category", "check", "interface", "serialization", "mock", "token", "default.group", "default.version", "default.async", "url-merge-processor0", "exporter.listener", "service.filter", "path", "anyhost", "default.generic"}
}

func (g *generator) mergeValue(key, who string) string {
	if key == "side" {
		return g.one("consumer", "provider")
	}
	return g.one(who+"0", who+"1", who+"1,-"+who, "", "*", "a b")
}

func (g *generator) merge() fields {
	var q []string
	for range g.IntN(9) {
		k := g.one(mergeKeys()...)
		q = append(q, k+"="+g.mergeValue(k, "p"))
	}
	consumer := map[string]any{}
	for range g.IntN(9) {
		k := g.one(mergeKeys()...)
		consumer[k] = g.mergeValue(k, "c")
	}
	return fields{"op": "merge", "provider": "dubbo://" + g.one("", "", "us:pw@") + "10.1.0.1:20880" + g.one("/demo.shop.OrderService", "", "/a") + "?" + strings.Join(q, "&"), "consumerParams": consumer}
}

// mutated edits the texts of a recorded case.
func (g *generator) mutated() fields {
	in := g.recorded()
	op := text(in["op"])
	keys := map[string][]string{"parse": {"url"}, "parseEncoded": {"url"}, "encode": {"text"}, "decode": {"text"}, "match": {"consumer", "provider"}, "category": {"category", "wanted"},
		"glob": {"pattern", "value"}, "methodParam": {"url", "method", "key"}, "intParam": {"url"}, "boolParam": {"url"}, "merge": {"provider"}}[op]
	if len(keys) == 0 { // a mutated address pattern may be a name that is looked up
		in["pattern"] = g.ipPattern()
		return in
	}
	k := g.one(keys...)
	if s, ok := in[k].(string); ok {
		if g.chance(20) {
			in[k] = g.cross(s, text(g.recorded()[k]))
		} else {
			in[k] = g.mutate(s)
		}
	}
	if fmt.Sprint(in[k]) == "" && op != "parse" && g.chance(50) {
		in[k] = "a"
	}
	return in
}
