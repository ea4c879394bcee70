package script_test

import (
	"strings"
	"testing"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/rule"
	"github.com/dubway-go/dubway/script"
)

func document(t *testing.T, text string, d dialect.Dialect) (*rule.ScriptDocument, diag.List) {
	t.Helper()
	return rule.ParseScriptDocument(rule.Origin{Source: "config-centre", Name: "shop.script-router"}, text, d)
}

// TestDialects is the table "Scripts" of docs/dialects.md: the rows have the same numbers there.
func TestDialects(t *testing.T) {
	run := func(d dialect.Dialect, inv *rpc.Invocation, texts ...string) string {
		o := script.Options{Dialect: d}
		var r *script.Router
		for _, text := range texts {
			if text == "delete" {
				r, _ = r.Delete()
				continue
			}
			doc, _ := document(t, text, d)
			if doc == nil {
				continue
			}
			if next, _ := r.Replace(doc, o); next != nil {
				r = next
			}
		}
		defer r.Close()
		e := r.Bind(consumer(t), fleet(t, 4))
		if e == nil {
			return "all"
		}
		res := e.Run(inv, nil)
		kept, all := res.Left(d)
		if all {
			return "all"
		}
		return show(script.Result{Kept: kept})
	}
	js := func(text string) string { return "script: \"" + text + "\"\n" }
	first := js("invokers.subList(0, 1)")
	generic := call()
	generic.Direct = false
	for _, c := range []struct {
		row                       string
		inv                       *rpc.Invocation
		texts                     []string
		d26, d27, d31, d33, extra string
	}{
		{"J1", call(), []string{js("[invokers.get(2), invokers.get(0)]")}, "2 0", "2 0", "0 2", "0 2", "0 2"},
		{"J2", call(), []string{js("[invokers.get(1), invokers.get(1)]")}, "1 1", "1 1", "1", "1", "1"},
		{"J3", call(), []string{js("null")}, "", "", "", "", ""},
		{"J4", call(), []string{js("5")}, "all", "", "", "", ""},
		{"J5", call(), []string{js("[1, invokers.get(0)]")}, "all", "", "0", "0", "0"},
		{"J6", call(), []string{first, js("function(")}, "all", "all", "all", "all", "0"},
		{"J7", call(), []string{first, "type: nosuch\n" + js("invokers")}, "0", "0", "0", "0", "0"},
		{"J8", call(), []string{first, "delete"}, "all", "all", "all", "", "all"},
		{"J9", call(), []string{js(" ")}, "all", "", "", "", "all"},
		{"J10", generic, []string{js("invocation.getMethodName() == 'getOrder' ? invokers.subList(0, 1) : []")}, "", "", "", "", "0"},
		{"J11", call(), []string{"type: expr\n" + js("port == 20880")}, "all", "all", "all", "all", "0 2"},
		{"J12", call(), []string{first, "type: javascript\n"}, "all", "all", "all", "all", "0"},
	} {
		for d, want := range map[dialect.Dialect]string{dialect.Dubbo26: c.d26, dialect.Dubbo27: c.d27, dialect.Dubbo31: c.d31, dialect.Dubbo33: c.d33, dialect.Standard: c.extra} {
			if got := run(d, c.inv, c.texts...); got != want {
				t.Errorf("%s %s: got %q, want %q", c.row, d, got, want)
			}
		}
	}
}

func TestFindingsPointIntoTheDocument(t *testing.T) {
	doc, list := document(t, "key: shop\nscript: |\n  var r = [];\n  for each (x in invokers) r.push(x)\n", dialect.Standard)
	if doc == nil {
		t.Fatal(list)
	}
	r, list := script.New(doc, script.Options{})
	if r != nil || len(list) != 1 || list[0].Code != diag.ScriptForEach || list[0].Span.Line != 4 || list[0].Span.Col != 3 || list[0].File != "shop.script-router" {
		t.Errorf("%v %+v", r, list)
	}
	r, list = script.New(doc, script.Options{Dialect: dialect.Dubbo33})
	if r == nil || len(list) != 1 || list[0].Severity != diag.Warning || !strings.Contains(list[0].Message, "every provider passes") {
		t.Errorf("%v %+v", r, list)
	}
	if got := show(r.Bind(consumer(t), fleet(t, 2)).Run(call(), nil)); !strings.HasPrefix(got, "ignored: script does not compile") {
		t.Error(got)
	}
}

func TestDeletedRuleWarns(t *testing.T) {
	doc, _ := document(t, "script: invokers\n", dialect.Dubbo33)
	r, _ := script.New(doc, script.Options{Dialect: dialect.Dubbo33})
	defer r.Close()
	gone, list := r.Delete()
	if gone == nil || len(list) != 1 || list[0].Code != diag.ScriptDeleted {
		t.Errorf("%v %+v", gone, list)
	}
	if again, list := gone.Delete(); again == nil || len(list) != 1 {
		t.Error("a second deletion", again, list)
	}
	var none *script.Router
	if r, list := none.Delete(); r != nil || list != nil || none.Bind(consumer(t), fleet(t, 1)) != nil {
		t.Error("nothing deleted", r, list)
	}
}
