package service

import (
	"sync"
	"sync/atomic"

	"github.com/dubway-go/dubway/internal/bitset"
)

// maxIndexes bounds how many parameters a set remembers an index for; more are computed anew each time.
const maxIndexes = 256

// Set is an immutable list of instances with an index from parameter to value to instances, which is
// built per parameter when a compiler first asks for it. It is safe for concurrent use. The order is the order given
// to NewSet and is what every result of routing keeps.
type Set struct {
	revision uint64
	list     []*Instance

	plainOnce sync.Once
	plain     bool

	index   sync.Map // string → *lazyIndex
	indexes atomic.Int32
}

type lazyIndex struct {
	once  sync.Once
	index *Index
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
func (s *Set) Labels(key string) *Index {
	return s.lazy("l"+key, func(in *Instance) (string, bool) { return in.Labels.Mapped(key) })
}

// Params returns the index of a plain parameter of Instance.Labels, URL parts left out.
func (s *Set) Params(key string) *Index {
	return s.lazy("p"+key, func(in *Instance) (string, bool) { return in.Labels.Param(key) })
}

// Addresses returns the index of the instances' "host:port" as rules see it.
func (s *Set) Addresses() *Index {
	return s.lazy("a", func(in *Instance) (string, bool) { a := in.Labels.Address(); return a, a != "" })
}

// Effective returns the index of the "host:port" of the effective URLs, which tag rules list.
func (s *Set) Effective() *Index {
	return s.lazy("e", func(in *Instance) (string, bool) { return in.address, in.address != "" })
}

// PlainHosts reports whether every host is an IPv4 address in its usual spelling, so that equal addresses are equal texts.
func (s *Set) PlainHosts() bool {
	s.plainOnce.Do(func() {
		s.plain = true
		for _, in := range s.list {
			if !in.plain {
				s.plain = false
				return
			}
		}
	})
	return s.plain
}

// Tags returns the index of static tags; untagged instances count as absent.
func (s *Set) Tags() *Index {
	return s.lazy("t", func(in *Instance) (string, bool) { return in.tag, in.tag != "" })
}

// Schemes returns the index of the protocols of the effective URLs.
func (s *Set) Schemes() *Index {
	return s.lazy("s", func(in *Instance) (string, bool) { v := in.URL.Scheme(); return v, v != "" })
}

func (s *Set) lazy(key string, value func(*Instance) (string, bool)) *Index {
	v, ok := s.index.Load(key)
	if !ok {
		if s.indexes.Load() >= maxIndexes {
			return buildIndex(s.list, value)
		}
		var loaded bool
		if v, loaded = s.index.LoadOrStore(key, new(lazyIndex)); !loaded {
			s.indexes.Add(1)
		}
	}
	l := v.(*lazyIndex)
	l.once.Do(func() { l.index = buildIndex(s.list, value) })
	return l.index
}

// Index tells, for one parameter, which instances have which value. It is immutable.
type Index struct {
	n       int
	values  []string
	byValue map[string]int32
	// members holds the instance numbers grouped by value, ascending in a group; those of value v are
	// members[start[v]:start[v+1]], and the instances without a value are the last group.
	start, members []uint32
	// dense holds a bitset for each group that is large enough to be cheaper that way.
	dense []bitset.Set
}

func buildIndex(list []*Instance, value func(*Instance) (string, bool)) *Index {
	x := &Index{n: len(list), byValue: make(map[string]int32)}
	of := make([]int32, len(list))
	last, lastID := "", int32(-1)
	for i, in := range list {
		v, ok := value(in)
		if !ok {
			of[i] = -1
			continue
		}
		if lastID >= 0 && v == last { // neighbours often agree
			of[i] = lastID
			continue
		}
		id, known := x.byValue[v]
		if !known {
			id = int32(len(x.values))
			x.byValue[v] = id
			x.values = append(x.values, v)
		}
		of[i], last, lastID = id, v, id
	}
	groups := len(x.values) + 1
	x.start = make([]uint32, groups+1)
	for i, id := range of {
		if id < 0 {
			id = int32(len(x.values))
			of[i] = id
		}
		x.start[id+1]++
	}
	for g := range groups {
		x.start[g+1] += x.start[g]
	}
	x.members = make([]uint32, len(list))
	next := append([]uint32(nil), x.start...)
	for i, id := range of {
		x.members[next[id]] = uint32(i)
		next[id]++
	}
	x.dense = make([]bitset.Set, groups)
	for g := range groups {
		if m := x.group(g); len(m) > len(list)/32 && len(m) > 16 {
			b := bitset.Make(len(list))
			for _, i := range m {
				b.Add(int(i))
			}
			x.dense[g] = b
		}
	}
	return x
}

func (x *Index) group(g int) []uint32 { return x.members[x.start[g]:x.start[g+1]] }

// Values returns how many distinct values there are.
func (x *Index) Values() int { return len(x.values) }

// Value returns the v-th distinct value, in order of first appearance.
func (x *Index) Value(v int) string { return x.values[v] }

// Lookup returns the number of a value.
func (x *Index) Lookup(value string) (int, bool) {
	v, ok := x.byValue[value]
	return int(v), ok
}

// AddValue adds the instances that have the v-th value to dst, a bitset over the set's instances.
func (x *Index) AddValue(dst bitset.Set, v int) { x.add(dst, v) }

// AddAbsent adds the instances that have no value to dst.
func (x *Index) AddAbsent(dst bitset.Set) { x.add(dst, len(x.values)) }

// CountAbsent returns how many instances have no value.
func (x *Index) CountAbsent() int { return len(x.group(len(x.values))) }

func (x *Index) add(dst bitset.Set, g int) {
	if d := x.dense[g]; d != nil {
		dst.Or(d)
		return
	}
	for _, i := range x.group(g) {
		dst.Add(int(i))
	}
}
