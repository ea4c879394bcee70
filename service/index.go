package service

import (
	"sync"
	"sync/atomic"

	"github.com/dubway-go/dubway/internal/bitset"
)

// Index tells, for one parameter, which instances have which value. It is immutable as seen by callers and safe for concurrent use.
type Index struct {
	values  []string
	numbers numbers
	// of is the value of each of n instances, -1 for none; it is what an index of a later set starts from. It is nil when all have the first
	// value, as the protocol mostly is.
	of []int32
	n  int

	asked    atomic.Int32 // for the instances of a value
	grouping sync.Once
	groups   groups
}

// at returns the value of instance i, -1 for none.
func (x *Index) at(i int) int32 {
	if x.of == nil {
		return 0
	}
	return x.of[i]
}

// put sets the value of instance i. Those that were not put have the first value.
func (x *Index) put(i int, id int32) {
	if x.of == nil {
		if id == 0 {
			return
		}
		x.of = make([]int32, x.n)
	}
	x.of[i] = id
}

// buildIndex reads the value of each instance, except of those that old, the index of the earlier set of l, already knows.
func buildIndex(list []*Instance, value func(*Instance) (string, bool), old *Index, l *lineage) *Index {
	x := &Index{n: len(list)}
	if old == nil || len(old.values) > len(list)+len(list)/4+64 { // else values that nobody has any more would pile up
		read(x, list, value)
		return x
	}
	x.values, x.numbers = old.values[:len(old.values):len(old.values)], old.numbers
	runs, added := l.edits()
	if old.of != nil {
		x.of = make([]int32, x.n)
		for _, r := range runs {
			copy(x.of[r.to:r.to+r.n], old.of[r.from:r.from+r.n])
		}
	}
	own := false
	for _, i := range added {
		v, ok := value(list[i])
		if !ok {
			x.put(i, -1)
			continue
		}
		id, known := x.numbers.find(v)
		if !known {
			if !own {
				x.numbers, own = x.numbers.fork(), true
			}
			id = x.append(v)
			x.numbers.later[v] = id
		}
		x.put(i, id)
	}
	return x
}

// read fills in an index from nothing.
func read(x *Index, list []*Instance, value func(*Instance) (string, bool)) {
	known := make(map[string]int32)
	last, lastID := "", int32(-1)
	for i, in := range list {
		v, ok := value(in)
		if !ok {
			x.put(i, -1)
			continue
		}
		if lastID < 0 || v != last { // neighbours often agree
			id, ok := known[v]
			if !ok {
				id = x.append(v)
				known[v] = id
			}
			last, lastID = v, id
		}
		x.put(i, lastID)
	}
	x.numbers.base = known
}

func (x *Index) append(v string) int32 {
	x.values = append(x.values, v)
	return int32(len(x.values) - 1)
}

// numbers finds the number of a value. Indexes of later sets share base and differ in later, which stays small, so that
// one new value among 100,000 does not cost a copy of them all.
type numbers struct{ base, later map[string]int32 }

func (m numbers) find(v string) (int32, bool) {
	if len(m.later) > 0 {
		if id, ok := m.later[v]; ok {
			return id, true
		}
	}
	id, ok := m.base[v]
	return id, ok
}

// fork returns the same numbers with a later map of their own.
func (m numbers) fork() numbers {
	if len(m.later) > 32+min(len(m.base)/8, 1024) {
		base := make(map[string]int32, len(m.base)+len(m.later))
		for v, id := range m.base {
			base[v] = id
		}
		for v, id := range m.later {
			base[v] = id
		}
		return numbers{base, make(map[string]int32)}
	}
	later := make(map[string]int32, len(m.later)+1)
	for v, id := range m.later {
		later[v] = id
	}
	return numbers{m.base, later}
}

// groups are the instance numbers by value, ascending in a group; those of value v are members[start[v]:start[v+1]], and
// the instances without a value are the last group. They are made when first asked for.
type groups struct {
	start, members []uint32
	// dense holds a bitset for each group that is large enough to be cheaper that way.
	dense map[int]bitset.Set
	// repeated: some value is that of two instances or more.
	repeated bool
}

func (x *Index) group() *groups {
	x.grouping.Do(func() {
		of := x.of
		if of == nil {
			of = make([]int32, x.n)
		}
		x.groups.fill(of, len(x.values))
	})
	return &x.groups
}

// fill sorts the instances by value, without comparing.
func (g *groups) fill(of []int32, values int) {
	n := len(of)
	// start[v+2] counts value v, then start[v+1] is where its next member goes, and in the end where its group ends.
	start := make([]uint32, values+3)
	for _, id := range of {
		if id < 0 {
			id = int32(values)
		}
		start[id+2]++
	}
	for v := range values + 1 {
		g.repeated = g.repeated || v < values && start[v+2] > 1
		start[v+2] += start[v+1]
	}
	g.members = make([]uint32, n)
	for i, id := range of {
		if id < 0 {
			id = int32(values)
		}
		at := start[id+1]
		g.members[at] = uint32(i)
		start[id+1] = at + 1
	}
	g.start = start[:values+2]
	for v := range values + 1 {
		if m := g.in(v); len(m) > n/32 && len(m) > 16 {
			b := bitset.Make(n)
			for _, i := range m {
				b.Add(int(i))
			}
			if g.dense == nil {
				g.dense = make(map[int]bitset.Set)
			}
			g.dense[v] = b
		}
	}
}

