package main

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// params are the names that rules of the corpus ask for.
func params() []string {
	return []string{"region", "env", "zone", "level", "application", "remote.application", "dubbo.tag", "methods", "weight", "group", "version", "k", "ver", "cell", "rack", "empty", "interface",
		"side", "protocol", "host", "category", "mock.x", "default.env", "getOrder.k", "dubbo.force.tag", "k2", "flag", "timestamp"}
}

func values() []string {
	return []string{"", "north", "south", "north-1", "gray", "prod", "1", "2", "10", "-5", "007", "1.0", "0x10", "*", "n*", "a*b", "**", "$region", "$", "a,b", "a|b", "1~5", "~", "true", "null", "%20", "%2C",
		"a%3Db", "+", "a+b", "北", "%E5%8C%97", "é", "shop", "store", "web", "red", "canary", "2147483648", "9999999999999999999", "1e3", "٣", "A", "North", " north", "north ", "red|blue", "=", "&", "!"}
}

// provider changes the providers.
func (m *mutator) provider(c *routerCase) {
	if len(c.Providers) == 0 {
		return
	}
	i := m.below(len(c.Providers))
	switch m.below(12) {
	case 0:
		c.Providers = append(c.Providers, c.Providers[i])
	case 1:
		o := m.other()
		if len(o.Providers) > 0 {
			c.Providers = append(c.Providers, m.from(o.Providers))
		}
	case 2: // a script of a URL is not asked about no provider at all
		c.Providers = c.Providers[:1+m.below(len(c.Providers))]
	case 3:
		j := m.below(len(c.Providers))
		c.Providers[i], c.Providers[j] = c.Providers[j], c.Providers[i]
	case 4:
		if at := strings.Index(c.Providers[i], "://"); at > 0 {
			rest := c.Providers[i][at+3:]
			if slash := strings.IndexByte(rest, '/'); slash > 0 {
				host := m.pick("10.1.0.1:20880", "10.1.0.1:20881", "10.1.0.1", "10.1.0.1:0", "10.2.3.4:50051", "192.168.0.255:1", "0.0.0.0:20880", "127.0.0.1:20880", "255.255.255.255:65535", "10.0.0.9:20880")
				c.Providers[i] = c.Providers[i][:at+3] + host + rest[slash:]
			}
		}
	case 5:
		if at := strings.Index(c.Providers[i], "://"); at > 0 {
			c.Providers[i] = m.pick("dubbo", "tri", "rest", "mock", "injvm", "hessian") + c.Providers[i][at:]
		}
	default:
		was, changed := c.Providers[i], m.query(c.Providers[i])
		if c.Area == "mesh" && strings.Count(was, "application=") != strings.Count(changed, "application=") {
			return // every provider of a mesh is of an application, as in a directory
		}
		c.Providers[i] = changed
	}
}

// query changes one parameter of a URL.
func (m *mutator) query(u string) string {
	at := strings.IndexByte(u, '?')
	if at < 0 {
		return u + "?" + m.from(params()) + "=" + m.value()
	}
	pairs := strings.Split(u[at+1:], "&")
	i := m.below(len(pairs))
	switch m.below(6) {
	case 0:
		pairs = slices.Delete(pairs, i, i+1)
	case 1:
		pairs = append(pairs, m.from(params())+"="+m.value())
	case 2:
		name, _, _ := strings.Cut(pairs[i], "=")
		pairs = append(pairs, name+"="+m.value())
	case 3:
		pairs = slices.Insert(pairs, i, m.from(params())+m.pick("", "=", "==x", "=a=b"))
	default:
		name, _, _ := strings.Cut(pairs[i], "=")
		if name != "interface" || m.one(10) {
			pairs[i] = name + "=" + m.value()
		}
	}
	if len(pairs) == 0 {
		return u[:at]
	}
	return u[:at+1] + strings.Join(pairs, "&")
}

func (m *mutator) value() string { return m.from(values()) }

