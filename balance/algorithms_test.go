package balance

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// plainSmooth is the textbook step, the oracle of smooth.
func plainSmooth(current []int64, weights []int32, use []int) int {
	best, total := -1, int64(0)
	for _, i := range use {
		current[i] += int64(weights[i])
		total += int64(weights[i])
		if best < 0 || current[i] > current[best] {
			best = i
		}
	}
	if best >= 0 {
		current[best] -= total
	}
	return best
}

func TestSmoothMatchesTextbook(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		weights := rapid.SliceOfN(rapid.Int32Range(0, 12), 1, 20).Draw(t, "weights")
		start := rapid.SliceOfN(rapid.Int64Range(-30, 30), len(weights), len(weights)).Draw(t, "start")
		oracle := append([]int64(nil), start...)
		s := newSmooth(weights, start)
		all := make([]int, len(weights))
		for i := range all {
			all[i] = i
		}
		if rapid.Bool().Draw(t, "late") { // near the point where growth is folded
			s.tick = foldAfter - 40
			for i, w := range weights {
				s.base[i] -= s.tick * int64(w)
			}
		}
		for step := range 80 {
			if rapid.IntRange(0, 9).Draw(t, "partial") == 0 {
				mask := rapid.Uint32().Draw(t, "mask")
				var use []int
				for i := range weights {
					if mask>>i&1 == 1 {
						use = append(use, i)
					}
				}
				got := s.nextAmong(weights, func(i int) bool { return mask>>i&1 == 1 })
				if want := plainSmooth(oracle, weights, use); got != want {
					t.Fatalf("step %d: partial pick %d, want %d", step, got, want)
				}
			} else if got, want := s.next(), plainSmooth(oracle, weights, all); got != want {
				t.Fatalf("step %d: pick %d, want %d", step, got, want)
			}
			for i := range weights {
				if got := s.current(i, weights[i]); got != oracle[i] {
					t.Fatalf("step %d: current of %d is %d, want %d", step, i, got, oracle[i])
				}
			}
		}
	})
}

func TestAliasTableShares(t *testing.T) {
	const draws = 200000
	for _, weights := range [][]int32{{1}, {1, 1}, {1, 9}, {0, 5, 0, 5}, {100, 1, 1, 1, 50}, {3, 3, 3, 1}, {1000000, 1}} {
		table := newAliasTable(weights)
		r := newDraw(7)
		counts := make([]int, len(weights))
		for range draws {
			counts[table.pick(&r)]++
		}
		checkShares(t, counts, weights)
	}
	if newAliasTable([]int32{0, 0}) != nil {
		t.Error("a table without weight exists")
	}
}

// checkShares fails when counts do not fit weights: zero weights exactly, the rest by chi-square with the
// bound mean + 5 deviations of the distribution.
func checkShares(t *testing.T, counts []int, weights []int32) {
	t.Helper()
	total, draws, free := 0.0, 0.0, -1.0
	for i, w := range weights {
		total += float64(w)
		draws += float64(counts[i])
	}
	chi := 0.0
	for i, w := range weights {
		if w == 0 {
			if counts[i] != 0 {
				t.Errorf("weights %v: index %d without weight was drawn %d times", weights, i, counts[i])
			}
			continue
		}
		want := draws * float64(w) / total
		chi += (float64(counts[i]) - want) * (float64(counts[i]) - want) / want
		free++
	}
	if bound := free + 5*sqrt(2*max(free, 1)); chi > bound+5 {
		t.Errorf("weights %v: counts %v, chi-square %.1f > %.1f", weights, counts, chi, bound+5)
	}
}

func TestRingMergeEqualsFreshBuild(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	pool := make([]string, 40)
	for i := range pool {
		pool[i] = "10.0.0." + string(rune('0'+i/10)) + string(rune('0'+i%10)) + ":20880"
	}
	var previous *ring
	for range 60 {
		random.Shuffle(len(pool), func(i, j int) { pool[i], pool[j] = pool[j], pool[i] })
		addresses := append([]string(nil), pool[:random.IntN(len(pool))]...)
		if len(addresses) > 2 && random.IntN(3) == 0 {
			addresses[0] = addresses[len(addresses)-1] // the same address twice
		}
		nodes := []int{8, 160}[random.IntN(2)]
		merged, fresh := newRing(addresses, nodes, previous), newRing(addresses, nodes, nil)
		if len(merged.points) != len(fresh.points) {
			t.Fatalf("%d points, want %d", len(merged.points), len(fresh.points))
		}
		for range 50 {
			h := random.Uint32()
			if len(fresh.points) > 0 && random.IntN(2) == 0 {
				h = fresh.points[random.IntN(len(fresh.points))].hash + uint32(random.IntN(3)) - 1
			}
			a, b := merged.find(h), fresh.find(h)
			if want := plainFind(fresh, h); b != want {
				t.Fatalf("hash %d: found at %d, want %d", h, b, want)
			}
			if a < 0 != (b < 0) || a >= 0 && addresses[merged.points[a].owner] != addresses[fresh.points[b].owner] {
				t.Fatalf("hash %d: merged ring finds %d, fresh ring %d", h, a, b)
			}
		}
		previous = merged
	}
}

func TestJavaText(t *testing.T) {
	cases := []struct {
		in   any
		want string
	}{
		{nil, "null"}, {"a", "a"}, {int32(-5), "-5"}, {int64(7), "7"}, {true, "true"},
		{1.0, "1.0"}, {0.001, "0.001"}, {0.0001, "1.0E-4"}, {12345678.9, "1.23456789E7"}, {1e21, "1.0E21"}, {float32(0.1), "0.1"},
		{[]any{int32(1), "b", nil}, "[1, b, null]"}, {map[string]any{"b": int32(2), "a": "x"}, "{a=x, b=2}"}, {[]byte{1, 255}, "01ff"},
	}
	for _, c := range cases {
		if got := string(appendJavaText(nil, c.in, 0)); got != c.want {
			t.Errorf("%#v: %q, want %q", c.in, got, c.want)
		}
	}
	var deep any = "x"
	for range 100000 {
		deep = []any{deep}
	}
	if got := appendJavaText(nil, deep, 0); len(got) > 100 {
		t.Errorf("nesting is not bounded: %d bytes", len(got))
	}
}

// plainFind is find without an index.
func plainFind(r *ring, hash uint32) int {
	if len(r.points) == 0 {
		return -1
	}
	at := slices.IndexFunc(r.points, func(p point) bool { return p.hash >= hash })
	for at = max(at, 0); at+1 < len(r.points) && r.points[at+1].hash == r.points[at].hash; at++ {
	}
	return at
}
