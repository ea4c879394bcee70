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
	areas, err := Load(dir)
	if err != nil {
		t.Fatal(err)
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
	passed := 0
	for _, row := range r.Rows {
		passed += row.Passed
	}
	if passed == 0 {
		t.Error("nothing was replayed")
	}
}
