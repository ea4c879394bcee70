package route

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dubway-go/dubway/internal/bitset"
)

// TestMembersAgainstBits compares each form of members with the plain bitset that it stands for.
func TestMembersAgainstBits(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 20_000 {
		n := 1 + r.IntN(300)
		want, cand := bitset.Make(n), bitset.Make(n)
		var few []uint32
		share := 1 + r.IntN(20)
		for i := range n {
			if r.IntN(share) == 0 {
				few = append(few, uint32(i))
				want.Add(i)
			}
			if r.IntN(1+r.IntN(8)) == 0 {
				cand.Add(i)
			}
		}
		m := members{few: few}
		switch r.IntN(3) {
		case 0:
			m = members{bits: want.Clone()}
		case 1:
			m.rest = true
			want.Not(n)
		}
		for i := range n {
			if m.has(i) != want.Has(i) {
				t.Fatalf("%+v: %d is %v", m, i, m.has(i))
			}
		}
		if m.meets(cand) != cand.Intersects(want) {
			t.Fatalf("%+v meets %v: %v", m, cand.AppendTo(nil), m.meets(cand))
		}
		own := m.set(n)
		if !own.Equal(want) {
			t.Fatalf("%+v as a set is %v", m, own.AppendTo(nil))
		}
		sum, both := cand.Clone(), cand.Clone()
		both.Or(want)
		if m.addTo(sum, n); !sum.Equal(both) {
			t.Fatalf("%+v added to %v is %v", m, cand.AppendTo(nil), sum.AppendTo(nil))
		}
		own.Clear() // is no part of m
		left := cand.Clone()
		left.And(want)
		if count := m.narrow(cand, cand.Count()); !cand.Equal(left) || count != left.Count() {
			t.Fatalf("%+v leaves %v, want %v; %d counted", m, cand.AppendTo(nil), left.AppendTo(nil), count)
		}
		if again := m.set(n); !again.Equal(want) {
			t.Fatalf("%+v was changed", m)
		}
	}
}

// TestTexts compares with a map, below and above the length from which there is an index.
func TestTexts(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for range 200 {
		var s texts
		want := map[string]bool{}
		var order []string
		for range r.IntN(3 * fewTexts) {
			text := string(rune('a' + r.IntN(20)))
			if !want[text] {
				order = append(order, text)
			}
			want[text] = true
			s.add(text, 3)
			for c := 'a'; c < 'a'+20; c++ {
				if s.has(string(c)) != want[string(c)] {
					t.Fatalf("%v has %c: %v", s.list, c, !want[string(c)])
				}
			}
		}
		if !slices.Equal(s.list, order) {
			t.Fatalf("%v, want %v", s.list, order)
		}
	}
}
