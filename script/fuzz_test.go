package script_test

import (
	"testing"
	"time"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/rule"
	"github.com/dubway-go/dubway/script"
)

// FuzzScript looks for texts that panic, do not come back, or give indices that were not offered.
func FuzzScript(f *testing.F) {
	if raceEnabled {
		f.Skip("the race detector slows the engine a hundredfold; one goroutine runs each script here")
	}
	f.Add(documented, false)
	f.Add(`param("region") == "north"`, true)
	f.Add(`filter(providers, .port == 20880)`, true)
	for _, text := range attacks(f)[:10] {
		f.Add(text, false)
	}
	set := fleet(f, 8)
	f.Fuzz(func(t *testing.T, text string, expression bool) {
		language := javascript
		if expression {
			language = rule.ScriptExpr
		}
		p, err := script.Compile(text, language, script.Limits{Memory: 16 << 20, Time: 20 * time.Millisecond})
		if err != nil {
			if err.Error() == "" {
				t.Error("an error without a word")
			}
			return
		}
		defer p.Close()
		for _, d := range []dialect.Dialect{dialect.Standard, dialect.Dubbo27} {
			r := script.NewEngine(p, consumer(t), set, d).Run(call(), []uint32{1, 4, 6})
			if r.Outcome != script.Kept && r.Err == nil {
				t.Errorf("%s without a reason", r.Outcome)
			}
			for _, n := range r.Kept {
				if n != 1 && n != 4 && n != 6 {
					t.Errorf("%d was not offered", n)
				}
			}
		}
	})
}
