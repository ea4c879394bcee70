package bench

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/metrics"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/dubway-go/dubway/balance"
	"github.com/dubway-go/dubway/bench/dubway"
	"github.com/dubway-go/dubway/bench/workload"
	"github.com/dubway-go/dubway/directory"
	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/source"
)

var changeFor = flag.Duration("changefor", 2*time.Second, "how long TestUnderChange measures, all windows together")

const (
	callers   = 64
	perSecond = 100
	// window is how long one kind of change lasts before the next; the kinds take turns in random order, so that what else
	// the machine does meets them alike.
	window = 250 * time.Millisecond
)

// change is a kind of change. All kinds run in one process, with the same callers.
type change int

const (
	still     change = iota // nothing happens
	discarded               // the snapshots of replaced are made and thrown away: what making them takes from the callers
	one                     // one provider of the list changes
	replaced                // every provider changes, the hardest kind
	kinds
)

func (c change) String() string {
	return [...]string{"no changes", "all providers replaced, not published", "one provider changed", "all providers replaced"}[c]
}

// published is a snapshot and the generation that all its providers are of.
type published struct {
	snapshot   *route.Snapshot
	generation int
	pid        string // of its providers
}

// publisher makes snapshots and publishes them. The lists are made beforehand: they are a registry's work.
type publisher struct {
	current      atomic.Pointer[published]
	live, shadow *directory.Replay
	lists        [4][]string     // generation k has only providers with pid=k
	changed      [4][64][]string // each with one provider changed
	k            int
	count        [kinds]int
	busy         [kinds]time.Duration // processor time of the publisher's thread
}

func newPublisher(tb testing.TB, providers, conditions int) *publisher {
	tb.Helper()
	p := &publisher{live: replay(tb), shadow: replay(tb)}
	list := sortedProviders(providers)
	for k := range p.lists {
		for _, text := range list {
			p.lists[k] = append(p.lists[k], strings.Replace(text, "pid=4242", fmt.Sprintf("pid=%d", k), 1))
		}
		for i := range p.changed[k] {
			next := slices.Clone(p.lists[k])
			next[providers/2] = strings.Replace(next[providers/2], "timestamp=17", fmt.Sprintf("other=%d&timestamp=17", i), 1)
			p.changed[k][i] = next
		}
	}
	for _, r := range []*directory.Replay{p.live, p.shadow} {
		r.SetDocument(workload.Interface+"::.condition-router", workload.ConditionYAML(workload.ConditionsHit(conditions), true))
		r.Update(source.State{Providers: p.lists[0], Held: true})
	}
	p.publish(p.live.Snapshot(), 0)
	return p
}

func (p *publisher) publish(s *route.Snapshot, generation int) {
	p.current.Store(&published{s, generation, strconv.Itoa(generation)})
}

// step makes one change.
func (p *publisher) step(c change) {
	p.k++
	p.count[c]++
	generation := p.k % len(p.lists)
	switch c {
	case discarded:
		p.shadow.Update(source.State{Providers: p.lists[generation], Held: true})
		p.shadow.Snapshot()
	case one:
		generation = p.current.Load().generation // it stays
		p.live.Update(source.State{Providers: p.changed[generation][p.k%len(p.changed[generation])], Held: true})
		p.publish(p.live.Snapshot(), generation)
	case replaced:
		if generation == p.current.Load().generation {
			p.k++
			generation = p.k % len(p.lists)
		}
		p.live.Update(source.State{Providers: p.lists[generation], Held: true})
		p.publish(p.live.Snapshot(), generation)
	}
}

// caller is one of the goroutines that call.
type caller struct {
	tails [kinds]*hdrhistogram.Histogram
	_     [64]byte
}

// measured is what was seen in one window.
type measured struct {
	rate       float64 // calls a second
	perCPU     float64 // calls a second of processor time of all but the publisher
	collector  float64 // processor time of the garbage collector, in seconds
	cpu        float64 // processor time of the process, in seconds
	publishing float64 // processor time of the publisher, in seconds a second
}

