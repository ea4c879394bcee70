package directory_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/directory"
	"github.com/dubway-go/dubway/rule"
	"github.com/dubway-go/dubway/source"
)

const (
	serviceOverrides     = iface + "::.configurators"
	applicationOverrides = "web.configurators"
)

// serviceTimeout and applicationTimeout are documents that set the timeout.
func serviceTimeout(value string) string {
	return "configVersion: v2.7\nscope: service\nkey: " + iface + "\nconfigs:\n- side: consumer\n  parameters: {timeout: " + value + "}\n"
}

func applicationTimeout(value string) string {
	return "configVersion: v2.7\nscope: application\nkey: web\nconfigs:\n- side: consumer\n  parameters: {timeout: " + value + "}\n"
}

func awaitParam(t *testing.T, d *directory.Directory, key, want string) {
	t.Helper()
	await(t, d, key+" is "+want, func() bool { return param(d, key) == want })
}

// TestOverridesByScope: the service's document wins over the application's, which wins over the registry (spec §9.4);
// each gives way to the next one when it is deleted.
func TestOverridesByScope(t *testing.T) {
	for _, dl := range dialect.All() {
		if dl == dialect.Dubbo26 {
			continue // knows no documents
		}
		t.Run(dl.String(), func(t *testing.T) {
			w := newWorld(t, provider(1), provider(2, "timeout=1"))
			d := w.open(func(o *directory.Options) { o.Dialect = dl })
			awaitParam(t, d, "timeout", "- 1")
			w.overrides(override("0.0.0.0", "timeout=2"))
			awaitParam(t, d, "timeout", "2 2")
			w.put(serviceOverrides, serviceTimeout("4"))
			awaitParam(t, d, "timeout", "4 4")
			w.put(applicationOverrides, applicationTimeout("3"))
			await(t, d, "the application's document is in force", func() bool { return ruleStatus(d, "application-overrides").InForce })
			if got := param(d, "timeout"); got != "4 4" {
				t.Errorf("timeout %s, the service's document must win", got)
			}
			want := "4"
			if dl == dialect.Dubbo31 {
				want = "" // leaves the consumer as it is
			}
			if got := mustURL(strings.Replace(d.State().Consumer, "dubbo://", "consumer://", 1)).Get("timeout", ""); got != want {
				t.Errorf("the consumer has timeout %q, want %q", got, want)
			}
			w.delete(serviceOverrides)
			awaitParam(t, d, "timeout", "3 3")
			w.delete(applicationOverrides)
			awaitParam(t, d, "timeout", "2 2")
			w.overrides()
			awaitParam(t, d, "timeout", "- 1")
		})
	}
}

// TestOverridesThatExistBeforeTheDirectory: Open waits for them.
func TestOverridesThatExistBeforeTheDirectory(t *testing.T) {
	w := newWorld(t, provider(1))
	w.put(serviceOverrides, serviceTimeout("4"))
	if got := param(w.open(), "timeout"); got != "4" {
		t.Errorf("timeout %q right after Open, want 4", got)
	}
}

// TestRefusedOverridesKeepTheOldOnes (spec §9.5), and State tells.
func TestRefusedOverridesKeepTheOldOnes(t *testing.T) {
	for name, bad := range map[string]string{
		"no YAML":       "configs: [",
		"no parameters": "key: " + iface + "\nconfigs: [{side: consumer}]",
		"no configs":    "key: " + iface,
		"empty":         "",
		"no key":        "configs: [{side: consumer, parameters: {timeout: 9}}]",
		"bad URL":       `["override://0.0.0.0:x/a.B?timeout=9"]`,
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, provider(1))
			w.put(serviceOverrides, serviceTimeout("4"))
			d := w.open()
			w.put(serviceOverrides, bad)
			await(t, d, "the text is refused", func() bool { return ruleStatus(d, "service-overrides").Rejected != nil })
			st := ruleStatus(d, "service-overrides")
			if param(d, "timeout") != "4" || !st.InForce || !st.Rejected.Findings.HasErrors() {
				t.Errorf("timeout %q, status %+v", param(d, "timeout"), st)
			}
			w.delete(serviceOverrides)
			awaitParam(t, d, "timeout", "-")
		})
	}
}

