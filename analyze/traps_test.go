package analyze_test

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dubway-go/dubway/analyze"
	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
)

// lintFile lints a file of testdata with the settings that it makes for itself.
func lintFile(t *testing.T, path string) analyze.Findings {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	own := analyze.Directives(string(b))
	o := analyze.Options{}
	if o.Dialect, err = dialect.Parse(own["dialect"]); err != nil {
		t.Fatal(err)
	}
	if own["portability"] != "" {
		d, err := dialect.Parse(own["portability"])
		if err != nil {
			t.Fatal(err)
		}
		o.Portability = append(o.Portability, d)
	}
	if own["providers"] != "" {
		w, err := os.ReadFile(filepath.Join(filepath.Dir(path), own["providers"]))
		if err != nil {
			t.Fatal(err)
		}
		o.World = analyze.ReadWorld(string(w), o.Dialect)
	}
	return analyze.Lint(analyze.Text{Name: path, Key: own["key"], Text: string(b)}, o)
}

// TestEveryTrapIsFoundOnce: testdata/traps has one bad text for each trap of spec §12.2 that a text can show, and linting it names that trap and
// no other.
func TestEveryTrapIsFoundOnce(t *testing.T) {
	found := map[string]string{}
	files, err := filepath.Glob("testdata/traps/L*")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		base := filepath.Base(path)
		n, err := strconv.Atoi(strings.TrimLeft(base[1:len(base)-len(filepath.Ext(base))], "0"))
		if err != nil {
			t.Fatal(err)
		}
		want := "L" + strconv.Itoa(n)
		var got []string
		for _, f := range lintFile(t, path) {
			got = append(got, f.Trap)
			if f.Hint == "" || len(f.Dialects) == 0 || f.Since == "" {
				t.Errorf("%s: finding without hint, dialects or version: %+v", path, f)
			}
			if f.Span.IsZero() && f.Trap != "L20" && f.Trap != "L36" { // those are about the key
				t.Errorf("%s: finding without a place: %+v", path, f)
			}
		}
		slices.Sort(got)
		if got = slices.Compact(got); !slices.Equal(got, []string{want}) {
			t.Errorf("%s: traps %q, want %s: %v", path, got, want, lintFile(t, path))
		}
		found[want] = path
	}
	for n := 1; n <= 47; n++ {
		trap := "L" + strconv.Itoa(n)
		_, reason := analyze.Unseen()[trap]
		if (found[trap] != "") == reason {
			t.Errorf("%s: file %q, given as unseen: %v; want exactly one of the two", trap, found[trap], reason)
		}
	}
	if f := lintFile(t, "testdata/traps/fleet.urls"); len(f) > 0 {
		t.Errorf("the fleet's own list has findings: %v", f)
	}
}

// TestUnseenTrapsAreExplained: docs/diag/README.md has a row for each of them.
func TestUnseenTrapsAreExplained(t *testing.T) {
	page, err := os.ReadFile("../docs/diag/README.md")
	if err != nil {
		t.Fatal(err)
	}
	for trap := range analyze.Unseen() {
		if !strings.Contains(string(page), "\n| "+trap+" | ") {
			t.Errorf("docs/diag/README.md does not explain %s", trap)
		}
	}
	for _, e := range analyze.Catalogue() {
		if !strings.Contains(string(page), "]("+e.Code+".md)") {
			t.Errorf("docs/diag/README.md does not list %s", e.Code)
		}
	}
}

// TestPlaces checks exact places, also in lists.
func TestPlaces(t *testing.T) {
	for _, c := range []struct {
		name, key, text, code string
		span                  diag.Span
	}{
		{"a.yaml", "a.B::.condition-router", "conditions:\n  - \"=> k=1|2\"\n", "DW201", diag.Span{Line: 2, Col: 11, EndLine: 2, EndCol: 14}},
		{"a.yaml", "a.B::.condition-router", "conditions:\n  - \"=> region!=hz\"\n", "DW303", diag.Span{Line: 2, Col: 9, EndLine: 2, EndCol: 19}},
		{"a.urls", "", "# list\n\n  => k=1|2\n", "DW201", diag.Span{Line: 3, Col: 8, EndLine: 3, EndCol: 11}},
		{"a.urls", "", "dubbo://h:1/a.B\ndubbo://h:1/a.B?x=1&tag=gray&y=2\n", "DW276", diag.Span{Line: 2, Col: 21, EndLine: 2, EndCol: 29}},
		{"a.urls", "", "condition://0.0.0.0/a.B?rule=%3D%3E+k%3D1%7C2\n", "DW201", diag.Span{Line: 1, Col: 41, EndLine: 1, EndCol: 46}},
		{"a.urls", "", " dubbo%3A%2F%2Fh%3A1%2Fa.B%3Ftag%3Dgray\n", "DW276", diag.Span{Line: 1, Col: 2, EndLine: 1, EndCol: 40}},
	} {
		list := analyze.Lint(analyze.Text{Name: c.name, Key: c.key, Text: c.text}, analyze.Options{})
		i := slices.IndexFunc(list, func(f analyze.Finding) bool { return f.Code == c.code })
		if i < 0 || list[i].Span != c.span {
			t.Errorf("%q: %+v, want %s at %+v", c.text, list, c.code, c.span)
		}
	}
}

// TestSeverityFollowsTheFleet: a finding about some versions is an error when one of them is named, milder when none is, and silent when others are.
func TestSeverityFollowsTheFleet(t *testing.T) {
	text := analyze.Text{Name: "a.urls", Text: "consumer://10.0.0.9/a.B?router=condition\n"}
	for d, want := range map[dialect.Dialect]string{dialect.Dubbo33: "error", dialect.Standard: "warning", dialect.Dubbo27: ""} {
		got := ""
		for _, f := range analyze.Lint(text, analyze.Options{Dialect: d}) {
			got = f.Severity.String()
		}
		if got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}
