package directory_test

import (
	"fmt"
	"testing"

	"github.com/dubway-go/dubway/directory"
	"github.com/dubway-go/dubway/source"
)

func fleet(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("dubbo://10.%d.%d.%d:20880/%s?application=shop&deprecated=false&dubbo=2.0.2&dynamic=true&generic=false&interface=%s&methods=get,put,list&pid=%d&region=r%d&release=3.3.1&side=provider&timestamp=1700000000000",
			i>>16&255, i>>8&255, i&255, iface, iface, 1000+i%100, i%8)
	}
	return out
}

func replayOf(b *testing.B, urls []string) *directory.Replay {
	b.Helper()
	r, err := directory.NewReplay(orders, consumer("timeout=3000"), directory.Options{})
	if err != nil {
		b.Fatal(err)
	}
	r.Update(source.State{Providers: urls})
	r.Snapshot()
	return r
}

// BenchmarkDirectory measures what a registry event costs: a first list, the same list again, and a list in which one provider changed.
func BenchmarkDirectory(b *testing.B) {
	for _, n := range []int{1_000, 10_000} {
		urls := fleet(n)
		b.Run(fmt.Sprintf("cold/n=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				replayOf(b, urls)
			}
		})
		b.Run(fmt.Sprintf("same/n=%d", n), func(b *testing.B) {
			r := replayOf(b, urls)
			b.ReportAllocs()
			for b.Loop() {
				r.Update(source.State{Providers: urls})
				r.Snapshot()
			}
		})
		b.Run(fmt.Sprintf("churn/n=%d", n), func(b *testing.B) {
			r := replayOf(b, urls)
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				old := urls[n/2]
				i++
				urls[n/2] = fmt.Sprintf("%s&seq=%d", fleet(1)[0], i)
				r.Update(source.State{Providers: urls})
				r.Snapshot()
				urls[n/2] = old
			}
		})
	}
}

// BenchmarkPick measures one call, warm.
func BenchmarkPick(b *testing.B) {
	for _, n := range []int{10, 1_000, 10_000} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			r := replayOf(b, fleet(n))
			r.SetDocument(serviceRule, conditions("method=get => region=r1"))
			inv := call("get")
			snap := r.Snapshot()
			b.ReportAllocs()
			for b.Loop() {
				if snap.Route(inv).Len() == 0 {
					b.Fatal("nothing left")
				}
			}
		})
	}
}
