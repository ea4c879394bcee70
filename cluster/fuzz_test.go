package cluster

import (
	"reflect"
	"testing"
)

// FuzzParseMock: no text panics; a mock either has a problem or a meaning; what is not written is not answered.
func FuzzParseMock(f *testing.F) {
	for _, s := range []string{"", "false", "force:return null", "fail:return {\"a\":[1,2.5]}", "return 'x'", "throw", "force:throw demo.Down", "true", "force", "return", "return [", "return `x`", "force:return%20%7B%7D", "return -", "return 1 2"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m := parseMock(text)
		if (m.action == mockInvalid) != (m.err != nil) {
			t.Errorf("%q: action %d, problem %v", text, m.action, m.err)
		}
		if m.kind == mockNever && !reflect.DeepEqual(m, mock{}) {
			t.Errorf("%q: never stands in, yet %+v", text, m)
		}
		if again := parseMock(text); m.err == nil && !reflect.DeepEqual(m, again) {
			t.Errorf("%q: read twice: %+v, %+v", text, m, again)
		}
		freshValue(m.value)
	})
}
