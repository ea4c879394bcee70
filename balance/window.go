package balance

import "sync/atomic"

// slidePeriod is how long shortestresponse looks back, in milliseconds (spec §11.2; Dubbo 3.0.7+).
const slidePeriod = 30 * 1000

// window is a tumbling view on a load's totals: what was answered since it began.
type window struct {
	began     atomic.Int64 // Unix milliseconds
	succeeded atomic.Int64 // totals when it began
	elapsed   atomic.Int64
	average   atomic.Int64 // microseconds: the average of the window before
}

// turn starts a new window when the old one is over. Only one caller does the work.
func (l *load) turn(now int64) {
	began := l.window.began.Load()
	if now-began <= slidePeriod || !l.window.began.CompareAndSwap(began, now) {
		return
	}
	succeeded, elapsed := l.succeeded.Load(), l.elapsed.Load()
	if n := succeeded - l.window.succeeded.Load(); n > 0 {
		l.window.average.Store((elapsed - l.window.elapsed.Load()) / n)
	}
	l.window.succeeded.Store(succeeded)
	l.window.elapsed.Store(elapsed)
}

// recent returns the average latency of this window in microseconds; ok is false while it has no answer.
func (l *load) recent() (average int64, ok bool) {
	n := l.succeeded.Load() - l.window.succeeded.Load()
	if n <= 0 {
		return 0, false
	}
	return max((l.elapsed.Load()-l.window.elapsed.Load())/n, 0), true
}
