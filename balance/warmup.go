package balance

import (
	"math"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/service"
)

// WarmupWeight returns the weight of a provider that has been up for uptime milliseconds, of a warm-up of
// warmup milliseconds, when its full weight is weight. For a positive weight it is between 1 and
// weight. It is meant for 0 ≤ uptime < warmup; other values follow the arithmetic of the Dubbo version.
//
// The growth is linear in single precision, except in dubbo-2.7 (2.7.15 to 2.7.23), where it is quadratic
// in double precision (spec §11.1).
func WarmupWeight(d dialect.Dialect, uptime, warmup int64, weight int) int {
	var grown int
	if d == dialect.Dubbo27 {
		share := float64(uptime) / float64(warmup)
		// Java rounds to a 64-bit number and then keeps its low 32 bits.
		grown = int(int32(javaLong(math.Floor(share*share*float64(weight) + 0.5))))
	} else {
		grown = javaInt(float64(float32(uptime) / (float32(warmup) / float32(weight))))
	}
	if grown < 1 {
		return 1
	}
	return min(grown, weight)
}

// javaInt narrows like Java: NaN is 0, out of range saturates.
func javaInt(f float64) int {
	switch {
	case math.IsNaN(f):
		return 0
	case f >= math.MaxInt32:
		return math.MaxInt32
	case f <= math.MinInt32:
		return math.MinInt32
	}
	return int(f)
}

// javaLong narrows like Java: NaN is 0, out of range saturates.
func javaLong(f float64) int64 {
	switch {
	case math.IsNaN(f):
		return 0
	case f >= math.MaxInt64:
		return math.MaxInt64
	case f <= math.MinInt64:
		return math.MinInt64
	}
	return int64(f)
}

// weightAt returns the weight at the time now (Unix milliseconds); it is never negative.
//
// A start in the future weighs 1 from 2.7.4 on and in full before (dubbo-2.6). The Dubbo dialects also give
// full weight in the very millisecond of the start; standard closes that gap.
func weightAt(g service.Growth, d dialect.Dialect, now int64) int {
	if g.Weight <= 0 {
		return 0
	}
	if g.Start <= 0 {
		return g.Weight
	}
	up := now - g.Start
	if up >= g.Warmup {
		return g.Weight
	}
	switch {
	case up < 0:
		if d == dialect.Dubbo26 {
			return g.Weight
		}
		return 1
	case up == 0 && d != dialect.Standard:
		return g.Weight
	}
	return WarmupWeight(d, up, g.Warmup, g.Weight)
}
