package rule_test

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/rule"
)

const overridesKey = "com.example.Order:1.0:g.configurators"

func urlsOf(doc *rule.ConfiguratorDocument) string {
	var out []string
	for _, o := range doc.Overrides {
		out = append(out, o.URL.Full())
	}
	return strings.Join(out, " ")
}

// TestConfiguratorOverrides: what documents of each shape make, by dialect (spec §9.5).
func TestConfiguratorOverrides(t *testing.T) {
	for _, c := range []struct {
		text string
		d    dialect.Dialect
		want string
	}{
		{"configVersion: v2.7\nkey: g/com.example.Order:1.0\nconfigs: [{side: consumer, parameters: {timeout: 900}}]", dialect.Dubbo27,
			"override://0.0.0.0/com.example.Order?category=dynamicconfigurators&configVersion=v2.7&enabled=true&group=g&side=consumer&timeout=900&version=1.0"},
		{"scope: application\nkey: web\nconfigs: [{side: consumer, services: [a.B, \"*\"], addresses: [10.0.0.1, \"10.0.0.2:20880\"], parameters: {weight: 5}}]", dialect.Dubbo31,
			"override://10.0.0.1/a.B?application=web&category=appdynamicconfigurators&configVersion=null&enabled=true&side=consumer&weight=5 " +
				"override://10.0.0.1/*?application=web&category=appdynamicconfigurators&configVersion=null&enabled=true&side=consumer&weight=5 " +
				"override://10.0.0.2:20880/a.B?application=web&category=appdynamicconfigurators&configVersion=null&enabled=true&side=consumer&weight=5 " +
				"override://10.0.0.2:20880/*?application=web&category=appdynamicconfigurators&configVersion=null&enabled=true&side=consumer&weight=5"},
		{"key: a.B\nenabled: false\nconfigs: [{side: provider, applications: [x, y], parameters: {p: 1.50}}]", dialect.Dubbo33,
			"override://0.0.0.0/a.B?application=x&category=dynamicconfigurators&configVersion=null&enabled=false&p=1.5&providerAddresses=0.0.0.0&side=provider " +
				"override://0.0.0.0/a.B?application=y&category=dynamicconfigurators&configVersion=null&enabled=false&p=1.5&providerAddresses=0.0.0.0&side=provider"},
		{"key: a.B\nconfigs: [{side: consumer, type: weight, enabled: true, parameters: {weight: 5}}]", dialect.Dubbo33,
			"override://0.0.0.0/a.B?category=dynamicconfigurators&configVersion=null&enabled=true&side=consumer&weight=5"},
		{"key: a.B\nenabled: false\nconfigs: [{side: consumer, type: weight, enabled: true, parameters: {weight: 5}}]", dialect.Standard,
			"override://0.0.0.0/a.B?category=dynamicconfigurators&configVersion=v2.7&enabled=false&side=consumer&weight=5"},
		{`["override://0.0.0.0/a.B?timeout=3", "absent://10.0.0.1:20880/a.B?weight=7"]`, dialect.Standard,
			"override://0.0.0.0/a.B?timeout=3 absent://10.0.0.1:20880/a.B?weight=7"},
		{"[]", dialect.Dubbo27, ""},
		{"key: a.B\nconfigs: []", dialect.Dubbo33, ""},
	} {
		doc, list := rule.ParseConfiguratorDocument(rule.Origin{}, c.text, c.d)
		if doc == nil {
			t.Errorf("%s in %s: %v", c.text, c.d, list)
			continue
		}
		if got := urlsOf(doc); got != c.want {
			t.Errorf("%s in %s:\n got %s\nwant %s", c.text, c.d, got, c.want)
		}
	}
}

