package analyze_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dubway-go/dubway/analyze"
	"github.com/dubway-go/dubway/dialect"
)

var (
	block    = regexp.MustCompile("(?ms)^```\\w+ (example|rewrite|providers)([^\\n]*)\\n(.*?)^```$")
	sections = []string{"## What\n", "## Why\n", "## Since which version\n", "## Example\n", "## Rewrite\n"}
)

// inexpressible are the codes whose page says in words why it has no example.
var inexpressible = []string{"DW100", "DW101", "DW130", "DW140", "DW152", "DW199", "DW261", "DW263", "DW266", "DW267"}

// TestPages checks that each code has its page with the same sections, that the page's example gives exactly this code, and that its rewrite
// does not.
func TestPages(t *testing.T) {
	for _, e := range analyze.Catalogue() {
		t.Run(e.Code, func(t *testing.T) {
			b, err := os.ReadFile("../" + e.Page())
			if err != nil {
				t.Fatal(err)
			}
			page, at := string(b), 0
			if !strings.HasPrefix(page, "# "+e.Code+": ") {
				t.Error("the heading does not name the code")
			}
			for _, s := range sections {
				i := strings.Index(page[at:], s)
				if i < 0 {
					t.Fatalf("no section %q in its place", s)
				}
				at += i
			}
			if strings.Count(page, "\n## ") != len(sections) {
				t.Error("the page has other sections")
			}
			blocks := map[string][]string{}
			for _, m := range block.FindAllStringSubmatch(page, -1) {
				blocks[m[1]] = m
			}
			m := blocks["example"]
			if m == nil {
				if !slices.Contains(inexpressible, e.Code) {
					t.Error("the page has no example")
				}
				return
			}
			world := ""
			if w := blocks["providers"]; w != nil {
				world = w[3]
			}
			want := []string{e.Code}
			if _, also, ok := strings.Cut(m[2], "also="); ok {
				want = []string{also, e.Code} // a code that cannot come alone
			}
			if got := lintBlock(t, m, world); !slices.Equal(got.Codes(), want) {
				t.Errorf("the example gives %v, want %s:\n%s%v", got.Codes(), want, m[3], got)
			}
			if m := blocks["rewrite"]; m != nil {
				if got := lintBlock(t, m, world); slices.Contains(got.Codes(), e.Code) || got.HasErrors() {
					t.Errorf("the rewrite gives %v:\n%s", got, m[3])
				}
			}
		})
	}
}

func lintBlock(t *testing.T, m []string, world string) analyze.Findings {
	t.Helper()
	text, o := analyze.Text{Name: "example", Text: m[3]}, analyze.Options{}
	for word := range strings.FieldsSeq(m[2]) {
		name, value, _ := strings.Cut(word, "=")
		var err error
		switch name {
		case "key":
			text.Key = value
		case "file":
			text.Name = value
		case "dialect":
			o.Dialect, err = dialect.Parse(value)
		case "also":
		case "portability":
			var d dialect.Dialect
			d, err = dialect.Parse(value)
			o.Portability = append(o.Portability, d)
		default:
			t.Fatalf("unknown word %q", word)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	o.World = analyze.ReadWorld(world, o.Dialect)
	return analyze.Lint(text, o)
}

// TestEveryCodeIsInTheCatalogue reads the sources of the codes.
func TestEveryCodeIsInTheCatalogue(t *testing.T) {
	known := map[string]bool{}
	for _, e := range analyze.Catalogue() {
		if known[e.Code] {
			t.Errorf("%s is there twice", e.Code)
		}
		if known[e.Code] = true; e.Title == "" || e.Since == "" {
			t.Errorf("%s has no title or version", e.Code)
		}
	}
	for _, file := range []string{"../diag/code.go", "../diag/scriptcode.go", "code.go"} {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`"(DW\d+)"`).FindAllStringSubmatch(string(b), -1) {
			if !known[m[1]] {
				t.Errorf("%s: %s has no entry in the catalogue and no page", file, m[1])
			}
		}
	}
}
