package bench

import (
	"flag"
	"fmt"
	"runtime"
	"runtime/metrics"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dubway-go/dubway/balance"
	"github.com/dubway-go/dubway/bench/dubway"
	"github.com/dubway-go/dubway/bench/workload"
	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/source"
)

var changeFor = flag.Duration("changefor", time.Second, "how long TestUnderChange measures with and without changes")

const (
	callers   = 64
	perSecond = 100
)

// generations of the provider list: generation k has only providers with pid=k, and a call must never see two.
func generationOf(list []string, k int) []string {
	out := make([]string, len(list))
	for i, text := range list {
		out[i] = fmt.Sprintf("%s&pid=%d", text, k)
	}
	return out
}

// TestUnderChange runs 64 callers while 100 snapshots a second are published, first without changes, and logs the loss, the
// tail of Pick and the share of the garbage collector. It asserts what must hold: no call fails and none mixes generations.
func TestUnderChange(t *testing.T) {
	list := sortedProviders(100)
	generations := [4][]string{}
	for k := range generations {
		generations[k] = generationOf(list, k)
	}
	r := replay(t)
	r.SetDocument(workload.Interface+"::.condition-router", workload.ConditionYAML(workload.ConditionsHit(10), true))
	r.Update(source.State{Providers: generations[0]})
	random, err := balance.New("random", balance.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var current atomic.Pointer[published]
	publish := func(k int) {
		r.Update(source.State{Providers: generations[k%len(generations)]})
		current.Store(&published{r.Snapshot(), fmt.Sprint(k % len(generations))})
	}
	publish(0)
	still := hammer(t, &current, random, nil)
	k := 0
	moving := hammer(t, &current, random, func() { k++; publish(k) })
	t.Logf("%d callers: %.0f calls/s still, %.0f calls/s with %d changes (loss %.1f %%); Pick p99.9 %v still, %v under change; garbage collector %.1f %% of CPU",
		callers, still.rate, moving.rate, k, 100*(1-moving.rate/still.rate), still.tail, moving.tail, moving.collector)
	if k == 0 {
		t.Error("nothing changed")
	}
}

type measured struct {
	rate, collector float64
	tail            time.Duration
}

// hammer runs the callers for the time of -changefor, and change perSecond times a second.
func hammer(t *testing.T, current *atomic.Pointer[published], random balance.Balancer, change func()) measured {
	t.Helper()
	var stop atomic.Bool
	var wg sync.WaitGroup
	var total atomic.Int64
	tails := make([][]time.Duration, callers)
	before := cpu()
	start := time.Now()
	for i := range callers {
		wg.Go(func() {
			inv := dubway.Invocation("")
			inv.Seed = uint64(i) << 32
			calls := int64(0)
			for ; !stop.Load(); calls++ {
				inv.Seed += 0x9e3779b97f4a7c15
				timed := calls%64 == 0
				if timed { // a real caller waits for its answer here; one that never does starves the publisher
					runtime.Gosched()
				}
				var at time.Time
				if timed {
					at = time.Now()
				}
				p := current.Load()
				c := p.snapshot.Route(inv)
				n := random.Pick(c, inv)
				if timed && len(tails[i]) < 1<<16 {
					tails[i] = append(tails[i], time.Since(at))
				}
				if n < 0 {
					t.Error("a call found nobody")
					return
				}
				if timed {
					for _, at := range [...]int{0, n, c.Len() - 1} {
						if pid := c.At(at).Provider.Get("pid", ""); pid != p.generation {
							t.Errorf("a call of generation %s saw generation %s", p.generation, pid)
							return
						}
					}
				}
			}
			total.Add(calls)
		})
	}
	for next := start; time.Since(start) < *changeFor; {
		next = next.Add(time.Second / perSecond)
		time.Sleep(time.Until(next))
		if change != nil {
			change()
		}
	}
	stop.Store(true)
	wg.Wait()
	elapsed := time.Since(start)
	after := cpu()
	all := slices.Concat(tails...)
	slices.Sort(all)
	m := measured{rate: float64(total.Load()) / elapsed.Seconds()}
	if len(all) > 0 {
		m.tail = all[len(all)*999/1000]
	}
	if used := after[1] - before[1]; used > 0 {
		m.collector = 100 * (after[0] - before[0]) / used
	}
	return m
}

// cpu returns the seconds that the garbage collector used, and all that were there.
func cpu() [2]float64 {
	s := []metrics.Sample{{Name: "/cpu/classes/gc/total:cpu-seconds"}, {Name: "/cpu/classes/total:cpu-seconds"}}
	metrics.Read(s)
	return [2]float64{s[0].Value.Float64(), s[1].Value.Float64()}
}

// published is a snapshot and the generation that all its providers are of.
type published struct {
	snapshot   *route.Snapshot
	generation string
}
