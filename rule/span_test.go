package rule_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/rule"
)

// marked cuts the marks « and » out of a text and returns the place between them.
func marked(text string) (string, string) {
	from, to := strings.Index(text, "«"), strings.Index(text, "»")
	before, inside := text[:from], text[from+len("«"):to]
	line := strings.Count(before, "\n") + 1
	col := len(before) - strings.LastIndex(before, "\n")
	endLine := line + strings.Count(inside, "\n")
	endCol := col + len(inside)
	if i := strings.LastIndex(inside, "\n"); i >= 0 {
		endCol = len(inside) - i
	}
	return before + inside + text[to+len("»"):], fmt.Sprintf("%d:%d-%d:%d", line, col, endLine, endCol)
}

func place(s diag.Span) string {
	return fmt.Sprintf("%d:%d-%d:%d", s.Line, s.Col, s.EndLine, s.EndCol)
}

// TestSpans checks that a finding points at the very bytes, in every style of YAML scalar.
func TestSpans(t *testing.T) {
	for name, c := range map[string]struct{ text, code string }{
		"plain":                {"conditions:\n  - method=a «==» b => region=hz\n", diag.BadSeparator},
		"plain, arrow first":   {"conditions:\n  - => region«==»hz\n", diag.BadSeparator},
		"plain, no indent":     {"conditions:\n- => host = 10.* «&&» x=1\n", diag.BadSeparator},
		"plain, comment":       {"conditions: # list\n  # first\n  - => region«==»hz # why\n", diag.BadSeparator},
		"plain over lines":     {"conditions:\n  - method=a =>\n    region«==»hz\n", diag.BadSeparator},
		"double":               {"conditions:\n  - \"method=a => region«==»hz\"\n", diag.BadSeparator},
		"double with escapes":  {"conditions:\n  - \"m\\x65thod=\\u00e9\\t => region«==»hz\"\n", diag.BadSeparator},
		"double over lines":    {"conditions:\n  - \"method=a\n\n    => region«==»hz\"\n", diag.BadSeparator},
		"double, line joined":  {"conditions:\n  - \"method=a \\\n     => region«==»hz\"\n", diag.BadSeparator},
		"single":               {"conditions:\n  - 'method=it''s => region«==»hz'\n", diag.BadSeparator},
		"literal":              {"conditions:\n  - |\n    method=a\n    => region«==»hz\n", diag.BadSeparator},
		"literal kept":         {"conditions:\n  - |+\n      method=a\n      => region«==»hz\n\n", diag.BadSeparator},
		"folded":               {"conditions:\n  - >-\n    method=a\n    => region«==»hz\n", diag.BadSeparator},
		"folded with a gap":    {"conditions:\n  - >\n    method=a\n\n    => region«==»hz\n", diag.BadSeparator},
		"flow":                 {"conditions: [\"=> a=1\", '=> b«==»1']\n", diag.BadSeparator},
		"after letters":        {"key: 'köln'\nconditions:\n  - \"region=köln => region«==»hz\"\n", diag.BadSeparator},
		"after letters, flow":  {"conditions: [\"a=ü => b=ü\", \"=> k=é & k«==»1\"]\n", diag.BadSeparator},
		"carriage returns":     {"force: true\r\nconditions:\r\n  - \"=> region«==»hz\"\r\n", diag.BadSeparator},
		"two in one":           {"conditions:\n  - \"=> a=1\"\n  - \"=> region«&&»x=1\"\n  - \"=> b=1\"\n", diag.BadSeparator},
		"anchored":             {"conditions:\n  - &a \"=> region«==»hz\"\n", diag.BadSeparator},
		"second arrow":         {"conditions:\n  - a=1 => b=1 «=>» c=1\n", diag.SecondArrow},
		"key alone":            {"conditions:\n  - => region=hz «zone»\n", diag.KeyWithoutValue},
		"comma falls":          {"conditions:\n  - => a=1 & b«,2»\n", diag.CommaOnOtherKey},
		"comma first":          {"conditions:\n  - => a«,»b=1\n", diag.CommaWithout},
		"value first":          {"conditions:\n  - => «=»1\n", diag.ValueWithoutKey},
		"pipe":                 {"conditions:\n  - => region=«hz|sh»\n", diag.PipeIsText},
		"stars":                {"conditions:\n  - => host=«10.*.1.*»\n", diag.SeveralStars},
		"star in a key":        {"conditions:\n  - => «re*=hz»\n", diag.StarInKey},
		"dollar":               {"conditions:\n  - host=«$host» => region=hz\n", diag.DollarOnLeft},
		"argument":             {"conditions:\n  - «arguments[x]=1» => region=hz\n", diag.BadArgumentKey},
		"argument field":       {"conditions:\n  - «arguments[0].id=1» => region=hz\n", diag.BadArgumentKey},
		"argument right":       {"conditions:\n  - => «arguments[0]=1»\n", diag.KeyOnlyLeft},
		"attachment":           {"conditions:\n  - «attachments[]=1» => region=hz\n", diag.BadAttachmentKey},
		"attachment right":     {"conditions:\n  - => «attachments[a]=1»\n", diag.KeyOnlyLeft},
		"method right":         {"conditions:\n  - => «method=get»\n", diag.MethodOnRight},
		"empty range":          {"conditions:\n  - => port=«9~1»\n", diag.BadRange},
		"tilde":                {"conditions:\n  - => name=«a~b»\n", diag.TildeInValue},
		"all blocked":          {"conditions:\n  - «=> false»\n", diag.BlocksEverything},
		"empty condition":      {"conditions:\n  - \"«  »\"\n", diag.RuleEmpty},
		"separator at the end": {"conditions:\n  - => region=hz «&»\n", diag.IgnoredSeparator},
		"unknown field":        {"«conditons»: []\nconditions:\n  - => a=1\n", diag.UnknownField},
		"duplicate field":      {"force: true\n«force»: false\nconditions:\n  - => a=1\n", diag.DuplicateKey},
		"wrong type":           {"force: «maybe»\nconditions:\n  - => a=1\n", diag.WrongType},
		"priority":             {"priority: «high»\nconditions:\n  - => a=1\n", diag.WrongType},
		"number for a version": {"configVersion: «3.1»\nconditions:\n  - => a=1\n", diag.BadConfigVersion},
		"version too new":      {"configVersion: «v3.2»\nconditions:\n  - => a=1\n", diag.BadConfigVersion},
		"mapping as condition": {"conditions:\n  - «host»: 10.0.0.1\n", diag.WrongType},
		"conditions as text":   {"conditions: «=> a=1»\n", diag.WrongType},
		"multi from":           {"configVersion: v3.1\nconditions:\n  - from: {match: \"env«==»gray\"}\n    to: [{match: \"env=gray\"}]\n", diag.BadSeparator},
		"multi to":             {"configVersion: v3.1\nconditions:\n  - to:\n      - match: 'env «==» gray'\n        weight: 5\n", diag.BadSeparator},
		"multi weight":         {"configVersion: v3.1\nconditions:\n  - to:\n      - match: env=gray\n        weight: «abc»\n", diag.BadWeight},
		"multi false":          {"configVersion: v3.1\nconditions:\n  - to:\n      - match: «false»\n", diag.MatchesAll},
		"multi proposal":       {"configVersion: v3.1\nconditions:\n  - to: [{match: a=1}]\n    «trafficDisable»: true\n", diag.ProposalField},
	} {
		t.Run(name, func(t *testing.T) {
			text, want := marked(c.text)
			_, list := rule.ParseConditionDocument(rule.Origin{}, text, dialect.Standard)
			for _, d := range list {
				if d.Code == c.code {
					if got := place(d.Span); got != want {
						t.Errorf("%s at %s, want %s\n%s", d.Code, got, want, text)
					}
					if d.Message == "" || d.Hint == "" {
						t.Errorf("no message or hint: %v", d)
					}
					return
				}
			}
			t.Errorf("no %s in %v\n%s", c.code, list, text)
		})
	}
}

