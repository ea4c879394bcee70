package analyze

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/directory"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/rule"
	"github.com/dubway-go/dubway/service"
)

// Sizes of the universe in which dialects are compared.
const (
	maxProviders  = 40
	maxConsumers  = 6
	maxCalls      = 16
	maxSamples    = 8
	maxConditions = 60
)

// absent stands for "does not have it" among the samples of a key.
const absent = "\x00"

// dimensions are the keys that vary, each with its samples, in order of appearance.
type dimensions struct {
	keys    []string
	samples map[string][]string
}

func (d *dimensions) add(key string, values ...string) {
	if d.samples == nil {
		d.samples = map[string][]string{}
	}
	if _, ok := d.samples[key]; !ok {
		if len(d.keys) >= 8 {
			return
		}
		d.keys = append(d.keys, key)
	}
	for _, v := range values {
		if len(d.samples[key]) < maxSamples && !slices.Contains(d.samples[key], v) {
			d.samples[key] = append(d.samples[key], v)
		}
	}
}

// choices returns up to limit assignments of a sample to each key: all of them when they are few, else the first samples with each key varied
// alone, and a fixed draw of others.
func (d *dimensions) choices(limit int) []map[string]string {
	total := 1
	for _, k := range d.keys {
		if total *= len(d.samples[k]); total > limit {
			break
		}
	}
	pick := func(index func(i, n int) int) map[string]string {
		m := make(map[string]string, len(d.keys))
		for i, k := range d.keys {
			m[k] = d.samples[k][index(i, len(d.samples[k]))]
		}
		return m
	}
	var out []map[string]string
	if total <= limit {
		for n := range total {
			rest := n
			out = append(out, pick(func(_, size int) int { v := rest % size; rest /= size; return v }))
		}
		return out
	}
	for at, k := range d.keys {
		for s := range d.samples[k] {
			if len(out) < limit*3/4 {
				out = append(out, pick(func(i, _ int) int {
					if i == at {
						return s
					}
					return 0
				}))
			}
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for len(out) < limit {
		out = append(out, pick(func(_, n int) int { return r.IntN(n) }))
	}
	return out
}

// universe is a small world derived from the values of a rule.
type universe struct {
	consumer, provider, call dimensions
}

// left takes in one left side.
func (u *universe) left(clauses []rule.Clause) {
	for _, c := range clauses {
		values := samplesOf(c)
		switch {
		case c.Key == "method" || c.Key == "methods":
			u.call.add("method", append(values, "other")...)
		case strings.HasPrefix(c.Key, "arguments["), strings.HasPrefix(c.Key, "attachments["):
			u.call.add(c.Key, append(values, "other", absent)...)
		default:
			u.consumer.add(c.Key, append(values, outside(c.Key), absent)...)
		}
	}
}

// right takes in one right side.
func (u *universe) right(clauses []rule.Clause) {
	for _, c := range clauses {
		if strings.HasPrefix(c.Key, "arguments") || strings.HasPrefix(c.Key, "attachments") {
			continue
		}
		for _, v := range slices.Concat(c.In, c.NotIn) {
			if name, ok := strings.CutPrefix(v.Text, "$"); ok && name != "" {
				u.consumer.add(name, sampleFor(name), absent)
				u.provider.add(c.Key, sampleFor(name))
			}
		}
		u.provider.add(c.Key, append(samplesOf(c), outside(c.Key), absent)...)
	}
}

// outside is a value that rules hardly name.
func outside(key string) string {
	switch key {
	case "host":
		return "10.9.9.9"
	case "port":
		return "19"
	case "address":
		return "10.9.9.9:19"
	case "protocol":
		return "tri"
	}
	return "other"
}

// sampleFor is a value that a parameter of that name can have.
func sampleFor(name string) string {
	if name == "host" {
		return "10.0.0.9"
	}
	return "value"
}

// samplesOf returns values that the patterns of a clause tell apart.
func samplesOf(c rule.Clause) []string {
	var out []string
	for _, v := range slices.Concat(c.In, c.NotIn) {
		text := v.Text
		if strings.HasPrefix(text, "$") {
			continue
		}
		if low, high, ok := strings.Cut(text, "~"); ok {
			a, errA := strconv.Atoi(low)
			b, errB := strconv.Atoi(high)
			if errA == nil {
				out = append(out, strconv.Itoa(a))
			}
			if errB == nil {
				out = append(out, strconv.Itoa(b+1))
			}
			if errA == nil && errB == nil {
				out = append(out, strconv.Itoa((a+b)/2))
			}
		}
		if i := strings.LastIndexByte(text, '*'); i >= 0 {
			out = append(out, text[:i]+"1"+text[i+1:])
		}
		out = append(out, text)
	}
	return out
}

const iface = "com.example.Service"

// providers returns the URLs of the universe's providers. A sample that makes no URL is left out.
func (u *universe) providers() []durl.URL {
	var out []durl.URL
	for i, m := range u.provider.choices(maxProviders) {
		host, port, scheme := "10.8.0."+strconv.Itoa(i+1), 20880, "dubbo"
		var params []durl.Param
		application := "provider-app"
		for _, k := range u.provider.keys {
			v := m[k]
			if v == absent {
				if k == "application" {
					application = ""
				}
				continue
			}
			switch k {
			case "host":
				host = v
			case "port":
				if n, err := strconv.Atoi(v); err == nil {
					port = n
				}
			case "protocol":
				if v == "dubbo" || v == "tri" || v == "rest" {
					scheme = v
				}
			case "address":
				h, p, ok := strings.Cut(v, ":")
				n, err := strconv.Atoi(p)
				if ok && err == nil && h != "" {
					host, port = h, n
				}
			case "application":
				application = v
			case "path", "username", "password", "interface", "side", "disabled", "enabled", "category":
			default:
				params = append(params, durl.Param{Key: k, Value: v})
			}
		}
		if strings.ContainsAny(host, "/?&=;#@[]*:$| ") || port < 1 || port > 65535 {
			continue
		}
		if application != "" {
			params = append(params, durl.Param{Key: "application", Value: application})
		}
		out = append(out, durl.New(scheme, host, port, iface, append(params, durl.Param{Key: "interface", Value: iface})...))
	}
	return out
}

// consumers returns the URLs of the universe's consumers.
func (u *universe) consumers() []durl.URL {
	var out []durl.URL
	for _, m := range u.consumer.choices(maxConsumers) {
		host := "10.0.0.9"
		params := []durl.Param{{Key: "interface", Value: iface}, {Key: "side", Value: "consumer"}}
		application := "consumer-app"
		for _, k := range u.consumer.keys {
			switch v := m[k]; {
			case v == absent:
			case k == "host":
				host = v
			case k == "application":
				application = v
			case builtIn(k) || k == "side" || k == "category" || k == "check" || k == "group" || k == "version" || k == "router":
			default:
				params = append(params, durl.Param{Key: k, Value: v})
			}
		}
		if !strings.ContainsAny(host, "/?&=;#@[]*:$| ") {
			out = append(out, durl.New("consumer", host, 0, iface, append(params, durl.Param{Key: "application", Value: application})...))
		}
	}
	return out
}

// calls returns the universe's calls: direct ones, because generic ones show themselves under another name to old versions whatever the rule is.
func (u *universe) calls() []rpc.Invocation {
	if len(u.call.keys) == 0 {
		return []rpc.Invocation{{Method: "get", Direct: true}}
	}
	var out []rpc.Invocation
	for _, m := range u.call.choices(maxCalls) {
		inv := rpc.Invocation{Method: "get", Direct: true}
		for _, k := range u.call.keys {
			v := m[k]
			if v == absent {
				continue
			}
			name := k[strings.IndexByte(k, '[')+1:]
			if end := strings.IndexByte(name, ']'); end >= 0 {
				name = name[:end]
			}
			switch {
			case k == "method":
				inv.Method = v
			case strings.HasPrefix(k, "arguments["):
				n, err := strconv.Atoi(name)
				if err != nil || n < 0 || n > 15 {
					continue
				}
				for len(inv.Args) <= n {
					inv.Args = append(inv.Args, "x")
				}
				inv.Args[n] = v
			case name != "":
				inv.Attachments = append(inv.Attachments, rpc.Attachment{Key: name, Value: v})
			}
		}
		out = append(out, inv)
	}
	return out
}

// input returns what a dialect's engine gets for a consumer and providers: the URLs as that version's directory merges them.
func input(d dialect.Dialect, consumer durl.URL, providers []durl.URL) (route.Input, bool) {
	key := service.Key{Interface: consumer.Interface()}
	dir, err := directory.Static(key, consumer, providers, directory.Options{Dialect: d})
	if err != nil {
		return route.Input{}, false
	}
	set := dir.Snapshot().Set()
	if dir.Close() != nil {
		return route.Input{}, false
	}
	return route.Input{Dialect: d, Consumer: service.Consumer{URL: consumer}, Set: set}, true
}
