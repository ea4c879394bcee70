package script_test

import (
	"fmt"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/rule"
	"github.com/dubway-go/dubway/script"
	"github.com/dubway-go/dubway/service"
)

func Example() {
	var list []*service.Instance
	for _, s := range []string{"dubbo://10.20.3.3:20880/demo.Order?region=north", "dubbo://10.20.3.4:20880/demo.Order?region=south"} {
		u, _ := durl.Parse(s)
		list = append(list, service.NewInstance(u, u, u))
	}
	set := service.NewSet(1, list)
	who, _ := durl.Parse("consumer://10.0.0.9/demo.Order?application=web")

	doc, findings := rule.ParseScriptDocument(rule.Origin{Source: "config-centre", Name: rule.ScriptKey("shop")}, `
configVersion: v3.0
key: shop
type: javascript
script: |
  (function route(invokers, invocation, context) {
    var result = new java.util.ArrayList(invokers.size());
    for (i = 0; i < invokers.size(); i++) {
      if ("10.20.3.3".equals(invokers.get(i).getUrl().getHost())) {
        result.add(invokers.get(i));
      }
    }
    return result;
  } (invokers, invocation, context));
`, dialect.Standard)
	if doc == nil {
		fmt.Println(findings)
		return
	}
	router, findings := script.New(doc, script.Options{})
	if router == nil {
		fmt.Println(findings)
		return
	}
	defer router.Close()
	result := router.Bind(service.Consumer{URL: who}, set).Run(&rpc.Invocation{Method: "get"}, nil)
	for _, i := range result.Kept {
		fmt.Println(set.At(int(i)).Address())
	}
	// Output: 10.20.3.3:20880
}

func ExampleCompile() {
	_, err := script.Compile("for each (x in invokers) x", rule.ScriptJavaScript, script.Limits{})
	fmt.Println(err)
	// Output: 1:1: "for each" is no JavaScript (write for (var x of list))
}
