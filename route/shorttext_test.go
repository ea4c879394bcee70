package route_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dubway-go/dubway/route"
)

// TestWordsTellTextsApart: a table of values may compare words in place of texts only if no two short texts have the same.
func TestWordsTellTextsApart(t *testing.T) {
	type known struct {
		low, high uint64
		length    int
	}
	seen := map[known]string{}
	check := func(s string) {
		low, high := route.WordsOf(s)
		k := known{low, high, len(s)}
		if old, ok := seen[k]; ok && old != s {
			t.Fatalf("%q and %q have the same words", old, s)
		}
		seen[k] = s
	}
	// Each byte of each length counts, and so does its place.
	for n := range route.LongText {
		base := strings.Repeat("a", n)
		check(base)
		for i := range n {
			for _, c := range []byte{0, 'b', 0x80, 0xff} {
				check(base[:i] + string([]byte{c}) + base[i+1:])
			}
			for j := range i {
				check(base[:j] + "b" + base[j+1:i] + "c" + base[i+1:])
			}
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 200_000 {
		b := make([]byte, r.IntN(route.LongText))
		for i := range b {
			b[i] = byte('a' + r.IntN(3))
		}
		check(string(b))
	}
}

// TestValueTableFindsWhatItHolds: values of every length, told apart from their neighbours, and none found that was not put in.
func TestValueTableFindsWhatItHolds(t *testing.T) {
	var values []string
	for n := range 3 * route.LongText {
		values = append(values, strings.Repeat("x", n), strings.Repeat("x", n)+"y")
	}
	put, others := values[:len(values)/2], values[len(values)/2:]
	find := route.ValueTable(put)
	for _, v := range put {
		if !find([]byte(v)) {
			t.Errorf("%q is lost", v)
		}
	}
	for _, v := range others {
		if found := find([]byte(v)); found != slices.Contains(put, v) {
			t.Errorf("%q: found %t", v, found)
		}
	}
	number := []byte("123")
	allocs := testing.AllocsPerRun(100, func() { find(number) })
	if allocs != 0 {
		t.Errorf("%v allocations for a number's text", allocs)
	}
}
