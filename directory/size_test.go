package directory_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/dubway-go/dubway/directory"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/service"
	"github.com/dubway-go/dubway/source"
)

// heap returns the live heap in bytes.
func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestBytesPerInstance guards what a provider costs, with room to spare: a record, an instance, the handles of its URLs, its
// address, and the values that it has for itself. The texts are not held and must not be kept.
func TestBytesPerInstance(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector pads what is allocated")
	}
	own := func(_, n int, text string) string {
		return strings.Replace(text, "timestamp=17", fmt.Sprintf("timestamp=%d", 20+n), 1)
	}
	for _, c := range []struct {
		name        string
		services, n int
		change      func(service, n int, text string) string
		most        int64
	}{
		{"one service, few differences", 1, 20_000, func(_, _ int, text string) string { return text }, 400},
		{"one service, a start time for each", 1, 20_000, own, 640},
		{"many services", 200, 100, func(s, _ int, text string) string {
			return strings.ReplaceAll(text, iface, fmt.Sprintf("%s%d", iface, s))
		}, 640},
	} {
		t.Run(c.name, func(t *testing.T) {
			shapes := new(durl.Sharer)
			before := heap()
			var open []*directory.Replay
			for s := range c.services {
				list := fleet(c.n)
				for i := range list {
					list[i] = c.change(s, i, list[i])
				}
				slices.Sort(list)
				key := service.Key{Interface: iface}
				if c.services > 1 {
					key.Interface = fmt.Sprintf("%s%d", iface, s)
				}
				self := mustURL("consumer://10.0.0.9/" + key.Interface + "?application=web&timeout=3")
				r, err := directory.NewReplay(key, self, directory.Options{Shapes: shapes})
				if err != nil {
					t.Fatal(err)
				}
				r.Update(source.State{Providers: list})
				if got := r.Snapshot().Set().Len(); got != c.n {
					t.Fatalf("%d providers, want %d", got, c.n)
				}
				open = append(open, r)
			}
			each := (heap() - before) / int64(c.services*c.n)
			t.Logf("%d B a provider", each)
			if each > c.most {
				t.Errorf("%d B a provider, at most %d are accepted", each, c.most)
			}
			runtime.KeepAlive(open)
		})
	}
}

// TestChangeReadsOnlyWhatChanged: with a source that holds its texts, one provider that changes among thousands allocates the lists
// anew and little more, not something for each provider.
func TestChangeReadsOnlyWhatChanged(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	const n = 20_000
	list := fleet(n)
	slices.Sort(list)
	r, err := directory.NewReplay(orders, consumer("timeout=3"), directory.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r.SetDocument(serviceRule, conditions("method=get => region=r1", "=> region!=r7"))
	r.Update(source.State{Providers: list, Held: true})
	r.Snapshot()
	next := [2][]string{slices.Clone(list), slices.Clone(list)}
	next[1][n/2] += "&seq=1"
	k := 0
	if allocs := testing.AllocsPerRun(20, func() {
		k++
		r.Update(source.State{Providers: next[k&1], Held: true})
		r.Snapshot()
	}); allocs > 400 {
		t.Errorf("%v allocations for one change among %d providers", allocs, n)
	}
	if allocs := testing.AllocsPerRun(20, func() { r.Update(source.State{Providers: slices.Clone(next[k&1]), Held: true}) }); allocs > 20 {
		t.Errorf("%v allocations for a list in which nothing changed", allocs)
	}
}

// TestAllocationsPerProvider guards that providers of known kinds are read without parsing, and allocated several at a time.
func TestAllocationsPerProvider(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	const n = 2_000
	list := fleet(n)
	var own [3][]string
	for k := range own {
		for i, text := range list {
			own[k] = append(own[k], strings.Replace(text, "timestamp=17", fmt.Sprintf("timestamp=%d", (20+k)*n+i), 1))
		}
		slices.Sort(own[k])
	}
	slices.Sort(list)
	open := func() *directory.Replay {
		r, err := directory.NewReplay(orders, consumer("timeout=3000"), directory.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	first := func(list []string) func() {
		return func() {
			r := open()
			r.Update(source.State{Providers: list, Held: true})
			if r.Snapshot().Set().Len() != n {
				t.Fatal("providers are missing")
			}
		}
	}
	live, k := open(), 0
	replaced := func() {
		k++
		live.Update(source.State{Providers: own[k%len(own)], Held: true})
		if live.Snapshot().Set().Len() != n || live.Created()-live.Retired() != n {
			t.Fatal("providers are missing, or too many")
		}
	}
	replaced()
	for _, c := range []struct {
		name string
		work func()
		most float64
	}{
		{"a first list, few differences", first(list), 1.0},
		{"a first list, a start time for each", first(own[0]), 1.3},
		{"all replaced", replaced, 1.3},
	} {
		each := testing.AllocsPerRun(5, c.work) / n
		t.Logf("%s: %.2f allocations a provider", c.name, each)
		if each > c.most {
			t.Errorf("%s: %.2f allocations a provider, at most %.2f are accepted", c.name, each, c.most)
		}
	}
}

// TestSurvivorsKeepLittle: providers are allocated several at a time, but the few that stay when all others are replaced do not keep those alive.
func TestSurvivorsKeepLittle(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector pads what is allocated")
	}
	const n, one = 20_000, 100 // one in a hundred stays
	lists := func(generations int) (out [][]string) {
		for g := range generations {
			list := fleet(n)
			for i := range list {
				if i%one != 0 {
					list[i] = strings.Replace(list[i], "timestamp=17", fmt.Sprintf("timestamp=%d", (20+g)*n+i), 1)
				}
			}
			slices.Sort(list)
			out = append(out, list)
		}
		return out
	}
	weigh := func(generations int) int64 {
		before := heap()
		r, err := directory.NewReplay(orders, consumer("timeout=3000"), directory.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, list := range lists(generations) {
			r.Update(source.State{Providers: list})
			r.Snapshot()
		}
		defer runtime.KeepAlive(r)
		return heap() - before
	}
	fresh, survived := weigh(1), weigh(4)
	t.Logf("%d kB at once, %d kB after three replacements", fresh/1000, survived/1000)
	if survived > fresh+fresh/3 {
		t.Errorf("%d kB after three replacements, %d kB when new", survived/1000, fresh/1000)
	}
}
