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
		{"one service, few differences", 1, 20_000, func(_, _ int, text string) string { return text }, 480},
		{"one service, a start time for each", 1, 20_000, own, 800},
		{"many services", 200, 100, func(s, _ int, text string) string {
			return strings.ReplaceAll(text, iface, fmt.Sprintf("%s%d", iface, s))
		}, 750},
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
