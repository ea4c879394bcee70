package balance

import (
	"math"
	"testing"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/service"
)

// FuzzParseAdaptive: what a provider reports about itself is never negative, infinite or NaN.
func FuzzParseAdaptive(f *testing.F) {
	for _, s := range []string{"curTime:1,load:0.5", "load:NaN", "load:1e999", "curTime:-1", ",,:", "load:-0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, report string) {
		at, cpu := parseAdaptive(report)
		if at < 0 || cpu < 0 || math.IsNaN(cpu) || math.IsInf(cpu, 0) {
			t.Errorf("%q: %d, %v", report, at, cpu)
		}
		var a adaptiveLoad
		a.picked.Store(1)
		a.end(2, 1, true, report, false)
		if v := a.value(3, 1000, 100, false); math.IsNaN(v) || v < 0 {
			t.Errorf("%q: load %v", report, v)
		}
	})
}

// FuzzWarmupWeight: whatever a provider states, its weight stays between 1 and its full weight.
func FuzzWarmupWeight(f *testing.F) {
	f.Add(int64(5000), int64(600000), 100, byte(0))
	f.Add(int64(0), int64(0), 1, byte(2))
	f.Add(int64(1<<40), int64(1), 1<<31-1, byte(2))
	f.Add(int64(107), int64(-25), -37, byte(4))
	f.Fuzz(func(t *testing.T, uptime, warmup int64, weight int, which byte) {
		d := dialect.All()[int(which)%len(dialect.All())]
		if w := WarmupWeight(d, uptime, warmup, weight); weight > 0 && (w < 1 || w > weight) || w > max(weight, 1) {
			t.Errorf("%s: weight %d of %d after %d of %d", d, w, weight, uptime, warmup)
		}
		g := service.Growth{Weight: weight, Start: uptime, Warmup: warmup}
		if w := weightAt(g, d, 1_000_000); w < 0 || w > max(weight, 0) {
			t.Errorf("%s: weight %d of %d", d, w, weight)
		}
	})
}