// TestEmptyOverrides: no entries at all leave the old ones in force in Dubbo, with a remark; Standard clears.
func TestEmptyOverrides(t *testing.T) {
	for dl, want := range map[dialect.Dialect]string{dialect.Dubbo27: "4", dialect.Dubbo31: "4", dialect.Dubbo33: "4", dialect.Standard: "-"} {
		w := newWorld(t, provider(1))
		w.put(serviceOverrides, serviceTimeout("4"))
		d := w.open(func(o *directory.Options) { o.Dialect = dl })
		w.put(serviceOverrides, "key: "+iface+"\nconfigs: []\n")
		await(t, d, "the remark is told", func() bool {
			list := ruleStatus(d, "service-overrides").Remarks
			return slices.ContainsFunc(list, func(f diag.Diagnostic) bool { return f.Code == diag.KeepsOld })
		})
		if got := param(d, "timeout"); got != want {
			t.Errorf("%s: timeout %q, want %q", dl, got, want)
		}
	}
}

// TestOverrideMatch tries each part of a match block in standard and dubbo-3.3.
func TestOverrideMatch(t *testing.T) {
	for _, c := range []struct {
		match string
		want  string // the timeouts of providers 1 (env gray) and 2
		v33   string // in dubbo-3.3, when it differs
	}{
		{`{}`, "9 9", ""},
		{`{address: {cird: "10.0.0.0/24"}}`, "9 9", ""},
		{`{address: {cird: "10.1.0.0/24"}}`, "- -", ""},
		{`{address: {wildcard: "10.0.*"}}`, "9 9", ""},
		{`{address: {wildcard: "0.0.0.0"}}`, "9 9", ""},
		{`{address: {exact: "10.0.0.8"}}`, "- -", ""},
		{`{providerAddress: {wildcard: "10.0.0.1:*"}}`, "9 -", ""},
		{`{providerAddress: {exact: "10.0.0.2:20880"}}`, "- 9", ""},
		{`{providerAddress: {cird: "10.0.0.2"}}`, "- 9", "- -"},
		{`{providerAddress: {cird: "10.0.0.2", exact: "10.0.0.1:20880"}}`, "- 9", "9 -"},
		{`{service: {oneof: [{exact: "` + iface + `"}]}}`, "9 9", ""},
		{`{service: {oneof: [{prefix: "org."}]}}`, "- -", ""},
		{`{app: {oneof: [{exact: shop}, {regex: "w.b"}]}}`, "9 9", ""},
		{`{app: {oneof: []}}`, "- -", ""},
		{`{param: [{key: env, value: {exact: gray}}]}`, "9 -", ""},
		{`{param: [{key: env, value: {empty: "true"}}]}`, "- 9", ""},
		{`{param: [{key: env, value: {noempty: "true"}}, {key: application, value: {wildcard: "*"}}]}`, "9 -", ""},
	} {
		for _, dl := range []dialect.Dialect{dialect.Standard, dialect.Dubbo33} {
			key := orders
			r, err := directory.NewReplay(key, consumer(""), directory.Options{Dialect: dl})
			if err != nil {
				t.Fatal(err)
			}
			r.Update(source.State{Providers: []string{provider(1, "env=gray"), provider(2)}})
			r.SetDocument(serviceOverrides, "configVersion: v3.0\nkey: "+iface+"\nconfigs:\n- side: consumer\n  parameters: {timeout: 9}\n  match: "+c.match+"\n")
			want := c.want
			if dl == dialect.Dubbo33 && c.v33 != "" {
				want = c.v33
			}
			set := r.Snapshot().Set()
			if got := set.At(0).URL.Get("timeout", "-") + " " + set.At(1).URL.Get("timeout", "-"); got != want {
				t.Errorf("%s %s: timeouts %q, want %q", dl, c.match, got, want)
			}
		}
	}
}

