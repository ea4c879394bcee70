package service

import (
	"sync"

	"github.com/dubway-go/dubway/internal/bitset"
)

// lineage tells where the instances of a set stand in an earlier one, so that what was worked out for the earlier set is
// carried over. It is made when first asked for.
type lineage struct {
	set, old *Set
	once     sync.Once
	runs     []run
	added    []int
}

// run is a stretch of instances that both sets have, in the same order.
type run struct{ from, to, n int }

// edits returns the stretches in common, ascending in both sets, and the places in the later set that are in none.
func (l *lineage) edits() (runs []run, added []int) {
	l.once.Do(func() { l.runs, l.added = align(l.old.list, l.set.list) })
	return l.runs, l.added
}

// lookahead is how far an instance is looked for: lists mostly differ by few insertions and removals.
const lookahead = 8

// align walks both lists in step. Where they part for longer than lookahead, the rest of old is looked up instead.
func align(old, list []*Instance) (runs []run, added []int) {
	var rest map[*Instance]int
	i, k := 0, 0
	for k < len(list) {
		n := 0
		for i+n < len(old) && k+n < len(list) && old[i+n] == list[k+n] {
			n++
		}
		if n > 0 {
			runs = append(runs, run{i, k, n})
			i, k = i+n, k+n
			continue
		}
		from, to := part(old[i:], list[k:])
		if to < 0 {
			if rest == nil {
				rest = make(map[*Instance]int, len(old)-i)
				for j := i; j < len(old); j++ {
					rest[old[j]] = j
				}
			}
			if j, ok := rest[list[k]]; ok && j >= i {
				i = j
				continue
			}
			from, to = 0, 1
		}
		for range to {
			added = append(added, k)
			k++
		}
		i += from
	}
	return runs, added
}

// part returns how many instances to pass over in either list until they agree again; to < 0 when that is too far.
func part(old, list []*Instance) (from, to int) {
	if len(old) == 0 {
		return 0, len(list)
	}
	for s := 1; s <= lookahead; s++ {
		switch {
		case s < len(old) && old[s] == list[0]:
			return s, 0
		case s < len(list) && list[s] == old[0]:
			return 0, s
		case s < len(old) && s < len(list) && old[s] == list[s]:
			return s, s
		}
	}
	if len(list) <= lookahead && len(old) <= lookahead {
		return len(old), len(list)
	}
	return 0, -1
}

// Carry returns bits, a bitset over the earlier set, as a bitset over this one: what both have keeps its bit, and added, in
// ascending order, are the instances that must be judged anew: all that are new, and maybe some that changed their place. ok is false when there is no earlier set, or when so much is new
// that working it out anew is cheaper. The caller must not change added.
func (x Indexes) Carry(bits bitset.Set) (carried bitset.Set, added []int, ok bool) {
	if x.lineage == nil {
		return nil, nil, false
	}
	runs, added := x.lineage.edits()
	n := len(x.set.list)
	if len(added) > n/4 || len(runs) > 64+n/64 {
		return nil, nil, false
	}
	carried = bitset.Make(n)
	for _, r := range runs {
		carried.CopyRange(r.to, bits, r.from, r.n)
	}
	return carried, added, true
}

// CarryList is Carry for a set that is given as the ascending numbers of its members.
func (x Indexes) CarryList(list []uint32) (carried []uint32, added []int, ok bool) {
	if x.lineage == nil {
		return nil, nil, false
	}
	runs, added := x.lineage.edits()
	if n := len(x.set.list); len(added) > n/4 || len(runs) > 64+n/64 {
		return nil, nil, false
	}
	carried = make([]uint32, 0, len(list))
	for _, r := range runs {
		for len(list) > 0 && int(list[0]) < r.from {
			list = list[1:] // gone
		}
		for len(list) > 0 && int(list[0]) < r.from+r.n {
			carried = append(carried, list[0]+uint32(r.to-r.from))
			list = list[1:]
		}
	}
	return carried, added, true
}
