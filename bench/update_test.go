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

// multis and tags are two documents like that: of v3.1 entries and of dynamic tags.
func multis(r int) [2]string {
	one := workload.MultiDestYAML(r)
	return [2]string{one, strings.NewReplacer("region=r1", "region=r3", "region=r2", "region=r4").Replace(one)}
}

func tags(r, n int) [2]string {
	one := workload.TagYAML(r, n)
	return [2]string{one, strings.ReplaceAll(one, "\"10.", "\"11.")}
}

// updates are the kinds of rule text: what makes two documents of r rules, and how each engine takes one.
var updates = []struct {
	name string
	two  func(r, n int) [2]string
	ours func(e *dubway.Engine, text string) error
	peer func(e *dubbogo.Engine, text string) (replace func(string), err error)
}{
	{"U-COND", func(r, _ int) [2]string { return texts(r) }, (*dubway.Engine).Service, peerService},
	{"U-MULTI", func(r, _ int) [2]string { return multis(r) }, (*dubway.Engine).Service, peerService},
	{"U-TAG", tags, (*dubway.Engine).Tag, func(e *dubbogo.Engine, text string) (func(string), error) {
		return e.Tag(workload.ConsumerApp+".tag-router", text)
	}},
}

func peerService(e *dubbogo.Engine, text string) (func(string), error) {
	return e.Service(workload.Interface+"::.condition-router", text), nil
}

// BenchmarkUpdate is U-…: from the text of a document to the first call that obeys it.
func BenchmarkUpdate(b *testing.B) {
	for _, n := range sizes(1, 1_000, 10_000, 100_000) {
		for _, u := range updates {
			for _, r := range workload.RuleCounts {
				two := u.two(r, n)
				b.Run(fmt.Sprintf("%s/r=%d/n=%d/engine=dubway", u.name, r, n), func(b *testing.B) {
					e, err := dubway.Over(set(b, n), workload.Consumer)
					if err != nil {
						b.Fatal(err)
					}
					inv := dubway.Invocation("")
					update := func(i int) {
						if err := u.ours(e, two[i&1]); err != nil {
							b.Fatal(err)
						}
						if err := e.Update(); err != nil {
							b.Fatal(err)
						}
						if e.Snapshot.Route(inv).Len() == 0 && r*10 < n { // a thousand addresses are all providers of the smallest fleet
							b.Fatal("nobody is left")
						}
					}
					for i := range 4 { // the first documents that ask for a key make the set's index of it, which is what Cold measures
						update(i)
					}
					b.ReportAllocs()
					for i := 0; b.Loop(); i++ {
						update(i)
					}
				})
				if n > 1_000 {
					continue // it looks at no provider until a call does: one size says it all
				}
				b.Run(fmt.Sprintf("%s/r=%d/n=%d/engine=dubbo-go", u.name, r, n), func(b *testing.B) {
					dubbogo.Quiet()
					e, err := dubbogo.Over(nil, workload.Consumer)
					if err != nil {
						b.Fatal(err)
					}
					replace, err := u.peer(e, two[0])
					if err != nil {
						b.Fatal(err)
					}
					b.ReportAllocs()
					for i := 1; b.Loop(); i++ {
						replace(two[i&1])
					}
				})
			}
		}
	}
}