// TestMatchWithoutOneOf: Dubbo 3.3 fails to configure such a provider, which then takes no part; Standard refuses the document.
func TestMatchWithoutOneOf(t *testing.T) {
	text := "configVersion: v3.0\nkey: " + iface + "\nconfigs:\n- side: consumer\n  parameters: {timeout: 9}\n  match: {app: {}}\n"
	doc, list := rule.ParseConfiguratorDocument(rule.Origin{}, text, dialect.Dubbo33)
	if doc == nil {
		t.Fatal(list)
	}
	c, _, ok := directory.DocumentConfigurators(doc, dialect.Dubbo33, true)
	if !ok || c.Len() != 1 {
		t.Fatalf("%d overrides, %v", c.Len(), ok)
	}
	target := mustURL("dubbo://10.0.0.1:20880/" + iface + "?side=consumer")
	if _, err := c.Apply(target, "10.0.0.9"); !errors.Is(err, directory.ErrNoOneOf) {
		t.Errorf("error %v, want ErrNoOneOf", err)
	}
	if doc, list := rule.ParseConfiguratorDocument(rule.Origin{}, text, dialect.Standard); doc != nil || !list.HasErrors() {
		t.Errorf("standard takes it: %v", list)
	}
}

// TestConditionRules: what is in force after each text of a router (spec §3.4, §3.5).
func TestConditionRules(t *testing.T) {
	multi := "configVersion: v3.1\nconditions: [{to: [{match: a=1}]}]"
	for _, c := range []struct {
		name  string
		d     dialect.Dialect
		texts []string
		want  string // how many conditions are in force, "m" for weighted ones, "off" when switched off
	}{
		{"nothing", dialect.Dubbo33, nil, "none"},
		{"switched off with unreadable lines", dialect.Dubbo27, []string{conditions("=> a=1"), "enabled: false\nconditions: ['a==b']"}, "off"},
		{"switched off with unreadable lines", dialect.Dubbo33, []string{conditions("=> a=1"), "enabled: false\nconditions: ['a==b']"}, "off"},
		{"switched off with unreadable lines", dialect.Standard, []string{conditions("=> a=1"), "enabled: false\nconditions: ['a==b']"}, "off"},
		{"bad text", dialect.Dubbo33, []string{conditions("=> a=1"), "conditions: ["}, "1"},
		{"weighted after classic", dialect.Dubbo33, []string{conditions("=> a=1"), multi}, "m1"},
		{"classic comes back", dialect.Dubbo33, []string{conditions("=> a=1"), multi, "configVersion: v3.2\nconditions: ['=> b=1']"}, "1"},
		{"an empty classic one selects the classic list", dialect.Dubbo33, []string{conditions("=> a=1"), multi, "conditions: []"}, "1"},
		{"no field: not a document of that form", dialect.Dubbo33, []string{conditions("=> a=1"), "configVersion: v3.1\nforce: true"}, "1"},
		{"unreadable weighted one selects its list, which is empty", dialect.Dubbo33, []string{conditions("=> a=1"), "configVersion: v3.1\nconditions: [{to: [{match: a==1}]}]"}, "none"},
		{"weighted in standard", dialect.Standard, []string{conditions("=> a=1", "=> b=1"), multi}, "m1"},
		{"no list", dialect.Dubbo31, []string{conditions("=> a=1"), "conditions: '=> b=1'"}, "1"},
		{"no list", dialect.Standard, []string{conditions("=> a=1"), "conditions: '=> b=1'"}, "1"},
	} {
		var r directory.ConditionRules
		for _, text := range c.texts {
			r.Offer(rule.Origin{Name: serviceRule}, text, c.d)
		}
		got := "none"
		switch doc := r.InForce(); {
		case doc == nil:
		case !doc.Enabled:
			got = "off"
		case len(doc.Multi) > 0:
			got = "m" + string(rune('0'+len(doc.Multi)))
		default:
			got = string(rune('0' + len(doc.Conditions)))
		}
		if got != c.want {
			t.Errorf("%s in %s: %s, want %s", c.name, c.d, got, c.want)
		}
		if r.Clear() != (got != "none") || r.InForce() != nil {
			t.Errorf("%s: Clear", c.name)
		}
	}
}
