package directory_test

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/dubway-go/dubway/directory"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/service"
)

// TestCallsNeverMixGenerations guards user reports 49, 50, 51 and 63: while providers, overrides and rules change, no
// of 64 callers fails, sees a provider of one state under the rules of another, or calls a drained one.
//
// Each state is all of one generation g: its providers carry gen=g, and its rule keeps gen=g only and
// blocks everything else, so that a mixture would leave nothing.
func TestCallsNeverMixGenerations(t *testing.T) {
	var mu sync.Mutex
	drained := map[*service.Instance]bool{}
	w := newWorld(t)
	state := func(g int) {
		tag := fmt.Sprintf("gen=g%d", g)
		w.state.Providers = []string{provider(1, tag), provider(2, tag), provider(3, tag)}
		w.state.Routers = []string{routeURL("=> "+tag, "force=true", "name=gen")}
		w.state.Configurators = []string{override("0.0.0.0", fmt.Sprintf("mark=g%d", g))}
		w.push()
	}
	state(0)
	d := w.open(func(o *directory.Options) {
		o.Coalesce = -1
		o.Hooks = &directory.Hooks{Retired: func(in *service.Instance) { mu.Lock(); drained[in] = true; mu.Unlock() }}
	})
	const callers = 64
	var wg sync.WaitGroup
	var stop atomic.Bool
	var calls atomic.Int64
	for range callers {
		wg.Go(func() {
			inv := &rpc.Invocation{Service: orders, Method: "get"}
			for i := uint64(0); !stop.Load(); i++ {
				inv.Seed = i
				in, err := d.Pick(inv)
				if err != nil {
					t.Errorf("a call failed: %v", err)
					return
				}
				if !d.Begin(in) {
					continue // it left between Pick and Begin: pick again
				}
				mu.Lock()
				bad := drained[in]
				mu.Unlock()
				if bad {
					t.Error("a call runs on a drained instance")
				}
				if gen, mark := in.URL.Get("gen", ""), in.URL.Get("mark", ""); gen != mark {
					t.Errorf("an instance mixes %s and %s", gen, mark)
				}
				d.End(in)
				if calls.Add(1)%64 == 0 {
					runtime.Gosched() // 64 busy loops would keep the writer off a small machine
				}
			}
		})
	}
	for g := 1; g <= 1000; g++ {
		state(g)
		if g%3 == 0 {
			w.put(webRule, conditions(fmt.Sprintf("method=other%d => host=10.0.0.1", g)))
		}
		if g%4 == 0 {
			want := fmt.Sprintf("g%d", g)
			await(t, d, "generation "+want, func() bool { return strings.HasPrefix(param(d, "gen"), want+" ") })
		}
	}
	stop.Store(true)
	wg.Wait()
	if calls.Load() == 0 || d.State().Generation < 30 {
		t.Fatalf("%d calls over %d generations: nothing was tested", calls.Load(), d.State().Generation)
	}
	t.Logf("%d calls over %d generations", calls.Load(), d.State().Generation)
}