func (g *groups) in(v int) []uint32 {
	return g.members[g.start[v]:g.start[v+1]:g.start[v+1]]
}

// Values returns how many distinct values are known. A value may be one that no instance has any more.
func (x *Index) Values() int { return len(x.values) }

// Value returns the v-th value.
func (x *Index) Value(v int) string { return x.values[v] }

// Lookup returns the number of a value.
func (x *Index) Lookup(value string) (int, bool) {
	v, ok := x.numbers.find(value)
	return int(v), ok
}

// Of returns the value of instance i of the set and whether it has one.
func (x *Index) Of(i int) (string, bool) {
	if id := x.at(i); id >= 0 {
		return x.values[id], true
	}
	return "", false
}

// Number returns the number of the value of instance i of the set, -1 when it has none.
func (x *Index) Number(i int) int { return int(x.at(i)) }

// AddValue adds the instances that have the v-th value to dst, a bitset over the set's instances.
func (x *Index) AddValue(dst bitset.Set, v int) { x.add(dst, v) }

// AddAbsent adds the instances that have no value to dst.
func (x *Index) AddAbsent(dst bitset.Set) { x.add(dst, len(x.values)) }

// RemoveValue takes the instances that have the v-th value out of dst.
func (x *Index) RemoveValue(dst bitset.Set, v int) { x.remove(dst, v) }

// RemoveAbsent takes the instances that have no value out of dst.
func (x *Index) RemoveAbsent(dst bitset.Set) { x.remove(dst, len(x.values)) }

// AddEqual adds to dst the instances that have the value of an instance which is in dst already, and takes out those that have
// no value.
func (x *Index) AddEqual(dst bitset.Set) {
	x.RemoveAbsent(dst)
	if !x.group().repeated {
		return
	}
	met := bitset.Make(len(x.values))
	for i := dst.Next(0); i >= 0; i = dst.Next(i + 1) {
		met.Add(int(x.at(i)))
	}
	for v := met.Next(0); v >= 0; v = met.Next(v + 1) {
		x.AddValue(dst, v)
	}
}

// Count returns how many instances have the v-th value.
func (x *Index) Count(v int) int { return len(x.group().in(v)) }

// CountAbsent returns how many instances have no value.
func (x *Index) CountAbsent() int { return len(x.group().in(len(x.values))) }

// Members returns the instances that have the v-th value, ascending. The caller must not change the list.
func (x *Index) Members(v int) []uint32 { return x.group().in(v) }

// Absent returns the instances that have no value, ascending. The caller must not change the list.
func (x *Index) Absent() []uint32 { return x.group().in(len(x.values)) }

// Dense returns the instances that have the v-th value as a bitset, when they are so many that the index keeps one; else nil. The caller must not change it.
func (x *Index) Dense(v int) bitset.Set { return x.group().dense[v] }

// Sorted reports whether Members and Dense have their answers at hand, or come by them at little cost.
func (x *Index) Sorted() bool {
	return x.of != nil && (x.n <= smallSet || x.asked.Load() >= fewAsked)
}

// smallSet is how many instances are sorted in no time.
const smallSet = 1024

// fewAsked is how often the instances of a value are looked for one by one; sorting them all by value takes as long as some of these.
const fewAsked = 2

// scan adds the instances of a value to dst, unless it is time to sort them.
func (x *Index) scan(dst bitset.Set, v int) bool {
	if x.of == nil && v == 0 && len(x.values) > 0 {
		dst.Fill(x.n)
		return true
	}
	if x.of == nil {
		return true
	}
	if x.asked.Add(1) > fewAsked {
		return false
	}
	id := int32(v)
	if v == len(x.values) {
		id = -1
	}
	for w, rest := 0, x.of; len(rest) > 0; w++ {
		part := rest[:min(len(rest), bitset.WordBits)]
		rest = rest[len(part):]
		var word uint64
		for i, one := range part {
			var bit uint64
			if one == id {
				bit = 1
			}
			word |= bit << i
		}
		dst[w] |= word
	}
	return true
}

func (x *Index) add(dst bitset.Set, v int) {
	if x.scan(dst, v) {
		return
	}
	g := x.group()
	if d := g.dense[v]; d != nil {
		dst.Or(d)
		return
	}
	for _, i := range g.in(v) {
		dst.Add(int(i))
	}
}

func (x *Index) remove(dst bitset.Set, v int) {
	g := x.group()
	if d := g.dense[v]; d != nil {
		dst.AndNot(d)
		return
	}
	for _, i := range g.in(v) {
		dst.Remove(int(i))
	}
}
