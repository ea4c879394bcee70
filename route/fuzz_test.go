package route_test

import (
	"slices"
	"testing"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/rule"
	"github.com/dubway-go/dubway/service"
)

// FuzzCondition: whatever the text of a condition and the values of a call, every dialect compiles it, answers as the
// naive evaluator does, and explains what it answered.
func FuzzCondition(f *testing.F) {
	for _, text := range []string{"method=get* => region=$region", "=> false", "arguments[0]!=x => level=5~10,~3 & zone!=z*", "attachments[env]=a,b & host=10.* => address=*:20880",
		"a=1 & b,2 => y", "arguments[x]=*=> attachments[a.b]!=1", "level=99999999999~5 => level=1~~x", "consumer.region=hz => provider.port=20881"} {
		f.Add(text, "get", "7", "gray")
	}
	f.Fuzz(func(t *testing.T, text, method, value, tag string) {
		for _, d := range dialect.All() {
			condition, findings := rule.ParseCondition(text, d)
			if findings.HasErrors() {
				continue
			}
			doc := &rule.ConditionDocument{Enabled: true, Valid: true, Force: len(text)%2 == 0, Conditions: []rule.Condition{condition}}
			var list []*service.Instance
			for i, label := range []string{"hz", "bj", value, ""} {
				u := durl.New("dubbo", "10.0.0.1", 20880+i%2, "a.B", durl.Param{Key: "region", Value: label}, durl.Param{Key: "level", Value: value})
				if i == 3 {
					u = u.Without("region").With("dubbo.tag", tag)
				}
				list = append(list, service.NewInstance(u, u, u))
			}
			in := route.Input{Dialect: d, Set: service.NewSet(1, list), Rules: route.Rules{Service: doc, URL: []*rule.ConditionDocument{doc}},
				Consumer: service.Consumer{URL: durl.New("consumer", "10.0.0.9", 0, "a.B", durl.Param{Key: "region", Value: value}, durl.Param{Key: "zone", Value: method})}}
			inv := &rpc.Invocation{Method: method, Direct: len(value)%2 == 0, Args: []any{value, int64(len(text)), nil},
				Attachments: rpc.Attachments{{Key: "env", Value: value}, {Key: "dubbo.tag", Value: tag}}}
			s, _ := route.Compile(in)
			got := indexes(s.Route(inv))
			want := (&naive{d: d, consumer: in.Consumer.URL, list: list, rules: in.Rules, inv: inv}).route()
			if !slices.Equal(got, want) {
				t.Fatalf("%v: engine %v, naive %v\n%s", d, got, want, describe(in, list, inv, s))
			}
			if trace := s.Explain(inv); len(trace.Left) != len(want) {
				t.Fatalf("%v: explain leaves %v, want %d", d, trace.Left, len(want))
			}
		}
	})
}
