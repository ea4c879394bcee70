package directory_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/directory"
	"github.com/dubway-go/dubway/service"
	"github.com/dubway-go/dubway/source"
)

// TestManyStepsEndWhereOneStepDoes: whatever came before, a state has the instances that it would have
// in a new directory, in the same order; an instance that did not change is the same one as before; and
// as many are alive as are listed.
func TestManyStepsEndWhereOneStepDoes(t *testing.T) {
	for seed := range uint64(60) {
		rnd := rand.New(rand.NewPCG(seed, 7))
		d := dialect.All()[seed%5]
		many := newReplay(t, d)
		var last source.State
		for step := range 25 {
			st := randomState(rnd)
			if step > 0 && rnd.IntN(4) == 0 {
				st.Providers = last.Providers
			}
			// An empty list, and one of which nothing can be used, have a memory of their own (spec §8.4).
			st.Providers = append(slices.Clip(st.Providers), provider(1))
			before := identities(many)
			many.Update(st)
			one := newReplay(t, d)
			one.Update(st)
			got, want := describe(many), describe(one)
			if !slices.Equal(got, want) {
				t.Fatalf("seed %d step %d %s:\n got %v\nwant %v\nstate %+v", seed, step, d, got, want, st)
			}
			after := identities(many)
			for text, in := range after {
				if old, ok := before[text]; ok && old != in {
					t.Fatalf("seed %d step %d: %s was made anew", seed, step, text)
				}
			}
			if d != dialect.Dubbo31 && d != dialect.Dubbo33 && many.Created()-many.Retired() != len(after) {
				t.Fatalf("seed %d step %d: %d created, %d retired, %d listed", seed, step, many.Created(), many.Retired(), len(after))
			}
			last = st
		}
	}
}

func newReplay(t testing.TB, d dialect.Dialect) *directory.Replay {
	t.Helper()
	r, err := directory.NewReplay(orders, consumer("timeout=3"), directory.Options{Dialect: d})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func randomState(rnd *rand.Rand) source.State {
	var st source.State
	for n := range 12 {
		if rnd.IntN(2) == 0 {
			continue
		}
		text := provider(n, fmt.Sprintf("weight=%d", 1+rnd.IntN(2)))
		if rnd.IntN(6) == 0 {
			text = "foo" + text[5:]
		}
		st.Providers = append(st.Providers, text)
		if rnd.IntN(6) == 0 { // the same provider in another spelling
			st.Providers = append(st.Providers, text+"&weight=1")
		}
	}
	rnd.Shuffle(len(st.Providers), func(i, k int) { st.Providers[i], st.Providers[k] = st.Providers[k], st.Providers[i] })
	if rnd.IntN(3) == 0 {
		st.Configurators = []string{override("0.0.0.0", fmt.Sprintf("timeout=%d", rnd.IntN(3)))}
	}
	if rnd.IntN(4) == 0 {
		st.Configurators = append(st.Configurators, override(fmt.Sprintf("10.0.0.%d:20880", rnd.IntN(12)), "region=x"))
	}
	return st
}

// describe lists the instances by what a caller can see of them.
func describe(r *directory.Replay) []string {
	set := r.Snapshot().Set()
	var out []string
	for i := range set.Len() {
		out = append(out, set.At(i).URL.Full()+" | "+set.At(i).Labels.Full())
	}
	return out
}

func identities(r *directory.Replay) map[string]*service.Instance {
	set := r.Snapshot().Set()
	out := map[string]*service.Instance{}
	for i := range set.Len() {
		out[set.At(i).URL.Full()+" | "+set.At(i).Labels.Full()] = set.At(i)
	}
	return out
}
