package rule_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/rule"
)

// unread leaves out that no Dubbo reads affinity rules: the page says so.
func unread(list diag.List) diag.List {
	return slices.DeleteFunc(list, func(d diag.Diagnostic) bool { return d.Code == diag.AffinityUnread && d.Severity == diag.Warning })
}

// TestExamples reads every rule of docs/examples/rules: without a finding in standard and dubbo-3.3, and
// unchanged by printing. Each is told of in docs/rules.md.
func TestExamples(t *testing.T) {
	names, err := filepath.Glob("../docs/examples/rules/*.yaml")
	if err != nil || len(names) < 14 {
		t.Fatalf("%d examples, %v", len(names), err)
	}
	page, err := os.ReadFile("../docs/rules.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(page), "(examples/rules/"+filepath.Base(name)+")") {
				t.Error("docs/rules.md does not link to it")
			}
			key := "com.example.shop.OrderService::.condition-router"
			switch {
			case strings.HasPrefix(filepath.Base(name), "tag-"):
				key = "shop.tag-router"
			case strings.HasPrefix(filepath.Base(name), "affinity-"):
				key = "com.example.shop.OrderService::.affinity-router"
			case strings.HasPrefix(filepath.Base(name), "mesh-"):
				key = "shop.MESHAPPRULE"
			case strings.Contains(string(text), "scope: application"):
				key = "shop-front.condition-router"
			}
			for _, d := range []dialect.Dialect{dialect.Standard, dialect.Dubbo33} {
				doc, list := rule.Parse(key, string(text), d)
				list = unread(list)
				if len(list) > 0 {
					t.Errorf("%s: %v", d, list)
				}
				printed := rule.Format(doc)
				again, list := rule.Parse(key, printed, d)
				list = unread(list)
				if len(list) > 0 || rule.Format(again) != printed {
					t.Errorf("%s: printed as\n%s%v", d, printed, list)
				}
			}
		})
	}
}
