package balance

import (
	"math"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// AdaptiveKey is the attachment with which a consumer asks a Dubbo 3.2+ provider for its load, and in which
// the provider answers ("curTime:…,load:…"). AdaptiveRequest is the value to send.
const (
	AdaptiveKey     = "lb_adaptive"
	AdaptiveRequest = "mem,load"
)

// adaptiveLoad is the state behind the load formula of spec §11.2. A choice in standard reads it without a lock; it may see a call counted
// whose latency is not in the average yet.
type adaptiveLoad struct {
	requests  atomic.Int64
	succeeded atomic.Int64
	failed    atomic.Int64
	picked    atomic.Int64  // Unix milliseconds of the last choice
	seen      atomic.Int64  // when the average was last touched
	latency   atomic.Int64  // milliseconds
	cpu       atomic.Uint64 // a float64: as the provider reported it
	average   atomic.Uint64 // a float64: exponentially weighted latency, milliseconds
	reported  atomic.Bool   // a provider that answered with its load

	// mu is held for a few arithmetic steps by who changes the average, which in the Dubbo dialects each choice does.
	mu           sync.Mutex
	providerTime int64 // the provider's clock in its last answer; guarded by mu
}

// adaptiveFactor is the weight of the past in the moving average.
const adaptiveFactor = 0.5

// observe takes a latency into the average. The caller holds mu.
func (a *adaptiveLoad) observe(latency int64) {
	a.latency.Store(latency)
	average := math.Float64frombits(a.average.Load())
	a.average.Store(math.Float64bits(adaptiveFactor*average + (1-adaptiveFactor)*float64(latency)))
}

// begin counts a choice.
func (a *adaptiveLoad) begin(now int64) {
	a.requests.Add(1)
	a.picked.Store(now)
}

// end counts an answer. report is the provider's attachment, empty when it sent none; then, unless exact, the
// latency that the consumer measured is used by itself.
func (a *adaptiveLoad) end(now, latency int64, answered bool, report string, exact bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if answered {
		a.succeeded.Add(1)
	} else {
		a.failed.Add(1)
	}
	if report == "" {
		if !exact {
			a.observe(latency)
			a.seen.Store(now)
		}
		return
	}
	if !answered {
		return
	}
	providerTime, cpu := parseAdaptive(report)
	if a.providerTime > providerTime {
		return // an older answer that came late
	}
	a.providerTime = providerTime
	a.cpu.Store(math.Float64bits(cpu))
	a.reported.Store(true)
	if exact {
		a.seen.Store(providerTime)
	} else {
		a.seen.Store(now) // the clocks of two machines are not compared
	}
	a.observe(latency)
}

// value returns the load: cpu × (√average + 1) × (in flight + 1) ÷ (success rate × weight + 1), and 0 for a
// provider not chosen for more than two timeouts, so that it gets a chance to show that it recovered.
// timeout is in milliseconds.
//
// exact is the arithmetic of Dubbo 3.3.1: a provider that reports no load has load 0, and time without an
// answer counts as a latency of two timeouts. Otherwise a missing report counts as cpu 1 and silence lets
// the average decay.
func (a *adaptiveLoad) value(now, timeout int64, weight int, exact bool) float64 {
	timeout = max(timeout, 1)
	if now-a.picked.Load() > 2*timeout {
		return 0
	}
	switch seen := a.seen.Load(); {
	case seen <= 0:
	case exact:
		a.age(now, timeout)
	case now-seen >= timeout:
		a.decay(now, timeout)
	}
	cpu := math.Float64frombits(a.cpu.Load())
	if !exact && !a.reported.Load() {
		cpu = 1
	}
	requests, succeeded := a.requests.Load(), a.succeeded.Load()
	inflight := float64(requests - succeeded - a.failed.Load())
	rate := float64(succeeded) / float64(requests+1)
	return cpu * (math.Sqrt(math.Float64frombits(a.average.Load())) + 1) * (max(inflight, 0) + 1) / (rate*float64(weight) + 1)
}

// age is what a choice of Dubbo 3.3.1 does to the average.
func (a *adaptiveLoad) age(now, timeout int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	steps := (now-a.seen.Load())/timeout + 1
	if steps <= 0 {
		return
	}
	latency := a.latency.Load() >> min(steps, 63)
	if a.providerTime == a.seen.Load() {
		latency = 2 * timeout
	}
	a.observe(latency)
	a.seen.Store(now)
}

// decay lets the average of a silent provider sink, once for each timeout. One caller does it; the others do not wait.
func (a *adaptiveLoad) decay(now, timeout int64) {
	if !a.mu.TryLock() {
		return
	}
	defer a.mu.Unlock()
	if past := now - a.seen.Load(); past >= timeout {
		a.observe(a.latency.Load() >> min(past/timeout+1, 63))
		a.seen.Store(now)
	}
}

// parseAdaptive reads "curTime:123,load:0.5"; unknown, malformed, negative and non-finite parts count as 0.
func parseAdaptive(report string) (providerTime int64, cpu float64) {
	for part := range strings.SplitSeq(report, ",") {
		key, value, ok := strings.Cut(strings.TrimSpace(part), ":")
		if !ok {
			continue
		}
		switch key {
		case "curTime":
			if n, err := strconv.ParseInt(value, 10, 64); err == nil && n > 0 {
				providerTime = n
			}
		case "load":
			if f, err := strconv.ParseFloat(value, 64); err == nil && f > 0 && !math.IsInf(f, 0) {
				cpu = f
			}
		}
	}
	return providerTime, cpu
}
