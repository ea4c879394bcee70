package bench

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dubway-go/dubway/bench/dubbogo"
	"github.com/dubway-go/dubway/bench/workload"
	"github.com/dubway-go/dubway/directory"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/service"
	"github.com/dubway-go/dubway/source"
)

// The longest lists handed to dubbo-go's directory, which compares every old provider with every new one.
const (
	peerListLimit    = 1_000
	peerTrickleLimit = 100
)

// replaceLimit is the longest list that is replaced as a whole: making the next one takes as long.
const replaceLimit = 10_000

func replay(tb testing.TB) *directory.Replay {
	tb.Helper()
	self, err := durl.Parse(workload.Consumer)
	if err != nil {
		tb.Fatal(err)
	}
	d, err := directory.NewReplay(service.Key{Interface: workload.Interface}, self, directory.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	return d
}

// sortedProviders is what a registry delivers: texts in order.
func sortedProviders(n int) []string {
	list := workload.Providers(n)
	slices.Sort(list)
	return list
}

// event is one event of a directory's life: list k of an endless sequence, k > 0.
type event struct {
	name string
	list func(all []string, k int) []string
}

var changes = []event{
	{"D-SAME", func(all []string, _ int) []string { return slices.Clone(all) }},
	{"D-CHURN1", func(all []string, k int) []string {
		out := slices.Clone(all)
		at := len(all) / 2
		out[at] = strings.Replace(out[at], "pid=4242", fmt.Sprintf("pid=%d", 5000+k), 1)
		return out
	}},
	{"D-REPLACE", func(all []string, k int) []string {
		out := make([]string, len(all))
		for i := range out {
			out[i] = strings.Replace(all[i], "pid=4242", fmt.Sprintf("pid=%d", k%4), 1)
		}
		return out
	}},
	{"D-ADDDEL", func(all []string, k int) []string {
		if k%2 == 0 {
			return slices.Clone(all)
		}
		return slices.Delete(slices.Clone(all), len(all)/2, len(all)/2+1)
	}},
}

// trickleSteps is in how many lists the providers of D-TRICKLE arrive.
const trickleSteps = 100

// trickle are the lists of a fleet that starts up: each holds as many more providers as the one before.
func trickle(all []string) [][]string {
	out := make([][]string, trickleSteps)
	for k := range out {
		out[k] = all[:len(all)*(k+1)/trickleSteps]
	}
	return out
}

// own gives each provider a start time and a process of its own, as real ones have.
func own(list []string) []string {
	out := make([]string, len(list))
	for i, text := range list {
		text = strings.Replace(text, "pid=4242", fmt.Sprintf("pid=%d", 1000+i*7919%30000), 1)
		out[i] = strings.Replace(text, "timestamp=1700000000000", fmt.Sprintf("timestamp=17%011d", i*104729), 1)
	}
	return out
}

// BenchmarkDirectory is what a registry event costs, from the texts to the snapshot that calls use. The texts are copied
// with the timer stopped. D-COLD is a whole list at once, D-COLD-OWN the same with a start time and a process for each provider. D-REPLACE gives
// all providers another process. D-TRICKLE is the providers of D-COLD in a hundred lists that grow: the time is that of all hundred.
func BenchmarkDirectory(b *testing.B) {
	for _, n := range sizes(1, 100, 1_000, 10_000, 100_000, 1_000_000) {
		list := sync.OnceValue(func() []string { return sortedProviders(n) })
		b.Run(fmt.Sprintf("D-COLD/r=0/n=%d/engine=dubway", n), func(b *testing.B) { ourArrival(b, list()) })
		if n <= 100_000 {
			b.Run(fmt.Sprintf("D-COLD-OWN/r=0/n=%d/engine=dubway", n), func(b *testing.B) { ourArrival(b, own(list())) })
		}
		if n <= peerListLimit {
			b.Run(fmt.Sprintf("D-COLD/r=0/n=%d/engine=dubbo-go", n), func(b *testing.B) { peerArrival(b, [][]string{list()}) })
		}
		if n > 100_000 {
			continue
		}
		b.Run(fmt.Sprintf("D-TRICKLE/r=0/n=%d/engine=dubway", n), func(b *testing.B) {
			lists := trickle(list())
			b.ReportAllocs()
			for b.Loop() {
				d := replay(b)
				for k, l := range lists {
					d.Update(source.State{Providers: l, Held: true})
					if d.Snapshot().Set().Len() != len(lists[k]) {
						b.Fatal("providers are missing")
					}
				}
			}
		})
		if n <= peerTrickleLimit {
			b.Run(fmt.Sprintf("D-TRICKLE/r=0/n=%d/engine=dubbo-go", n), func(b *testing.B) { peerArrival(b, trickle(list())) })
		}
		for _, c := range changes {
			if c.name == "D-REPLACE" && n > replaceLimit {
				continue
			}
			b.Run(fmt.Sprintf("%s/r=0/n=%d/engine=dubway", c.name, n), func(b *testing.B) { ourChange(b, c, list(), true) })
			b.Run(fmt.Sprintf("%s-COPY/r=0/n=%d/engine=dubway", c.name, n), func(b *testing.B) { ourChange(b, c, list(), false) })
			if n > peerListLimit {
				continue
			}
			b.Run(fmt.Sprintf("%s/r=0/n=%d/engine=dubbo-go", c.name, n), func(b *testing.B) {
				list := list()
				d, err := dubbogo.NewDirectory(workload.Consumer)
				if err != nil {
					b.Fatal(err)
				}
				if kept, err := d.Notify(list); err != nil || kept == 0 {
					b.Fatal(kept, err)
				}
				b.ReportAllocs()
				k := 0
				for b.Loop() {
					k++
					if _, err := d.Notify(c.list(list, k)); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// ourArrival lets a list arrive at a new directory.
func ourArrival(b *testing.B, list []string) {
	b.Helper()
	b.ReportAllocs()
	for b.Loop() {
		d := replay(b)
		d.Update(source.State{Providers: list, Held: true})
		if d.Snapshot().Set().Len() != len(list) {
			b.Fatal("providers are missing")
		}
	}
}

// ourChange lets the lists of an event arrive one after another. held is what dubway's sources do: they keep the texts that stay. Without it each list
// is made of new texts, as one that was just read from the network.
func ourChange(b *testing.B, c event, list []string, held bool) {
	d := replay(b)
	d.Update(source.State{Providers: list, Held: held})
	first := d.Snapshot()
	b.ReportAllocs()
	k := 0
	for b.Loop() {
		b.StopTimer()
		k++
		next := c.list(list, k)
		if !held {
			for i := range next {
				next[i] = strings.Clone(next[i])
			}
		}
		b.StartTimer()
		changed := d.Update(source.State{Providers: next, Held: held})
		s := d.Snapshot()
		if changed == (c.name == "D-SAME") || changed == (s == first) && k == 1 {
			b.Fatal("the directory saw it wrong")
		}
	}
}

// peerArrival lets the lists arrive at a new directory of dubbo-go.
func peerArrival(b *testing.B, lists [][]string) {
	b.Helper()
	dubbogo.Quiet()
	b.ReportAllocs()
	for b.Loop() {
		d, err := dubbogo.NewDirectory(workload.Consumer)
		if err != nil {
			b.Fatal(err)
		}
		kept := 0
		for _, l := range lists {
			if kept, err = d.Notify(l); err != nil {
				b.Fatal(err)
			}
		}
		if kept == 0 { // before the last list it may be 0: calls without a tag do not see the first provider
			b.Fatal("dubbo-go kept nobody")
		}
	}
}
