package conformance

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/dubway-go/dubway/dialect"
)

// replayer answers one case of an area with a shape of its own. Raw is the case, expect what one version gave; both answers
// are texts to compare.
type replayer func(raw []byte, d dialect.Dialect, expect []byte) (want, got string, err error)

// standalone returns the replayer of an area with a shape of its own; nil for the others.
func standalone(area string) replayer {
	switch area {
	case "condition-parse":
		return replayConditionParse
	case "override":
		return replayOverride
	case "directory":
		return replayDirectory
	case "url":
		return replayURL
	case "load-balance":
		return replayBalance
	}
	return nil
}

// decode reads a case and its recorded answer.
func decode(raw []byte, c any, expect []byte, want any) error {
	if err := json.Unmarshal(raw, c); err != nil {
		return fmt.Errorf("conformance: case: %w", err)
	}
	if err := json.Unmarshal(expect, want); err != nil {
		return fmt.Errorf("conformance: answer: %w", err)
	}
	return nil
}

// parameters prints a parameter map by key; null values are absent.
func parameters(m map[string]*string) string {
	out := make(map[string]string, len(m))
	for k, v := range m {
		if v != nil {
			out[k] = *v
		}
	}
	return printed(out)
}

func printed(m map[string]string) string {
	text := ""
	for _, k := range slices.Sorted(maps.Keys(m)) {
		text += fmt.Sprintf("%q=%q ", k, m[k])
	}
	return text
}
