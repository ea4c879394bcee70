package route_test

import (
	"testing"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/rule"
)

// TestAffinityDifferences runs the rows A of docs/dialects.md. The dubbo-3.3 answers are those of a consumer that registered the routers.
func TestAffinityDifferences(t *testing.T) {
	head := "configVersion: v3.1\n"
	two := []string{hz, bj}
	levels := []string{"dubbo://10.0.0.1:1/a.B?level=7", "dubbo://10.0.0.2:1/a.B?level=5~10"}
	for _, c := range []struct {
		id, text, consumer string
		providers          []string
		application        bool
		keep               [2]string // dubbo-3.3, standard
	}{
		{"A1", head + "affinityAware: {key: region}", web + "&region=sh", two, false, [2]string{"[]", "[0 1]"}},
		{"A2", head + "affinityAware: {key: rack}", web, two, false, [2]string{"[]", "[0 1]"}},
		{"A3", head + "affinityAware: {key: level}", web + "&level=5~10", levels, false, [2]string{"[0]", "[1]"}},
		{"A4", head + "affinityAware: {key: host, ratio: 20}", "consumer://10.0.0.1/a.B", two, false, [2]string{"[0 1]", "[0]"}},
		{"A5", head + "affinityAware: {key: region, ratio: 20}", web + "&region=hz", two, true, [2]string{"[0 1]", "[0]"}},
		{"A6", head + "valid: false\naffinityAware: {key: region, ratio: 20}", web + "&region=hz", two, false, [2]string{"refused", "[0 1]"}},
		{"A7", head + "affinityAware: {key: region, ratio: .nan}", web + "&region=hz", two, false, [2]string{"[0 1]", "refused"}},
		{"alike", head + "affinityAware: {key: region, ratio: 50}", web + "&region=hz", two, false, [2]string{"[0]", "[0]"}},
		{"too few", head + "affinityAware: {key: region, ratio: 50.1}", web + "&region=hz", two, false, [2]string{"[0 1]", "[0 1]"}},
		{"off", head + "enabled: false\naffinityAware: {key: region}", web + "&region=hz", two, false, [2]string{"[0 1]", "[0 1]"}},
	} {
		for i, d := range []dialect.Dialect{dialect.Dubbo33, dialect.Standard} {
			doc, _ := rule.ParseAffinityDocument(rule.Origin{}, c.text, d)
			got := "refused"
			if doc != nil {
				in := route.Input{Dialect: d, Chain: route.DefaultChain(d).WithAffinity(), Rules: route.Rules{Affinity: doc}}
				if c.application {
					in.Rules = route.Rules{AffinityApplication: doc}
				}
				got = answer(t, in, c.consumer, c.providers, rpc.Invocation{Method: "get", Direct: true})
			}
			if got != c.keep[i] {
				t.Errorf("%s, %v: %s, documented %s", c.id, d, got, c.keep[i])
			}
		}
	}
}

// TestAffinityUnread: without the routers the document changes nothing and is remarked upon.
func TestAffinityUnread(t *testing.T) {
	doc, findings := rule.ParseAffinityDocument(rule.Origin{Name: "a.B::.affinity-router"}, "configVersion: v3.1\naffinityAware: {key: region, ratio: 1}\n", dialect.Dubbo33)
	if doc == nil || len(findings) != 1 || findings[0].Code != diag.AffinityUnread {
		t.Fatal(findings)
	}
	for _, d := range dialect.All() {
		in := route.Input{Dialect: d, Rules: route.Rules{Affinity: doc, AffinityApplication: doc}}
		want := "[0 1]"
		if d == dialect.Standard {
			want = "[0]"
		}
		if got := answer(t, in, web+"&region=hz", []string{hz, bj}, rpc.Invocation{Method: "get", Direct: true}); got != want {
			t.Errorf("%v: %s", d, got)
		}
		_, notes := route.Compile(in)
		if unread := len(notes) > 0 && notes[0].Code == diag.AffinityUnread; unread != (d != dialect.Standard) {
			t.Errorf("%v: %v", d, notes)
		}
	}
}
