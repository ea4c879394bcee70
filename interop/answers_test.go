package interop

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// javaAnswers hands the input to a consumer in Java that answers rows (java/.../Rows.java) and returns the different answers to each, sorted.
func javaAnswers(t *testing.T, f *fleet, project, consumer, application string, input any, rows int) [][]string {
	t.Helper()
	text, err := json.Marshal(input)
	if err != nil {
		t.Fatal(err)
	}
	properties := map[string]string{"registry": f.registry(), "application": application, "dubbo.application.service-discovery.migration": "FORCE_INTERFACE"}
	lines, p := runJava(t, project, consumer, properties, bytes.NewReader(text))
	if len(lines) == 0 || lines[len(lines)-1] != "DONE" {
		t.Fatalf("%s of %s did not finish: %d lines; log:\n%s", consumer, project, len(lines), p.log.tail())
	}
	out := make([][]string, rows)
	for _, line := range lines {
		var answer struct {
			Row     int
			Answers []string
		}
		if !strings.HasPrefix(line, `{"row"`) {
			continue
		}
		if err := json.Unmarshal([]byte(line), &answer); err != nil || answer.Row < 0 || answer.Row >= rows {
			t.Fatalf("%s: %v", line, err)
		}
		out[answer.Row] = answer.Answers
	}
	return out
}
