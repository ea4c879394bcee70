// Package bitset holds word-array bit sets over small integers: the working currency of the routing engine.
//
// A Set has a fixed capacity chosen by Make. Binary operations expect operands made for the same
// capacity; bits at and above the capacity are zero at all times. Nothing here allocates except Make and Clone, and
// the operations of the routing path are small enough for the compiler to inline (a test asserts it). A Set is
// a slice: copying it shares the bits, and reading it from many goroutines is safe while nobody writes.
package bitset

import (
	"math/bits"
	"slices"
)

// WordBits is the number of bits in a word of a Set.
const WordBits = 64

// Set is a bit set. The nil Set has capacity 0.
type Set []uint64

// Words returns how many words a set over n integers needs.
func Words(n int) int { return (n + WordBits - 1) / WordBits }

// Make returns an empty set over the integers 0 to n-1.
func Make(n int) Set { return make(Set, Words(n)) }

// Clone returns a copy that shares nothing with s.
func (s Set) Clone() Set { return append(Set(nil), s...) }

// Add puts i into s.
func (s Set) Add(i int) { s[uint(i)/WordBits] |= 1 << (uint(i) % WordBits) }

// Remove takes i out of s.
func (s Set) Remove(i int) { s[uint(i)/WordBits] &^= 1 << (uint(i) % WordBits) }

// Has reports whether i is in s.
func (s Set) Has(i int) bool { return s[uint(i)/WordBits]&(1<<(uint(i)%WordBits)) != 0 }

// Clear takes everything out of s.
func (s Set) Clear() { clear(s) }

// Fill makes s the set of the integers 0 to n-1; n must be the n that s was made for.
func (s Set) Fill(n int) {
	for i := range s {
		s[i] = ^uint64(0)
	}
	if r := uint(n) % WordBits; r != 0 {
		s[len(s)-1] = 1<<r - 1
	}
}

// Copy makes s equal to t.
func (s Set) Copy(t Set) { copy(s, t) }

// CopyRange adds to s, from at on, what is in t from from to from+n-1. The sets may be of different capacities; both ranges must
// be within them.
func (s Set) CopyRange(at int, t Set, from, n int) {
	for n > 0 && uint(at)%WordBits != 0 { // up to a word of s
		k := min(n, WordBits-int(uint(at)%WordBits))
		s[uint(at)/WordBits] |= t.bitsAt(from, k) << (uint(at) % WordBits)
		at, from, n = at+k, from+k, n-k
	}
	w, v, shift := at/WordBits, from/WordBits, uint(from)%WordBits
	whole := n / WordBits
	if shift == 0 {
		copy(s[w:w+whole], t[v:v+whole])
	} else {
		for i := range whole {
			s[w+i] = t[v+i]>>shift | t[v+i+1]<<(WordBits-shift)
		}
	}
	if rest := n % WordBits; rest > 0 {
		s[w+whole] |= t.bitsAt(from+whole*WordBits, rest)
	}
}

// bitsAt returns n members from i on, 0 < n ≤ WordBits, as the lowest bits of a word.
func (s Set) bitsAt(i, n int) uint64 {
	w, shift := i/WordBits, uint(i)%WordBits
	v := s[w] >> shift
	if int(shift)+n > WordBits {
		v |= s[w+1] << (WordBits - shift)
	}
	return v & (^uint64(0) >> (WordBits - uint(n)))
}

// And keeps in s what is also in t.
func (s Set) And(t Set) {
	t = t[:len(s)]
	for i := range s {
		s[i] &= t[i]
	}
}

// AndNot takes out of s what is in t.
func (s Set) AndNot(t Set) {
	t = t[:len(s)]
	for i := range s {
		s[i] &^= t[i]
	}
}

// Or adds to s what is in t.
func (s Set) Or(t Set) {
	t = t[:len(s)]
	for i := range s {
		s[i] |= t[i]
	}
}

