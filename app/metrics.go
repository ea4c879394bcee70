package app

import (
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/directory"
	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/rule"
)

// maxLabelPairs bounds how many services and methods get labels of their own; further calls are counted as method "other".
const maxLabelPairs = 2000

// metrics are the daemon's own, in a registry of its own. docs/metrics.md describes each.
type metrics struct {
	registry *prometheus.Registry
	calls    *prometheus.CounterVec
	latency  *prometheus.HistogramVec
	routed   *prometheus.CounterVec
	rebuilds prometheus.Counter
	building prometheus.Histogram
	refused  prometheus.Counter
	ambient  prometheus.Counter
	open     prometheus.Gauge

	mu    sync.Mutex
	pairs map[[2]string]bool
}

func newMetrics() *metrics {
	m := &metrics{registry: prometheus.NewRegistry(), pairs: make(map[[2]string]bool)}
	m.calls = prometheus.NewCounterVec(prometheus.CounterOpts{Name: "dubway_calls_total",
		Help: "Calls by service, method and outcome code; ok for calls that succeeded."}, []string{"service", "method", "code"})
	m.latency = prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "dubway_call_duration_seconds", Help: "Duration of calls, retries included.",
		Buckets: []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}}, []string{"service"})
	m.routed = prometheus.NewCounterVec(prometheus.CounterOpts{Name: "dubway_routing_decisions_total",
		Help: "Calls by what routing decided: routed, no-provider or forbidden."}, []string{"service", "decision"})
	m.rebuilds = prometheus.NewCounter(prometheus.CounterOpts{Name: "dubway_snapshot_rebuilds_total", Help: "Snapshots published."})
	m.building = prometheus.NewHistogram(prometheus.HistogramOpts{Name: "dubway_snapshot_build_seconds", Help: "Time to make a snapshot.",
		Buckets: []float64{.00001, .00005, .0001, .0005, .001, .005, .01, .05, .1, .5, 1, 5}})
	m.refused = prometheus.NewCounter(prometheus.CounterOpts{Name: "dubway_rules_rejected_total", Help: "Rule documents, route URLs and overrides that were refused."})
	m.ambient = prometheus.NewCounter(prometheus.CounterOpts{Name: "dubway_source_losses_total", Help: "Times that contact to a source was lost."})
	m.open = prometheus.NewGauge(prometheus.GaugeOpts{Name: "dubway_connections", Help: "Open connections to providers."})
	m.registry.MustRegister(m.open, m.calls, m.latency, m.routed, m.rebuilds, m.building, m.refused, m.ambient)
	return m
}

// observe counts one call. method comes from callers, so only so many get a label.
func (m *metrics) observe(service, method string, err error, elapsed time.Duration) {
	if m == nil {
		return
	}
	service, method = m.label(service, method)
	code, decision := "ok", "routed"
	if err != nil {
		c := rpc.CodeOf(err)
		code = c.String()
		if c == rpc.NoProvider || c == rpc.Forbidden {
			decision = code
		}
	}
	m.calls.WithLabelValues(service, method, code).Inc()
	m.latency.WithLabelValues(service).Observe(elapsed.Seconds())
	m.routed.WithLabelValues(service, decision).Inc()
}

func (m *metrics) label(service, method string) (string, string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	pair := [2]string{service, method}
	if m.pairs[pair] {
		return service, method
	}
	if len(m.pairs) >= maxLabelPairs {
		return "other", "other"
	}
	m.pairs[pair] = true
	return service, method
}

// hooks adapts a directory's news to metrics.
func (m *metrics) hooks() *directory.Hooks {
	return &directory.Hooks{
		Rebuilt: func(_ *route.Snapshot, took time.Duration) {
			m.rebuilds.Inc()
			m.building.Observe(took.Seconds())
		},
		Rejected: func(rule.Origin, diag.List) { m.refused.Inc() },
		Ambient:  func(error) { m.ambient.Inc() },
	}
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{Registry: m.registry})
}
