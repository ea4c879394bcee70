package script_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/rule"
	"github.com/dubway-go/dubway/script"
	"github.com/dubway-go/dubway/service"
)

// TestDocumentedSamples runs the script rules of Dubbo's documentation and tests, unchanged in what they call, over six providers 10.0.0.1 to
// 10.0.0.6. testdata/documented/README.md names the sources.
func TestDocumentedSamples(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector slows the engine a hundredfold; this test has one goroutine")
	}
	left := map[string]string{"manual-host": "2", "manual-2x": "0 1 2 3 4 5", "manual-2x-call": "2", "available": "0 1 2 3 4 5", "import": "1 2", "groovy": "refused"}
	files, err := filepath.Glob("testdata/documented/*.yaml")
	if err != nil || len(files) != len(left) {
		t.Fatalf("%q, %v", files, err)
	}
	runner := script.NewRunner(patient())
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range []dialect.Dialect{dialect.Standard, dialect.Dubbo33} {
			want, got := left[strings.TrimSuffix(filepath.Base(file), ".yaml")], "refused"
			doc, findings := rule.ParseScriptDocument(rule.Origin{Name: "shop.script-router"}, string(text), d)
			if doc != nil {
				r, more := runner.Replace(nil, doc, d)
				findings = append(findings, more...)
				f := r.Bind(service.Consumer{}, fleet(t, 6))
				switch {
				case f == nil && d == dialect.Dubbo33 && want == "refused":
					got = want // 3.3 takes the document and has nothing to run
				case f != nil:
					a := f.Filter(call(), nil)
					got = strings.Trim(fmt.Sprint(a.Kept), "[]")
					if a.Reason != route.ReasonScripted {
						t.Errorf("%s in %s: %+v", file, d, a)
					}
				}
				r.Close()
			}
			if got != want {
				t.Errorf("%s in %s leaves %q, want %q", file, d, got, want)
			}
			for _, f := range findings { // fields that have no effect are remarked upon
				if f.Severity == diag.Error && want != "refused" {
					t.Errorf("%s in %s: %v", file, d, f)
				}
			}
		}
	}
}
