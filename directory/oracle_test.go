package directory_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/directory"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/source"
)

// TestChurnEqualsRebuild: whatever comes and goes (providers, overrides, rule documents), what a directory worked out step by step is
// what a new one works out at once: the instances in order, the candidates of every call, and why. Instances that did not change are the
// same ones as before. Texts come as new strings and as the same ones, from sources that hold them and from others.
func TestChurnEqualsRebuild(t *testing.T) {
	for seed := range uint64(20) {
		d := dialect.All()[seed%5]
		t.Run(fmt.Sprintf("%s/%d", d, seed), func(t *testing.T) { churn(t, rand.New(rand.NewPCG(seed, 11)), d) })
	}
}

func churn(t *testing.T, rnd *rand.Rand, d dialect.Dialect) {
	shapes := new(durl.Sharer)
	open := func() *directory.Replay {
		r, err := directory.NewReplay(orders, consumer("timeout=3&region=r1"), directory.Options{Dialect: d, Shapes: shapes})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	w := churning{rnd: rnd, docs: map[string]string{}}
	for range 150 {
		w.providers = append(w.providers, w.fresh())
	}
	many := open()
	for step := range 30 {
		w.change()
		if key, text := w.document(); key != "" {
			w.docs[key] = text
			many.SetDocument(key, text)
		}
		before := identities(many)
		many.Update(w.state())
		one := open()
		for _, key := range []string{serviceRule, shopTags} {
			if text, ok := w.docs[key]; ok {
				one.SetDocument(key, text)
			}
		}
		one.Update(w.state())
		if got, want := describe(many), describe(one); !slices.Equal(got, want) {
			t.Fatalf("step %d:\n got %v\nwant %v", step, got, want)
		}
		for text, in := range identities(many) {
			if old, ok := before[text]; ok && old != in {
				t.Fatalf("step %d: %s was made anew", step, text)
			}
		}
		for _, inv := range []struct{ method, tag string }{{"get", ""}, {"put", ""}, {"get", "gray"}, {"list", "blue"}, {"put", "none"}} {
			got, want := w.answer(t, many, inv.method, inv.tag), w.answer(t, one, inv.method, inv.tag)
			if got != want {
				t.Fatalf("step %d, %v, rules %v:\n got %s\nwant %s", step, inv, w.docs, got, want)
			}
		}
	}
}

// churning is a service whose providers and rules change at random.
type churning struct {
	rnd       *rand.Rand
	next      int
	providers []string
	overrides []string
	docs      map[string]string
}

// fresh returns a provider of a new address; some have a tag, a zone, a start time of their own, another application.
func (w *churning) fresh() string {
	w.next++
	text := fmt.Sprintf("dubbo://10.0.%d.%d:%d/%s?application=shop&interface=%s&methods=get,put,list&region=r%d&side=provider&timestamp=%d&zone=z%d",
		w.next/200, w.next%200, 20880+w.rnd.IntN(3), iface, iface, w.rnd.IntN(3), 1700000000000+w.rnd.Int64N(5), w.rnd.IntN(20))
	switch w.rnd.IntN(12) {
	case 0:
		text += "&dubbo.tag=gray"
	case 1:
		text += "&dubbo.tag=blue"
	case 2:
		text += "&disabled=true"
	case 3:
		text = strings.Replace(text, "&region", "&area", 1)
	case 4:
		text = strings.Replace(text, iface, iface+"2", 2) // of another service: takes no part
	}
	return text
}

func (w *churning) change() {
	for range w.rnd.IntN(6) {
		at := w.rnd.IntN(len(w.providers))
		switch w.rnd.IntN(4) {
		case 0:
			w.providers = slices.Insert(slices.Clone(w.providers), at, w.fresh())
		case 1:
			w.providers = slices.Delete(slices.Clone(w.providers), at, at+1)
		case 2: // another parameter at the same address
			w.providers = slices.Clone(w.providers)
			w.providers[at] += fmt.Sprintf("&weight=%d", w.rnd.IntN(200))
		default:
			w.providers = slices.Clone(w.providers)
			w.providers[at] = w.fresh()
		}
	}
	switch w.rnd.IntN(8) {
	case 0:
		w.overrides = []string{override("0.0.0.0", fmt.Sprintf("timeout=%d", w.rnd.IntN(3)))}
	case 1:
		w.overrides = nil
	case 2: // most of the list at once
		w.providers = w.providers[:len(w.providers)/2]
		for range 70 {
			w.providers = append(w.providers, w.fresh())
		}
	}
}

// document returns a rule document to put, or no key.
func (w *churning) document() (key, text string) {
	n := w.rnd.IntN
	switch n(4) {
	case 0:
		return serviceRule, conditions("method=get => "+[]string{"region=r1", "region!=r2", "zone=z1*", "zone!=z3,z4", "region=$region", "zone!=z1* & region=r0,r1"}[n(6)],
			fmt.Sprintf("method=put => zone!=z%d", n(20)), fmt.Sprintf("=> host!=10.0.0.%d", n(200)))
	case 1:
		var b strings.Builder
		b.WriteString("configVersion: v3.0\nforce: false\nenabled: true\nruntime: true\nkey: shop\ntags:\n- name: gray\n  addresses:\n")
		for range 5 {
			fmt.Fprintf(&b, "  - \"10.0.0.%d:%d\"\n", n(200), 20880+n(3))
		}
		fmt.Fprintf(&b, "  - \"10.0.0.%d/30\"\n", n(200))
		fmt.Fprintf(&b, "- name: blue\n  match:\n  - key: zone\n    value:\n      exact: z%d\n", n(20))
		return shopTags, b.String()
	}
	return "", ""
}

// state is what the registry says: held or not, with the strings of before or with copies.
func (w *churning) state() source.State {
	list := slices.Clone(w.providers)
	if w.rnd.IntN(3) > 0 { // else in no order, which a source should not do, but may
		slices.Sort(list)
	}
	if w.rnd.IntN(3) == 0 {
		for i := range list {
			list[i] = strings.Clone(list[i])
		}
	}
	return source.State{Providers: list, Configurators: w.overrides, Held: w.rnd.IntN(2) == 0}
}

// answer is what a call gets, in words.
func (w *churning) answer(t *testing.T, r *directory.Replay, method, tag string) string {
	t.Helper()
	inv := call(method)
	if tag != "" {
		inv = call(method, "dubbo.tag", tag)
	}
	inv.Seed = 7
	c, err := r.Route(inv)
	if err != nil {
		return err.Error()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%v %d:", c.Why(), c.Len())
	for i := range c.Len() {
		b.WriteString(" " + c.At(i).URL.Full())
	}
	return b.String()
}
