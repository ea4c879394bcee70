package main

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// echo is one call. It is safe for concurrent use.
type echo func(ctx context.Context, text string) (string, error)

// slowest is the longest time that a histogram tells apart; longer ones count as this.
const slowest = time.Minute

// client runs one measurement. It prints when that begins and ends.
func client(p plan) (report, error) {
	var call echo
	var err error
	var done func()
	wire := new(wireBytes)
	switch p.client {
	case engineSocket:
		return socketClient(p)
	case engineDubway:
		call, done, err = dubwayClient(p.address, wire)
	default:
		call, done, err = dubbogoClient(p.address)
	}
	if err != nil {
		return report{}, err
	}
	defer done()
	text := strings.Repeat("p", p.size)
	if got, err := call(context.Background(), text); err != nil || got != text {
		return report{}, fmt.Errorf("the first call answered %q: %w", got, err)
	}
	sent, received := int(wire.sent.Load()), int(wire.received.Load()) // of the first call
	warm := p
	warm.length = min(p.length, 500*time.Millisecond)
	measure(warm, call, text)
	fmt.Println(measureBegins)
	before := used()
	r := measure(p, call, text)
	if n := float64(r.Calls + r.Failed); n > 0 {
		r.Processor = float64(used()-before) / n
	}
	fmt.Println(measureEnds)
	r.Sent, r.Received = sent, received
	return r, nil
}

func measure(p plan, call echo, text string) report {
	histograms := make([]*hdrhistogram.Histogram, p.callers)
	failed := make([]int64, p.callers)
	for i := range histograms {
		histograms[i] = hdrhistogram.New(1, slowest.Nanoseconds(), 3)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var wg sync.WaitGroup
	start := time.Now()
	end := start.Add(p.length)
	for i := range p.callers {
		wg.Go(func() {
			for k := i; ; k += p.callers {
				due := time.Now()
				if p.rate > 0 {
					due = start.Add(time.Duration(int64(k) * int64(time.Second) / int64(p.rate)))
					time.Sleep(time.Until(due))
				}
				if !due.Before(end) {
					return
				}
				got, err := call(context.Background(), text)
				took := time.Since(due)
				if err != nil || len(got) != len(text) {
					failed[i]++
					continue
				}
				_ = histograms[i].RecordValue(min(took, slowest).Nanoseconds())
			}
		})
	}
	wg.Wait()
	elapsed := time.Since(start)
	runtime.ReadMemStats(&after)
	all := histograms[0]
	r := report{Seconds: elapsed.Seconds(), Failed: failed[0]}
	for i, h := range histograms[1:] {
		all.Merge(h)
		r.Failed += failed[i+1]
	}
	r.Calls = all.TotalCount()
	micros := func(ns int64) float64 { return float64(ns) / 1e3 }
	r.P50, r.P99, r.P999, r.Max = micros(all.ValueAtQuantile(50)), micros(all.ValueAtQuantile(99)), micros(all.ValueAtQuantile(99.9)), micros(all.Max())
	if n := float64(r.Calls + r.Failed); n > 0 {
		r.Allocs = float64(after.Mallocs-before.Mallocs) / n
		r.Bytes = float64(after.TotalAlloc-before.TotalAlloc) / n
	}
	return r
}
