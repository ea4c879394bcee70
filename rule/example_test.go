package rule_test

import (
	"fmt"
	"os"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/rule"
)

func ExampleParseCondition() {
	c, list := rule.ParseCondition("method=get*,list* & application!=web => region = $region", dialect.Standard)
	if list.HasErrors() {
		fmt.Println(list)
		return
	}
	for _, clause := range c.When {
		fmt.Println(clause.Key, len(clause.In), len(clause.NotIn))
	}
	fmt.Println(c)
	// Output:
	// method 2 0
	// application 0 1
	// method=get*,list* & application!=web => region=$region
}

func ExampleParse() {
	text := "force: true\nconditions:\n  - \"method=get* => region==hz\"\n  - \"=> zone=z1|z2\"\n"
	_, list := rule.Parse("com.example.Order::.condition-router", text, dialect.Standard)
	_ = list.Render(os.Stdout, text)
	// Output:
	// com.example.Order::.condition-router:3:27: error DW121: "==" is no separator
	//    3 |   - "method=get* => region==hz"
	//      |                           ^^
	//      = hint: write one "="
	// com.example.Order::.condition-router:4:14: warning DW201: "|" is plain text, there is no "or"
	//    4 |   - "=> zone=z1|z2"
	//      |              ^^^^^
	//      = hint: write zone=z1,z2 if you mean either
}

func ExampleParseRouteURL() {
	doc, list := rule.ParseRouteURL("route://0.0.0.0/com.example.Order?category=routers&router=condition&force=true&rule=host%3D10.0.*+%3D%3E+false", dialect.Standard)
	fmt.Println(doc.Conditions[0], doc.Force, doc.Conditions[0].Blacklist, len(list))
	// Output: host=10.0.* => false true true 0
}

func ExampleParseKey() {
	k, _ := rule.ParseKey("com.example.Order:1.0:.condition-router")
	iface, version, group, _ := k.Service()
	fmt.Printf("%s %s %q %q\n", k.Kind, iface, version, group)
	_, err := rule.ParseKey("com.example.Order.conditions")
	fmt.Println(err != nil)
	// Output:
	// condition-router com.example.Order "1.0" ""
	// true
}
