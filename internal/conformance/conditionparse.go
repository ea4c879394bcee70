package conformance

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/rule"
)

// valueSets are the values of one key, sorted.
type valueSets struct {
	In    []string `json:"in"`
	NotIn []string `json:"notIn"`
}

// replayConditionParse reads one condition.
func replayConditionParse(raw []byte, d dialect.Dialect, expect []byte) (want, got string, err error) {
	var c struct {
		Rule Rule `json:"rule"`
	}
	var a struct {
		Error string               `json:"error"`
		When  map[string]valueSets `json:"when"`
		Then  map[string]valueSets `json:"then"`
	}
	if err := decode(raw, &c, expect, &a); err != nil {
		return "", "", err
	}
	want = a.Error
	if want == "" {
		want = sides(a.When, a.Then)
	}
	cond, findings := rule.ParseCondition(c.Rule.Text, d)
	if findings.HasErrors() {
		return want, "illegal-rule", nil
	}
	then := setsOf(cond.Then)
	if cond.Blacklist {
		then = nil
	}
	return want, sides(setsOf(cond.When), then), nil
}

func setsOf(clauses []rule.Clause) map[string]valueSets {
	out := make(map[string]valueSets, len(clauses))
	for _, c := range clauses {
		out[c.Key] = valueSets{sortedTexts(c.In), sortedTexts(c.NotIn)}
	}
	return out
}

func sortedTexts(values []rule.Value) []string {
	out := make([]string, len(values))
	for i := range values {
		out[i] = values[i].Text
	}
	slices.Sort(out)
	return out
}

func sides(when, then map[string]valueSets) string {
	text, err := json.Marshal([]map[string]valueSets{when, then})
	if err != nil {
		return fmt.Sprint(when, then)
	}
	return string(text)
}
