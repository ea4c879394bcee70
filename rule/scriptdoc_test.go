package rule_test

import (
	"strings"
	"testing"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/rule"
)

func codes(l diag.List) string {
	var out []string
	for _, d := range l {
		out = append(out, d.Severity.String()+" "+d.Code)
	}
	return strings.Join(out, ", ")
}

func TestScriptDocuments(t *testing.T) {
	for _, c := range []struct {
		text, standard, dubbo33 string
		language                string
	}{
		{"script: invokers\n", "", "", "javascript"},
		{"configVersion: v3.0\nscope: application\nkey: shop\nenabled: false\nforce: true\nruntime: true\ntype: js\nscript: |\n  invokers\n", "", "", "javascript"},
		{"type: JAVASCRIPT\nscript: invokers\n", "", "warning DW195", "javascript"},
		{"type: expr\nscript: port == 1\n", "", "warning DW195", "expr"},
		{"type: groovy\nscript: invokers\n", "error DW195", "warning DW195", ""},
		{"type: javascript\n", "error DW196", "warning DW196", "javascript"},
		{"enabled: false\n", "warning DW196", "warning DW196", "javascript"},
		{"script: \" \"\n", "error DW196", "warning DW196", "javascript"},
		{"script: 5\n", "", "error DW145", "javascript"},
		{"script: [a]\n", "error DW145", "error DW145", "javascript"},
		{"scirpt: invokers\n", "warning DW211, error DW196", "warning DW211, warning DW196", "javascript"},
		{"", "error DW144", "error DW144", ""},
		{"script: \"" + strings.Repeat("x", rule.MaxScriptLength+1) + "\"\n", "error DW140", "error DW140", ""},
	} {
		for d, want := range map[dialect.Dialect]string{dialect.Standard: c.standard, dialect.Dubbo33: c.dubbo33} {
			doc, list := rule.ParseScriptDocument(rule.Origin{Name: "shop.script-router"}, c.text, d)
			got := map[string]bool{}
			for _, w := range strings.Split(codes(list), ", ") {
				got[w] = true
			}
			for _, w := range strings.Split(want, ", ") {
				if !got[w] || len(got) != len(strings.Split(want, ", ")) {
					t.Errorf("%.60q in %s: %q, want %q", c.text, d, codes(list), want)
					break
				}
			}
			if (doc == nil) != list.HasErrors() {
				t.Errorf("%.60q in %s: document %v with %v", c.text, d, doc, list)
			}
			if d == dialect.Standard && doc != nil && doc.Language(d) != c.language {
				t.Errorf("%.60q: language %q", c.text, doc.Language(d))
			}
		}
	}
	if doc, list := rule.Parse("shop.script-router", "script: invokers\n", dialect.Standard); doc == nil || doc.DocumentOrigin().Name != "shop.script-router" {
		t.Error(doc, list)
	}
	if _, list := rule.ParseScriptDocument(rule.Origin{}, "script: invokers\n", dialect.Dubbo27); codes(list) != "warning DW301" {
		t.Error(list)
	}
}

func TestScriptURLs(t *testing.T) {
	text := "script://0.0.0.0/demo.Order?category=routers&type=js&priority=3&rule=" + durl.Encode("a; \"b\"; é %") + "&force=true"
	doc, list := rule.ParseScriptURL(text, dialect.Dubbo27)
	if doc == nil || doc.Script != "a; \"b\"; é %" || doc.Priority != 3 || !doc.Force || doc.Language(dialect.Dubbo27) != rule.ScriptJavaScript || doc.Key != "demo.Order" {
		t.Fatalf("%+v %v", doc, list)
	}
	if at := doc.At(3); text[at.Col-1:at.EndCol-1] != "%22" {
		t.Errorf("offset 3 stands at %+v", at)
	}
	for text, want := range map[string]string{
		"route://0.0.0.0/a.B?router=script&rule=x": "", "script://0.0.0.0/a.B?rule=": "error DW120", "script://0.0.0.0/a.B": "error DW120", "script://0.0.0.0/a.B?type=nosuch&rule=x": "error DW195",
		"condition://0.0.0.0/a.B?rule=x": "error DW110", "script://0.0.0.0/a.B?rule=+": "error DW196", "script://0.0.0.0/a.B?rule=%zz": "error DW106", "script://0.0.0.0/a.B?rule=x&priority=y": "error DW108",
	} {
		if _, list := rule.ParseScriptURL(text, dialect.Standard); codes(list) != want {
			t.Errorf("%s: %q, want %q", text, codes(list), want)
		}
	}
	if doc, _ := rule.ParseScriptURL("script://0.0.0.0/a.B?rule=x", dialect.Dubbo26); doc == nil || doc.Priority != 1 {
		t.Errorf("%+v", doc)
	}
}