func (m *mutator) consumer(c *routerCase) {
	if m.one(6) {
		if _, rest, ok := strings.Cut(c.Consumer, "://"); ok {
			if slash := strings.IndexByte(rest, '/'); slash > 0 {
				c.Consumer = "consumer://" + m.pick("10.0.0.9", "10.0.1.20", "127.0.0.1", "10.0.0.9:80", "0.0.0.0") + rest[slash:]
				return
			}
		}
	}
	if m.one(8) && (strings.HasPrefix(strings.Join(c.Routers, ""), "chain")) {
		sep := "&"
		if !strings.Contains(c.Consumer, "?") {
			sep = "?"
		}
		c.Consumer += sep + "router=" + m.pick("-tag", "-service", "-app", "-default", "-mock", "tag", "default,-tag", "-provider-app", "-standard-mesh-rule", "-affinity-service", "-nosuch", "app,service", "-tag,-app")
		return
	}
	c.Consumer = m.query(c.Consumer)
}

// call changes the call.
func (m *mutator) call(c *routerCase) {
	k := c.Call
	if k == nil {
		return
	}
	switch m.below(9) {
	case 0:
		k.Method = m.pick("getOrder", "get", "listOrders", "putOrder", "saveAll", "addItem", "getStock", "setStock", "$invoke", "$invokeAsync", "$echo", "GETORDER", "toString", "x", "get*", "名", "sayHello", "findUser")
	case 1:
		k.Generic = !k.Generic
	case 2, 3:
		k.Args, k.ArgTypes = nil, nil
		for range m.below(4) {
			v, t := m.argument()
			k.Args, k.ArgTypes = append(k.Args, v), append(k.ArgTypes, t)
		}
	case 4:
		if len(k.Args) > 0 {
			k.Args, k.ArgTypes = nil, nil
		}
	default:
		if k.Attachments == nil {
			k.Attachments = map[string]any{}
		}
		name := m.pick("dubbo.tag", "dubbo.force.tag", "env", "lane", "level", "user", "x.y", "region", "color", "k", "id", "", "a b", "键", "path", "interface", "group", "version", "dubbo.tag ", "Env")
		if m.one(2) {
			if keys := sortedKeys(k.Attachments); len(keys) > 0 {
				name = m.from(keys)
			}
		}
		if name == "invocation.need.mock" {
			return // Dubbo's own, and always text
		}
		switch m.below(8) {
		case 0:
			delete(k.Attachments, name)
		case 1:
			k.Attachments[name] = m.below(20)
		default:
			v := m.value()
			if strings.Contains(name, "tag") && m.one(2) {
				v = m.pick("red", "canary", "blue", "gray", "true", "false", "TRUE", "yes", "1", "red|blue", "red|", "|red", "a|b|c", "", " ", "nosuch", "red|blue|nosuch", "||")
			}
			k.Attachments[name] = v
		}
	}
}

func (m *mutator) argument() (any, string) {
	switch m.below(7) {
	case 0:
		return m.below(200) - 50, "int"
	case 1:
		return m.below(200) - 50, "long"
	case 2:
		return m.one(2), "boolean"
	case 3:
		return nil, "java.lang.String"
	case 4:
		return m.below(200) - 50, "java.lang.Integer"
	default:
		v, err := url.QueryUnescape(m.value())
		if err != nil {
			v = "x"
		}
		return v, "java.lang.String"
	}
}

// ruleURL changes a rule that stands in a registry URL.
func (m *mutator) ruleURL(u string) string {
	head, query, ok := strings.Cut(u, "?")
	if !ok {
		return u
	}
	pairs := strings.Split(query, "&")
	for i, p := range pairs {
		name, v, _ := strings.Cut(p, "=")
		if name != "rule" || !m.one(2) {
			continue
		}
		text, err := url.QueryUnescape(v)
		if err != nil || strings.Contains(text, "function") {
			continue
		}
		pairs[i] = "rule=" + url.QueryEscape(m.condition(text))
		return head + "?" + strings.Join(pairs, "&")
	}
	switch m.below(4) {
	case 0:
		if !strings.HasPrefix(u, "route://") {
			return u // the protocol says which router it is
		}
		return m.pick("condition", "script", "route", "tag", "file") + "://" + strings.SplitN(u, "://", 2)[1]
	case 1:
		return u + "&" + m.pick("force=true", "force=false", "force=TRUE", "force=yes", "enabled=false", "enabled=true", "enabled=0", "priority=1", "priority=-1", "priority=x", "runtime=false", "runtime=true", "router=condition",
			"router=script", "router=", "dynamic=true", "category=configurators", "disabled=true")
	case 2:
		return head + "?" + fmt.Sprint(strings.Join(slices.Delete(pairs, 0, 1), "&"))
	}
	return u
}
