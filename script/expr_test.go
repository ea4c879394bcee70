package script_test

import (
	"strings"
	"testing"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/rule"
	"github.com/dubway-go/dubway/script"
)

func TestExpressions(t *testing.T) {
	set := fleet(t, 6)
	for _, c := range []struct{ text, want string }{
		{`param("region") == "north"`, "0 2 4"},
		{`param("region") == consumer("region")`, "0 2 4"},
		{`port == 20881`, "1 3 5"},
		{`host in ["10.0.0.1", "10.0.0.2"]`, "0 1"},
		{`method == "getOrder" && args[0] == "7" && attachment("env") == "gray"`, "0 1 2 3 4 5"},
		{`number(param("k")) >= 2 + 2`, "4 5"},
		{`address matches "^10[.]0[.]0[.][12]:"`, "0 1"},
		{`filter(providers, .port == 20880)`, "0 2 4"},
		{`filter(providers, .Param("region") == "south")`, "1 3 5"},
		{`providers[:2]`, "0 1"},
		{`method startsWith "put" ? providers : filter(providers, .host endsWith ".3")`, "2"},
		{`false`, ""},
		{`args[3] == "x"`, "ignored: script threw"},
		{`number(param("region")) > 1`, "ignored: script threw"},
	} {
		if got := show(engine(t, c.text, rule.ScriptExpr, dialect.Standard, set).Run(call(), nil)); got != c.want && (c.want == "" || !strings.HasPrefix(c.want, "ignored") || !strings.HasPrefix(got, c.want)) {
			t.Errorf("%s\n got %s\nwant %s", c.text, got, c.want)
		}
	}
}

func TestExpressionSeesWhatIsOffered(t *testing.T) {
	set := fleet(t, 6)
	for _, text := range []string{`param("region") == "north"`, `filter(providers, .port == 20880)`} {
		if got := show(engine(t, text, rule.ScriptExpr, dialect.Standard, set).Run(call(), []uint32{1, 2, 3})); got != "2" {
			t.Errorf("%s: %s", text, got)
		}
	}
}

// TestExpressionsThatCouldRunForLong are refused before they run: the language has no clock.
func TestExpressionsThatCouldRunForLong(t *testing.T) {
	for _, text := range []string{
		`all(1..1000000, true)`, `len(repeat("x", 1000000000)) > 1`, `all(providers, all(providers, all(providers, true)))`, `let a = method + method; a == ""`,
		`reduce(args, #acc + #, "") == ""`, `method + method == ""`, `args[0] + args[0] == ""`, `method matches args[0]`, `any(args, any(args, true))`,
		`providers`[:0] + `len(providers) > 3`, `"text"`, `1 +`, ``, `nosuch == 1`, strings.Repeat("(", 5000), strings.Repeat("!", 3000) + "true",
		`toJSON(providers) == ""`, `env() == 1`,
	} {
		if p, err := script.Compile(text, rule.ScriptExpr, script.Limits{}); err == nil {
			if text[:1] == "!" {
				continue // compiles and is bounded by its length
			}
			t.Errorf("%s compiles to %v", text, p)
		}
	}
}
