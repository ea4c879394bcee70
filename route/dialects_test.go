package route_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/rule"
	"github.com/dubway-go/dubway/service"
)

// difference is one row of docs/dialects.md. keep has the answers in the order 2.6, 2.7, 3.1, 3.3, standard; a rule that
// the dialect refuses is "error".
type difference struct {
	id        string
	rule      string
	consumer  string
	providers []string
	call      rpc.Invocation
	keep      [5]string
}

const (
	hz       = "dubbo://10.0.0.1:20880/a.B?region=hz"
	bj       = "dubbo://10.0.0.2:20881/a.B?region=bj"
	noRegion = "dubbo://10.0.0.3:20880/a.B"
	web      = "consumer://10.0.0.9/a.B?application=web"
)

func conditionDifferences() []difference {
	tagAttachment := rpc.Attachments{{Key: "dubbo.tag", Value: "gray"}}
	levels := []string{"dubbo://10.0.0.1:1/a.B?level=3", "dubbo://10.0.0.2:1/a.B?level=7", "dubbo://10.0.0.3:1/a.B?level=abc", "dubbo://10.0.0.4:1/a.B?level=5~10", "dubbo://10.0.0.5:1/a.B?level=a~b"}
	two := []string{hz, bj}
	direct := rpc.Invocation{Method: "get", Direct: true, Args: []any{"x"}}
	generic := rpc.Invocation{Method: "get", Args: []any{"x"}}
	withEnv := rpc.Invocation{Method: "get", Direct: true, Attachments: rpc.Attachments{{Key: "env", Value: "gray"}}}
	both, first := "[0 1]", "[0]"
	return []difference{
		{"C1", "=> region!=hz", web, []string{hz, bj, noRegion}, direct, [5]string{"[1 2]", "[1 2]", "[1 2]", "[1]", "[1]"}},
		{"C2", "zone!=z1 => region=hz", web, two, direct, [5]string{first, first, first, both, both}},
		{"C3", "=> address=*:20881", web, two, direct, [5]string{"[]", "[1]", "[1]", "[1]", "[1]"}},
		{"C4", "arguments[0]=x => region=hz", web, two, direct, [5]string{both, first, first, first, first}},
		{"C5", "arguments[5]!=x => region=hz", web, two, direct, [5]string{first, both, both, first, both}},
		{"C6", "arguments[x]!=y => region=hz", web, two, direct, [5]string{first, both, both, first, "error"}},
		{"C7", "arguments[0].id=x => region=hz", web, two, direct, [5]string{both, first, first, first, "error"}},
		{"C8", "attachments[env]=gray => region=hz", web, two, withEnv, [5]string{both, both, both, first, first}},
		{"C9", "attachments[dubbo.tag]=gray => region=hz", web, two, rpc.Invocation{Method: "get", Attachments: tagAttachment}, [5]string{both, both, both, both, first}},
		{"C10", "attachments[env]!=gray => region=hz", web, two, direct, [5]string{first, first, first, both, both}},
		{"C11", "method=get => region=hz", web, two, generic, [5]string{both, both, both, first, first}},
		{"C12", "arguments[0]=x => region=hz", web, two, generic, [5]string{both, both, both, both, first}},
		{"C13", "=> level=5~10", web, levels, direct, [5]string{"[3]", "[3]", "[3]", "[1]", "[1]"}},
		{"C14", "=> level=5~", web, levels, direct, [5]string{"[]", "[]", "[]", "[0 1 2 3 4]", "[1]"}},
		{"C15", "=> level=0~10", web, levels, direct, [5]string{"[]", "[]", "[]", "[0 1 2 3 4]", "[0 1]"}},
		{"C16", "=> level=a~b", web, levels, direct, [5]string{"[4]", "[4]", "[4]", "[2 3 4]", "[4]"}},
		{"C17", "=> arguments[0]!=x", web, two, direct, [5]string{both, "[]", "[]", both, "error"}},
		{"C18", "=> address=$address", "consumer://10.0.0.2:20881/a.B", two, direct, [5]string{"[]", "[]", "[]", "[]", "[1]"}},
		{"C19", "host=consumer.x => region=hz", "consumer://x/a.B", two, direct, [5]string{first, first, first, first, both}},
	}
}

func dialectOrder() []dialect.Dialect {
	return []dialect.Dialect{dialect.Dubbo26, dialect.Dubbo27, dialect.Dubbo31, dialect.Dubbo33, dialect.Standard}
}

