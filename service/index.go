package service

import "github.com/dubway-go/dubway/internal/bitset"

// Index tells, for one parameter, which instances have which value. It is immutable.
type Index struct {
	values  []string
	byValue map[string]int32
	// of is the value of each instance, -1 for none; it is what an index of a later set starts from.
	of []int32
	// members holds the instance numbers grouped by value, ascending in a group; those of value v are
	// members[start[v]:start[v+1]], and the instances without a value are the last group.
	start, members []uint32
	// dense holds a bitset for each group that is large enough to be cheaper that way.
	dense []bitset.Set
}

// lookahead is how far an instance of the old list is looked for: lists differ by few insertions and removals.
const lookahead = 4

// buildIndex reads the value of each instance; those that old already knows are not read again. Both lists
// are walked in step, so reuse needs equal order.
func buildIndex(list []*Instance, value func(*Instance) (string, bool), old *Index, oldList []*Instance) *Index {
	x := &Index{of: make([]int32, len(list))}
	if old != nil && len(old.values) <= len(list)/2+64 { // else values that nobody has any more would pile up
		x.values, x.byValue = old.values[:len(old.values):len(old.values)], old.byValue
	} else {
		old, x.byValue = nil, make(map[string]int32)
	}
	shared, j := old != nil, 0
	last, lastID := "", int32(-1)
read:
	for i, in := range list {
		if old != nil {
			for k := j; k < len(oldList) && k < j+lookahead; k++ {
				if oldList[k] == in {
					x.of[i], j = old.of[k], k+1
					continue read
				}
			}
		}
		v, ok := value(in)
		if !ok {
			x.of[i] = -1
			continue
		}
		if lastID >= 0 && v == last { // neighbours often agree
			x.of[i] = lastID
			continue
		}
		id, known := x.byValue[v]
		if !known {
			if shared {
				x.byValue, shared = cloneMap(x.byValue), false
			}
			id = int32(len(x.values))
			x.byValue[v] = id
			x.values = append(x.values, v)
		}
		x.of[i], last, lastID = id, v, id
	}
	x.group(len(list))
	return x
}

func cloneMap(m map[string]int32) map[string]int32 {
	out := make(map[string]int32, len(m)+1)
	for k, v := range m {
		out[k] = v
	}
	return out
}

// group sorts the instances by value, without comparing.
func (x *Index) group(n int) {
	groups := len(x.values) + 1
	absent := int32(len(x.values))
	x.start = make([]uint32, groups+1)
	for _, id := range x.of {
		if id < 0 {
			id = absent
		}
		x.start[id+1]++
	}
	for g := range groups {
		x.start[g+1] += x.start[g]
	}
	x.members = make([]uint32, n)
	next := append([]uint32(nil), x.start...)
	for i, id := range x.of {
		if id < 0 {
			id = absent
		}
		x.members[next[id]] = uint32(i)
		next[id]++
	}
	x.dense = make([]bitset.Set, groups)
	for g := range groups {
		if m := x.in(g); len(m) > n/32 && len(m) > 16 {
			b := bitset.Make(n)
			for _, i := range m {
				b.Add(int(i))
			}
			x.dense[g] = b
		}
	}
}

func (x *Index) in(g int) []uint32 { return x.members[x.start[g]:x.start[g+1]] }

// Values returns how many distinct values are known. A value may be one that no instance has any more.
func (x *Index) Values() int { return len(x.values) }

// Value returns the v-th value.
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

// Count returns how many instances have the v-th value.
func (x *Index) Count(v int) int { return len(x.in(v)) }

// CountAbsent returns how many instances have no value.
func (x *Index) CountAbsent() int { return len(x.in(len(x.values))) }

func (x *Index) add(dst bitset.Set, g int) {
	if d := x.dense[g]; d != nil {
		dst.Or(d)
		return
	}
	for _, i := range x.in(g) {
		dst.Add(int(i))
	}
}
