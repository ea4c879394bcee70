package directory_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/dubway-go/dubway/directory"
	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/script"
	"github.com/dubway-go/dubway/source"
)

// scripted returns the snapshot of n providers, of which an eighth is left by a script rule.
func scripted(tb testing.TB, n int, text string) *route.Snapshot {
	tb.Helper()
	r, err := directory.NewReplay(orders, consumer("timeout=3000"), directory.Options{Scripts: script.NewRunner(script.Limits{Time: time.Minute, Parallel: 1})})
	if err != nil {
		tb.Fatal(err)
	}
	r.Update(source.State{Providers: fleet(n)})
	r.SetDocument(shopScript, text)
	s := r.Snapshot()
	if got := s.Route(call("get")).Len(); got != n/8 {
		tb.Fatalf("%d of %d providers are left: %+v", got, n, s.Explain(call("get")).Steps)
	}
	return s
}

// scriptTexts are rules that say the same: one that looks at the providers only, and others that look at the call.
func scriptTexts() [][2]string {
	return [][2]string{
		{"same for every call", "script: invokers.filter(p => p.url.getParameter('region') === 'r1')\n"},
		{"javascript", "script: |\n  invocation.getMethodName() == 'get' ? invokers.filter(p => p.url.getParameter('region') === 'r1') : invokers\n"},
		{"expression", "type: expr\nscript: 'method == \"get\" && param(\"region\") == \"r1\"'\n"},
	}
}

// BenchmarkScript is a call through a chain that ends in a script rule.
func BenchmarkScript(b *testing.B) {
	for _, text := range scriptTexts() {
		for _, n := range []int{8, 80, 1000} {
			b.Run(fmt.Sprintf("%s/n=%d", text[0], n), func(b *testing.B) {
				s, inv := scripted(b, n, text[1]), call("get")
				b.ReportAllocs()
				for b.Loop() {
					s.Route(inv)
				}
			})
		}
	}
}

// TestScriptedCallAllocates: beside what the chain needs (two allocations), a script of JavaScript costs the same number of
// allocations however many providers there are, an expression two for each provider; one that is the same for every call costs none.
func TestScriptedCallAllocates(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	want := map[string]float64{"same for every call": 0, "javascript": 30, "expression": 180}
	for _, text := range scriptTexts() {
		var counts []float64
		for _, n := range []int{80, 800} {
			s, inv := scripted(t, n, text[1]), call("get")
			counts = append(counts, testing.AllocsPerRun(20, func() { s.Route(inv) }))
		}
		t.Logf("%s: %v allocations a call with 80 and 800 providers", text[0], counts)
		if text[0] == "javascript" && counts[1] > counts[0]+2 {
			t.Errorf("%s: allocations grow with the number of providers: %v", text[0], counts)
		}
		if counts[0] > want[text[0]] {
			t.Errorf("%s: %v allocations a call, want at most %v", text[0], counts[0], want[text[0]])
		}
	}
}
