package rule_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/rule"
	"github.com/dubway-go/dubway/script"
)

// TestDiagnosticsTable runs the example of every row of docs/diagnostics.md, and checks that the
// table has a row for every code.
func TestDiagnosticsTable(t *testing.T) {
	page, err := os.ReadFile("../docs/diagnostics.md")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("../diag/*code.go")
	if err != nil || len(files) < 2 {
		t.Fatalf("files with codes: %q, %v", files, err)
	}
	var codes []byte
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		codes = append(codes, b...)
	}
	rows := map[string]bool{}
	for line := range strings.SplitSeq(string(page), "\n") {
		if !strings.HasPrefix(line, "| DW") {
			continue
		}
		cells := strings.Split(strings.ReplaceAll(line, `\|`, "\x00"), "|")
		if len(cells) != 8 {
			t.Errorf("row %q has %d cells", line, len(cells)-2)
			continue
		}
		for i := range cells {
			cells[i] = strings.ReplaceAll(strings.TrimSpace(cells[i]), "\x00", "|")
		}
		code, kind, example := cells[1], cells[2], cells[4]
		if rows[code] {
			t.Errorf("two rows for %s", code)
		}
		rows[code] = true
		d, err := dialect.Parse(cells[3])
		if err != nil {
			t.Errorf("%s: %v", code, err)
		}
		if !strings.HasPrefix(example, "`") {
			continue // a text too long for a table
		}
		text := strings.ReplaceAll(strings.Trim(example, "`"), "⏎", "\n")
		found := false
		for _, f := range findings(kind, text, d) {
			found = found || f.Code == code
		}
		if !found {
			t.Errorf("%s: %s %q in %s gives %v", code, kind, text, d, findings(kind, text, d))
		}
	}
	for _, m := range regexp.MustCompile(`"(DW\d+)"`).FindAllStringSubmatch(string(codes), -1) {
		if !rows[m[1]] {
			t.Errorf("docs/diagnostics.md has no row for %s", m[1])
		}
		delete(rows, m[1])
	}
	for code := range rows {
		t.Errorf("docs/diagnostics.md has a row for %s, which is no code", code)
	}
}

func findings(kind, text string, d dialect.Dialect) diag.List {
	var list diag.List
	var err error
	switch kind {
	case "url":
		_, err = durl.ParseAs(text, d)
	case "route":
		_, list = rule.ParseRouteURL(text, d)
	case "condition":
		_, list = rule.ParseCondition(text, d)
	case "document":
		_, list = rule.Parse("com.example.Order::.condition-router", text, d)
	case "tags":
		_, list = rule.Parse("shop.tag-router", text, d)
	case "overrides":
		_, list = rule.Parse("com.example.Order::.configurators", text, d)
	case "affinity":
		_, list = rule.Parse("com.example.Order::.affinity-router", text, d)
	case "mesh":
		_, list = rule.Parse("shop.MESHAPPRULE", text, d)
	case "script":
		doc, found := rule.ParseScriptDocument(rule.Origin{Name: "shop.script-router"}, text, d)
		if list = found; doc != nil {
			r, more := script.New(doc, script.Options{Dialect: d})
			r.Close()
			list = append(list, more...)
		}
	case "key":
		_, list = rule.Parse(text, "{}", d)
	}
	if f, ok := errors.AsType[diag.Diagnostic](err); ok {
		list = diag.List{f}
	}
	return list
}

// TestTooLong checks the limits that no table shows.
func TestTooLong(t *testing.T) {
	long := strings.Repeat("x", rule.MaxConditionLength)
	for name, c := range map[string]struct{ kind, text, code string }{
		"url":                {"url", "dubbo://h/" + strings.Repeat("x", durl.MaxLength), diag.URLTooLong},
		"condition":          {"condition", "=> a=" + long, diag.RuleTooLong},
		"document":           {"document", strings.Repeat("#\n", rule.MaxDocumentLength/2+1), diag.DocumentTooLong},
		"many tokens":        {"document", strings.Repeat("#\n", 200_000), diag.DocumentTooLong},
		"many keys":          {"document", strings.Repeat("a: b\n", 20_000), diag.DocumentTooLong},
		"deep flow":          {"document", strings.Repeat("[", 500_000), diag.DocumentTooDeep},
		"deep flow mappings": {"document", strings.Repeat("{a: ", 100_000), diag.DocumentTooDeep},
		"deep lists":         {"document", strings.Repeat("- ", 500_000), diag.DocumentTooDeep},
		"deep keys":          {"document", strings.Repeat("? ", 500_000), diag.DocumentTooDeep},
		"tags":               {"document", "a: " + strings.Repeat("!!str ", 100_000), diag.DocumentTooDeep},
		"anchors":            {"document", "a: " + strings.Repeat("&a ", 100_000), diag.DocumentTooDeep},
		"bytes":              {"document", "a: \xff\n", diag.BadYAML},
		"control character":  {"document", "a: \x01\n", diag.BadYAML},
		"laughs":             {"document", laughs(), diag.DocumentAliases},
		"own alias":          {"document", "a: &a [*a]\nconditions: ['=> a=1']\n", diag.DocumentAliases},
	} {
		t.Run(name, func(t *testing.T) {
			list := findings(c.kind, c.text, dialect.Standard)
			if len(list) == 0 || list[0].Code != c.code || !list.HasErrors() {
				t.Errorf("%.300v, want %s", list, c.code)
			}
		})
	}
}

// laughs is a document of ten levels, each with ten aliases to the one before.
func laughs() string {
	var b strings.Builder
	b.WriteString("a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n")
	for i := range 9 {
		from, to := string(rune('0'+i)), string(rune('1'+i))
		b.WriteString("a" + to + ": &a" + to + " [" + strings.Repeat("*a"+from+",", 9) + "*a" + from + "]\n")
	}
	b.WriteString("conditions: *a9\n")
	return b.String()
}

// TestManyFindings: a document full of faults is answered with a bounded list that has an error.
func TestManyFindings(t *testing.T) {
	text := "conditions:\n" + strings.Repeat("- => a|b=c|d\n", 2000) + "- a==b\n"
	_, list := rule.ParseConditionDocument(rule.Origin{}, text, dialect.Standard)
	if len(list) == 0 || len(list) > 500 || !list.HasErrors() {
		t.Errorf("%d findings, errors %v", len(list), list.HasErrors())
	}
}
