package bench

import (
	"fmt"
	"testing"

	"github.com/dubway-go/dubway/bench/dubway"
)

// BenchmarkExplain measures the answer to "where does this call go, and why", with each step and who it left out.
func BenchmarkExplain(b *testing.B) {
	for _, n := range sizes(1, 100, 1_000, 10_000) {
		for _, s := range scenarios() {
			if s.script != "" {
				continue // a script's explanation costs what each of its calls costs
			}
			b.Run(fmt.Sprintf("%s/n=%d/engine=dubway", s, n), func(b *testing.B) {
				e := ours(b, s, n)
				inv := dubway.Invocation(s.tag)
				want := s.want(n)
				b.ReportAllocs()
				for b.Loop() {
					if t := e.Snapshot.Explain(inv); len(t.Left) != want {
						b.Fatalf("the explanation leaves %d providers, not %d", len(t.Left), want)
					}
				}
			})
		}
	}
}