// TestConfiguratorFindings: code and place of what is said about a text; "" in codes means that the text is taken.
func TestConfiguratorFindings(t *testing.T) {
	std, d27, d33 := dialect.Standard, dialect.Dubbo27, dialect.Dubbo33
	head := "configVersion: v3.0\nkey: g/com.example.Order:1.0\n"
	for _, c := range []struct {
		text, code string
		line, col  int
		refused    map[dialect.Dialect]bool
	}{
		{head, diag.MissingField, 1, 1, map[dialect.Dialect]bool{std: true, d27: true, d33: true}},
		{head + "configs: text", diag.WrongType, 3, 10, map[dialect.Dialect]bool{std: true, d27: true, d33: true}},
		{head + "configs:\n- side: consumer", diag.NoParameters, 4, 3, map[dialect.Dialect]bool{std: true, d27: true, d33: true}},
		{head + "configs:\n- side: consumer\n  parameters: {a: null}", diag.WrongType, 5, 19, map[dialect.Dialect]bool{std: true, d27: true, d33: true}},
		{head + "configs:\n- parameters: {a: 1}", diag.OverrideNoSide, 4, 3, map[dialect.Dialect]bool{std: true, d27: false, d33: false}},
		{head + "configs:\n- parameters: {a: 1}\n  side: both", diag.OverrideNoSide, 5, 9, map[dialect.Dialect]bool{std: true, d27: false, d33: true}},
		{head + "configs:\n- side: consumer\n  parameters: {a: 1}\n  type: weight", diag.OverrideOff, 4, 3, map[dialect.Dialect]bool{}},
		{head + "configs:\n- side: consumer\n  parameters: {router: tag, a: 1}", diag.GuardedParameter, 5, 16, map[dialect.Dialect]bool{}},
		{head + "configs:\n- side: consumer\n  parameters: {a: \"x;y\"}", diag.OverrideUnencoded, 5, 20, map[dialect.Dialect]bool{}},
		{head + "configs:\n- side: consumer\n  parameters: {a: [1]}", diag.WrongType, 5, 19, map[dialect.Dialect]bool{std: true}},
		{head + "configs:\n- side: consumer\n  parameters: {a: 1}\n  addresses: 10.0.0.1", diag.WrongType, 6, 14, map[dialect.Dialect]bool{std: true}},
		{head + "configs:\n- side: consumer\n  parameters: {a: 1}\n  adresses: [10.0.0.1]", diag.UnknownField, 6, 3, map[dialect.Dialect]bool{}},
		{"key: other.Service\nconfigs:\n- side: consumer\n  parameters: {a: 1}", diag.KeyDisagrees, 1, 6, map[dialect.Dialect]bool{}},
		{"scope: application\nkey: web\nconfigs:\n- side: consumer\n  parameters: {a: 1}", diag.KeyDisagrees, 1, 8, map[dialect.Dialect]bool{}},
		{head + "configs: []", diag.KeepsOld, 3, 10, map[dialect.Dialect]bool{}},
	} {
		for _, d := range []dialect.Dialect{std, d27, d33} {
			doc, list := rule.Parse(overridesKey, c.text, d)
			found := false
			for _, f := range list {
				found = found || f.Code == c.code && f.Span.Line == c.line && f.Span.Col == c.col
			}
			if !found || (doc == nil) != c.refused[d] {
				t.Errorf("%s: %q: taken %v, want %s at %d:%d in %v", d, c.text, doc != nil, c.code, c.line, c.col, list)
			}
		}
	}
}

// TestConfiguratorBounds: a short document does not make a large amount of overrides.
func TestConfiguratorBounds(t *testing.T) {
	many := strings.TrimSuffix(strings.Repeat("h, ", 9_000), ", ")
	for name, item := range map[string]string{
		"many":      "services: [" + many[:3*200] + "x], addresses: [" + many[:3*200] + "x], parameters: {a: 1}",
		"long":      "addresses: [" + many[:3*5_000] + "x], parameters: {a: " + strings.Repeat("v", 200_000) + "}",
		"addresses": "addresses: [" + many + "], side: provider, parameters: {a: 1}",
	} {
		for _, d := range []dialect.Dialect{dialect.Standard, dialect.Dubbo33} {
			doc, list := rule.ParseConfiguratorDocument(rule.Origin{}, "scope: application\nkey: web\nconfigs:\n- {"+item+"}\n", d)
			found := false
			for _, f := range list {
				found = found || f.Code == diag.DocumentTooLong
			}
			if doc != nil || !found {
				t.Errorf("%s in %s: %d overrides, %v", name, d, strings.Count(item, "h"), list)
			}
		}
	}
}

