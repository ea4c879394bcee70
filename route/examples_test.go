package route_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/rule"
	"github.com/dubway-go/dubway/service"
)

// exampleCall is a call under one of the rules of docs/examples/rules, and the providers that may take it: the last
// parts of their addresses, or "all", or "nobody".
type exampleCall struct {
	file string
	host string // of the consumer; also application and parameters, "10.0.0.9 application=web"
	call rpc.Invocation
	want string
}

// exampleFleet is eleven providers: 172.22.3.91 to 98, 172.22.4.1, and two in other networks.
func exampleFleet() *service.Set {
	var list []*service.Instance
	add := func(host string, port int, params ...durl.Param) {
		u := durl.New("dubbo", host, port, "com.example.shop.OrderService", append(params, durl.Param{Key: "application", Value: "shop"})...)
		list = append(list, service.NewInstance(u, u, u))
	}
	region := func(i int) durl.Param {
		return durl.Param{Key: "region", Value: []string{"hangzhou", "beijing"}[i%2]}
	}
	for i := 91; i <= 98; i++ {
		params := []durl.Param{region(i), {Key: "release-train", Value: "stable"}}
		if i == 91 {
			params = []durl.Param{region(i), {Key: "env", Value: "gray"}, {Key: "release-train", Value: "next"}}
		}
		add(fmt.Sprintf("172.22.3.%d", i), 20880, params...)
	}
	add("172.22.4.1", 20880, region(0))
	add("10.0.1.5", 20880, region(1))
	add("172.22.3.11", 20899, region(0))
	return service.NewSet(1, list)
}

func exampleCalls() []exampleCall {
	get := rpc.Invocation{Method: "getOrder", Args: []any{"4711"}}
	put := rpc.Invocation{Method: "putOrder", Args: []any{"42"}}
	with := func(key, value string) rpc.Invocation {
		return rpc.Invocation{Method: "getOrder", Attachments: rpc.Attachments{{Key: key, Value: value}}}
	}
	return []exampleCall{
		{"black-list", "10.20.153.10", get, "nobody"},
		{"black-list", "10.20.153.12", get, "all"},
		{"white-list", "10.20.153.10", get, "all"},
		{"white-list", "10.20.153.12", get, "nobody"},
		{"expose-part", "10.0.0.9", get, "3.11"},
		{"extra-machines", "10.0.0.9 application=important", get, "all"},
		{"extra-machines", "10.0.0.9 application=web", get, "3.91 3.92 3.93 3.94 3.97 3.98 4.1 1.5 3.11"},
		{"read-write-split", "10.0.0.9", get, "3.94 3.95 3.96"},
		{"read-write-split", "10.0.0.9", put, "3.97 3.98"},
		{"front-back-split", "10.0.0.9 application=back-office", get, "3.91 3.92 3.93"},
		{"front-back-split", "10.0.0.9 application=shop-front", get, "3.94 3.95 3.96"},
		{"front-back-split", "10.0.0.9 application=other", get, "all"},
		{"data-centre-isolation", "172.22.3.200", get, "3.91 3.92 3.93 3.94 3.95 3.96 3.97 3.98 3.11"},
		{"data-centre-isolation", "172.22.4.200", get, "4.1"},
		{"data-centre-isolation", "10.0.0.9", get, "all"},
		{"same-host", "172.22.3.95", get, "3.95"},
		{"same-host", "10.0.0.9", get, "all"},
		{"per-method", "10.0.0.9", get, "3.92 3.94 3.96 3.98 4.1 3.11"},
		{"per-method", "10.0.0.9", put, "all"},
		{"per-argument", "10.0.0.9", get, "3.91"},
		{"per-argument", "10.0.0.9", put, "all"},
		{"application", "10.0.0.9 region=beijing", get, "3.91 3.93 3.95 3.97 1.5"},
		{"tag-addresses", "10.0.0.9", with("dubbo.tag", "gray"), "1.5"},
		{"tag-addresses", "10.0.0.9", with("dubbo.tag", "blue"), "3.11"},
		{"tag-addresses", "10.0.0.9", get, "3.91 3.92 3.93 3.94 3.95 3.96 3.97 3.98 4.1"},
		{"tag-match", "10.0.0.9", with("dubbo.tag", "gray"), "3.91"},
		{"weighted", "10.0.0.9", with("tester", "yes"), "3.91"},
		{"affinity-region", "10.0.0.9 region=beijing", get, "3.91 3.93 3.95 3.97 1.5"},
		{"affinity-region", "10.0.0.9 region=paris", get, "all"},
		{"affinity-region", "10.0.0.9", get, "all"},
		{"mesh-canary", "10.0.0.9", with("tester", "yes"), "3.91"},
		{"mesh-canary", "10.0.0.9", put, "3.91"},
		{"mesh-canary", "10.0.0.9", rpc.Invocation{Method: "putOrder", Args: []any{int64(100)}}, "3.92 3.93 3.94 3.95 3.96 3.97 3.98"},
		{"mesh-canary", "10.0.0.9", get, "3.92 3.93 3.94 3.95 3.96 3.97 3.98"},
		{"weighted", "10.0.0.9", put, "one of: 3.91 / 3.92 3.93 3.94 3.95 3.96 3.97 3.98"},
	}
}

