package mem

import (
	"slices"

	"github.com/dubway-go/dubway/source"
)

// folder holds the URLs of one service interface. The Store's lock guards it.
type folder struct {
	providers, consumers, routers, configurators texts

	rev      uint64
	changed  chan struct{}
	watchers int
}

func (f *folder) of(c source.Category) *texts {
	switch c {
	case source.Consumers:
		return &f.consumers
	case source.Routers:
		return &f.routers
	case source.Configurators:
		return &f.configurators
	}
	return &f.providers
}

func (f *folder) empty() bool {
	return len(f.providers.set)+len(f.consumers.set)+len(f.routers.set)+len(f.configurators.set) == 0
}

// state returns slices that are never written again.
func (f *folder) state() source.State {
	return source.State{Providers: f.providers.list(), Configurators: f.configurators.list(), Routers: f.routers.list()}
}

// texts is a set of texts that can be had as a sorted slice. Adding costs no more than a map entry; the
// slice is brought up to date when it is asked for, by merging, so a service with 100,000 providers
// can change by one without being sorted again.
type texts struct {
	set    map[string]struct{}
	sorted []string // what list returned last; stale when dirty
	added  []string // since then; may hold texts that are gone again, or twice
	dirty  bool
}

// add reports whether text was missing.
func (t *texts) add(text string) bool {
	if _, ok := t.set[text]; ok {
		return false
	}
	if t.set == nil {
		t.set = make(map[string]struct{})
	}
	t.set[text] = struct{}{}
	t.added = append(t.added, text)
	t.dirty = true
	return true
}

// drop reports whether text was there.
func (t *texts) drop(text string) bool {
	if _, ok := t.set[text]; !ok {
		return false
	}
	delete(t.set, text)
	t.dirty = true
	return true
}

func (t *texts) reset(in []string) {
	t.set = make(map[string]struct{}, len(in))
	for _, text := range in {
		t.set[text] = struct{}{}
	}
	t.sorted, t.added, t.dirty = nil, slices.Clone(in), true
}

func (t *texts) list() []string {
	if !t.dirty {
		return t.sorted
	}
	slices.Sort(t.added)
	added := slices.Compact(t.added)
	out := make([]string, 0, len(t.set))
	i := 0
	emit := func(text string) {
		_, alive := t.set[text]
		if n := len(out); alive && (n == 0 || out[n-1] != text) {
			out = append(out, text)
		}
	}
	for _, old := range t.sorted {
		for i < len(added) && added[i] < old {
			emit(added[i])
			i++
		}
		emit(old)
	}
	for _, text := range added[i:] {
		emit(text)
	}
	t.sorted, t.added, t.dirty = out, nil, false
	return out
}
