package diag_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/dubway-go/dubway/diag"
)

func render(t *testing.T, l diag.List, text string) string {
	t.Helper()
	var b strings.Builder
	if err := l.Render(&b, text); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestRenderPointsAtThePlace(t *testing.T) {
	l := diag.List{{Code: "DW143", File: "order.tag-router", Span: diag.Span{Line: 2, Col: 4, EndLine: 2, EndCol: 8}, Message: "no such field", Hint: `write "name"`}}
	want := "order.tag-router:2:4: error DW143: no such field\n   2 | \u00e9 naem: x\n     |   ^^^^\n     = hint: write \"name\"\n"
	if got := render(t, l, "tags:\n\u00e9 naem: x\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestRenderSurvivesPositionsOutsideTheText(t *testing.T) {
	for _, s := range []diag.Span{{}, {Line: 9, Col: 9}, {Line: 1, Col: 99}, {Line: 1, Col: -4, EndLine: 1, EndCol: 900}, {Line: 1, Col: 1, EndLine: 5, EndCol: 1}} {
		if got := render(t, diag.List{{Code: "DW100", Span: s, Message: "m"}}, "ab"); !strings.Contains(got, "error DW100: m\n") {
			t.Errorf("%+v: %q", s, got)
		}
	}
}

func TestRenderKeepsTheCaretInSightOnLongLines(t *testing.T) {
	line := strings.Repeat("\u4e2d", 4000) + "!bad!" + strings.Repeat("x", 4000)
	col := 3*4000 + 1
	got := render(t, diag.List{{Code: "DW120", Span: diag.Span{Line: 1, Col: col, EndLine: 1, EndCol: col + 5}, Message: "m"}}, line)
	rows := strings.Split(got, "\n")
	at := strings.Index(rows[2], "^^^^^")
	if at < 0 || len(got) > 2000 {
		t.Fatalf("no caret in %d bytes: %q", len(got), got)
	}
	if shown := []rune(rows[1])[len([]rune(rows[2][:at])):]; !strings.HasPrefix(string(shown), "!bad!") {
		t.Errorf("the caret points at %q", string(shown))
	}
}

func TestRenderKeepsControlCharactersAway(t *testing.T) {
	got := render(t, diag.List{{Code: "DW100", Span: diag.Span{Line: 1, Col: 1}, Message: "m"}}, "\x1b[31ma\tb\r")
	if strings.ContainsAny(got, "\x1b\t\r") || !strings.Contains(got, "[31ma b") {
		t.Errorf("%q", got)
	}
}

func TestListAsJSON(t *testing.T) {
	l := diag.List{{Code: "DW121", Severity: diag.Warning, File: "f", Span: diag.Span{Line: 1, Col: 2, EndLine: 1, EndCol: 3}, Message: "m", Hint: "h"}}
	b, err := json.Marshal(l)
	want := `[{"code":"DW121","severity":"warning","file":"f","span":{"line":1,"col":2,"endLine":1,"endCol":3},"message":"m","hint":"h"}]`
	if err != nil || string(b) != want {
		t.Errorf("%s, %v", b, err)
	}
	var back diag.List
	if err := json.Unmarshal(b, &back); err != nil || len(back) != 1 || back[0] != l[0] {
		t.Errorf("%v, %v", back, err)
	}
	if l.Err() != nil || l.HasErrors() {
		t.Error("a warning is no error")
	}
	l[0].Severity = diag.Error
	if l.Err() == nil || l.Error() != "f:1:2: error DW121: m (h)" {
		t.Errorf("%v", l.Err())
	}
}