// TestUnderChange runs 64 callers while 100 snapshots a second are published, in windows that take turns with windows without
// changes, and logs what the callers lose, the tail of Pick and the share of the garbage collector. It asserts what must hold: no call
// fails and none mixes generations.
func TestUnderChange(t *testing.T) {
	random, err := balance.New("random", balance.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := newPublisher(t, 100, 10)
	var now atomic.Int32 // the kind of change of this window
	var stop atomic.Bool
	var wg sync.WaitGroup
	all := make([]*caller, callers)
	total := make([]atomic.Int64, callers*8) // one in eight is used: a cache line for each
	for i := range all {
		all[i] = &caller{}
		for k := range all[i].tails {
			all[i].tails[k] = hdrhistogram.New(1, time.Minute.Nanoseconds(), 3)
		}
		wg.Go(func() { all[i].run(t, p, random, uint64(i)<<32, &now, &stop, &total[i*8]) })
	}
	seen := measure(t, p, &now, func() (n int64) {
		for i := range all {
			n += total[i*8].Load()
		}
		return n
	})
	stop.Store(true)
	wg.Wait()
	for k := still + 1; k < kinds; k++ {
		if p.count[k] == 0 {
			t.Errorf("%v: nothing changed", k)
		}
	}
	logChanges(t, p, seen, all)
}

// run calls until stop. Every 64th call is timed and checked.
func (c *caller) run(t *testing.T, p *publisher, random balance.Balancer, seed uint64, now *atomic.Int32, stop *atomic.Bool, total *atomic.Int64) {
	inv := dubway.Invocation("")
	inv.Seed = seed
	for !stop.Load() {
		for range 63 {
			inv.Seed += 0x9e3779b97f4a7c15
			if random.Pick(p.current.Load().snapshot.Route(inv), inv) < 0 {
				t.Error("a call found nobody")
				return
			}
		}
		kind := now.Load()
		inv.Seed += 0x9e3779b97f4a7c15
		at := time.Now()
		live := p.current.Load()
		picked := live.snapshot.Route(inv)
		n := random.Pick(picked, inv)
		took := time.Since(at)
		_ = c.tails[kind].RecordValue(took.Nanoseconds())
		if n < 0 || picked.Set() != live.snapshot.Set() {
			t.Error("a call found nobody, or providers of another snapshot")
			return
		}
		for _, at := range [...]int{0, n, picked.Len() - 1} {
			if pid := picked.At(at).Provider.Get("pid", ""); pid != live.pid {
				t.Errorf("a call of generation %s saw generation %s", live.pid, pid)
				return
			}
		}
		total.Add(64)
		// A real caller waits for its answer here; one that never does starves the publisher.
		if raceEnabled {
			time.Sleep(5 * time.Millisecond)
		} else {
			runtime.Gosched()
		}
	}
}

// measure lets the kinds of change take turns and returns what was seen of each.
func measure(t *testing.T, p *publisher, now *atomic.Int32, calls func() int64) [kinds][]measured {
	t.Helper()
	runtime.LockOSThread() // so that the publisher's processor time is that of a thread
	defer runtime.UnlockOSThread()
	var seen [kinds][]measured
	rounds := max(1, int(*changeFor/(window*time.Duration(kinds))))
	time.Sleep(window) // until all callers run
	for end := time.Now().Add(2 * *changeFor); rounds > 0 && (len(seen[still]) == 0 || time.Now().Before(end)); rounds-- {
		for _, k := range rand.Perm(int(kinds)) {
			kind := change(k)
			now.Store(int32(k))
			n, gc, used, own, start := calls(), collectorTime(), processorTime(t), threadTime(t), time.Now()
			next := start
			for time.Since(start) < window {
				next = next.Add(time.Second / perSecond)
				time.Sleep(time.Until(next))
				if kind != still {
					p.step(kind)
				}
			}
			took := time.Since(start)
			busy := threadTime(t) - own
			p.busy[k] += busy
			cpu := processorTime(t) - used
			done := float64(calls() - n)
			seen[k] = append(seen[k], measured{
				rate:       done / took.Seconds(),
				perCPU:     done / (cpu - busy).Seconds(),
				collector:  collectorTime() - gc,
				cpu:        cpu.Seconds(),
				publishing: busy.Seconds() / took.Seconds(),
			})
		}
	}
	return seen
}

// median returns the middle of f over the windows.
func median(list []measured, f func(m measured) float64) float64 {
	values := make([]float64, len(list))
	for i, m := range list {
		values[i] = f(m)
	}
	slices.Sort(values)
	return values[len(values)/2]
}

// paired returns the middle of the losses in percent of each window against the window without changes of the same round.
func paired(base, list []measured, f func(m measured) float64) float64 {
	values := make([]float64, len(list))
	for i := range list {
		values[i] = 100 * (1 - f(list[i])/f(base[i]))
	}
	slices.Sort(values)
	return values[len(values)/2]
}

// collectorShare returns the garbage collector's share of the processor time in percent. A cycle counts where it ends, so only the sum over
// many windows says something.
func collectorShare(list []measured) float64 {
	var gc, all float64
	for _, m := range list {
		gc += m.collector
		all += m.cpu
	}
	return 100 * gc / all
}

func logChanges(t *testing.T, p *publisher, seen [kinds][]measured, all []*caller) {
	t.Helper()
	rate := func(m measured) float64 { return m.rate }
	perCPU := func(m measured) float64 { return m.perCPU }
	t.Logf("| %d callers, 100 providers, 10 conditions | snapshots | calls/s | loss | calls a processor second | loss | Pick p50 | p99.9 | max | collector | making snapshots |", callers)
	t.Log("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
	for k := range kinds {
		tail := all[0].tails[k]
		for _, c := range all[1:] {
			tail.Merge(c.tails[k])
		}
		ns := func(v int64) string { return time.Duration(v).Round(10 * time.Nanosecond).String() }
		t.Logf("| %v | %d | %.2f M | %.1f %% | %.2f M | %.1f %% | %s | %s | %s | %.1f %% | %.1f %% of a core |", k, p.count[k],
			median(seen[k], rate)/1e6, paired(seen[still], seen[k], rate), median(seen[k], perCPU)/1e6, paired(seen[still], seen[k], perCPU),
			ns(tail.ValueAtQuantile(50)), ns(tail.ValueAtQuantile(99.9)), ns(tail.Max()),
			collectorShare(seen[k]), 100*median(seen[k], func(m measured) float64 { return m.publishing }))
	}
	t.Logf("under change: loss %.1f %% of the calls a second, %.1f %% of the calls a processor second", paired(seen[still], seen[replaced], rate),
		paired(seen[still], seen[replaced], perCPU))
}

// collectorTime returns the seconds of processor time that the garbage collector has used.
func collectorTime() float64 {
	s := []metrics.Sample{{Name: "/cpu/classes/gc/total:cpu-seconds"}, {Name: "/cpu/classes/gc/mark/idle:cpu-seconds"}}
	metrics.Read(s)
	return s[0].Value.Float64() - s[1].Value.Float64()
}
