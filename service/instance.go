package service

import (
	"math"
	"net/netip"
	"strconv"
	"strings"

	"github.com/dubway-go/dubway/durl"
)

// Parameters that NewInstance reads once.
const (
	tagParam    = "dubbo.tag"
	appParam    = "application"
	remoteParam = "remote.application"
	weightParam = "weight"
	warmupParam = "warmup"
	startParam  = "timestamp"
)

// Defaults of provider parameters (spec §1.5).
const (
	// DefaultWeight is the weight of a provider that names none.
	DefaultWeight = 100
	// DefaultWarmup is the warm-up time in milliseconds of a provider that names none.
	DefaultWarmup = 600000
)

// computed is what NewInstance derives from the three URLs, so that no call parses a parameter.
type computed struct {
	address          string
	application, tag string
	kept             any
	started          int64
	weight, warmup   int32
	methodWeights    bool
	plain            bool // an IPv4 address in its usual spelling
}

// NewInstance returns the instance that the three views describe. A zero url or labels stands for provider.
// Numbers that do not parse count as absent; a negative weight counts as 0 (spec §11.1).
func NewInstance(provider, url, labels durl.URL) *Instance {
	in := new(Instance)
	in.Init(provider, url, labels)
	return in
}

// Init makes a zero Instance what NewInstance returns, for who allocates several at a time. It must be called before others can see the
// instance, and once.
func (in *Instance) Init(provider, url, labels durl.URL) {
	if url.IsZero() {
		url = provider
	}
	if labels.IsZero() {
		labels = provider
	}
	in.Provider, in.URL, in.Labels = provider, url, labels
	in.address = url.Address()
	if a := in.IP(); a.Is4() {
		var buf [15]byte
		in.plain = string(a.AppendTo(buf[:0])) == in.Host()
	}
	if app, ok := url.Param(remoteParam); ok {
		in.application = app
	} else {
		in.application = provider.Get(appParam, "")
	}
	in.tag, _ = url.Param(tagParam)
	in.weight = clamp(intOf(url, weightParam, DefaultWeight))
	in.warmup = clamp(intOf(url, warmupParam, DefaultWarmup))
	in.started = startOf(url)
	for key := range url.All() {
		if strings.HasSuffix(key, "."+weightParam) && key != "default."+weightParam {
			in.methodWeights = true
			break
		}
	}
}

// Host returns the provider's host as its URL has it; IPv6 keeps its brackets.
func (in *Instance) Host() string { return in.URL.Host() }

// Port returns the provider's port, 0 when it has none.
func (in *Instance) Port() int { return in.URL.Port() }

// Address returns "host:port", the host alone when there is no port.
func (in *Instance) Address() string { return in.address }

// IP returns the host as an address; it is invalid when the host is a name. It reads the text each time.
func (in *Instance) IP() netip.Addr {
	a, err := netip.ParseAddr(strings.Trim(in.Host(), "[]"))
	if err != nil {
		return netip.Addr{}
	}
	return a
}

// Keep hangs onto an instance what its maker keeps with it. It must be called before others can see the instance, and once.
func (in *Instance) Keep(v any) { in.kept = v }

// Kept returns what Keep hung on, or nil. Nobody but the instance's maker should look at it.
func (in *Instance) Kept() any { return in.kept }

// Application returns the provider's application (spec §4.1): remote.application of the effective URL, which may be empty when an override says so;
// without it the application that the provider registered.
func (in *Instance) Application() string { return in.application }

// Tag returns the provider's static tag, the effective URL's dubbo.tag; empty means untagged.
func (in *Instance) Tag() string { return in.tag }

// Weight returns the configured weight for method, before warm-up: method-scoped parameter, then plain, then 100; never negative (spec §11.1).
func (in *Instance) Weight(method string) int {
	if in.methodWeights {
		if text, ok := in.URL.MethodParam(method, weightParam); ok && text != "" {
			if n, err := strconv.ParseInt(text, 10, 32); err == nil {
				return int(clamp(int(n)))
			}
		}
	}
	return int(in.weight)
}

// HasMethodWeights reports whether any method has a weight of its own; when not, Weight is the same for every method.
func (in *Instance) HasMethodWeights() bool { return in.methodWeights }

// Warmup returns the warm-up time in milliseconds, 600000 when the URL names none.
func (in *Instance) Warmup() int64 { return int64(in.warmup) }

// Started returns the provider's start time in Unix milliseconds (parameter timestamp), 0 when unknown.
func (in *Instance) Started() int64 { return in.started }

func clamp(n int) int32 { return int32(min(max(n, 0), math.MaxInt32)) }

func intOf(u durl.URL, key string, def int) int {
	n, err := u.Int(key, def)
	if err != nil {
		return def
	}
	return n
}

// startOf reads a timestamp; not through int, which is 32 bits on some machines.
func startOf(u durl.URL) int64 { return millis(u.Get(startParam, "")) }

// millis reads digits only, of a time that any clock can show; anything else is 0.
func millis(s string) int64 {
	var n int64
	for i := range len(s) {
		c := s[i]
		if c < '0' || c > '9' || i > 17 {
			return 0
		}
		n = n*10 + int64(c-'0')
	}
	return n
}
