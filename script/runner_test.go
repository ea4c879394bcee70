package script_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/script"
	"github.com/dubway-go/dubway/service"
)

// patient are limits for tests that are not about limits, on machines that are busy with others.
func patient() script.Limits { return script.Limits{Time: time.Minute} }

// put replaces a rule as a directory does: the old one is closed afterwards.
func put(t *testing.T, r *script.Runner, old route.ScriptRule, text string, d dialect.Dialect) (route.ScriptRule, diag.List) {
	t.Helper()
	doc, list := document(t, text, d)
	if doc == nil {
		t.Fatal(list)
	}
	next, findings := r.Replace(old, doc, d)
	if next == nil {
		return old, findings
	}
	if old != nil {
		old.Close()
	}
	return next, findings
}

func TestRunnerSharesPrograms(t *testing.T) {
	r := script.NewRunner(patient())
	var rules []route.ScriptRule
	var mu sync.Mutex
	var wait sync.WaitGroup
	for range 20 {
		wait.Go(func() {
			rule, findings := put(t, r, nil, "script: invokers\n", dialect.Standard)
			if findings != nil {
				t.Error(findings)
			}
			mu.Lock()
			rules = append(rules, rule)
			mu.Unlock()
		})
	}
	wait.Wait()
	if n := r.Programs(); n != 1 {
		t.Errorf("%d programs for one script", n)
	}
	other, _ := put(t, r, rules[0], "type: expr\nscript: port == 20880\n", dialect.Standard)
	if n := r.Programs(); n != 2 {
		t.Errorf("%d programs for two scripts", n)
	}
	other.Close()
	for _, rule := range rules {
		rule.Close()
		rule.Close()
	}
	if n := r.Programs(); n != 0 {
		t.Errorf("%d programs are left when nobody holds any", n)
	}
	if r.Limits().Time != time.Minute || r.Limits().Memory != script.DefaultMemory {
		t.Errorf("%+v", r.Limits())
	}
	// A filter of a closed rule still answers.
	f := rules[1].Bind(service.Consumer{}, fleet(t, 3))
	if a := f.Filter(call(), nil); len(a.Kept) != 3 {
		t.Errorf("%+v", a)
	}
}

// TestRunnerHoldsWhatRuns follows rules through documents that leave the old script running, and deletions.
func TestRunnerHoldsWhatRuns(t *testing.T) {
	const first = "script: invokers.subList(0, 1)\n"
	for i, c := range []struct {
		d        dialect.Dialect
		texts    []string
		programs int
		want     string
	}{
		{dialect.Dubbo33, []string{first, "type: nosuch\nscript: invokers\n"}, 1, "0"},
		{dialect.Dubbo33, []string{first, first}, 1, "0"},
		{dialect.Dubbo33, []string{first, "type: javascript\n"}, 1, "passes"},
		{dialect.Dubbo33, []string{first, "type: javascript\n", first}, 1, "0"},
		{dialect.Dubbo33, []string{first, "script: \"function(\"\n"}, 0, "script-ignored"},
		{dialect.Dubbo33, []string{first, "delete"}, 1, "script-failed"},
		{dialect.Dubbo33, []string{first, "delete", "script: invokers\n"}, 1, "0 1 2"},
		{dialect.Standard, []string{first, "delete"}, 0, "none"},
		{dialect.Standard, []string{first, "script: \"function(\"\n"}, 1, "0"},
		{dialect.Standard, []string{first, "enabled: false\nscript: invokers\n"}, 0, "passes"},
		{dialect.Standard, []string{"script: \"1;\\n2;\\nnosuch()\"\n"}, 1, "script-ignored"},
		{dialect.Dubbo26, []string{"script: \"5\"\n"}, 1, "script-failed"},
	} {
		if raceEnabled && i%4 != 0 {
			continue
		}
		r := script.NewRunner(patient())
		var rule route.ScriptRule
		for _, text := range c.texts {
			if text != "delete" {
				rule, _ = put(t, r, rule, text, c.d)
				continue
			}
			next, _ := r.Delete(rule)
			rule.Close()
			rule = next
		}
		got := "none"
		if rule != nil {
			got = "passes"
			if f := rule.Bind(service.Consumer{}, fleet(t, 3)); f != nil {
				a := f.Filter(&rpc.Invocation{Method: "x", Direct: true}, nil)
				got = strings.Trim(fmt.Sprint(a.Kept), "[]")
				if a.Reason != route.ReasonScripted {
					got = string(a.Reason)
				}
				if a.Reason != route.ReasonScripted && a.Detail == "" || a.Pass != (a.Reason == route.ReasonScriptIgnored || c.d == dialect.Dubbo26) {
					t.Errorf("%v: %+v", c.texts, a)
				}
			}
		}
		if n := r.Programs(); n != c.programs || got != c.want {
			t.Errorf("%s %q: %d programs, %q; want %d, %q", c.d, c.texts, n, got, c.programs, c.want)
		}
		if rule != nil {
			rule.Close()
		}
		if n := r.Programs(); n != 0 {
			t.Errorf("%s %q: %d programs are left", c.d, c.texts, n)
		}
	}
}

func TestExceptionsPointIntoTheDocument(t *testing.T) {
	r := script.NewRunner(patient())
	rule, findings := put(t, r, nil, "key: shop\nscript: |\n  var a = 1;\n  var b = nosuch();\n  invokers\n", dialect.Standard)
	if findings != nil {
		t.Fatal(findings)
	}
	defer rule.Close()
	a := rule.Bind(service.Consumer{}, fleet(t, 2)).Filter(call(), nil)
	if a.Span.Line != 4 || a.Span.Col != 3 || !a.Pass || a.Detail != "script threw: ReferenceError: 'nosuch' is not defined at line 2" {
		t.Errorf("%+v", a)
	}
}
