package bench

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/dubway-go/dubway/bench/dubway"
	"github.com/dubway-go/dubway/bench/workload"
	"github.com/dubway-go/dubway/directory"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/service"
	"github.com/dubway-go/dubway/source"
)

// live returns the live heap in bytes.
func live() int64 {
	runtime.GC()
	runtime.GC() // finalizers and pools of the first
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// once is a registry that delivers one state and keeps nothing of it.
type once func(key service.Key) []string

func (o once) Watch(ctx context.Context, key service.Key, yield func(source.Event[source.State])) error {
	yield(source.Event[source.State]{Value: source.State{Providers: o(key)}})
	<-ctx.Done()
	return context.Cause(ctx)
}

// fleet opens directories over services as one client does, routes one call on each and returns them.
func fleet(tb testing.TB, services int, providers once) []*directory.Directory {
	tb.Helper()
	out := make([]*directory.Directory, services)
	shapes := new(durl.Sharer)
	for i := range out {
		key := service.Key{Interface: workload.Interface}
		if services > 1 {
			key.Interface = fmt.Sprintf("%s%d", workload.Interface, i)
		}
		self, err := durl.Parse("consumer://" + workload.ConsumerIP + "/" + key.Interface + "?application=" + workload.ConsumerApp + "&env=prod&interface=" + key.Interface + "&region=r3&side=consumer")
		if err != nil {
			tb.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Second)
		d, err := directory.Open(ctx, key, directory.Options{Registry: providers, Consumer: self, Check: true, Coalesce: -1, Shapes: shapes})
		cancel()
		if err != nil {
			tb.Fatal(err)
		}
		tb.Cleanup(func() { _ = d.Close() })
		if _, err := d.Pick(dubway.Invocation("")); err != nil {
			tb.Fatal(rpc.CodeOf(err), err)
		}
		out[i] = d
	}
	return out
}

// BenchmarkMemory reports the live heap after garbage collection: of one open directory of 100,000 providers, and of 1,000
// directories of 100 providers each.
func BenchmarkMemory(b *testing.B) {
	for _, c := range []struct{ services, n int }{{1, 100_000}, {1_000, 100}} {
		if c.services*c.n > *maxProviders {
			continue
		}
		if testing.Short() {
			c.services, c.n = min(c.services, 10), min(c.n, 1_000)
		}
		b.Run(fmt.Sprintf("services=%d/n=%d/engine=dubway", c.services, c.n), func(b *testing.B) {
			for b.Loop() {
				before := live()
				open := fleet(b, c.services, func(key service.Key) []string {
					list := sortedProviders(c.n)
					if c.services > 1 {
						for i := range list {
							list[i] = renamed(list[i], key.Interface)
						}
					}
					return list
				})
				used := live() - before
				b.ReportMetric(float64(used)/float64(c.services*c.n), "B/instance")
				b.ReportMetric(float64(used)/1e6, "MB")
				for _, d := range open {
					_ = d.Close()
				}
			}
		})
	}
}

// renamed is a provider of another service.
func renamed(text, to string) string { return strings.ReplaceAll(text, workload.Interface, to) }
