package route_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/rule"
	"github.com/dubway-go/dubway/service"
)

// TestUpdateAllocates bounds what a changed document costs beside reading it: the memory grows with the conditions, and with the providers only where a clause
// is met by many of them.
func TestUpdateAllocates(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector allocates")
	}
	const n, r = 20_000, 100
	list := make([]*service.Instance, n)
	for i := range list {
		list[i] = zoned(7*i + 1) // all of them have a zone
	}
	set := service.NewSet(1, list)
	documents := func(form string) (two [2]route.Rules) {
		for i := range two {
			texts := make([]string, r)
			for k := range texts {
				texts[k] = fmt.Sprintf(form, 2*k+i)
			}
			two[i] = route.Rules{Service: conditions(t, true, texts...)}
		}
		return two
	}
	tags := func() (two [2]route.Rules) {
		for i := range two {
			doc := &rule.TagDocument{Enabled: true, Valid: true}
			for k := range r {
				tag := rule.Tag{Name: fmt.Sprintf("t%d", k), HasAddresses: true}
				for j := range 10 {
					tag.Addresses = append(tag.Addresses, rule.Value{Text: list[1000*i+10*k+j].Address()})
				}
				doc.Tags = append(doc.Tags, tag)
			}
			two[i] = route.Rules{Tag: doc}
		}
		return two
	}
	for _, c := range []struct {
		name          string
		two           [2]route.Rules
		allocs, bytes uint64
	}{
		{"conditions that exclude few", documents("method=get* => zone!=z%d"), 210, 110 << 10},
		{"conditions that keep few", documents("method=get%d => zone=z1"), 900, 190 << 10},
		{"tags", tags(), 1000, 220 << 10},
	} {
		in := route.Input{Dialect: dialect.Standard, Consumer: consumer(), Set: set}
		one := func(i int) {
			in.Rules = c.two[i&1]
			in.Previous, _ = route.Compile(in)
		}
		for i := range 4 { // the indexes of the set are made
			one(i)
		}
		const runs = 20
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for i := range runs {
			one(i)
		}
		runtime.ReadMemStats(&after)
		allocs, bytes := (after.Mallocs-before.Mallocs)/runs, (after.TotalAlloc-before.TotalAlloc)/runs
		t.Logf("%s: %d allocations, %d B", c.name, allocs, bytes)
		if allocs > c.allocs || bytes > c.bytes {
			t.Errorf("%s: %d allocations of %d B, at most %d of %d B are accepted", c.name, allocs, bytes, c.allocs, c.bytes)
		}
	}
}
