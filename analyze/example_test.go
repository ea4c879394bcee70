package analyze_test

import (
	"fmt"

	"github.com/dubway-go/dubway/analyze"
	"github.com/dubway-go/dubway/dialect"
)

func ExampleLint() {
	found := analyze.Lint(analyze.Text{
		Name: "rule.yaml",
		Key:  "com.example.Order::.condition-router",
		Text: "conditions:\n  - \"=> region=hz|sh\"\n",
	}, analyze.Options{})
	for _, f := range found {
		fmt.Println(f.Error())
	}
	// Output: rule.yaml:2:16: warning DW201: "|" is plain text, there is no "or" (write region=hz,sh if you mean either)
}

func ExampleLint_portability() {
	found := analyze.Lint(analyze.Text{Name: "rule.txt", Text: "zone!=z1 => region=hz"}, analyze.Options{
		Dialect: dialect.Dubbo33, Portability: []dialect.Dialect{dialect.Dubbo27},
	})
	for _, f := range found {
		fmt.Println(f.Code, "kept in", f.Witness.Kept, "dropped in", f.Witness.Dropped)
	}
	// Output: DW310 kept in [dubbo-3.3] dropped in [dubbo-2.7]
}
