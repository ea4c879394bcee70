package rule_test

import (
	"testing"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/rule"
)

const serviceKey = "com.example.Order:1.0:g.condition-router"

func conditionDocument(t *testing.T, text string, d dialect.Dialect) *rule.ConditionDocument {
	t.Helper()
	doc, list := rule.ParseConditionDocument(rule.Origin{Source: "config-centre", Name: serviceKey, Rev: "7"}, text, d)
	if doc == nil {
		t.Fatalf("%s: %v", d, list)
	}
	return doc
}

func TestConditionDocumentFields(t *testing.T) {
	doc := conditionDocument(t, `
configVersion: v3.0
scope: service
key: com.example.Order
enabled: "true"
force: yes
valid: off
priority: 0x10
runtime: true
dynamic: false
conditions:
  - method=get => region=hz
  - |
    host=10.0.*
    => false
`, dialect.Standard)
	if doc.ConfigVersion != "v3.0" || doc.Scope != "service" || doc.Key != "com.example.Order" || !doc.Enabled || !doc.Force || doc.Valid || doc.Priority != 16 || doc.Origin.Rev != "7" {
		t.Errorf("%+v", doc)
	}
	if len(doc.Conditions) != 2 || doc.Conditions[0].String() != "method=get => region=hz" || !doc.Conditions[1].Blacklist || doc.Conditions[1].Span.Line != 14 {
		t.Errorf("%+v", doc.Conditions)
	}
}

func TestDefaults(t *testing.T) {
	for _, d := range dialect.All() {
		doc := conditionDocument(t, "conditions: ['=> a=1']\nforce: null\nenabled:\n", d)
		if !doc.Enabled || doc.Force || !doc.Valid || doc.Priority != 0 || doc.Key+doc.Scope+doc.ConfigVersion != "" {
			t.Errorf("%s: %+v", d, doc)
		}
	}
}

// TestDialectsOfDocuments: what each dialect takes and refuses (spec §3.2, §3.5, §4.2).
func TestDialectsOfDocuments(t *testing.T) {
	std, d27, d31, d33 := dialect.Standard, dialect.Dubbo27, dialect.Dubbo31, dialect.Dubbo33
	for _, c := range []struct {
		key, text string
		takes     []dialect.Dialect
	}{
		{serviceKey, "force: \"true\"\nconditions: ['=> a=1']", []dialect.Dialect{std, d31, d33}},
		{serviceKey, "force: maybe\nconditions: ['=> a=1']", []dialect.Dialect{d31, d33}},
		{serviceKey, "priority: high\nconditions: ['=> a=1']", nil},
		{serviceKey, "priority: \"5\"\nconditions: ['=> a=1']", []dialect.Dialect{std, d31, d33}},
		{serviceKey, "key: 5\nconditions: ['=> a=1']", []dialect.Dialect{std, d27}},
		{serviceKey, "configVersion: 3.1\nconditions: ['=> a=1']", []dialect.Dialect{d27, d31}},
		{serviceKey, "configVersion: \"3.1\"\nconditions: ['=> a=1']", []dialect.Dialect{std, d27, d31, d33}},
		{serviceKey, "configVersion: v3.2\nconditions: ['=> a=1']", []dialect.Dialect{d27, d31}},
		{serviceKey, "configVersion: v3.1\nconditions: [{to: [{match: a=1}]}]", []dialect.Dialect{std, d31, d33}},
		{serviceKey, "configVersion: v3.1\nconditions: [{to: [{match: a=1, weight: 0}]}]", []dialect.Dialect{d31, d33}},
		{serviceKey, "configVersion: v3.1\nconditions: [{from: null, to: [{match: a=1}]}]", []dialect.Dialect{d31, d33}},
		{serviceKey, "conditions: []", nil},
		{serviceKey, "conditions: '=> a=1'", []dialect.Dialect{d31, d33}},
		{serviceKey, "force: true\nforce: false\nconditions: ['=> a=1']", []dialect.Dialect{d27, d31, d33}},
		{serviceKey, "enabled: false\nconditions: ['a==b']", []dialect.Dialect{std, d27, d31, d33}},
		{serviceKey, "enabled: false", []dialect.Dialect{std}},
		{serviceKey, "enabled: true\nconditions: ['a==b', '=> a=1']", nil},
		{serviceKey, "conditions: ['=> region=hz sh']", []dialect.Dialect{d27, d31, d33}},
		{serviceKey, "unknown: 1\nconditions: ['=> a=1']", []dialect.Dialect{std, d27, d31, d33}},
		{serviceKey, "", nil},
		{"shop.tag-router", "tags: [{name: 1.0, addresses: ['10.0.0.1']}]", []dialect.Dialect{std, d27}},
		{"shop.tag-router", "tags: [{name: a, addresses: ['host.name']}]", []dialect.Dialect{d27, d31, d33}},
		{"shop.tag-router", "tags: []", []dialect.Dialect{std, d27, d31, d33}},
		{"shop.tag-router", "tags: text", []dialect.Dialect{d27, d31, d33}},
		{"shop.tag-router", "configVersion: v3.0\ntags: [{name: a}]", []dialect.Dialect{d27, d31}},
		{"shop.tag-router", "tags: [{name: a}]", []dialect.Dialect{std, d27, d31, d33}},
		{"shop.tag-router", "tags: [5]", nil},
	} {
		for _, d := range []dialect.Dialect{std, d27, d31, d33} {
			want := false
			for _, x := range c.takes {
				want = want || x == d
			}
			doc, list := rule.Parse(c.key, c.text, d)
			if (doc != nil) != want || (doc == nil) != list.HasErrors() {
				t.Errorf("%s: %q taken %v, want %v: %v", d, c.text, doc != nil, want, list)
			}
		}
	}
}

