package service

import (
	"sync"
	"sync/atomic"
)

// maxIndexes bounds how many parameters a set remembers an index for; more are computed anew each time.
const maxIndexes = 256

// Set is an immutable list of instances with an index from parameter to value to instances, which is
// built per parameter when a compiler first asks for it. It is safe for concurrent use. The order is the order given
// to NewSet and is what every result of routing keeps.
type Set struct {
	revision uint64
	list     []*Instance

	plain atomic.Int32 // plainUnknown, plainYes or plainNo

	weights [weightSlots]atomic.Pointer[Weights]

	index   sync.Map // string → *lazyIndex
	indexes atomic.Int32
}

type lazyIndex struct {
	once sync.Once
	done atomic.Pointer[Index]
}

// NewSet returns the set of the given instances in the given order. It keeps the slice: the caller must not change it afterwards.
func NewSet(revision uint64, in []*Instance) *Set { return &Set{revision: revision, list: in} }

// Revision returns the revision given to NewSet.
func (s *Set) Revision() uint64 { return s.revision }

// Len returns the number of instances.
func (s *Set) Len() int { return len(s.list) }

// At returns the i-th instance, 0 ≤ i < Len.
func (s *Set) At(i int) *Instance { return s.list[i] }

// Labels returns the index of what rules see under key on their right side (durl's Mapped view of Instance.Labels).
func (s *Set) Labels(key string) *Index { return s.Reusing(nil).Labels(key) }

// Params returns the index of a plain parameter of Instance.Labels, URL parts left out.
func (s *Set) Params(key string) *Index { return s.Reusing(nil).Params(key) }

// Addresses returns the index of the instances' "host:port" as rules see it.
func (s *Set) Addresses() *Index { return s.Reusing(nil).Addresses() }

// Effective returns the index of the "host:port" of the effective URLs, which tag rules list.
func (s *Set) Effective() *Index { return s.Reusing(nil).Effective() }

// Tags returns the index of static tags; untagged instances count as absent.
func (s *Set) Tags() *Index { return s.Reusing(nil).Tags() }

// Schemes returns the index of the protocols of the effective URLs.
func (s *Set) Schemes() *Index { return s.Reusing(nil).Schemes() }

// States of Set.plain.
const (
	plainUnknown int32 = iota
	plainYes
	plainNo
)

// PlainHosts reports whether every host is an IPv4 address in its usual spelling, so that equal addresses are equal texts.
func (s *Set) PlainHosts() bool { return s.Reusing(nil).PlainHosts() }

// Reusing returns the set's indexes with leave to build a missing one from that of old, a set that shares most
// instances with this one. The set does not keep old, the result does. It may be nil.
func (s *Set) Reusing(old *Set) Indexes {
	if old == nil {
		return Indexes{set: s}
	}
	return Indexes{s, &lineage{set: s, old: old}}
}

// Indexes is a set's indexes by kind; see the methods of the same names on Set.
type Indexes struct {
	set     *Set
	lineage *lineage // nil without an earlier set
}

// PlainHosts is Set.PlainHosts.
func (x Indexes) PlainHosts() bool {
	s := x.set
	if known := s.plain.Load(); known != plainUnknown {
		return known == plainYes
	}
	all := true
	if x.lineage != nil && x.lineage.old.plain.Load() == plainYes {
		_, added := x.lineage.edits()
		for _, i := range added {
			all = all && s.list[i].plain
		}
	} else {
		for _, in := range s.list {
			if all = in.plain; !all {
				break
			}
		}
	}
	if all {
		s.plain.Store(plainYes)
	} else {
		s.plain.Store(plainNo)
	}
	return all
}

// Labels is Set.Labels.
func (x Indexes) Labels(key string) *Index {
	return x.lazy("l"+key, func(in *Instance) (string, bool) { return in.Labels.Mapped(key) })
}

// Params is Set.Params.
func (x Indexes) Params(key string) *Index {
	return x.lazy("p"+key, func(in *Instance) (string, bool) { return in.Labels.Param(key) })
}

// Addresses is Set.Addresses.
func (x Indexes) Addresses() *Index {
	return x.lazy("a", func(in *Instance) (string, bool) { a := in.Labels.Address(); return a, a != "" })
}

// Effective is Set.Effective.
func (x Indexes) Effective() *Index {
	return x.lazy("e", func(in *Instance) (string, bool) { return in.address, in.address != "" })
}

// Tags is Set.Tags.
func (x Indexes) Tags() *Index {
	return x.lazy("t", func(in *Instance) (string, bool) { return in.tag, in.tag != "" })
}

// Schemes is Set.Schemes.
func (x Indexes) Schemes() *Index {
	return x.lazy("s", func(in *Instance) (string, bool) { v := in.URL.Scheme(); return v, v != "" })
}

func (x Indexes) lazy(key string, value func(*Instance) (string, bool)) *Index {
	s := x.set
	v, ok := s.index.Load(key)
	if !ok {
		if s.indexes.Load() >= maxIndexes {
			return buildIndex(s.list, value, nil, nil)
		}
		var loaded bool
		if v, loaded = s.index.LoadOrStore(key, new(lazyIndex)); !loaded {
			s.indexes.Add(1)
		}
	}
	l := v.(*lazyIndex)
	l.once.Do(func() {
		var old *Index
		if x.lineage != nil {
			if o, ok := x.lineage.old.index.Load(key); ok {
				old = o.(*lazyIndex).done.Load()
			}
		}
		l.done.Store(buildIndex(s.list, value, old, x.lineage))
	})
	return l.done.Load()
}
