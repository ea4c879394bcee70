package balance

import (
	"math"
	"math/bits"

	"github.com/dubway-go/dubway/dialect"
)

// ShortestResponse chooses the provider with the smallest average latency × (calls under way + 1); ties are broken
// by weight (spec §11.2). It needs Begin and End around each call. Latency is counted in microseconds (Dubbo:
// milliseconds).
//
// The average is that of a window of 30 s; in dubbo-2.7, of all time. The Dubbo dialects count a provider
// without an answer in the window as 0, so that all calls go there until it answers; standard goes on with the
// average of the window before, and a provider never seen counts as 1 µs. standard compares
// two candidates drawn by weight when there are more than 16.
type ShortestResponse struct{ scored }

// NewShortestResponse returns the balancer "shortestresponse".
func NewShortestResponse(o Options) *ShortestResponse {
	score := standardResponse
	switch o.Dialect {
	case dialect.Standard:
	case dialect.Dubbo26, dialect.Dubbo27:
		score = lifetimeResponse
	default:
		score = windowResponse
	}
	return &ShortestResponse{scored{base: newBase(o), score: score, timed: true}}
}

// Name returns "shortestresponse".
func (*ShortestResponse) Name() string { return NameShortestResponse }

func standardResponse(l *load, now int64) int64 {
	l.turn(now)
	average, ok := l.recent()
	if !ok {
		average = l.window.average.Load()
	}
	return product(max(average, 1), l.active.Load()+1)
}

func windowResponse(l *load, now int64) int64 {
	l.turn(now)
	average, _ := l.recent()
	return product(average, l.active.Load()+1)
}

func lifetimeResponse(l *load, _ int64) int64 {
	average := int64(0)
	if n := l.succeeded.Load(); n > 0 {
		average = l.elapsed.Load() / n
	}
	return product(average, l.active.Load()+1)
}

// product multiplies two numbers that are not negative, saturating.
func product(a, b int64) int64 {
	high, low := bits.Mul64(uint64(max(a, 0)), uint64(max(b, 0)))
	if high != 0 || low > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(low)
}
