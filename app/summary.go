package app

import (
	"maps"
	"time"

	"github.com/dubway-go/dubway/admin"
)

// Summary is what the demo did since it started, as `demo --json` prints it.
type Summary struct {
	Versions SummaryVersions `json:"versions"`
	Seconds  float64         `json:"seconds"`
	// Calls are those of the two consumers; Failures are those of them that failed, Codes why.
	Calls          uint64            `json:"calls"`
	Failures       uint64            `json:"failures"`
	Codes          map[string]uint64 `json:"codes,omitempty"`
	LastFailure    string            `json:"lastFailure,omitempty"`
	CallsPerSecond float64           `json:"callsPerSecond"`
	// FirstCallMillis is from the start of the demo to the first answer.
	FirstCallMillis float64          `json:"firstCallMillis"`
	Latency         SummaryLatency   `json:"latency"`
	Services        []SummaryService `json:"services"`
	Admin           string           `json:"admin"`
	Gateway         string           `json:"gateway"`
}

// SummaryVersions says what ran.
type SummaryVersions struct {
	Dubway string `json:"dubway"`
	Go     string `json:"go"`
	Commit string `json:"commit,omitempty"`
}

// SummaryLatency are quantiles of the calls' durations, in microseconds.
type SummaryLatency struct {
	P50 int64 `json:"p50Micros"`
	P99 int64 `json:"p99Micros"`
	Max int64 `json:"maxMicros"`
}

// SummaryService is where the calls of one service went.
type SummaryService struct {
	Service   string            `json:"service"`
	Calls     uint64            `json:"calls"`
	Providers []SummaryProvider `json:"providers"`
}

// SummaryProvider is the part of one provider, calls made by other providers included.
type SummaryProvider struct {
	Name        string  `json:"name"`
	Address     string  `json:"address"`
	Application string  `json:"application"`
	Region      string  `json:"region"`
	Tag         string  `json:"tag,omitempty"`
	Version     string  `json:"version,omitempty"`
	Calls       uint64  `json:"calls"`
	Failures    uint64  `json:"failures"`
	Share       float64 `json:"share"`
}

// Summary returns what happened so far.
func (d *Demo) Summary() Summary {
	l := d.load
	elapsed := time.Since(d.began)
	s := Summary{Versions: SummaryVersions{d.o.Version.Version, goVersion(), d.o.Version.Commit}, Seconds: elapsed.Seconds(), Calls: l.calls.Load(), Failures: l.failures.Load(),
		FirstCallMillis: float64(l.firstCall.Load()) / 1e6, Admin: d.app.AdminAddress(), Gateway: d.app.GatewayAddress(),
		Latency: SummaryLatency{l.latency.quantile(.5).Microseconds(), l.latency.quantile(.99).Microseconds(), time.Duration(l.latency.most.Load()).Microseconds()}}
	s.CallsPerSecond = float64(s.Calls) / elapsed.Seconds()
	l.mu.Lock()
	s.Codes, s.LastFailure = maps.Clone(l.codes), l.last
	l.mu.Unlock()
	counts := perProvider(d.app.traffic.snapshot())
	for _, p := range d.providers {
		if n := len(s.Services); n == 0 || s.Services[n-1].Service != p.service {
			s.Services = append(s.Services, SummaryService{Service: p.service})
		}
		one := &s.Services[len(s.Services)-1]
		c := counts[p.address]
		one.Calls += c.calls
		one.Providers = append(one.Providers, SummaryProvider{Name: p.name, Address: p.address, Application: p.application, Region: p.region,
			Tag: p.tag, Version: p.version, Calls: c.calls, Failures: c.failures})
	}
	for i := range s.Services {
		for k := range s.Services[i].Providers {
			if total := s.Services[i].Calls; total > 0 {
				s.Services[i].Providers[k].Share = float64(s.Services[i].Providers[k].Calls) / float64(total)
			}
		}
	}
	return s
}

type tally struct{ calls, failures uint64 }

// perProvider adds up the flows to each provider.
func perProvider(t admin.Traffic) map[string]tally {
	out := make(map[string]tally)
	for _, f := range t.Flows {
		c := out[f.Provider]
		c.calls += f.Calls
		c.failures += f.Failures
		out[f.Provider] = c
	}
	return out
}