// TestDocumentedRules routes calls under each rule of the documentation, in standard and dubbo-3.3 alike.
func TestDocumentedRules(t *testing.T) {
	files, err := filepath.Glob("../docs/examples/rules/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	tried := map[string]bool{}
	for _, c := range exampleCalls() {
		tried[c.file] = true
		for _, d := range []dialect.Dialect{dialect.Standard, dialect.Dubbo33} {
			if got := documented(t, c, d); got != c.want {
				t.Errorf("%s, %s, %s%v, %v: %s, want %s", c.file, c.host, c.call.Method, c.call.Args, d, got, c.want)
			}
		}
	}
	for _, f := range files {
		if name := strings.TrimSuffix(filepath.Base(f), ".yaml"); !tried[name] {
			t.Errorf("example %s is not tried", name)
		}
	}
}

func documented(t *testing.T, c exampleCall, d dialect.Dialect) string {
	t.Helper()
	text, err := os.ReadFile("../docs/examples/rules/" + c.file + ".yaml")
	if err != nil {
		t.Fatal(err)
	}
	host, rest, _ := strings.Cut(c.host, " ")
	var params []durl.Param
	for _, p := range strings.Fields(rest) {
		key, value, _ := strings.Cut(p, "=")
		params = append(params, durl.Param{Key: key, Value: value})
	}
	in := route.Input{Dialect: d, Set: exampleFleet(), Consumer: service.Consumer{URL: durl.New("consumer", host, 0, "com.example.shop.OrderService", params...)}}
	origin := rule.Origin{Source: "file", Name: c.file + ".yaml"}
	switch {
	case strings.HasPrefix(c.file, "affinity-"):
		doc, findings := rule.ParseAffinityDocument(origin, string(text), d)
		if doc == nil {
			t.Fatal(findings)
		}
		in.Rules.Affinity, in.Chain = doc, route.DefaultChain(d).WithAffinity()
	case strings.HasPrefix(c.file, "mesh-"):
		doc, findings := rule.ParseMeshDocument(origin, string(text), d)
		if doc == nil {
			t.Fatal(findings)
		}
		in.Rules.Mesh = map[string]*rule.MeshDocument{"shop": doc}
	case strings.HasPrefix(c.file, "tag-"):
		doc, findings := rule.ParseTagDocument(origin, string(text), d)
		if doc == nil {
			t.Fatal(findings)
		}
		in.Rules.Tag = doc
	default:
		doc, findings := rule.ParseConditionDocument(origin, string(text), d)
		if doc == nil {
			t.Fatal(findings)
		}
		in.Rules.Service = doc
	}
	c.call.Direct = true
	s, notes := route.Compile(in)
	if notes.HasErrors() {
		t.Fatal(notes)
	}
	if !strings.HasPrefix(c.want, "one of: ") {
		return shortAddresses(s.Route(&c.call))
	}
	small, large := "", ""
	for c.call.Seed = range 400 {
		if a := shortAddresses(s.Route(&c.call)); small == "" || len(a) < len(small) {
			small = a
		} else if len(a) > len(large) {
			large = a
		}
	}
	return "one of: " + small + " / " + large
}

// shortAddresses names the candidates by the last two parts of their hosts.
func shortAddresses(c route.Candidates) string {
	switch c.Len() {
	case 0:
		return "nobody"
	case c.Set().Len():
		return "all"
	}
	out := make([]string, c.Len())
	for i := range out {
		parts := strings.Split(c.At(i).Host(), ".")
		out[i] = parts[2] + "." + parts[3]
	}
	return strings.Join(out, " ")
}
