package bench

import (
	"fmt"
	"testing"

	"github.com/dubway-go/dubway/bench/dubbogo"
	"github.com/dubway-go/dubway/bench/dubway"
	"github.com/dubway-go/dubway/bench/workload"
)

// peerLimit bounds providers × rules for dubbo-go: beyond it one call takes seconds.
const peerLimit = 1_000_000

// BenchmarkRoute routes and picks (dubway) or routes (dubbo-go) one call on a warm engine.
func BenchmarkRoute(b *testing.B) {
	for _, s := range scenarios() {
		for _, n := range workload.Sizes {
			b.Run(fmt.Sprintf("%s/n=%d/engine=dubway", s, n), func(b *testing.B) {
				e := ours(b, s, n)
				inv := dubway.Invocation(s.tag)
				want := e.Snapshot.Route(inv).Len()
				none := want == 0 // every provider is in some tag's list: nothing to pick
				b.ReportAllocs()
				b.ResetTimer()
				picked := 0
				for b.Loop() {
					inv.Seed += 0x9e3779b97f4a7c15
					c := e.Snapshot.Route(inv)
					picked += e.Balancer.Pick(c, inv)
				}
				if picked < 0 && !none || e.Snapshot.Route(inv).Len() != want {
					b.Fatal("the answer changed")
				}
			})
			if n*max(s.rules, 1) > peerLimit {
				continue
			}
			b.Run(fmt.Sprintf("%s/n=%d/engine=dubbo-go", s, n), func(b *testing.B) {
				e := peer(b, s, n)
				call := dubbogo.Call(workload.Method, workload.Args(), workload.Attachments(s.tag))
				b.ReportAllocs()
				b.ResetTimer()
				for b.Loop() {
					if e.Route(call) != s.want(n) {
						b.Fatal("dubbo-go kept another number of providers")
					}
				}
			})
		}
	}
}

// BenchmarkCold measures the first call on a new snapshot.
func BenchmarkCold(b *testing.B) {
	for _, s := range scenarios() {
		for _, n := range []int{1_000, 100_000} {
			b.Run(fmt.Sprintf("%s/n=%d/engine=dubway", s, n), func(b *testing.B) {
				e := ours(b, s, n)
				inv := dubway.Invocation(s.tag)
				for b.Loop() {
					b.StopTimer()
					if err := e.Compile(); err != nil {
						b.Fatal(err)
					}
					b.StartTimer()
					e.Snapshot.Route(inv)
				}
			})
		}
	}
}