func TestConditionDifferences(t *testing.T) {
	for _, c := range conditionDifferences() {
		for i, d := range dialectOrder() {
			cond, findings := rule.ParseCondition(c.rule, d)
			got := "error"
			if !findings.HasErrors() {
				doc := &rule.ConditionDocument{Enabled: true, Valid: true, Force: true, Conditions: []rule.Condition{cond}}
				in := route.Input{Dialect: d, Rules: route.Rules{URL: []*rule.ConditionDocument{doc}}, Chain: route.Chain{{Router: route.RouterURL}}}
				got = answer(t, in, c.consumer, c.providers, c.call)
			}
			if got != c.keep[i] {
				t.Errorf("%s, %v: %s, documented %s", c.id, d, got, c.keep[i])
			}
		}
	}
}

func answer(t *testing.T, in route.Input, consumer string, providers []string, call rpc.Invocation) string {
	t.Helper()
	s, _ := route.Compile(between(t, in, consumer, providers))
	return fmt.Sprint(indexes(s.Route(&call)))
}

// between returns the input with a consumer and providers.
func between(t *testing.T, in route.Input, consumer string, providers []string) route.Input {
	t.Helper()
	u, err := durl.ParseAs(consumer, in.Dialect)
	if err != nil {
		t.Fatal(err)
	}
	in.Consumer = service.Consumer{URL: u}
	var list []*service.Instance
	for _, p := range providers {
		u, err := durl.ParseAs(p, in.Dialect)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, service.NewInstance(u, u, u))
	}
	in.Set = service.NewSet(1, list)
	return in
}

func TestSourceDifferences(t *testing.T) {
	doc := func(text string) *rule.ConditionDocument {
		c, _ := rule.ParseCondition(text, dialect.Dubbo27)
		return &rule.ConditionDocument{Enabled: true, Valid: true, Force: true, Conditions: []rule.Condition{c}}
	}
	two, call := []string{hz, bj}, rpc.Invocation{Method: "get", Direct: true}
	// S4: a forced URL rule of priority 120 comes after the tag router and before the service document.
	tagged := []string{hz + "&dubbo.tag=gray", bj, noRegion}
	late := doc("=> region=bj")
	late.Priority = 120
	off := doc("=> region=hz")
	off.Enabled = false
	for _, c := range []struct {
		id        string
		rules     route.Rules
		consumer  string
		providers []string
		keep      [5]string
	}{
		{"S1", route.Rules{URL: []*rule.ConditionDocument{doc("=> region=hz")}}, web, two, [5]string{"[0]", "[0]", "[0 1]", "[0 1]", "[0]"}},
		{"S2", route.Rules{Service: doc("=> region=hz")}, web, two, [5]string{"[0 1]", "[0]", "[0]", "[0]", "[0]"}},
		{"S3", route.Rules{ProviderApplication: doc("=> region=hz")}, web, two, [5]string{"[0 1]", "[0 1]", "[0 1]", "[0]", "[0]"}},
		{"S4", route.Rules{URL: []*rule.ConditionDocument{late}}, web, tagged, [5]string{"[1]", "[1]", "[1 2]", "[1 2]", "[1]"}},
		{"S5", route.Rules{Service: doc("=> region=hz")}, web + "&router=-service", two, [5]string{"[0 1]", "[0 1]", "[0 1]", "[0 1]", "[0 1]"}},
		{"C20", route.Rules{URL: []*rule.ConditionDocument{off}}, web, two, [5]string{"[0]", "[0 1]", "[0 1]", "[0 1]", "[0 1]"}},
	} {
		for i, d := range dialectOrder() {
			if got := answer(t, route.Input{Dialect: d, Rules: c.rules}, c.consumer, c.providers, call); got != c.keep[i] {
				t.Errorf("%s, %v: %s, documented %s", c.id, d, got, c.keep[i])
			}
		}
	}
}

