package bitset

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func randomSet(r *rand.Rand, n int) (Set, map[int]bool) {
	s, m := Make(n), map[int]bool{}
	for i := range n {
		if r.IntN(3) == 0 {
			s.Add(i)
			m[i] = true
		}
	}
	return s, m
}

func members(s Set) []int {
	var out []int
	for i := s.Next(0); i >= 0; i = s.Next(i + 1) {
		out = append(out, i)
	}
	return out
}

func TestAgainstMaps(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 5, 63, 64, 65, 127, 128, 129, 1000} {
		for range 20 {
			a, ma := randomSet(r, n)
			b, mb := randomSet(r, n)
			check := func(name string, got Set, want func(i int) bool) {
				t.Helper()
				count := 0
				var list []int
				for i := range n {
					if got.Has(i) != want(i) {
						t.Fatalf("%s n=%d: bit %d is %v", name, n, i, got.Has(i))
					}
					if want(i) {
						if got.Nth(count) != i {
							t.Fatalf("%s n=%d: Nth(%d)=%d, want %d", name, n, count, got.Nth(count), i)
						}
						count++
						list = append(list, i)
					}
				}
				if got.Count() != count || got.Any() != (count > 0) || got.Nth(count) != -1 {
					t.Fatalf("%s n=%d: count %d any %v, want %d", name, n, got.Count(), got.Any(), count)
				}
				if !slices.Equal(members(got), list) {
					t.Fatalf("%s n=%d: members %v, want %v", name, n, members(got), list)
				}
				appended := got.AppendTo(nil)
				for k, v := range appended {
					if int(v) != list[k] {
						t.Fatalf("%s: AppendTo %v, want %v", name, appended, list)
					}
				}
			}
			check("a", a, func(i int) bool { return ma[i] })
			c := a.Clone()
			c.And(b)
			check("and", c, func(i int) bool { return ma[i] && mb[i] })
			if a.AndCount(b) != c.Count() || a.Intersects(b) != c.Any() {
				t.Fatalf("AndCount %d Intersects %v, want %d", a.AndCount(b), a.Intersects(b), c.Count())
			}
			met := a.Clone() // also in place
			if met.Meet(met, b) != c.Count() || !met.Equal(c) {
				t.Fatalf("Meet %v, want %v", members(met), members(c))
			}
			c.Copy(a)
			c.AndNot(b)
			check("andnot", c, func(i int) bool { return ma[i] && !mb[i] })
			c.Copy(a)
			c.Or(b)
			check("or", c, func(i int) bool { return ma[i] || mb[i] })
			c.Copy(a)
			c.Not(n)
			check("not", c, func(i int) bool { return !ma[i] })
			c.Fill(n)
			check("fill", c, func(int) bool { return true })
			if n > 0 {
				c.Remove(n - 1)
				check("remove", c, func(i int) bool { return i != n-1 })
			}
			c.Clear()
			check("clear", c, func(int) bool { return false })
			if !a.Equal(a.Clone()) || a.Hash() != a.Clone().Hash() {
				t.Fatal("a clone differs")
			}
		}
	}
}

// TestAppendTo compares with Next, for sets from few members to all, alone and in runs.
func TestAppendTo(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 5_000 {
		n := r.IntN(300)
		s := Make(n)
		change, in := 1+r.IntN(40), r.IntN(2) == 0
		for i := range n {
			if r.IntN(change) == 0 {
				in = !in
			}
			if in {
				s.Add(i)
			}
		}
		got := s.AppendTo([]uint32{7})
		if len(got) != 1+s.Count() || got[0] != 7 {
			t.Fatalf("%d appended, want %d", len(got)-1, s.Count())
		}
		for k, i := range members(s) {
			if int(got[1+k]) != i {
				t.Fatalf("appended %v, want %v", got[1:], members(s))
			}
		}
	}
}

// TestCopyRange compares with copying bit by bit, for all offsets within a word and lengths over several.
func TestCopyRange(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 20_000 {
		a, b := 1+r.IntN(300), 1+r.IntN(300)
		from, to := Make(a), Make(b)
		for i := range a {
			if r.IntN(2) == 0 {
				from.Add(i)
			}
		}
		at, start := r.IntN(b), r.IntN(a)
		n := r.IntN(min(b-at, a-start) + 1)
		want := Make(b)
		for i := range b { // what lies outside the range stays
			if (i < at || i >= at+n) && r.IntN(2) == 0 {
				want.Add(i)
				to.Add(i)
			}
		}
		for i := range n {
			if from.Has(start + i) {
				want.Add(at + i)
			}
		}
		if to.CopyRange(at, from, start, n); !to.Equal(want) {
			t.Fatalf("%d bits from %d of %d to %d of %d: %v, want %v", n, start, a, at, b, to.AppendTo(nil), want.AppendTo(nil))
		}
	}
}

func TestNoAllocations(t *testing.T) {
	a, b := Make(1000), Make(1000)
	a.Add(7)
	dst := make([]uint32, 0, 1000)
	sink := 0
	if n := testing.AllocsPerRun(100, func() {
		b.Fill(1000)
		b.And(a)
		b.Or(a)
		b.AndNot(a)
		sink += b.Meet(a, a)
		sink += a.Count() + a.AndCount(b) + a.Nth(0) + a.Next(0) + len(a.AppendTo(dst[:0]))
	}); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}
