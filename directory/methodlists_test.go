package directory

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/service"
	"github.com/dubway-go/dubway/source"
)

func newReplay26(t *testing.T) *Replay {
	t.Helper()
	self, err := durl.Parse("consumer://10.0.0.9/a.B?application=web&methods=get,put,spare")
	if err != nil {
		t.Fatal(err)
	}
	r, err := NewReplay(service.Key{Interface: "a.B"}, self, Options{Dialect: dialect.Dubbo26})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestMethodListsAfterChanges: whatever came before, the lists by method that 2.6 prepares are those of a new directory.
func TestMethodListsAfterChanges(t *testing.T) {
	methods := []string{"get,put", "get,put", "get,put", "get", "put,own", "*", "", "own, get"}
	for seed := range uint64(30) {
		rnd := rand.New(rand.NewPCG(seed, 26))
		same := seed%3 == 0 // all name the same methods
		next := 0
		fresh := func() string {
			next++
			named := methods[rnd.IntN(len(methods))]
			if same {
				named = "get,put"
			}
			return fmt.Sprintf("dubbo://10.0.%d.%d:20880/a.B?interface=a.B&methods=%s&region=r%d", rnd.IntN(3), next%250, durl.Encode(named), rnd.IntN(3))
		}
		var routers []string
		list := []string{fresh(), fresh(), fresh(), fresh()}
		many := newReplay26(t)
		for step := range 40 {
			list = slices.Clone(list)
			for range 1 + rnd.IntN(2) {
				switch at := rnd.IntN(len(list)); rnd.IntN(3) {
				case 0:
					list = append(list, fresh(), fresh())
				case 1:
					if len(list) > 2 {
						list = slices.Delete(list, at, at+1)
					}
				default:
					list[at] = fresh()
				}
			}
			slices.Sort(list)
			if rnd.IntN(4) == 0 {
				routers = nil
				for _, text := range []string{"method=get => region=r1,r2", "method=own => region!=r0", "=> region=r2"} {
					if rnd.IntN(2) == 0 {
						routers = append(routers, fmt.Sprintf("condition://0.0.0.0/a.B?category=routers&runtime=%v&rule=%s", rnd.IntN(2) == 0, durl.Encode(text)))
					}
				}
			}
			st := source.State{Providers: list, Routers: routers}
			many.Update(st)
			one := newReplay26(t)
			one.Update(st)
			for _, method := range []string{"get", "put", "own", "spare", "other"} {
				inv := &rpc.Invocation{Service: service.Key{Interface: "a.B"}, Method: method}
				got, want := lefts(many, inv), lefts(one, inv)
				if !slices.Equal(got, want) {
					t.Fatalf("seed %d step %d %s:\n got %v\nwant %v\nof %v\nrules %v", seed, step, method, got, want, list, routers)
				}
			}
		}
	}
}

func lefts(r *Replay, inv *rpc.Invocation) (out []string) {
	r.Snapshot()
	c := r.j.lists.of(inv).route(inv)
	for i := range c.Len() {
		out = append(out, c.At(i).Address())
	}
	return out
}

// TestMethodListsShareTheSet: where all providers name the same methods, and no rule is decided beforehand, there is one set of instances with one set of
// indexes for all lists.
func TestMethodListsShareTheSet(t *testing.T) {
	r := newReplay26(t)
	r.Update(source.State{Providers: []string{"dubbo://10.0.0.1:20880/a.B?interface=a.B&methods=get,put", "dubbo://10.0.0.2:20880/a.B?interface=a.B&methods=get,put"}})
	all := r.Snapshot().Set()
	for m, l := range r.j.lists.byMethod {
		if l.snapshot.Set() != all {
			t.Errorf("method %s has a set of its own", m)
		}
	}
	if r.j.lists.any.snapshot.Set() != all {
		t.Error("calls of other methods have a set of their own")
	}
}