// TestConfiguratorMatchFindings: a match block that cannot be read is left out by Dubbo, and refused by Standard.
func TestConfiguratorMatchFindings(t *testing.T) {
	for _, match := range []string{"text", "{address: {}}", "{address: x}", "{address: {cird: bad}}", "{service: {}}", "{app: {oneof: x}}", "{app: {oneof: [x]}}", "{param: x}", "{param: [{key: env}]}"} {
		text := "configVersion: v3.0\nkey: a.B\nconfigs:\n- {side: consumer, parameters: {a: 1}, match: " + match + "}\n"
		if doc, list := rule.ParseConfiguratorDocument(rule.Origin{}, text, dialect.Standard); doc != nil || !list.HasErrors() {
			t.Errorf("standard takes %s", match)
		}
		doc, list := rule.ParseConfiguratorDocument(rule.Origin{}, text, dialect.Dubbo33)
		if doc == nil || len(list) == 0 || len(doc.Overrides) != 1 {
			t.Errorf("dubbo-3.3: %s: %v", match, list)
		}
		if doc, list := rule.ParseConfiguratorDocument(rule.Origin{}, text, dialect.Dubbo31); doc == nil || doc.Overrides[0].Match != nil || len(list) == 0 {
			t.Errorf("dubbo-3.1 reads %s: %v", match, list)
		}
	}
}

// TestConfiguratorFormat: what is printed reads again as the same overrides, on every recorded document.
func TestConfiguratorFormat(t *testing.T) {
	f, err := os.Open("../testdata/conformance/override.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	scan := bufio.NewScanner(f)
	scan.Buffer(nil, 1<<20)
	checked := 0
	for scan.Scan() {
		var c struct {
			ID    string
			Rules struct{ YAML *string }
		}
		if err := json.Unmarshal(scan.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		if c.Rules.YAML == nil {
			continue
		}
		for _, d := range dialect.All() {
			doc, _ := rule.ParseConfiguratorDocument(rule.Origin{Name: overridesKey}, *c.Rules.YAML, d)
			if doc == nil || len(doc.Overrides) == 0 {
				continue
			}
			checked++
			printed := rule.Format(doc)
			again, list := rule.ParseConfiguratorDocument(rule.Origin{Name: overridesKey}, printed, d)
			if again == nil || rule.Format(again) != printed || urlsOf(again) != urlsOf(doc) && !strings.Contains(*c.Rules.YAML, "enabled: \"true\"") && !strings.Contains(*c.Rules.YAML, "key: \"\"") {
				t.Errorf("%s %s: printed as\n%s%v", c.ID, d, printed, list)
			}
		}
	}
	if checked < 1000 {
		t.Errorf("only %d documents checked", checked)
	}
}

// FuzzConfiguratorDocument: hostile texts are answered, bounded, and never with both a document and an error.
func FuzzConfiguratorDocument(f *testing.F) {
	for _, text := range []string{"", "[]", "key: a.B\nconfigs: [{side: consumer, parameters: {a: 1}}]", `["override://0.0.0.0/a.B?x=1"]`,
		"configVersion: v3.0\nkey: \"*\"\nconfigs: [{match: {param: [{key: a, value: {regex: \"(\"}}]}, parameters: {\"~a\": \"&=#%\"}}]",
		"scope: application\nkey: x\nconfigs: [{addresses: [\"[\", \"\"], services: [\"/:\"], parameters: {a: [1]}}]"} {
		f.Add(text, uint8(0))
		f.Add(text, uint8(3))
	}
	f.Fuzz(func(t *testing.T, text string, n uint8) {
		d := dialect.All()[int(n)%len(dialect.All())]
		doc, list := rule.ParseConfiguratorDocument(rule.Origin{Name: overridesKey}, text, d)
		if (doc == nil) != list.HasErrors() {
			t.Fatalf("document %v with %v", doc != nil, list)
		}
		if doc != nil {
			_ = rule.Format(doc)
		}
	})
}

// TestOverridesPage reads every document of docs/overrides.md without an error in each dialect that knows documents.
func TestOverridesPage(t *testing.T) {
	page, err := os.ReadFile("../docs/overrides.md")
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(string(page), "```yaml\n")
	if len(parts) < 5 {
		t.Fatalf("%d examples", len(parts)-1)
	}
	for _, part := range parts[1:] {
		text, _, _ := strings.Cut(part, "```")
		for _, d := range []dialect.Dialect{dialect.Standard, dialect.Dubbo27, dialect.Dubbo31, dialect.Dubbo33} {
			key := "com.example.shop.OrderService::.configurators"
			if strings.Contains(text, "scope: application") {
				key = "web.configurators"
			}
			doc, list := rule.Parse(key, text, d)
			if doc == nil || d == dialect.Standard && len(list) > 0 {
				t.Errorf("%s: %s\n%v", d, text, list)
			}
		}
	}
}
