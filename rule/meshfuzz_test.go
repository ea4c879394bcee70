package rule_test

import (
	"os"
	"testing"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/rule"
)

// FuzzParseMeshAndAffinity: no text panics; a document and an error exclude each other; what is printed reads as the same document.
func FuzzParseMeshAndAffinity(f *testing.F) {
	for _, name := range []string{"mesh-canary", "affinity-region"} {
		text, err := os.ReadFile("../docs/examples/rules/" + name + ".yaml")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	const subsets = "kind: DestinationRule\nmetadata: {name: a}\nspec: {subsets: [{name: v1, labels: {ver: 1}}, {}]}\n---\nkind: VirtualService\nmetadata: {name: b.standard}\n"
	for _, s := range []string{"", "text", "--- \n---\n", "kind: DestinationRule\nmetadata: {name: a}\n", subsets, subsets + "spec: text\n", subsets + "spec: {dubbo: [x, {services: [{regex: '('}, y], routedetail: [z, {route: []}]}]}\n",
		subsets + "spec: {dubbo: [{routedetail: [{match: [q, {method: {argc: 1, argp: [{exact: int}], args: [{index: 0, num_value: {oneof: [{exact: .inf, mod: 2.0}, {range: {start: 1.0}}]}}, {bool_value: {exact: true}}, w]}, sourceLabels: {a: [1]}}], route: [{destination: {subset: v1, fallback: {destination: {subset: v2}}}, weight: 2147483647}, {weight: 7}]}]}]}\n",
		"configVersion: v3.1\naffinityAware: {key: region, ratio: 3e1}\n", "configVersion: v3.1\naffinityAware: {key: region, ratio: ' 30f '}\nvalid: false\n", "configVersion: v3.1\naffinityAware: {key: region, ratio: .nan}\n", "configVersion: v3.1\naffinityAware: [key]\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, d := range []dialect.Dialect{dialect.Standard, dialect.Dubbo33} {
			for _, key := range []string{"shop.MESHAPPRULE", "a.B::.affinity-router"} {
				doc, list := rule.Parse(key, text, d)
				checkList(t, text, list)
				if (doc == nil) != list.HasErrors() {
					t.Fatalf("%s %s %q: document %v with %v", key, d, text, doc, list)
				}
				if doc == nil {
					continue
				}
				printed := rule.Format(doc)
				again, list := rule.Parse(key, printed, d)
				if again == nil || rule.Format(again) != printed {
					t.Fatalf("%s %s %q printed as\n%s\nreads as %v\n%v", key, d, text, printed, again, list)
				}
			}
		}
	})
}
