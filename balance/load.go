package balance

import (
	"sync"
	"sync/atomic"

	"github.com/dubway-go/dubway/service"
)

// load is what a balancer has learned about one provider (and, where Dubbo counts so, one method). Calls to
// the same provider share it, because that is its meaning; calls to different providers share nothing.
type load struct {
	active    atomic.Int64 // calls under way
	used      atomic.Int64 // Unix milliseconds of the last Begin or End
	retired   atomic.Bool  // dropped from the table: look it up again
	succeeded atomic.Int64 // calls that were answered
	elapsed   atomic.Int64 // their time together, microseconds

	window   window
	adaptive adaptiveLoad

	_ [32]byte // to 192 bytes, which the allocator aligns to cache lines: no two loads share one
}

// loadKey names a load: the service, the address of the provider, and the method or "".
type loadKey struct {
	service service.Key
	address string
	method  string
}

// methodKey names state that is kept per service and method.
type methodKey struct {
	service service.Key
	method  string
}

const (
	// idleLoad is after how many milliseconds without a call a load may be dropped.
	idleLoad = 10 * 60 * 1000
	// maxMethods bounds the methods that are told apart: names come from callers, also through gateways.
	// Beyond it, calls share the load of method "".
	maxMethods = 1024
)

// loads is the table of loads. Reading takes no lock and writes nothing shared: a read-only map is published
// in a pointer; new keys go to a second map under a mutex, which replaces the first when enough look-ups
// missed. A load outlives the snapshots and the instance objects that its calls went through.
type loads struct {
	read atomic.Pointer[map[loadKey]*load]

	mu      sync.Mutex
	fresh   map[loadKey]*load // everything in read and more; nil when there is no more
	misses  int
	methods map[string]struct{}
}

// get returns the load of key, making it when it is new. now is in Unix milliseconds.
func (t *loads) get(key loadKey, now func() int64) *load {
	if m := t.read.Load(); m != nil {
		if l, ok := (*m)[key]; ok {
			return l
		}
	}
	return t.getSlow(key, now)
}

func (t *loads) getSlow(key loadKey, now func() int64) *load {
	t.mu.Lock()
	defer t.mu.Unlock()
	if key.method != "" {
		if _, ok := t.methods[key.method]; !ok {
			if len(t.methods) >= maxMethods {
				key.method = ""
			} else {
				if t.methods == nil {
					t.methods = make(map[string]struct{})
				}
				t.methods[key.method] = struct{}{}
			}
		}
	}
	if m := t.read.Load(); m != nil {
		if l, ok := (*m)[key]; ok {
			return l
		}
	}
	if t.fresh == nil {
		t.fresh = make(map[loadKey]*load)
		if m := t.read.Load(); m != nil {
			for k, l := range *m {
				t.fresh[k] = l
			}
		}
	}
	l := t.fresh[key]
	if l == nil {
		l = new(load)
		l.used.Store(now())
		l.window.began.Store(now())
		t.fresh[key] = l
	}
	if t.misses++; t.misses >= len(t.fresh) {
		t.publish(now())
	}
	return l
}

// publish makes fresh the read-only map, without the loads that were idle for long.
func (t *loads) publish(now int64) {
	for k, l := range t.fresh {
		if l.active.Load() == 0 && now-l.used.Load() > idleLoad {
			l.retired.Store(true)
			delete(t.fresh, k)
		}
	}
	next := t.fresh
	t.read.Store(&next)
	t.fresh, t.misses = nil, 0
}

// size returns how many loads are kept.
func (t *loads) size() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.fresh != nil {
		return len(t.fresh)
	}
	if m := t.read.Load(); m != nil {
		return len(*m)
	}
	return 0
}
