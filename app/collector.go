package app

import (
	"slices"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/dubway-go/dubway"
	"github.com/dubway-go/dubway/directory"
)

// collector reads the state of every open directory when metrics are asked for, so that nothing is kept twice.
type collector struct {
	services func() []*dubway.Service

	instances, generation, age, remembered, forbidden, lost, draining, inForce, rejected, open, scripts, scriptTime *prometheus.Desc
}

func newCollector(services func() []*dubway.Service) *collector {
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc("dubway_"+name, help, append([]string{"service", "dialect", "registry"}, labels...), nil)
	}
	return &collector{services: services,
		instances:  desc("directory_instances", "Providers in force."),
		generation: desc("directory_generation", "Publications of the directory."),
		forbidden:  desc("directory_forbidden", "1 while the registry says that there are no providers."),
		draining:   desc("directory_draining_instances", "Providers that left and still finish calls."),
		age:        desc("snapshot_age_seconds", "Age of the snapshot in force."),
		remembered: desc("snapshot_remembered_decisions", "Candidate sets that the snapshot remembers."),
		lost:       desc("source_up", "1 while the source has contact.", "source", "key"),
		inForce:    desc("rule_in_force", "1 for the revision of a rule that is in force.", "key", "revision"),
		rejected:   desc("rule_rejected", "1 while a newer revision of a rule is refused and an older state serves.", "key", "revision"),
		scripts:    desc("script_runs_total", "Calls that asked a script rule, by outcome: list, ignored or failed.", "outcome"),
		scriptTime: desc("script_seconds_total", "Time that calls waited for script rules."),
		open:       prometheus.NewDesc("dubway_services_open", "Services with an open directory.", nil, nil),
	}
}

// Describe implements prometheus.Collector.
func (c *collector) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{c.instances, c.generation, c.forbidden, c.draining, c.age, c.remembered, c.lost, c.inForce, c.rejected, c.open, c.scripts, c.scriptTime} {
		ch <- d
	}
}

// Collect implements prometheus.Collector.
func (c *collector) Collect(ch chan<- prometheus.Metric) {
	open := c.services()
	ch <- prometheus.MustNewConstMetric(c.open, prometheus.GaugeValue, float64(len(open)))
	seen := make(map[[2]string]bool)
	for _, s := range open {
		id := [2]string{s.Key().String(), s.Dialect().String()}
		if seen[id] {
			continue // the same service on behalf of another consumer
		}
		seen[id] = true
		for _, r := range s.Registries() {
			c.directory(ch, id, r)
		}
	}
}

// directory tells of one service in one registry; its name is the label registry, empty where there is only one.
func (c *collector) directory(ch chan<- prometheus.Metric, id [2]string, r dubway.ServiceRegistry) {
	d := r.Directory
	st := d.State()
	gauge := func(desc *prometheus.Desc, v float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, v, append([]string{id[0], id[1], r.Name}, labels...)...)
	}
	gauge(c.instances, float64(st.Instances))
	gauge(c.generation, float64(st.Generation))
	gauge(c.forbidden, truth(st.Forbidden))
	gauge(c.draining, float64(st.Draining))
	gauge(c.age, st.Age.Seconds())
	gauge(c.remembered, float64(d.Snapshot().Memory().Decisions))
	c.sources(st, gauge)
	c.scriptRules(ch, st.Scripts, id[0], id[1], r.Name)
}

// scriptRules tells what script rules did; nothing while they are switched off.
func (c *collector) scriptRules(ch chan<- prometheus.Metric, st *directory.ScriptStatus, labels ...string) {
	if st == nil {
		return
	}
	counter := func(desc *prometheus.Desc, v float64, more ...string) {
		ch <- prometheus.MustNewConstMetric(desc, prometheus.CounterValue, v, append(slices.Clone(labels), more...)...)
	}
	counter(c.scripts, float64(st.Runs-st.Ignored-st.Failed), "list")
	counter(c.scripts, float64(st.Ignored), "ignored")
	counter(c.scripts, float64(st.Failed), "failed")
	counter(c.scriptTime, st.Spent.Seconds())
}

func (c *collector) sources(st directory.Status, gauge func(*prometheus.Desc, float64, ...string)) {
	lost := make(map[[2]string]bool)
	for _, l := range st.Lost {
		at := [2]string{l.Source, l.Key}
		if !lost[at] {
			lost[at] = true
			gauge(c.lost, 0, l.Source, l.Key)
		}
	}
	if !lost[[2]string{"registry", ""}] {
		gauge(c.lost, truth(st.Ready), "registry", "")
	}
	keys := make(map[string]bool)
	for _, r := range st.Rules {
		if keys[r.Key] {
			continue
		}
		keys[r.Key] = true
		if r.InForce {
			gauge(c.inForce, 1, r.Key, r.Rev)
		}
		if r.Rejected != nil {
			gauge(c.rejected, 1, r.Key, r.Rejected.Origin.Rev)
		}
	}
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
