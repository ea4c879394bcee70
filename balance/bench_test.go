package balance

import (
	"fmt"
	"testing"

	"github.com/dubway-go/dubway/dialect"
)

func BenchmarkPick(b *testing.B) {
	for _, name := range Names() {
		for _, n := range []int{10, 1000, 100000} {
			b.Run(fmt.Sprintf("%s/n=%d", name, n), func(b *testing.B) {
				if n > 1000 && name == NameConsistentHash {
					b.Skip("a ring of 16 million places")
				}
				c := simple(b, dialect.Standard, append(repeat("weight=50", n/2), repeat("", n/2)...)...)
				balancer := built(b, name, Options{})
				balancer.Pick(c, newInvocation("getOrder", "user-1"))
				b.ReportAllocs()
				b.ResetTimer()
				b.RunParallel(func(p *testing.PB) {
					inv := newInvocation("getOrder", "user-1")
					for p.Next() {
						inv.Seed += 0x9e3779b97f4a7c15
						if balancer.Pick(c, inv) < 0 {
							b.Error("no choice")
						}
					}
				})
			})
		}
	}
}

// BenchmarkFirstPick is the cost of a Decision's first choice: what a new snapshot pays.
func BenchmarkFirstPick(b *testing.B) {
	for _, name := range []string{NameRandom, NameRoundRobin, NameLeastActive, NameConsistentHash} {
		for _, n := range []int{1_000, 100_000} {
			if n > 1_000 && name == NameConsistentHash {
				continue // a ring of 16 million places
			}
			b.Run(fmt.Sprintf("%s/n=%d", name, n), func(b *testing.B) {
				list := instances(b, dialect.Standard, providerURLs(append(repeat("weight=50", n/2), repeat("", n/2)...)...)...)
				balancer := built(b, name, Options{})
				b.ReportAllocs()
				for b.Loop() {
					b.StopTimer()
					c := candidates(b, dialect.Standard, list)
					b.StartTimer()
					balancer.Pick(c, newInvocation("getOrder", "user-1"))
				}
			})
		}
	}
}
