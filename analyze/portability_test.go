package analyze_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/dubway-go/dubway/analyze"
	"github.com/dubway-go/dubway/dialect"
)

func parts(text analyze.Text, dialects ...dialect.Dialect) []analyze.Finding {
	var out []analyze.Finding
	for _, f := range analyze.Lint(text, analyze.Options{Dialect: dialects[0], Portability: dialects[1:]}) {
		if f.Code == analyze.DialectsPart {
			out = append(out, f)
		}
	}
	return out
}

// TestWhereDialectsPart goes through the differences of docs/dialects.md that a rule's text shows.
func TestWhereDialectsPart(t *testing.T) {
	for _, c := range []struct {
		rule          string
		kept, dropped []dialect.Dialect
	}{
		{"=> region!=hz", []dialect.Dialect{dialect.Dubbo27, dialect.Dubbo31}, []dialect.Dialect{dialect.Dubbo33}},
		{"=> level=5~10", nil, nil},
		{"arguments[0]=x => region=hz", []dialect.Dialect{dialect.Dubbo26}, []dialect.Dialect{dialect.Dubbo27}},
		{"attachments[env]=gray => region=hz", nil, nil},
		{"=> address=*:20881", nil, nil},
		{"=> region=$region", nil, nil},
		{"=> application=shop", nil, nil},
	} {
		all := []dialect.Dialect{dialect.Dubbo33, dialect.Dubbo26, dialect.Dubbo27, dialect.Dubbo31}
		got := parts(analyze.Text{Name: "a.txt", Text: c.rule}, all...)
		if len(got) != 1 {
			t.Errorf("%q: %v, want one difference", c.rule, got)
			continue
		}
		w := got[0].Witness
		if w == nil || w.Provider == "" || w.Consumer == "" || len(w.Kept) == 0 || len(w.Dropped) == 0 {
			t.Errorf("%q: no witness: %+v", c.rule, w)
			continue
		}
		for _, d := range c.kept {
			if !slices.Contains(w.Kept, d) {
				t.Errorf("%q: %v is not among those that keep: %+v", c.rule, d, w)
			}
		}
		for _, d := range c.dropped {
			if !slices.Contains(w.Dropped, d) {
				t.Errorf("%q: %v is not among those that drop: %+v", c.rule, d, w)
			}
		}
	}
}

// TestRulesThatAllTreatAlikeGiveNothing: no finding of any kind.
func TestRulesThatAllTreatAlikeGiveNothing(t *testing.T) {
	all := []dialect.Dialect{dialect.Standard, dialect.Dubbo26, dialect.Dubbo27, dialect.Dubbo31, dialect.Dubbo33}
	for _, rule := range []string{"=> region=hz", "method=get*,find => host=10.0.*", "host=10.0.0.9 & application=web => region=hz,sh", "=> host=$host", "=> port=20880", "method!=get => zone=a & region=hz"} {
		if got := analyze.Lint(analyze.Text{Name: "a.txt", Text: rule}, analyze.Options{Portability: all}); len(got) > 0 {
			t.Errorf("%q: %v", rule, got)
		}
	}
	tags := "tags:\n  - name: gray\n    addresses: [\"10.0.0.1:20880\"]\n"
	if got := parts(analyze.Text{Key: "shop.tag-router", Text: tags}, dialect.Dubbo27, dialect.Dubbo31); len(got) > 0 {
		t.Errorf("%v", got)
	}
}

func TestDocumentsPart(t *testing.T) {
	text := "conditions:\n  - \"=> zone=a\"\n  - \"=> region!=hz\"\n"
	got := parts(analyze.Text{Key: "a.B::.condition-router", Text: text}, dialect.Dubbo33, dialect.Dubbo27)
	if len(got) != 1 || got[0].Span.Line != 3 || strings.Contains(got[0].Witness.Provider, "zone") {
		t.Errorf("%+v, want one difference in line 3 that does not speak of zone", got)
	}
	tags := "configVersion: v3.0\nenabled: true\nforce: true\ntags:\n  - name: gray\n    match: [{key: env, value: {exact: gray}}]\n"
	got = parts(analyze.Text{Key: "shop.tag-router", Text: tags}, dialect.Dubbo33, dialect.Dubbo31)
	if len(got) != 1 || got[0].Witness.Attachments["dubbo.tag"] != "gray" && len(got[0].Witness.Attachments) > 0 {
		t.Errorf("%+v, want one difference", got)
	}
}