// TestURLSpans checks the same inside the percent-encoded rule of a URL.
func TestURLSpans(t *testing.T) {
	for _, c := range []struct{ text, code string }{
		{"condition://0.0.0.0/a.B?category=routers&rule=method%3Dget+%3D%3E+region«%3D%3D»hz&force=true", diag.BadSeparator},
		{"route://0.0.0.0/a.B?router=condition&rule=%3D%3E%20region=«hz|sh»", diag.PipeIsText},
		{"condition://0.0.0.0/a.B?rule=a%3D1+%3D%3E+b%3D1«%zz»", diag.BadEscape},
		{"«condition://0.0.0.0/a.B?force=true»", diag.RuleEmpty},
		{"«route://0.0.0.0/a.B»?rule=a%3D1", diag.URLNotARule},
		{"«script://0.0.0.0/a.B»?rule=a%3D1", diag.URLBadKind},
		{"condition://0.0.0.0:«x»/a.B?rule=a%3D1", diag.URLBadPort},
	} {
		text, want := marked(c.text)
		_, list := rule.ParseRouteURL(text, dialect.Standard)
		if len(list) != 1 || list[0].Code != c.code || place(list[0].Span) != want {
			t.Errorf("%s: %v, want %s at %s", text, list, c.code, want)
		}
	}
}
