//go:build !race

package rule_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/rule"
)

// TestParseAllocates bounds what a document costs to read. A plain one is read into a few pieces of memory: a hundred conditions take hardly more of them than
// ten. What is not plain goes through the YAML library, which takes nearly thirty for each condition; the guard on that keeps dubway's own share small.
func TestParseAllocates(t *testing.T) {
	conditions := func(r int, line string) string {
		var b strings.Builder
		b.WriteString("configVersion: v3.0\nscope: service\nforce: true\nruntime: true\nenabled: true\nkey: com.example.Order\nconditions:\n")
		for k := range r {
			fmt.Fprintf(&b, line+"\n", k)
		}
		return b.String()
	}
	multi := func(r int) string {
		var b strings.Builder
		b.WriteString("configVersion: v3.1\nscope: service\nforce: true\nenabled: true\nkey: com.example.Order\nconditions:\n")
		for k := range r {
			fmt.Fprintf(&b, "  - from:\n      match: \"method=set%d*\"\n    to:\n      - match: \"region=r1\"\n        weight: 30\n      - match: \"region=r2\"\n        weight: 70\n", k)
		}
		return b.String()
	}
	tags := func(r int) string {
		var b strings.Builder
		b.WriteString("configVersion: v3.0\nforce: false\nenabled: true\nkey: shop\ntags:\n")
		for k := range r {
			fmt.Fprintf(&b, "  - name: t%d\n    addresses:\n", k)
			for j := range 10 {
				fmt.Fprintf(&b, "      - \"10.0.%d.%d:20880\"\n", k, j)
			}
		}
		return b.String()
	}
	const service, application = "com.example.Order::.condition-router", "shop.tag-router"
	for _, c := range []struct {
		name, key, text string
		most            float64
	}{
		{"10 conditions", service, conditions(10, `  - "method=get* => zone!=z%d"`), 32},
		{"100 conditions", service, conditions(100, `  - "method=get* => zone!=z%d"`), 42},
		{"100 conditions without quotes", service, conditions(100, `- method=get* & env=prod => zone=z%d,y & region!=hz`), 50},
		{"100 conditions with escapes", service, conditions(100, `  - "method=get\x2a => zone!=z%d"`), 3200},
		{"100 weighted conditions", service, multi(100), 210},
		{"100 tags of 10 addresses", application, tags(100), 205},
	} {
		got := testing.AllocsPerRun(20, func() {
			if _, list := rule.Parse(c.key, c.text, dialect.Standard); list.HasErrors() {
				t.Fatal(list)
			}
		})
		t.Logf("%s: %v", c.name, got)
		if got > c.most {
			t.Errorf("%s: %v allocations, at most %v are accepted", c.name, got, c.most)
		}
	}
}
