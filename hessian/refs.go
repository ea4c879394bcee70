package hessian

import "unsafe"

// refKey is the identity of a container: its address, what it is, and for slices the length (two slices of one
// array are two Java lists).
type refKey struct {
	p    unsafe.Pointer
	kind uintptr
	n    int
}

// Kinds of refKey; registered structs use the address of their plan instead, so that a struct and
// its first field, which share an address, stay apart.
const (
	refMap uintptr = 1 + iota
	refSlice
	refObject
	refList
	refMapValue
	refThrowable
	refPointer
)

const linearRefs = 16

// refTable numbers the containers of a stream in the order in which they were begun. Few are searched
// linearly; many get an index.
type refTable struct {
	keys  []refKey
	index map[refKey]int32
}

// keepRefs is how many references a reused encoder or decoder keeps room for.
const keepRefs = 1 << 14

func (r *refTable) reset() {
	if cap(r.keys) > keepRefs { // one huge message must not stay in every pool
		*r = refTable{}
		return
	}
	clear(r.keys)
	r.keys = r.keys[:0]
	if r.index != nil {
		clear(r.index)
	}
}

// anonymous takes a number for a container that cannot be referred to.
func (r *refTable) anonymous() { r.keys = append(r.keys, refKey{}) }

// find returns the number of k, or -1 after giving it the next number.
func (r *refTable) find(k refKey) int {
	if len(r.keys) < linearRefs {
		for i := range r.keys {
			if r.keys[i] == k {
				return i
			}
		}
		r.keys = append(r.keys, k)
		return -1
	}
	if r.index == nil {
		r.index = make(map[refKey]int32)
	}
	if len(r.index) == 0 {
		for i := range r.keys {
			if r.keys[i].p != nil {
				r.index[r.keys[i]] = int32(i)
			}
		}
	}
	if i, ok := r.index[k]; ok {
		return int(i)
	}
	r.index[k] = int32(len(r.keys))
	r.keys = append(r.keys, k)
	return -1
}
