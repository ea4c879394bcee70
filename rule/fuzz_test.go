package rule_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/rule"
)

// checkList looks at what every list of findings must have.
func checkList(t *testing.T, text string, list diag.List) {
	t.Helper()
	lines := strings.Count(text, "\n") + 1
	for _, d := range list {
		if d.Code == "" || d.Message == "" || d.Span.Line > lines || d.Span.Line > 0 && d.Span.Col < 1 ||
			d.Span.EndLine != 0 && (d.Span.EndLine < d.Span.Line || d.Span.EndLine == d.Span.Line && d.Span.EndCol < d.Span.Col) {
			t.Fatalf("finding %+v about %q", d, text)
		}
	}
	var b strings.Builder
	if err := list.Render(&b, text); err != nil || len(list) > 0 && b.Len() == 0 {
		t.Fatalf("cannot render %v: %v", list, err)
	}
}

// FuzzParseCondition: no text panics, and what is printed reads as the same condition.
func FuzzParseCondition(f *testing.F) {
	for _, s := range []string{"", "=>", "a=1,2 & b!=3 => host=$host", "=> a==1", "true => false", "a= & b=1 =>", "x => y=1 => z=2", "=> &&", "a=1 b=2", "=> a=1 & b,2",
		"consumer.host=1 => provider.port=2", "conconsumer.sumer.=1 =>", "arguments[0]=1 & attachments[dubbo.tag]=g => k=1~5", "\u3000=> a=\u3000", "a= > b =>", "& true =>", "=> & false", "TRUE =>", "=> a=proprovider.vider.x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, d := range dialect.All() {
			c, list := rule.ParseCondition(s, d)
			checkList(t, s, list)
			if list.HasErrors() {
				continue
			}
			again, list := rule.ParseCondition(c.String(), d)
			if list.HasErrors() || again.String() != c.String() || again.Blacklist != c.Blacklist || !sameClauses(again.When, c.When) || !sameClauses(again.Then, c.Then) {
				t.Fatalf("%s: %q printed as %q, which reads as %q %v", d, s, c, again, list)
			}
		}
	})
}

func sameClauses(a, b []rule.Clause) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Key != b[i].Key || !sameValues(a[i].In, b[i].In) || !sameValues(a[i].NotIn, b[i].NotIn) {
			return false
		}
	}
	return true
}

func sameValues(a, b []rule.Value) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Text != b[i].Text {
			return false
		}
	}
	return true
}

// FuzzParseDocument: no text panics or ends in a nil document without an error, and the canonical
// text is stable.
func FuzzParseDocument(f *testing.F) {
	examples, err := filepath.Glob("../docs/examples/rules/*.yaml")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range examples {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	for _, s := range []string{"", "a", "[", "conditions:\n- => a=1\n", "conditions: [{from: {match: a=1}, to: []}]\nconfigVersion: v3.1\n", "a: &a [*a]\n", "a: &a 1\nb: *a\n<<: {force: true}\nconditions: ['=> a=1']\n",
		"tags:\n- name: g\n  addresses: [\"10.0.0.1:20880\", '10.0.0.0/8']\n", "configVersion: v3.0\ntags:\n- name: b\n  match:\n  - key: env\n    value: {exact: \"x\", empty: ''}\n",
		"conditions:\n- >-\n  a=1\n\n  => b==1\n- |+\n  => c=1\n", "---\na: 1\n---\nb: 2\n", "? - - a\n: b\n", "\"\\ud83d\\ude00\": 1", "conditions: [\"=> a=\\x85\"]", "force: yes\npriority: 0x1F\nconditions: [5, null, 1.0, 2001-01-01]\n", "%YAML 1.1\n--- !!map\nconditions: [! '=> a=1']\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, d := range dialect.All() {
			for _, key := range []string{"a.B::.condition-router", "shop.tag-router"} {
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
				if again == nil && onlyLacksConditions(doc, d) {
					continue
				}
				if again == nil || rule.Format(again) != printed {
					t.Fatalf("%s %s %q printed as\n%s\nreads as %v\n%v", key, d, text, printed, again, list)
				}
			}
			if doc, list := rule.ParseRouteURL("condition://0.0.0.0/a.B?rule="+text, d); (doc == nil) != list.HasErrors() {
				t.Fatalf("%s rule URL %q: %v with %v", d, text, doc, list)
			}
		}
	})
}

// onlyLacksConditions tells the documents that cannot be written down again, in a dialect that refuses a
// document without conditions: switched off, with all its conditions broken; or not valid, because its
// conditions are no list (Dubbo 3 takes such a document and keeps the old rule, as it does after a refusal).
func onlyLacksConditions(doc rule.Document, d dialect.Dialect) bool {
	c, ok := doc.(*rule.ConditionDocument)
	if !ok || d == dialect.Standard || len(c.Conditions)+len(c.Multi) > 0 {
		return false
	}
	return !c.Enabled || !c.Valid && (d == dialect.Dubbo31 || d == dialect.Dubbo33)
}
