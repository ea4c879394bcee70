package balance

import (
	"math"
	"strconv"
	"strings"
	"sync"
)

// AdaptiveKey is the attachment with which a consumer asks a Dubbo 3.2+ provider for its load, and in which
// the provider answers ("curTime:…,load:…"). AdaptiveRequest is the value to send.
const (
	AdaptiveKey     = "lb_adaptive"
	AdaptiveRequest = "mem,load"
)

// adaptiveLoad is the state behind the load formula of spec §11.2. Its mutex is per provider and held for a
// few arithmetic steps.
type adaptiveLoad struct {
	mu           sync.Mutex
	requests     int64
	succeeded    int64
	failed       int64
	picked       int64   // Unix milliseconds of the last choice
	providerTime int64   // the provider's clock in its last answer
	seen         int64   // when the average was last touched
	cpu          float64 // as the provider reported it
	reported     bool    // a provider that answered with its load
	latency      int64   // milliseconds
	average      float64 // exponentially weighted, milliseconds
}

// adaptiveFactor is the weight of the past in the moving average.
const adaptiveFactor = 0.5

func (a *adaptiveLoad) observe(latency int64) {
	a.latency = latency
	a.average = adaptiveFactor*a.average + (1-adaptiveFactor)*float64(latency)
}

// begin counts a choice.
func (a *adaptiveLoad) begin(now int64) {
	a.mu.Lock()
	a.requests++
	a.picked = now
	a.mu.Unlock()
}

// end counts an answer. report is the provider's attachment, empty when it sent none; then, unless exact, the
// latency that the consumer measured is used by itself.
func (a *adaptiveLoad) end(now, latency int64, answered bool, report string, exact bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if answered {
		a.succeeded++
	} else {
		a.failed++
	}
	if report == "" {
		if !exact {
			a.observe(latency)
			a.seen = now
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
	a.providerTime, a.seen, a.cpu, a.reported = providerTime, providerTime, cpu, true
	if !exact {
		a.seen = now // the clocks of two machines are not compared
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
	a.mu.Lock()
	defer a.mu.Unlock()
	if now-a.picked > 2*timeout {
		return 0
	}
	if steps := (now-a.seen)/timeout + 1; a.seen > 0 && exact && steps > 0 {
		latency := a.latency >> min(steps, 63)
		if a.providerTime == a.seen {
			latency = 2 * timeout
		}
		a.observe(latency)
		a.seen = now
	} else if a.seen > 0 && !exact && now-a.seen >= timeout {
		a.observe(a.latency >> min(steps, 63))
		a.seen = now
	}
	cpu := a.cpu
	if !a.reported && !exact {
		cpu = 1
	}
	inflight := float64(a.requests - a.succeeded - a.failed)
	rate := float64(a.succeeded) / float64(a.requests+1)
	return cpu * (math.Sqrt(a.average) + 1) * (inflight + 1) / (rate*float64(weight) + 1)
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