func TestMultiDestinations(t *testing.T) {
	doc := conditionDocument(t, `configVersion: v3.1
conditions:
  - from: {match: "env=gray & method=get*"}
    to:
      - {match: "env=gray", weight: 70}
      - {match: "env!=gray", weight: "30"}
      - {}
  - from: {match: "region=hz"}
    to: []
  - from: {match: "true"}
    to: [{match: " zone = z1 "}]
`, dialect.Standard)
	if len(doc.Multi) != 3 || len(doc.Conditions) != 0 {
		t.Fatalf("%+v", doc)
	}
	a, b, c := doc.Multi[0], doc.Multi[1], doc.Multi[2]
	if rule.FormatClauses(a.From) != "env=gray & method=get*" || len(a.To) != 3 || a.To[0].Weight != 70 || a.To[1].Weight != 30 || a.To[2].Weight != 100 || a.To[2].Match != nil || rule.FormatClauses(a.To[1].Match) != "env!=gray" {
		t.Errorf("%+v", a)
	}
	if len(b.To) != 0 || len(b.From) != 1 || len(c.From) != 0 || rule.FormatClauses(c.To[0].Match) != "zone=z1" {
		t.Errorf("%+v %+v", b, c)
	}
}

func TestTagDocument(t *testing.T) {
	text := `configVersion: v3.0
force: true
tags:
  - name: gray
    addresses: ["10.0.0.1:20880", 10.0.1.*]
  - name: beta
    match:
      - key: env
        value: {exact: beta, empty: ""}
      - key: level
        value: {exact: 7}
  - name: all
    match: []
`
	doc, list := rule.ParseTagDocument(rule.Origin{}, text, dialect.Standard)
	if doc == nil || len(list) != 0 || !doc.Force || len(doc.Tags) != 3 {
		t.Fatalf("%+v %v", doc, list)
	}
	gray, beta, all := doc.Tags[0], doc.Tags[1], doc.Tags[2]
	if gray.Name != "gray" || !gray.HasAddresses || len(gray.Addresses) != 2 || gray.Addresses[1].Text != "10.0.1.*" || gray.Addresses[1].Span.Line != 5 || gray.HasMatch {
		t.Errorf("%+v", gray)
	}
	if beta.HasAddresses || !beta.HasMatch || len(beta.Match) != 2 || *beta.Match[0].Value.Exact != "beta" || *beta.Match[0].Value.Empty != "" || *beta.Match[1].Value.Exact != "7" || beta.Match[1].Value.Prefix != nil {
		t.Errorf("%+v", beta)
	}
	if !all.HasMatch || len(all.Match) != 0 {
		t.Errorf("%+v", all)
	}
	for _, d := range []dialect.Dialect{dialect.Dubbo27, dialect.Dubbo31} {
		if doc, _ := rule.ParseTagDocument(rule.Origin{}, text, d); doc == nil || doc.Tags[1].HasMatch {
			t.Errorf("%s heeds match: %+v", d, doc)
		}
	}
}

func TestRouteURL(t *testing.T) {
	const text = "condition://0.0.0.0/com.example.Order?category=routers&force=true&enabled=false&rule=method%3Dget+%3D%3E+region%3Dhz"
	doc, list := rule.ParseRouteURL(text, dialect.Standard)
	if doc == nil || len(list) != 0 || !doc.Force || doc.Enabled || doc.Priority != 0 || doc.Origin.Name != text || len(doc.Conditions) != 1 || doc.Conditions[0].Text != "method=get => region=hz" {
		t.Fatalf("%+v %v", doc, list)
	}
	if doc, _ := rule.ParseRouteURL(text, dialect.Dubbo26); doc == nil || doc.Priority != 2 {
		t.Errorf("priority in dubbo-2.6: %+v", doc)
	}
	if doc, list := rule.ParseRouteURL("condition://h/a.B?enabled=false&rule=a%3D%3Db", dialect.Dubbo27); doc == nil || len(doc.Conditions) != 0 {
		t.Errorf("a broken rule that is switched off: %+v %v", doc, list)
	}
	if doc, _ := rule.ParseRouteURL("condition://h/a.B?enabled=false&rule=a%3D%3Db", dialect.Dubbo26); doc != nil {
		t.Error("dubbo-2.6 takes a broken rule that is switched off")
	}
}

// TestAllProblems: every problem of a document is told, in order.
func TestAllProblems(t *testing.T) {
	_, list := rule.ParseConditionDocument(rule.Origin{Name: serviceKey}, "scope: application\nforce: maybe\ncolour: red\nconditions:\n- a==b\n- => region=hz|sh\n- '=> x=1 => y=2'\n", dialect.Standard)
	want := []string{diag.KeyDisagrees, diag.WrongType, diag.UnknownField, diag.BadSeparator, diag.PipeIsText, diag.SecondArrow}
	if len(list) < len(want) {
		t.Fatalf("%v", list)
	}
	line := 0
	for i, code := range want {
		if list[i].Code != code || list[i].File != serviceKey || list[i].Span.Line < line {
			t.Errorf("finding %d is %v, want %s", i, list[i], code)
		}
		line = list[i].Span.Line
	}
}
