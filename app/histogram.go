package app

import (
	"math/bits"
	"sync/atomic"
	"time"
)

// histogram counts durations in steps of a sixteenth of their power of two, so a quantile is right within 6 %. Adding is one
// atomic add.
type histogram struct {
	counts [64 * 16]atomic.Uint64
	most   atomic.Int64
}

func (h *histogram) add(d time.Duration) {
	n := max(uint64(d.Nanoseconds()), 16)
	h.counts[slot(n)].Add(1)
	for {
		m := h.most.Load()
		if int64(d) <= m || h.most.CompareAndSwap(m, int64(d)) {
			return
		}
	}
}

func slot(n uint64) int {
	exponent := bits.Len64(n) - 1
	return exponent*16 + int(n>>(exponent-4)&15)
}

// quantile returns the duration below which the part q of all durations lie, 0 when there are none.
func (h *histogram) quantile(q float64) time.Duration {
	var total, seen uint64
	for i := range h.counts {
		total += h.counts[i].Load()
	}
	want := uint64(q * float64(total))
	for i := range h.counts {
		if seen += h.counts[i].Load(); seen > want {
			exponent, part := i/16, uint64(i%16)
			return min(time.Duration((16+part+1)<<(exponent-4)), time.Duration(h.most.Load()))
		}
	}
	return time.Duration(h.most.Load())
}
