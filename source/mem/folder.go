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
	return source.State{Providers: f.providers.list(), Configurators: f.configurators.list(), Routers: f.routers.list(), Held: true}
}

// texts is a set of texts that can be had as a sorted slice. Changing it costs no more than a map entry; the
// slice is brought up to date when it is asked for, by copying the stretches between the changes, so a
// service with 100,000 providers can change by one without being walked or sorted again.
type texts struct {
	set     map[string]struct{}
	sorted  []string // what list returned last
	changed []string // came or went since then, perhaps several times
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
	t.note(text)
	return true
}

// drop reports whether text was there.
func (t *texts) drop(text string) bool {
	if _, ok := t.set[text]; !ok {
		return false
	}
	delete(t.set, text)
	t.note(text)
	return true
}

// note remembers a change. Where nobody watches, texts that came and went must not pile up.
func (t *texts) note(text string) {
	t.changed = append(t.changed, text)
	if len(t.changed) > 1024 && len(t.changed) > len(t.set) {
		t.list()
	}
}

func (t *texts) reset(in []string) {
	t.set = make(map[string]struct{}, len(in))
	for _, text := range in {
		t.set[text] = struct{}{}
	}
	t.sorted, t.changed = nil, slices.Clone(in)
}

func (t *texts) list() []string {
	if len(t.changed) == 0 {
		return t.sorted
	}
	slices.Sort(t.changed)
	out := make([]string, 0, len(t.set))
	rest := t.sorted
	for _, text := range slices.Compact(t.changed) {
		i, found := slices.BinarySearch(rest, text)
		out = append(out, rest[:i]...)
		if rest = rest[i:]; found {
			rest = rest[1:]
		}
		if _, alive := t.set[text]; alive {
			out = append(out, text)
		}
	}
	t.sorted, t.changed = append(out, rest...), nil
	return t.sorted
}
