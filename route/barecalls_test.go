package route_test

import (
	"fmt"
	"testing"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/rule"
)

// TestBareCallsAreToldApart: calls that a snapshot remembers by the short way get what they get by the long one, in whatever order they come: with no
// attachment, with one that no rule asks for, with one that has only the length of a key that rules ask for, and with such a key.
func TestBareCallsAreToldApart(t *testing.T) {
	attachments := map[string]rpc.Attachments{
		"none":       nil,
		"unrelated":  {{Key: "traceparent", Value: "00-1"}},
		"same size":  {{Key: "dubbo_tag", Value: "gray"}},
		"tag":        {{Key: "traceparent", Value: "00-1"}, {Key: rpc.TagKey, Value: "gray"}},
		"forced tag": {{Key: rpc.TagKey, Value: "blue"}, {Key: rpc.ForceTagKey, Value: "true"}},
		"user":       {{Key: "user", Value: "7"}},
	}
	const rules = "enabled: true\nforce: false\nconditions:\n- \"method=get => region=hz\"\n- \"attachments[user]=7 => region=bj\"\n"
	for _, d := range dialect.All() {
		in := between(t, route.Input{Dialect: d}, "consumer://10.0.0.9/a.B?application=web&dubbo.tag=silver&dubbo.force.tag=true",
			[]string{"dubbo://10.0.0.1:1/a.B?dubbo.tag=gray", hz, bj, noRegion})
		var findings diag.List
		in.Rules.Service, findings = rule.ParseConditionDocument(rule.Origin{Name: "a.B::.condition-router"}, rules, d)
		if err := findings.Err(); err != nil {
			t.Fatal(err)
		}
		answer := func(s *route.Snapshot, method, what string) string {
			return fmt.Sprint(indexes(s.Route(&rpc.Invocation{Method: method, Attachments: attachments[what]})))
		}
		warm, _ := route.Compile(in)
		for range 4 { // maps give the calls in another order each time
			for what := range attachments {
				for _, method := range []string{"get", "put", "list"} {
					cold, _ := route.Compile(in)
					if got, want := answer(warm, method, what), answer(cold, method, what); got != want {
						t.Errorf("%v, %s, attachments %s: %s, the first time %s", d, method, what, got, want)
					}
				}
			}
		}
	}
}