func TestTagDifferences(t *testing.T) {
	tag := func(name string, addresses ...string) rule.Tag {
		out := rule.Tag{Name: name, HasAddresses: true}
		for _, a := range addresses {
			out.Addresses = append(out.Addresses, rule.Value{Text: a})
		}
		return out
	}
	exact := "beta"
	match := func(name string) rule.Tag {
		return rule.Tag{Name: name, HasMatch: true, Match: []rule.ParamMatch{{Key: "env", Value: rule.StringMatch{Exact: &exact}}}}
	}
	doc := func(version string, tags ...rule.Tag) *rule.TagDocument {
		return &rule.TagDocument{Enabled: true, Valid: true, ConfigVersion: version, Tags: tags}
	}
	gray, plain, beta := "dubbo://10.0.0.1:20880/a.B?dubbo.tag=gray", "dubbo://10.0.0.2:20880/a.B", "dubbo://10.0.0.3:20881/a.B?env=beta"
	call := func(kv ...string) rpc.Invocation {
		inv := rpc.Invocation{Method: "get"}
		for i := 0; i < len(kv); i += 2 {
			inv.Attachments = append(inv.Attachments, rpc.Attachment{Key: kv[i], Value: kv[i+1]})
		}
		return inv
	}
	for _, c := range []struct {
		id        string
		doc       *rule.TagDocument
		consumer  string
		providers []string
		call      rpc.Invocation
		keep      [5]string
	}{
		{"T1", nil, web + "&dubbo.tag=gray", []string{gray, plain}, call(), [5]string{"[1]", "[0]", "[0]", "[0]", "[0]"}},
		{"T2", nil, web, []string{plain}, call("dubbo.tag", "no", "dubbo.force.tag", "1"), [5]string{"[]", "[0]", "[0]", "[0]", "[0]"}},
		{"T2", nil, web + "&dubbo.force.tag=true", []string{plain}, call("dubbo.tag", "no"), [5]string{"[0]", "[0]", "[]", "[]", "[]"}},
		{"T2", nil, web + "&dubbo.force.tag=true", []string{plain}, call("dubbo.tag", "no", "dubbo.force.tag", ""), [5]string{"[0]", "[]", "[]", "[]", "[]"}},
		{"T3", nil, web, []string{plain}, call("dubbo.force.tag", "true"), [5]string{"[]", "[0]", "[0]", "[0]", "[0]"}},
		{"T4", doc("", tag("blue", "10.9.9.9:1")), web, []string{gray, plain}, call(), [5]string{"[1]", "[0 1]", "[0 1]", "[1]", "[1]"}},
		{"T5", doc("", tag("a|b", "10.0.0.2"), tag("a", "10.0.0.3")), web, []string{gray, plain, beta}, call("dubbo.tag", "a|b|c"), [5]string{"[1 2]", "[]", "[]", "[1]", "[1]"}},
		{"T6", doc("v3.0", match("beta")), web, []string{gray, plain, beta}, call("dubbo.tag", "beta"), [5]string{"[1 2]", "[1 2]", "[1 2]", "[2]", "[2]"}},
		{"T6", doc("", match("beta")), web, []string{gray, plain, beta}, call("dubbo.tag", "beta"), [5]string{"[1 2]", "[1 2]", "[1 2]", "[1 2]", "[2]"}},
		{"T7", doc("", tag("x", "10.0.0.2"), tag("x", "10.9.9.9:1")), web, []string{plain, beta}, call(), [5]string{"[0 1]", "[1]", "[1]", "[0 1]", "[0 1]"}},
		{"T8", doc("", tag("x", "*:20881")), web, []string{plain, beta}, call("dubbo.tag", "x"), [5]string{"[0 1]", "[0 1]", "[0 1]", "[0 1]", "[1]"}},
		{"T9", doc("v3.0", match("x"), tag("x", "10.0.0.2")), web, []string{plain, beta}, call("dubbo.tag", "x"), [5]string{"[0 1]", "[0]", "[0]", "[1]", "[0]"}},
	} {
		for i, d := range dialectOrder() {
			in := route.Input{Dialect: d, Rules: route.Rules{Tag: c.doc}}
			if got := answer(t, in, c.consumer, c.providers, c.call); got != c.keep[i] {
				t.Errorf("%s, %v: %s, documented %s", c.id, d, got, c.keep[i])
			}
		}
	}
}

