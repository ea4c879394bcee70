package bench

import (
	"fmt"
	"slices"
	"testing"

	"github.com/dubway-go/dubway/bench/dubbogo"
	"github.com/dubway-go/dubway/bench/dubway"
	"github.com/dubway-go/dubway/bench/workload"
	"github.com/dubway-go/dubway/rpc"
)

// peerLimit bounds providers × rules for dubbo-go: beyond it one call takes seconds.
const peerLimit = 100_000

// scriptLimit is the longest list that scripts are given.
const scriptLimit = 100_000

// BenchmarkRoute routes and picks (dubway) or routes (dubbo-go) one call on a warm engine.
func BenchmarkRoute(b *testing.B) {
	for _, n := range sizes(1, append(slices.Clone(workload.Sizes), 1_000_000)...) {
		for _, s := range scenarios() {
			if s.script != "" && n > scriptLimit {
				continue
			}
			b.Run(fmt.Sprintf("%s/n=%d/engine=dubway", s, n), func(b *testing.B) { routeOurs(b, s, n) })
			if cost := n * max(s.rules, 1); !s.hasPeer() || cost > peerLimit || (s.static || s.script != "") && n > 10_000 { // its scan of static tags is quadratic
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

func routeOurs(b *testing.B, s scenario, n int) {
	e := ours(b, s, n)
	inv := dubway.Invocation(s.tag)
	want := e.Snapshot.Route(inv).Len()
	if want != s.want(n) {
		b.Fatalf("dubway kept %d providers, not %d", want, s.want(n))
	}
	warm := 64 // every share of a split was seen
	if s.script != "" {
		warm = 1 // a long list takes a second
	}
	for range warm {
		inv.Seed += 0x9e3779b97f4a7c15
		e.Balancer.Pick(e.Snapshot.Route(inv), inv)
	}
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
}

// BenchmarkCold measures the first call on a new snapshot.
func BenchmarkCold(b *testing.B) {
	for _, n := range sizes(1, 1_000, 100_000) {
		for _, s := range scenarios() {
			if s.script != "" && n > 1_000 {
				continue // a script's first call costs what each of its calls costs
			}
			b.Run(fmt.Sprintf("%s/n=%d/engine=dubway", s, n), func(b *testing.B) {
				e := ours(b, s, n)
				inv := dubway.Invocation(s.tag)
				b.ReportAllocs()
				for b.Loop() {
					b.StopTimer()
					if err := e.Compile(); err != nil {
						b.Fatal(err)
					}
					b.StartTimer()
					e.Balancer.Pick(e.Snapshot.Route(inv), inv)
				}
			})
		}
	}
}

// BenchmarkCall is route and pick on a warm snapshot by many goroutines: run it with -cpu 1,2,4,8.
func BenchmarkCall(b *testing.B) {
	const n, r = 1_000, 100
	for _, s := range scenarios() {
		if s.name != "C-HIT" && s.name != "C-MULTI" || s.rules != r {
			continue
		}
		b.Run(fmt.Sprintf("%s/n=%d/engine=dubway", s, n), func(b *testing.B) {
			e := ours(b, s, n)
			warm := dubway.Invocation(s.tag)
			for range 64 { // every share of a split was seen
				warm.Seed += 0x9e3779b97f4a7c15
				e.Balancer.Pick(e.Snapshot.Route(warm), warm)
			}
			parallel(b, func(inv *rpc.Invocation) bool { return e.Balancer.Pick(e.Snapshot.Route(inv), inv) >= 0 })
		})
	}
}
