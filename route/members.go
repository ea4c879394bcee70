package route

import (
	"math/bits"
	"slices"

	"github.com/dubway-go/dubway/internal/bitset"
	"github.com/dubway-go/dubway/service"
)

// members are the instances that a right side keeps. Most clauses name one value of many ("zone!=z1"), so that few instances are in or few are out:
// those are listed by number, which costs neither a bitset of all instances when a rule changes nor a walk over one when a call is routed. It is
// immutable. The zero value is nobody.
type members struct {
	bits bitset.Set // nil when few says it
	few  []uint32   // ascending
	rest bool       // all but few
}

// everyone are all instances.
func everyone() members { return members{rest: true} }

// fewOf is the longest list for n instances: as much memory as their bitset. An index keeps bitsets of its own for longer ones.
func fewOf(n int) int { return max(16, n/32) }

// has reports whether instance i is in.
func (m *members) has(i int) bool {
	if m.bits != nil {
		return m.bits.Has(i)
	}
	_, listed := slices.BinarySearch(m.few, uint32(i))
	return listed != m.rest
}

// meets reports whether some candidate is in.
func (m *members) meets(cand bitset.Set) bool {
	switch {
	case m.bits != nil:
		return cand.Intersects(m.bits)
	case !m.rest:
		return slices.ContainsFunc(m.few, func(i uint32) bool { return cand.Has(int(i)) })
	}
	few := m.few
	for w, word := range cand {
		if word == 0 {
			continue
		}
		for len(few) > 0 && int(few[0]/bitset.WordBits) <= w {
			if int(few[0]/bitset.WordBits) == w {
				word &^= 1 << (few[0] % bitset.WordBits)
			}
			few = few[1:]
		}
		if word != 0 {
			return true
		}
	}
	return false
}

// narrow takes the candidates that are not in out of cand, in which there are left, and returns how many there are then.
func (m *members) narrow(cand bitset.Set, left int) int {
	switch {
	case m.bits != nil:
		return cand.Meet(cand, m.bits)
	case m.rest:
		for _, i := range m.few {
			if cand.Has(int(i)) {
				cand.Remove(int(i))
				left--
			}
		}
		return left
	}
	few := m.few
	left = 0
	for w := range cand {
		keep := uint64(0)
		for len(few) > 0 && int(few[0]/bitset.WordBits) == w {
			keep |= 1 << (few[0] % bitset.WordBits)
			few = few[1:]
		}
		cand[w] &= keep
		left += bits.OnesCount64(cand[w])
	}
	return left
}

// set returns a bitset over n instances that nobody else writes to.
func (m *members) set(n int) bitset.Set {
	if m.bits != nil {
		return m.bits.Clone()
	}
	out := bitset.Make(n)
	if m.rest {
		out.Fill(n)
	}
	for _, i := range m.few {
		if m.rest {
			out.Remove(int(i))
		} else {
			out.Add(int(i))
		}
	}
	return out
}

// addTo adds the members to a bitset over n instances.
func (m *members) addTo(dst bitset.Set, n int) {
	switch {
	case m.bits != nil:
		dst.Or(m.bits)
	case m.rest:
		dst.Or(m.set(n))
	default:
		for _, i := range m.few {
			dst.Add(int(i))
		}
	}
}

// ofValues returns the instances of a set of n that have one of the values of an index, or with rest all others; absent says that those without a value
// are listed as well. ok is false when too many are listed.
func ofValues(index *service.Index, values *texts, absent, rest bool, n int) (m members, ok bool) {
	m.rest = rest
	lists := 0
	add := func(list []uint32) bool {
		if len(list) == 0 {
			return true
		}
		if len(m.few)+len(list) > fewOf(n) {
			return false
		}
		if lists++; lists == 1 {
			m.few = list // the index does not change
		} else {
			m.few = append(m.few[:len(m.few):len(m.few)], list...)
		}
		return true
	}
	for _, text := range values.list {
		v, known := index.Lookup(text)
		if !known {
			continue
		}
		if bits := index.Dense(v); bits != nil && !rest && !absent && len(values.list) == 1 {
			return members{bits: bits}, true
		}
		if !add(index.Members(v)) {
			return members{}, false
		}
	}
	if absent && !add(index.Absent()) {
		return members{}, false
	}
	if lists > 1 {
		slices.Sort(m.few)
	}
	return m, true
}

// carry returns members of the earlier set as members of this one, with those of the instances in added for which holds is true. ok is false when
// working it out anew is cheaper.
func (m *members) carry(x service.Indexes, n int, holds func(i int) bool) (out members, ok bool) {
	if m.bits != nil {
		bits, added, ok := x.Carry(m.bits)
		if !ok {
			return members{}, false
		}
		for _, i := range added {
			if holds(i) {
				bits.Add(i)
			}
		}
		return members{bits: bits}, true
	}
	few, added, ok := x.CarryList(m.few)
	if !ok {
		return members{}, false
	}
	carried := len(few)
	for _, i := range added {
		if holds(i) != m.rest {
			few = append(few, uint32(i))
		}
	}
	if len(few) > carried {
		slices.Sort(few)
	}
	out = members{few: few, rest: m.rest}
	if len(few) > 2*fewOf(n) {
		out = members{bits: out.set(n)}
	}
	return out, true
}
