package directory_test

import (
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/directory"
	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/rule"
	"github.com/dubway-go/dubway/service"
)

// fickle is a script rule that keeps another provider each time it is asked.
type fickle struct{ asked atomic.Int64 }

func (f *fickle) Replace(route.ScriptRule, *rule.ScriptDocument, dialect.Dialect) (route.ScriptRule, diag.List) {
	return f, nil
}
func (f *fickle) Delete(route.ScriptRule) (route.ScriptRule, diag.List)  { return nil, nil }
func (f *fickle) Bind(_ service.Consumer, set *service.Set) route.Filter { return fickleFilter{f, set} }
func (f *fickle) Close()                                                 {}

type fickleFilter struct {
	f   *fickle
	set *service.Set
}

func (f fickleFilter) Filter(*rpc.Invocation, []uint32) route.Filtered {
	n := int(f.f.asked.Add(1))
	return route.Filtered{Kept: []uint32{uint32(n % f.set.Len())}, Reason: route.ReasonScripted}
}

func placed(x *directory.Explanation) (out []string) {
	for _, p := range x.Places() {
		for i := range p.Candidates.Len() {
			out = append(out, p.Candidates.At(i).Address())
		}
	}
	return out
}

// TestExplainRunsOnce: what an explanation says of steps, groups and places is of one run, also when the next run would answer otherwise.
func TestExplainRunsOnce(t *testing.T) {
	for _, dl := range dialect.All() {
		w := newWorld(t, provider(1), provider(2), provider(3))
		w.put(shopScript, "script: invokers\n")
		f := &fickle{}
		d := w.open(speaking(dl), func(o *directory.Options) { o.Scripts = f })
		scripted := func() bool { return lastStep(d, call("get")).Router == route.RouterScript }
		if dl == dialect.Dubbo26 || dl == dialect.Dubbo27 || dl == dialect.Dubbo31 {
			if scripted() {
				t.Errorf("%v reads script documents", dl)
			}
			continue
		}
		await(t, d, "the script is in force", scripted)
		for range 9 {
			before := f.asked.Load()
			x := d.Explain(call("get"))
			if asked := f.asked.Load() - before; asked != 1 {
				t.Errorf("%v: the script was asked %d times", dl, asked)
			}
			if got := placed(x); len(got) != 1 || !slices.Equal(got, x.Trace.Left) {
				t.Errorf("%v: places %v, trace %v", dl, got, x.Trace.Left)
			}
		}
	}
	w := newWorld(t, provider(1, "group=a"), provider(2, "group=a"), provider(3, "group=b"), provider(4, "group=b"))
	w.put(shopScript, "script: invokers\n")
	f := &fickle{}
	d := w.openKey(groupKey("a,b"), func(o *directory.Options) { o.Scripts = f })
	await(t, d, "the script is in force in each group", func() bool { return len(d.Explain(call("get")).Trace.Left) == 2 })
	for range 9 {
		before := f.asked.Load()
		x := d.Explain(call("get"))
		var grouped []string
		for _, g := range x.Groups {
			grouped = append(grouped, g.Left...)
		}
		if got := placed(x); f.asked.Load()-before != 2 || !slices.Equal(got, x.Trace.Left) || !slices.Equal(got, grouped) {
			t.Errorf("asked %d times; places %v, trace %v, groups %v", f.asked.Load()-before, got, x.Trace.Left, strings.Join(grouped, " "))
		}
	}
}
