package analyze_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/dubway-go/dubway/analyze"
)

// object checks that v is a JSON object with the required members and no others than those known, as the schema of SARIF 2.1.0 has it.
func object(t *testing.T, where string, v any, required, optional []string) map[string]any {
	t.Helper()
	m, ok := v.(map[string]any)
	if !ok {
		t.Fatalf("%s is %T, not an object", where, v)
	}
	for _, k := range required {
		if _, ok := m[k]; !ok {
			t.Errorf("%s has no %s", where, k)
		}
	}
	for k := range m {
		if !slices.Contains(required, k) && !slices.Contains(optional, k) {
			t.Errorf("%s has %s, which SARIF does not know there", where, k)
		}
	}
	return m
}

func list(t *testing.T, where string, v any) []any {
	t.Helper()
	l, ok := v.([]any)
	if !ok {
		t.Fatalf("%s is %T, not a list", where, v)
	}
	return l
}

func number(t *testing.T, where string, v any, least float64) float64 {
	t.Helper()
	n, ok := v.(float64)
	if !ok || n < least || n != float64(int(n)) {
		t.Errorf("%s is %v, not a whole number from %v", where, v, least)
	}
	return n
}

// TestSarif checks the structure of the log over all bad texts.
func TestSarif(t *testing.T) {
	files, _ := filepath.Glob("testdata/traps/*")
	var all analyze.Findings
	texts := map[string]string{}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		texts[f] = string(b)
		all = append(all, lintFile(t, f)...)
	}
	b, err := json.Marshal(analyze.ToSarif(all, texts))
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatal(err)
	}
	log := object(t, "log", v, []string{"$schema", "version", "runs"}, nil)
	if log["version"] != "2.1.0" {
		t.Errorf("version %v", log["version"])
	}
	for _, r := range list(t, "runs", log["runs"]) {
		run := object(t, "run", r, []string{"tool", "results"}, []string{"columnKind"})
		if run["columnKind"] != "unicodeCodePoints" {
			t.Errorf("columnKind %v", run["columnKind"])
		}
		driver := object(t, "driver", object(t, "tool", run["tool"], []string{"driver"}, nil)["driver"], []string{"name"}, []string{"informationUri", "rules"})
		rules := list(t, "rules", driver["rules"])
		for _, x := range rules {
			rule := object(t, "rule", x, []string{"id"}, []string{"shortDescription", "helpUri"})
			object(t, "shortDescription", rule["shortDescription"], []string{"text"}, nil)
		}
		results := list(t, "results", run["results"])
		if len(results) != len(all) || len(results) < 42 {
			t.Errorf("%d results, want %d", len(results), len(all))
		}
		for _, x := range results {
			result := object(t, "result", x, []string{"message", "ruleId", "ruleIndex", "level", "locations"}, []string{"properties"})
			object(t, "message", result["message"], []string{"text"}, nil)
			if i := int(number(t, "ruleIndex", result["ruleIndex"], 0)); i >= len(rules) || rules[i].(map[string]any)["id"] != result["ruleId"] {
				t.Errorf("rule %v is not at %d", result["ruleId"], i)
			}
			if !slices.Contains([]any{"error", "warning", "note"}, result["level"]) {
				t.Errorf("level %v", result["level"])
			}
			for _, l := range list(t, "locations", result["locations"]) {
				place := object(t, "physicalLocation", object(t, "location", l, []string{"physicalLocation"}, nil)["physicalLocation"], []string{"artifactLocation"}, []string{"region"})
				object(t, "artifactLocation", place["artifactLocation"], []string{"uri"}, nil)
				if place["region"] == nil {
					continue
				}
				region := object(t, "region", place["region"], []string{"startLine"}, []string{"startColumn", "endLine", "endColumn"})
				number(t, "startLine", region["startLine"], 1)
				start := number(t, "startColumn", region["startColumn"], 1)
				if region["endLine"] == region["startLine"] && number(t, "endColumn", region["endColumn"], 1) < start {
					t.Errorf("region %v ends before it begins", region)
				}
			}
		}
	}
}

// TestSarifColumns: SARIF counts characters, not bytes; no findings are an empty list.
func TestSarifColumns(t *testing.T) {
	text := "conditions:\n  - \"note=é,中 => k=1|2\"\n"
	found := analyze.Lint(analyze.Text{Name: "a b.yaml", Key: "a.B::.condition-router", Text: text}, analyze.Options{})
	place := analyze.ToSarif(found, map[string]string{"a b.yaml": text}).Runs[0].Results[0].Locations[0].PhysicalLocation
	if place.ArtifactLocation.URI != "a%20b.yaml" || *place.Region != (analyze.SarifRegion{StartLine: 2, StartColumn: 20, EndLine: 2, EndColumn: 23}) {
		t.Errorf("%+v %+v", place.ArtifactLocation, *place.Region)
	}
	b, _ := json.Marshal(analyze.ToSarif(nil, nil).Runs[0].Results)
	if string(b) != "[]" {
		t.Errorf("%s", b)
	}
}
