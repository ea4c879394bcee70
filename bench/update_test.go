package bench

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dubway-go/dubway/bench/dubbogo"
	"github.com/dubway-go/dubway/bench/dubway"
	"github.com/dubway-go/dubway/bench/workload"
)

// texts are two documents of r conditions that share no condition, so that an update finds nothing to reuse.
func texts(r int) [2]string {
	odd := workload.ConditionsHit(r)
	even := make([]string, r)
	for k := range even {
		even[k] = strings.Replace(odd[k], fmt.Sprintf("z%d", 2*k+1), fmt.Sprintf("z%d", 2*k), 1)
	}
	return [2]string{workload.ConditionYAML(odd, true), workload.ConditionYAML(even, true)}
}

// BenchmarkUpdate is U-COND: from the text of a service condition document to the first call that obeys it.
func BenchmarkUpdate(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		if testing.Short() && n > 1_000 {
			continue
		}
		for _, r := range workload.RuleCounts {
			two := texts(r)
			b.Run(fmt.Sprintf("U-COND/r=%d/n=%d/engine=dubway", r, n), func(b *testing.B) {
				e, err := dubway.Over(set(b, n), workload.Consumer)
				if err != nil {
					b.Fatal(err)
				}
				inv := dubway.Invocation("")
				b.ReportAllocs()
				i := 0
				for b.Loop() {
					i++
					if err := e.Service(two[i&1]); err != nil {
						b.Fatal(err)
					}
					if err := e.Update(); err != nil {
						b.Fatal(err)
					}
					if e.Snapshot.Route(inv).Len() == 0 {
						b.Fatal("nobody is left")
					}
				}
			})
			b.Run(fmt.Sprintf("U-COND/r=%d/n=%d/engine=dubbo-go", r, n), func(b *testing.B) {
				dubbogo.Quiet()
				e, err := dubbogo.Over(nil, workload.Consumer) // it looks at no provider until a call does
				if err != nil {
					b.Fatal(err)
				}
				replace := e.Service(workload.Interface+"::.condition-router", two[0])
				b.ReportAllocs()
				i := 0
				for b.Loop() {
					i++
					replace(two[i&1])
				}
			})
		}
	}
}
