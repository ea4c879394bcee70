package dubbo_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/transport/dubbo"
)

// BenchmarkEcho is the wire target: 64 callers that each wait for their answer, one connection, 100 bytes, client and
// server in one process.
func BenchmarkEcho(b *testing.B) {
	payload := strings.Repeat("p", 100)
	for name, inv := range map[string]*rpc.Invocation{
		"direct":  direct("hi", []string{"java.lang.String"}, payload),
		"generic": {Service: echoKey, Method: "hi", ParamTypes: []string{"java.lang.String"}, Args: []any{payload}},
	} {
		b.Run(name, func(b *testing.B) { benchEcho(b, inv, 64) })
	}
	b.Run("one-caller", func(b *testing.B) { benchEcho(b, direct("hi", []string{"java.lang.String"}, payload), 1) })
}

func benchEcho(b *testing.B, inv *rpc.Invocation, callers int) {
	_, address := serve(b, dubbo.ServerOptions{}, echo)
	c := newClient(b, dubbo.ClientOptions{})
	to := instance(b, address, "&timeout=10000")
	if _, err := c.Invoke(b.Context(), to, inv); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.ResetTimer()
	each := b.N/callers + 1
	samples := make([][]time.Duration, callers)
	var wg sync.WaitGroup
	start := time.Now()
	for i := range callers {
		wg.Go(func() {
			took := make([]time.Duration, 0, each)
			for range each {
				at := time.Now()
				if _, err := c.Invoke(context.Background(), to, inv); err != nil {
					b.Error(err)
					return
				}
				took = append(took, time.Since(at))
			}
			samples[i] = took
		})
	}
	wg.Wait()
	elapsed := time.Since(start)
	b.StopTimer()
	all := slices.Concat(samples...)
	slices.Sort(all)
	b.ReportMetric(float64(len(all))/elapsed.Seconds(), "calls/s")
	b.ReportMetric(float64(all[len(all)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(all[len(all)*99/100].Microseconds()), "p99-µs")
}
