package rule_test

import (
	"bufio"
	"encoding/json"
	"os"
	"reflect"
	"sort"
	"testing"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/rule"
)

var versions = map[string]dialect.Dialect{
	"2.6.12": dialect.Dubbo26, "2.7.23": dialect.Dubbo27, "3.1.11": dialect.Dubbo31, "3.3.1": dialect.Dubbo33,
}

type sets struct {
	In    []string `json:"in"`
	NotIn []string `json:"notIn"`
}

func texts(values []rule.Value) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = v.Text
	}
	sort.Strings(out)
	return out
}

func toSets(clauses []rule.Clause) map[string]sets {
	out := map[string]sets{}
	for _, c := range clauses {
		out[c.Key] = sets{texts(c.In), texts(c.NotIn)}
	}
	return out
}

// TestConditionConformance compares the condition parser with the answers of the real versions, and
// checks that what it prints it reads again.
func TestConditionConformance(t *testing.T) {
	f, err := os.Open("../testdata/conformance/condition-parse.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	scan := bufio.NewScanner(f)
	scan.Buffer(nil, 1<<20)
	checked := 0
	for scan.Scan() {
		var c struct {
			ID     string
			Rule   struct{ Text string }
			Expect map[string]struct {
				Error string
				When  map[string]sets
				Then  map[string]sets
			}
		}
		if err := json.Unmarshal(scan.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		for version, want := range c.Expect {
			checked++
			d := versions[version]
			got, list := rule.ParseCondition(c.Rule.Text, d)
			if list.HasErrors() != (want.Error != "") {
				t.Errorf("%s %s %q: errors %v, want %q", c.ID, version, c.Rule.Text, list, want.Error)
				continue
			}
			if want.Error != "" {
				continue
			}
			if w := toSets(got.When); !reflect.DeepEqual(w, want.When) {
				t.Errorf("%s %s %q: when %v, want %v", c.ID, version, c.Rule.Text, w, want.When)
			}
			if got.Blacklist != (want.Then == nil) || want.Then != nil && !reflect.DeepEqual(toSets(got.Then), want.Then) {
				t.Errorf("%s %s %q: then %v %v, want %v", c.ID, version, c.Rule.Text, got.Blacklist, toSets(got.Then), want.Then)
			}
			again, list := rule.ParseCondition(got.String(), d)
			if list.HasErrors() || again.String() != got.String() || !reflect.DeepEqual(toSets(again.When), toSets(got.When)) ||
				!reflect.DeepEqual(toSets(again.Then), toSets(got.Then)) || again.Blacklist != got.Blacklist {
				t.Errorf("%s %s %q: printed as %q, which reads as %q %v", c.ID, version, c.Rule.Text, got, again, list)
			}
		}
	}
	if checked != 3800 {
		t.Errorf("%d answers checked, want 3800", checked)
	}
}
