package conformance

import (
	"os"
	"strings"
	"testing"
)

// TestCorpus replays the committed corpus: every replayed case must agree in every version.
func TestCorpus(t *testing.T) {
	dir := "../../testdata/conformance"
	if other := os.Getenv("DUBWAY_CONFORMANCE"); other != "" {
		dir = other
	}
	replay(t, dir)
}

// TestMore replays what interop/recorder found where the corpus has no case.
func TestMore(t *testing.T) { replay(t, "../../testdata/conformance-more") }

func replay(t *testing.T, dir string) {
	t.Helper()
	areas, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if raceEnabled { // it slows the JavaScript engine a hundredfold
		var some []Case
		for i := 0; i < len(areas["script"]); i += 16 {
			some = append(some, areas["script"][i])
		}
		areas["script"] = some
		t.Logf("under the race detector only %d script cases are replayed", len(some))
	}
	r := Run(areas)
	var b strings.Builder
	if err := r.Write(&b); err != nil {
		t.Fatal(err)
	}
	t.Log("\n" + b.String())
	if n := r.Failed(); n > 0 {
		t.Errorf("%d recorded answers differ", n)
	}
	recorded, passed := 0, 0
	for _, cases := range areas {
		for i := range cases {
			recorded += len(cases[i].Expect)
		}
	}
	for _, row := range r.Rows {
		passed += row.Passed
		for _, n := range row.LeftOut {
			passed += n
		}
	}
	if recorded == 0 || passed != recorded {
		t.Errorf("%d of %d recorded answers were given", passed, recorded)
	}
}
