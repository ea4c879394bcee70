package cluster

import (
	"maps"
	"strconv"
	"strings"
	"time"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/route"
)

// Defaults of the strategies' parameters (spec §11.3).
const (
	// DefaultRetries is how often failover tries again (parameter retries).
	DefaultRetries = 2
	// DefaultFailbackRetries is how often failback tries again in the background (parameter retries).
	DefaultFailbackRetries = 3
	// DefaultFailbackTasks is how many calls failback keeps for later (parameter failbacktasks).
	DefaultFailbackTasks = 100
	// DefaultForks is how many providers forking calls at once (parameter forks).
	DefaultForks = 2
	// DefaultTimeout is how long forking waits (parameter timeout, in milliseconds there).
	DefaultTimeout = time.Second
	// DefaultFailPercent is at which share of failures broadcast stops early (parameter broadcast.fail.percent).
	DefaultFailPercent = 100
)

// maxRetries bounds the parameter retries, which providers can set.
const maxRetries = 1000

// settings are the parameters of one method.
type settings struct {
	retries      int // -1 = not set
	tasks        int
	forks        int
	failPercent  int
	timeout      time.Duration
	availability bool
	sticky       bool
}

// reader looks parameters up: method-scoped before plain, the consumer before the provider. A number that does not
// parse counts as absent.
type reader struct {
	consumer, provider durl.URL
	method             string
	ownOnly            bool // Dubbo 3: the provider's values do not count
}

func (r *reader) text(key string) string {
	if v, ok := r.consumer.MethodParam(r.method, key); ok && v != "" {
		return v
	}
	if !r.ownOnly {
		if v, ok := r.provider.MethodParam(r.method, key); ok {
			return v
		}
	}
	return ""
}

func (r *reader) number(key string, def int) int {
	n, err := strconv.Atoi(strings.TrimSpace(r.text(key)))
	if err != nil {
		return def
	}
	return n
}

func readSettings(r reader) *settings {
	s := &settings{
		retries:      -1,
		tasks:        r.number("failbacktasks", DefaultFailbackTasks),
		forks:        r.number("forks", DefaultForks),
		failPercent:  r.number("broadcast.fail.percent", DefaultFailPercent),
		timeout:      DefaultTimeout,
		availability: true,
	}
	if n, err := strconv.Atoi(strings.TrimSpace(r.text("retries"))); err == nil {
		s.retries = min(max(n, 0), maxRetries) // a total of at most zero tries means one
	}
	if s.tasks <= 0 {
		s.tasks = DefaultFailbackTasks
	}
	if s.failPercent < 0 || s.failPercent > 100 {
		s.failPercent = DefaultFailPercent
	}
	if ms := r.number("timeout", 0); ms > 0 {
		s.timeout = time.Duration(ms) * time.Millisecond
	}
	if v := r.text("cluster.availablecheck"); v != "" {
		s.availability = strings.EqualFold(v, "true")
	}
	// sticky is the one parameter that every version reads from the first candidate's URL.
	v, _ := r.provider.MethodParam(r.method, "sticky")
	if v == "" {
		v, _ = r.consumer.MethodParam(r.method, "sticky")
	}
	s.sticky = strings.EqualFold(v, "true")
	return s
}

// clusterSlot is the hook of a route.Decision that this package fills.
const clusterSlot = 1

// maxRemembered bounds the methods whose settings one Decision remembers: their names come from callers.
const maxRemembered = 256

// remembered is the content of the slot: immutable, copied when a method is added.
type remembered struct {
	owner    *core
	consumer durl.URL
	methods  map[string]*settings
}

// settingsOf returns the settings of a call: from the consumer URL with overrides and, except in dubbo-3.1 and
// dubbo-3.3, where those name none, from the first candidate's effective URL.
func (c *core) settingsOf(d Directory, list route.Candidates, method string) *settings {
	consumer := d.Snapshot().Consumer().URL
	slot := list.Decision().Slot(clusterSlot)
	p := slot.Load()
	var old *remembered
	if p != nil {
		old, _ = (*p).(*remembered)
	}
	if old != nil && old.owner == c && old.consumer == consumer {
		if s, ok := old.methods[method]; ok {
			return s
		}
	}
	r := reader{consumer: consumer, provider: list.At(0).URL, method: method}
	r.ownOnly = c.dialect == dialect.Dubbo31 || c.dialect == dialect.Dubbo33
	s := readSettings(r)
	if !list.Decision().Remembered() {
		return s
	}
	next := &remembered{owner: c, consumer: consumer, methods: map[string]*settings{method: s}}
	if old != nil && old.owner == c && old.consumer == consumer {
		if len(old.methods) >= maxRemembered {
			return s
		}
		maps.Copy(next.methods, old.methods)
	}
	var boxed any = next
	slot.CompareAndSwap(p, &boxed) // who loses reads again next time
	return s
}
