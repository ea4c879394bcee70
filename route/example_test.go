package route_test

import (
	"fmt"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/rule"
	"github.com/dubway-go/dubway/service"
)

// A directory compiles a snapshot when something changes; a call asks it where it may go, and why.
func ExampleCompile() {
	var list []*service.Instance
	for _, text := range []string{
		"dubbo://10.0.0.1:20880/com.example.OrderService?application=order&region=hz",
		"dubbo://10.0.0.2:20880/com.example.OrderService?application=order&region=bj",
	} {
		u, err := durl.Parse(text)
		if err != nil {
			fmt.Println(err)
			return
		}
		list = append(list, service.NewInstance(u, u, u))
	}
	me, err := durl.Parse("consumer://10.0.0.9/com.example.OrderService?application=web&region=bj")
	if err != nil {
		fmt.Println(err)
		return
	}
	condition, findings := rule.ParseCondition("method=get* => region=$region", dialect.Standard)
	if err := findings.Err(); err != nil {
		fmt.Println(err)
		return
	}
	snapshot, _ := route.Compile(route.Input{
		Consumer: service.Consumer{URL: me},
		Set:      service.NewSet(1, list),
		Rules: route.Rules{Service: &rule.ConditionDocument{
			Origin:  rule.Origin{Name: "com.example.OrderService::.condition-router"},
			Enabled: true, Valid: true, Conditions: []rule.Condition{condition},
		}},
	})

	call := rpc.Invocation{Method: "getOrder"}
	candidates := snapshot.Route(&call)
	for i := range candidates.Len() {
		fmt.Println(candidates.At(i).Address())
	}
	fmt.Println(snapshot.Explain(&call).Short())
	// Output:
	// 10.0.0.2:20880
	// 2 providers; service rule com.example.OrderService::.condition-router:1:1 "method=get* => region=$region" left 1 (kept)
}
