package analyze_test

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"

	"github.com/dubway-go/dubway/analyze"
	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
)

// corpusCase is what of a recorded case this test needs.
type corpusCase struct {
	ID   string `json:"id"`
	Rule *struct {
		Text string `json:"text"`
	} `json:"rule"`
	Steps []struct {
		Op, Key, Text string
	} `json:"steps"`
	Expect map[string]json.RawMessage `json:"expect"`
}

func corpus(t *testing.T, name string) []corpusCase {
	t.Helper()
	f, err := os.Open("../testdata/conformance/" + name + ".jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []corpusCase
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<22)
	for lines.Scan() {
		var c corpusCase
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		out = append(out, c)
	}
	return out
}

// alike reports whether all recorded versions gave the same answer, and it is no refusal.
func (c *corpusCase) alike(versions int) bool {
	var answer string
	for _, raw := range c.Expect {
		var a struct {
			Error string `json:"error"`
		}
		if json.Unmarshal(raw, &a) != nil || a.Error != "" || answer != "" && answer != string(raw) {
			return false
		}
		answer = string(raw)
	}
	return len(c.Expect) >= versions
}

// TestValidCorpusRulesHaveNoErrors lints every rule of the recorded corpus that all Dubbo versions accept and treat alike, in each of their dialects and
// all of them together: none is an error. Standard refuses some of them on purpose (docs/dialects.md) and is not asked; those that it takes
// are linted in it too.
func TestValidCorpusRulesHaveNoErrors(t *testing.T) {
	versions := []dialect.Dialect{dialect.Dubbo33, dialect.Dubbo26, dialect.Dubbo27, dialect.Dubbo31}
	conditions, documents := 0, 0
	lint := func(id string, text analyze.Text) {
		for _, o := range []analyze.Options{{Dialect: dialect.Dubbo33, Portability: versions}, {Dialect: dialect.Dubbo27}, {Dialect: dialect.Dubbo31}} {
			for _, f := range analyze.Lint(text, o) {
				if f.Severity == diag.Error {
					t.Errorf("%s %v: %q: %s", id, o, text.Text, f.Error())
				}
			}
		}
		if standard := analyze.Lint(text, analyze.Options{}); !standard.HasErrors() {
			for _, f := range analyze.Lint(text, analyze.Options{Portability: versions}) {
				if f.Severity == diag.Error {
					t.Errorf("%s: %q: %s", id, text.Text, f.Error())
				}
			}
		}
	}
	for _, area := range []string{"condition-parse", "condition-route"} {
		for _, c := range corpus(t, area) {
			if c.Rule != nil && c.alike(4) {
				conditions++
				lint(c.ID, analyze.Text{Name: "rule.txt", Text: c.Rule.Text})
			}
		}
	}
	for _, area := range []string{"condition-doc", "tag", "chain"} {
		for _, c := range corpus(t, area) {
			if len(c.Steps) == 1 && c.Steps[0].Op == "set" && c.alike(3) && accepted(c) {
				documents++
				lint(c.ID, analyze.Text{Name: c.ID, Key: c.Steps[0].Key, Text: c.Steps[0].Text})
			}
		}
	}
	t.Logf("%d conditions and %d documents linted", conditions, documents)
	if conditions < 500 || documents < 100 {
		t.Errorf("only %d conditions and %d documents were linted", conditions, documents)
	}
}

// accepted reports whether a document had an effect: a document that is refused at once changes nothing either, and is alike without being valid.
func accepted(c corpusCase) bool {
	for _, raw := range c.Expect {
		var a struct {
			Keeps []json.RawMessage `json:"keeps"`
		}
		if json.Unmarshal(raw, &a) != nil || len(a.Keeps) < 2 || string(a.Keeps[0]) == string(a.Keeps[len(a.Keeps)-1]) {
			return false
		}
	}
	return true
}
