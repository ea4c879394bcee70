package route_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/service"
)

// zoned returns a provider of one of two hundred zones and four regions; some have neither.
func zoned(i int) *service.Instance {
	var params []durl.Param
	if i%7 != 0 {
		params = append(params, durl.Param{Key: "zone", Value: fmt.Sprintf("z%d", i%200)}, durl.Param{Key: "region", Value: fmt.Sprintf("r%d", i%4)})
	}
	u := durl.New("dubbo", fmt.Sprintf("10.%d.%d.%d", i>>16&255, i>>8&255, i&255), 20880, "com.example.OrderService", params...)
	return service.NewInstance(u, u, u)
}

// TestCarriedClausesAreAsNew: over a fleet that changes little by little, and over documents that do, a snapshot made from the one before keeps for each
// call whom a snapshot made from nothing keeps. The clauses are of the kinds that are kept as lists, as bitsets, and as both.
func TestCarriedClausesAreAsNew(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	texts := []string{"zone!=z1", "zone=z2", "zone=z3,z4,z5", "zone!=z6,z7", "region=r1", "region!=r2", "region=r1,r3", "zone=nowhere", "zone!=nowhere", "zone=z1*", "zone!=z2*",
		"region=r1 & zone!=z9", "zone=z8 & region!=r3", "zone!=z1 & zone=z2", "host=10.0.0.*", "port=20880"}
	var list []*service.Instance
	next := 0
	grow := func(n int) {
		for range n {
			list = slices.Insert(list, r.IntN(len(list)+1), zoned(next))
			next++
		}
	}
	grow(1500)
	var before *route.Snapshot
	var set *service.Set
	for step := range 60 {
		if step%3 != 2 || set == nil { // else only the document changes
			list = slices.Clone(list)
			grow(r.IntN(4))
			for range r.IntN(4) {
				i := r.IntN(len(list))
				list = slices.Delete(list, i, i+1)
			}
			set = service.NewSet(uint64(step), list)
		}
		rules := make([]string, 0, len(texts))
		for i, text := range texts {
			if r.IntN(4) > 0 {
				rules = append(rules, fmt.Sprintf("method=m%d => %s", i, text))
			}
		}
		in := route.Input{Consumer: consumer(), Set: set, Rules: route.Rules{Service: conditions(t, true, rules...)}, Previous: before}
		got, _ := route.Compile(in)
		in.Previous = nil
		want, _ := route.Compile(in)
		before = got
		for i, text := range texts {
			inv := &rpc.Invocation{Method: fmt.Sprintf("m%d", i)}
			a, b := got.Route(inv), want.Route(inv)
			if a.Len() != b.Len() || a.Why() != b.Why() {
				t.Fatalf("step %d, %s: %d providers (%v), want %d (%v)", step, text, a.Len(), a.Why(), b.Len(), b.Why())
			}
			for k := range a.Len() {
				if a.Index(k) != b.Index(k) {
					t.Fatalf("step %d, %s: provider %d is %d, want %d", step, text, k, a.Index(k), b.Index(k))
				}
			}
		}
	}
}