// Not makes s the complement of itself within 0 to n-1; n must be the n that s was made for.
func (s Set) Not(n int) {
	for i := range s {
		s[i] = ^s[i]
	}
	if r := uint(n) % WordBits; r != 0 {
		s[len(s)-1] &= 1<<r - 1
	}
}

// Meet makes s what is in both a and b, and returns how many integers that is. s may be a or b.
func (s Set) Meet(a, b Set) int {
	a, b = a[:len(s)], b[:len(s)]
	n := 0
	for i := range s {
		w := a[i] & b[i]
		s[i] = w
		n += bits.OnesCount64(w)
	}
	return n
}

// Count returns how many integers are in s.
func (s Set) Count() int {
	n := 0
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

// AndCount returns how many integers are in both s and t, without writing.
func (s Set) AndCount(t Set) int {
	t = t[:len(s)]
	n := 0
	for i, w := range s {
		n += bits.OnesCount64(w & t[i])
	}
	return n
}

// Any reports whether s has any member.
func (s Set) Any() bool {
	for _, w := range s {
		if w != 0 {
			return true
		}
	}
	return false
}

// Intersects reports whether s and t share a member; it stops at the first.
func (s Set) Intersects(t Set) bool {
	t = t[:len(s)]
	for i, w := range s {
		if w&t[i] != 0 {
			return true
		}
	}
	return false
}

// Equal reports whether s and t have the same members and capacity.
func (s Set) Equal(t Set) bool {
	if len(s) != len(t) {
		return false
	}
	for i, w := range s {
		if w != t[i] {
			return false
		}
	}
	return true
}

// Next returns the smallest member at or after i, or -1. It is the iteration step:
//
//	for i := s.Next(0); i >= 0; i = s.Next(i + 1) { … }
func (s Set) Next(i int) int {
	w := i / WordBits
	if w >= len(s) {
		return -1
	}
	if m := s[w] >> (uint(i) % WordBits); m != 0 {
		return i + bits.TrailingZeros64(m)
	}
	for w++; w < len(s); w++ {
		if s[w] != 0 {
			return w*WordBits + bits.TrailingZeros64(s[w])
		}
	}
	return -1
}

// Nth returns the n-th member, counting from 0, or -1 when there are fewer.
func (s Set) Nth(n int) int {
	for i, w := range s {
		c := bits.OnesCount64(w)
		if n < c {
			return i*WordBits + nth(w, n)
		}
		n -= c
	}
	return -1
}

func nth(w uint64, n int) int {
	for ; n > 0; n-- {
		w &= w - 1
	}
	return bits.TrailingZeros64(w)
}

// longRun is how many members in a row, on average over a word, are found sooner as a run than one by one.
const longRun = 4

// AppendTo appends the members of s to dst in ascending order; it allocates only when dst is too small.
func (s Set) AppendTo(dst []uint32) []uint32 {
	at := len(dst)
	dst = slices.Grow(dst, s.Count())
	dst = dst[:cap(dst)] // so that each write is one comparison, not a look at whether there is room
	for i, w := range s {
		if runs := bits.OnesCount64(w &^ (w << 1)); bits.OnesCount64(w) >= longRun*runs {
			for next := uint32(i * WordBits); w != 0; {
				zeros := bits.TrailingZeros64(w)
				w >>= zeros
				ones := bits.TrailingZeros64(^w)
				w >>= ones
				next += uint32(zeros)
				run := dst[at : at+ones]
				for k := range run {
					run[k] = next
					next++
				}
				at += ones
			}
			continue
		}
		for ; w != 0; w &= w - 1 {
			dst[at] = uint32(i*WordBits + bits.TrailingZeros64(w))
			at++
		}
	}
	return dst[:at]
}

// Hash mixes the members into 64 bits, for interning sets by content.
func (s Set) Hash() uint64 {
	h := uint64(len(s))
	for _, w := range s {
		h = (h ^ w) * 0x9E3779B97F4A7C15
		h ^= h >> 29
	}
	return h
}
