package directory

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/service"
	"github.com/dubway-go/dubway/source"
)

// TestLeakAfterChanges: what a 2.7 consumer gets of its providers is the same whether few of them are asked after a change or all; and after most
// changes few are.
func TestLeakAfterChanges(t *testing.T) {
	few, all := 0, 0
	for seed := range uint64(40) {
		rnd := rand.New(rand.NewPCG(seed, 27))
		self, err := durl.Parse("consumer://10.0.0.9/a.B?application=web")
		if err != nil {
			t.Fatal(err)
		}
		r, err := NewReplay(service.Key{Interface: "a.B"}, self, Options{Dialect: dialect.Dubbo27})
		if err != nil {
			t.Fatal(err)
		}
		fresh := func() string {
			text := fmt.Sprintf("dubbo://10.0.%d.%d:20880/a.B?interface=a.B", rnd.IntN(3), rnd.IntN(200))
			if rnd.IntN(20) == 0 {
				text = "other" + text[5:]
			}
			for k := range 12 {
				if rnd.IntN(3+2*k) == 0 {
					text += fmt.Sprintf("&p%d=%d", k, rnd.IntN(1000))
				}
			}
			return text
		}
		var list, overrides []string
		for range 40 {
			list = append(list, fresh())
		}
		for step := range 60 {
			list = slices.Clone(list)
			for range 1 + rnd.IntN(2) {
				switch at := rnd.IntN(len(list)); rnd.IntN(3) {
				case 0:
					list = append(list, fresh())
				case 1:
					list = slices.Delete(list, at, at+1)
				default:
					list[at] = fresh()
				}
			}
			if len(list) < 10 || rnd.IntN(30) == 0 {
				list = append(list[:0:0], fresh(), fresh(), fresh(), fresh(), fresh(), fresh(), fresh(), fresh(), fresh(), fresh(), fresh(), fresh())
			}
			if slices.Sort(list); rnd.IntN(20) == 0 { // against the order of the contract
				rnd.Shuffle(len(list), func(i, k int) { list[i], list[k] = list[k], list[i] })
			}
			list = slices.Compact(list)
			switch rnd.IntN(20) {
			case 0:
				overrides = []string{fmt.Sprintf("override://0.0.0.0/a.B?category=configurators&p%d=over", rnd.IntN(14))}
			case 1:
				overrides = nil
			case 2:
				r.Update(source.State{Configurators: overrides}) // nobody is left for a while
			}
			p := &r.j.providers
			r.Update(source.State{Providers: list, Configurators: overrides, Held: rnd.IntN(2) == 0})
			if p.leaked.asked < len(list)/2 {
				few++
			}
			all++
			after := p.leaked
			p.leaked = leaked{}
			if want := p.leak(after.consumer); !r.j.configured.Equal(want) {
				t.Fatalf("seed %d step %d:\n got %s\nwant %s", seed, step, r.j.configured.Full(), want.Full())
			}
			p.leaked = after
		}
	}
	if few < all/4 {
		t.Errorf("after %d of %d changes few providers were asked", few, all)
	}
}
