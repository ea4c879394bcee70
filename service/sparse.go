package service

import (
	"math/bits"

	"github.com/dubway-go/dubway/internal/bitset"
)

// sparse holds a value for some of the places of a list, beside each other in the order of the list. The zero value holds none.
type sparse[T any] struct {
	in     bitset.Set // the places with a value; nil for none
	ranks  []uint32   // by word of in: how many places of the words before have one
	values []T
}

// at returns the value of place i and whether it has one.
func (s *sparse[T]) at(i int) (value T, ok bool) {
	if s.in == nil || !s.in.Has(i) {
		return value, false
	}
	return s.values[s.rank(i)], true
}

// rank returns how many places before i have a value. There is a word of in for i.
func (s *sparse[T]) rank(i int) int {
	w, below := i/bitset.WordBits, uint64(1)<<(uint(i)%bitset.WordBits)-1
	return int(s.ranks[w]) + bits.OnesCount64(s.in[w]&below)
}

// meets reports whether a place in set has a value.
func (s *sparse[T]) meets(set bitset.Set) bool { return s.in != nil && set.Intersects(s.in) }

// put gives place i of n a value. Places come in ascending order, and seal after the last.
func (s *sparse[T]) put(n, i int, value T) {
	if s.in == nil {
		s.in = bitset.Make(n)
	}
	s.in.Add(i)
	s.values = append(s.values, value)
}

// take gives the places of a list of n that a run has in common with old the values of there. It is a put of many.
func (s *sparse[T]) take(n int, old *sparse[T], r run) {
	if old.in == nil {
		return
	}
	first, last := old.rank(r.from), len(old.values)
	if end := r.from + r.n; end/bitset.WordBits < len(old.in) {
		last = old.rank(end)
	}
	if first == last {
		return
	}
	if s.in == nil {
		s.in = bitset.Make(n)
		s.values = make([]T, 0, len(old.values)+1)
	}
	s.in.CopyRange(r.to, old.in, r.from, r.n)
	s.values = append(s.values, old.values[first:last]...)
}

// seal counts what put and take have stored.
func (s *sparse[T]) seal() {
	if s.in == nil {
		return
	}
	s.ranks = make([]uint32, len(s.in))
	before := 0
	for w, word := range s.in {
		s.ranks[w] = uint32(before)
		before += bits.OnesCount64(word)
	}
}
