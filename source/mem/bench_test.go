package mem_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/service"
	"github.com/dubway-go/dubway/source"
	"github.com/dubway-go/dubway/source/mem"
)

// BenchmarkOneChange is one provider that comes or goes among n, from the write to the state a watcher gets.
func BenchmarkOneChange(b *testing.B) {
	for _, n := range []int{1000, 100_000} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			s := mem.New()
			texts := make([]string, n)
			for i := range n {
				texts[i] = fmt.Sprintf("dubbo://10.%d.%d.%d:20880/a.B?application=order", i>>16, i>>8&255, i&255)
			}
			s.Replace("a.B", source.State{Providers: texts})
			got := make(chan int)
			ctx, cancel := context.WithCancel(b.Context())
			defer cancel()
			go func() {
				_ = s.Watch(ctx, service.Key{Interface: "a.B"}, func(e source.Event[source.State]) {
					select {
					case got <- len(e.Value.Providers):
					case <-ctx.Done():
					}
				})
			}()
			<-got
			u := durl.New("dubbo", "192.0.2.1", 20880, "a.B")
			there := false
			b.ReportAllocs()
			for b.Loop() {
				if there = !there; there {
					_ = s.Register(ctx, u)
				} else {
					_ = s.Unregister(ctx, u)
				}
				<-got
			}
		})
	}
}