// TestTagDocumentDifferences: what the dialects make of tag documents that are typed wrong. 2.6 reads no documents.
func TestTagDocumentDifferences(t *testing.T) {
	plain, beta := "dubbo://10.0.0.2:20880/a.B", "dubbo://10.0.0.3:20881/a.B"
	for _, c := range []struct {
		id, text string
		keep     [5]string
	}{
		{"T10", "tags:\n- name: x\n  addresses: 10.0.0.2\n- {name: y, addresses: [10.0.0.3]}\n", [5]string{"[0 1]", "[0]", "[0]", "[0]", "error"}},
		{"T11", "tags: [{name: y, addresses: [null, 10.0.0.3]}]", [5]string{"[0 1]", "error", "[0]", "[0]", "error"}},
	} {
		for i, d := range dialectOrder() {
			doc, findings := rule.ParseTagDocument(rule.Origin{Name: "shop.tag-router"}, c.text, d)
			got, in := "error", route.Input{Dialect: d}
			if d != dialect.Dubbo26 {
				in.Rules.Tag = doc
			}
			if d == dialect.Dubbo26 || !findings.HasErrors() {
				got = answer(t, in, web, []string{plain, beta}, rpc.Invocation{Method: "get"})
			}
			if got != c.keep[i] {
				t.Errorf("%s, %v: %s, documented %s (%v)", c.id, d, got, c.keep[i], findings)
			}
		}
	}
}

func TestDestinationDifferences(t *testing.T) {
	head := "configVersion: v3.1\nforce: true\nconditions:\n"
	for _, c := range []struct {
		id, text string
		keep     [5]string
	}{
		{"M1", head + "- to:\n  - {match: \"region=hz\", weight: 1}\n  - {match: \"region=bj\", weight: 9}\n", [5]string{"[0 1]", "[0 1]", "[]", "20%", "10%"}},
		{"M2", head + "- to:\n  - match: \"region=hz\"\n", [5]string{"[0 1]", "[0 1]", "[]", "[0]", "[0]"}},
		{"M3", head + "- to:\n  - match: \"false\"\n", [5]string{"[0 1]", "[0 1]", "[]", "[0 1]", "error"}},
		{"M4", head + "- to:\n  - {match: \"region=hz\", weight: 0}\n  - {match: \"region=bj\", weight: 100}\n", [5]string{"[0 1]", "[0 1]", "[]", "50%", "error"}},
		{"M5", head + "- from: {match: \"consumer.application=web\"}\n  to:\n  - match: \"region=hz\"\n", [5]string{"[0 1]", "[0 1]", "[]", "[0 1]", "[0 1]"}},
	} {
		for i, d := range dialectOrder() {
			doc, _ := rule.ParseConditionDocument(rule.Origin{}, c.text, d)
			if got := destinations(t, d, doc); got != c.keep[i] {
				t.Errorf("%s, %v: %s, documented %s", c.id, d, got, c.keep[i])
			}
		}
	}
}

// destinations returns the answer for one document; when it is drawn, the share of the first provider.
func destinations(t *testing.T, d dialect.Dialect, doc *rule.ConditionDocument) string {
	t.Helper()
	if doc == nil && d == dialect.Standard {
		return "error"
	}
	const draws = 20_000
	first, last := 0, ""
	u, err := durl.ParseAs(web, d)
	if err != nil {
		t.Fatal(err)
	}
	var list []*service.Instance
	for _, p := range []string{hz, bj} {
		u, err := durl.ParseAs(p, d)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, service.NewInstance(u, u, u))
	}
	s, _ := route.Compile(route.Input{Dialect: d, Consumer: service.Consumer{URL: u}, Set: service.NewSet(1, list), Rules: route.Rules{Service: doc}})
	for seed := range uint64(draws) {
		if last = fmt.Sprint(indexes(s.Route(&rpc.Invocation{Method: "get", Seed: seed}))); last == "[0]" {
			first++
		}
	}
	if first == 0 || first == draws {
		return last
	}
	return fmt.Sprintf("%.0f%%", float64(first)/draws*100)
}

// TestDialectTableIsTested keeps docs/dialects.md and the tests above in step.
func TestDialectTableIsTested(t *testing.T) {
	text, err := os.ReadFile("../docs/dialects.md")
	if err != nil {
		t.Fatal(err)
	}
	var source []byte
	for _, name := range []string{"dialects_test.go", "affinity_test.go", "mesh_test.go"} {
		part, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		source = append(source, part...)
	}
	rows := regexp.MustCompile(`(?m)^\| ([CSTMAH]\d+) \|`).FindAllStringSubmatch(string(text), -1)
	if len(rows) < 30 {
		t.Fatalf("only %d rows found", len(rows))
	}
	var seen []string
	for _, r := range rows {
		if slices.Contains(seen, r[1]) {
			t.Errorf("row %s is there twice", r[1])
		}
		seen = append(seen, r[1])
		if !strings.Contains(string(source), `{"`+r[1]+`",`) {
			t.Errorf("row %s has no test", r[1])
		}
	}
}
