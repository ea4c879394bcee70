package service_test

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/internal/bitset"
	"github.com/dubway-go/dubway/service"
)

func parse(t *testing.T, s string) durl.URL {
	t.Helper()
	u, err := durl.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestKey(t *testing.T) {
	for _, c := range []struct {
		key           service.Key
		text, ruleKey string
	}{
		{service.Key{Interface: "a.B"}, "a.B", "a.B::"},
		{service.Key{Interface: "a.B", Version: "1.0"}, "a.B:1.0", "a.B:1.0:"},
		{service.Key{Interface: "a.B", Group: "g"}, "g/a.B", "a.B::g"},
		{service.Key{Interface: "a.B", Group: "g", Version: "1.0"}, "g/a.B:1.0", "a.B:1.0:g"},
	} {
		if c.key.String() != c.text || c.key.RuleKey() != c.ruleKey {
			t.Errorf("%+v: %q %q", c.key, c.key.String(), c.key.RuleKey())
		}
		got, err := service.ParseKey(c.text)
		if err != nil || got != c.key {
			t.Errorf("ParseKey(%q) = %+v, %v", c.text, got, err)
		}
	}
	for _, bad := range []string{"", "g/", ":1.0", "a/b/c", "a b", "a:1:2"} {
		if k, err := service.ParseKey(bad); err == nil {
			t.Errorf("ParseKey(%q) = %+v", bad, k)
		}
	}
	if got := service.KeyOf(parse(t, "dubbo://1.1.1.1:1/a.B?group=g&version=2&interface=c.D")); got != (service.Key{Interface: "c.D", Group: "g", Version: "2"}) {
		t.Errorf("KeyOf %+v", got)
	}
}

func TestInstance(t *testing.T) {
	raw := parse(t, "dubbo://10.0.0.7:20880/a.B?application=shop&dubbo.tag=gray&weight=30&get.weight=0&timestamp=1700000000000&warmup=5000")
	merged := raw.WithParams(durl.Param{Key: "application", Value: "web"}, durl.Param{Key: "remote.application", Value: "shop"})
	in := service.NewInstance(raw, merged, raw)
	if in.Host() != "10.0.0.7" || in.Port() != 20880 || in.Address() != "10.0.0.7:20880" || in.Application() != "shop" || in.Tag() != "gray" {
		t.Errorf("%s %d %s %s %s", in.Host(), in.Port(), in.Address(), in.Application(), in.Tag())
	}
	if in.Weight("put") != 30 || in.Weight("get") != 0 || !in.HasMethodWeights() || in.Started() != 1700000000000 || in.Warmup() != 5000 || !in.IP().Is4() {
		t.Errorf("%d %d %v %d %d %v", in.Weight("put"), in.Weight("get"), in.HasMethodWeights(), in.Started(), in.Warmup(), in.IP())
	}
	bad := service.NewInstance(parse(t, "dubbo://node-a:1/a.B?application=x&weight=many&timestamp=yesterday&warmup=-1&put.weight=-5"), durl.URL{}, durl.URL{})
	if bad.Weight("get") != service.DefaultWeight || bad.Weight("put") != 0 || bad.Started() != 0 || bad.Warmup() != 0 || bad.IP().IsValid() || bad.Application() != "x" || bad.Tag() != "" {
		t.Errorf("%d %d %d %d %v %s", bad.Weight("get"), bad.Weight("put"), bad.Started(), bad.Warmup(), bad.IP(), bad.Application())
	}
	if bad.URL.IsZero() || bad.Labels.IsZero() {
		t.Error("missing views are not filled from the provider")
	}
}

func TestIndex(t *testing.T) {
	var list []*service.Instance
	for i := range 200 {
		u := durl.New("dubbo", "10.0.0."+string(rune('0'+i%10)), 20880, "a.B")
		if i%4 != 3 {
			u = u.With("region", []string{"hz", "bj", "sh"}[i%4])
		}
		list = append(list, service.NewInstance(u, u, u))
	}
	s := service.NewSet(9, list)
	if s.Len() != 200 || s.Revision() != 9 || s.At(5) != list[5] {
		t.Fatal("set")
	}
	var wg sync.WaitGroup
	for range 4 { // the index is built once, whoever comes first
		wg.Go(func() { s.Labels("region").Values() })
	}
	wg.Wait()
	x := s.Labels("region")
	if x != s.Labels("region") || x.Values() != 3 || x.Value(1) != "bj" || x.CountAbsent() != 50 {
		t.Fatalf("%d values, %d absent", x.Values(), x.CountAbsent())
	}
	seen := bitset.Make(200)
	for v := range x.Values() {
		b := bitset.Make(200)
		x.AddValue(b, v)
		for i := b.Next(0); i >= 0; i = b.Next(i + 1) {
			if got, _ := list[i].Labels.Param("region"); got != x.Value(v) || seen.Has(i) {
				t.Fatalf("instance %d is %s, indexed under %s", i, got, x.Value(v))
			}
			seen.Add(i)
		}
	}
	x.AddAbsent(seen)
	if seen.Count() != 200 {
		t.Errorf("%d of 200 indexed", seen.Count())
	}
	if _, ok := x.Lookup("gz"); ok {
		t.Error("found a value that is not there")
	}
	if v, ok := s.Effective().Lookup("10.0.0.3:20880"); !ok {
		t.Error("address not indexed")
	} else {
		b := bitset.Make(200)
		s.Effective().AddValue(b, v)
		if !slices.Equal(b.AppendTo(nil)[:3], []uint32{3, 13, 23}) {
			t.Errorf("%v", b.AppendTo(nil))
		}
	}
	if !s.PlainHosts() || s.Tags().Values() != 0 || s.Schemes().Value(0) != "dubbo" || s.Addresses().Values() != 10 || s.Params("host").Values() != 0 {
		t.Error("other indexes")
	}
	for i := range 300 { // more parameters than are remembered still answer
		if s.Labels("none"+string(rune(i))).CountAbsent() != 200 {
			t.Fatal("absent")
		}
	}
}

func TestEmptySet(t *testing.T) {
	s := service.NewSet(0, nil)
	x := s.Labels("region")
	x.AddAbsent(bitset.Make(0))
	if s.Len() != 0 || x.Values() != 0 || x.CountAbsent() != 0 {
		t.Error("the empty set is not empty")
	}
}

// edited returns a copy of the list with up to seven random changes: instances that came, went, or were replaced.
func edited(r *rand.Rand, list []*service.Instance, fresh func() *service.Instance) []*service.Instance {
	list = slices.Clone(list)
	for range r.IntN(8) {
		switch at := r.IntN(len(list)); r.IntN(3) {
		case 0:
			list = slices.Insert(list, at, fresh())
		case 1:
			list = slices.Delete(list, at, at+1)
		default:
			list[at] = fresh()
		}
	}
	return list
}

// TestIndexReuse: an index built from that of an older set equals one built from nothing.
func TestIndexReuse(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	next := 0
	fresh := func() *service.Instance {
		next++
		u := durl.New("dubbo", "10.0.0.1", next, "a.B")
		if r.IntN(5) > 0 {
			u = u.With("region", "r"+strconv.Itoa(r.IntN(6+next/100)))
		}
		return service.NewInstance(u, u, u)
	}
	list := []*service.Instance{}
	for range 150 {
		list = append(list, fresh())
	}
	old := service.NewSet(0, list)
	old.Labels("region")
	for step := range 200 {
		list = edited(r, list, fresh)
		set := service.NewSet(uint64(step), list)
		got, want := set.Reusing(old).Labels("region"), service.NewSet(0, list).Labels("region")
		for v := range want.Values() {
			at, ok := got.Lookup(want.Value(v))
			a, b := bitset.Make(len(list)), bitset.Make(len(list))
			want.AddValue(b, v)
			if ok {
				got.AddValue(a, at)
			}
			if !a.Equal(b) || got.Count(at) != want.Count(v) {
				t.Fatalf("step %d: value %s differs", step, want.Value(v))
			}
		}
		if got.CountAbsent() != want.CountAbsent() {
			t.Fatalf("step %d: %d absent, want %d", step, got.CountAbsent(), want.CountAbsent())
		}
		for i := range list {
			a, aok := got.Of(i)
			b, bok := want.Of(i)
			if a != b || aok != bok {
				t.Fatalf("step %d: instance %d has %q %v, want %q %v", step, i, a, aok, b, bok)
			}
		}
		checkCarry(t, r, old, set)
		old = set
	}
}

// checkCarry: a bitset that is carried over has the bits of the instances that both sets have, except of those that it tells to judge anew.
func checkCarry(t *testing.T, r *rand.Rand, old, set *service.Set) {
	t.Helper()
	bits := bitset.Make(old.Len())
	holds := map[*service.Instance]bool{}
	for i := range old.Len() {
		holds[old.At(i)] = r.IntN(2) == 0
		if holds[old.At(i)] {
			bits.Add(i)
		}
	}
	carried, added, ok := set.Reusing(old).Carry(bits)
	if !ok {
		t.Fatal("not carried over")
	}
	list, addedToo, ok := set.Reusing(old).CarryList(bits.AppendTo(nil))
	if !ok || !slices.Equal(list, carried.AppendTo(nil)) || !slices.Equal(added, addedToo) {
		t.Fatalf("carried as a list: %v with %v new, want %v with %v", list, addedToo, carried.AppendTo(nil), added)
	}
	isNew := map[int]bool{}
	for _, i := range added {
		isNew[i] = true
	}
	if !slices.IsSorted(added) || len(isNew) != len(added) {
		t.Fatalf("new are %v", added)
	}
	for i := range set.Len() {
		want, known := holds[set.At(i)]
		if isNew[i] && carried.Has(i) || !isNew[i] && (!known || carried.Has(i) != want) {
			t.Fatalf("instance %d of %d: bit %v, to be judged %v; had bit %v, known %v", i, set.Len(), carried.Has(i), isNew[i], want, known)
		}
	}
}

func TestCarryGivesUpWhenMuchIsNew(t *testing.T) {
	fresh := func(n, port int) (out []*service.Instance) {
		for i := range n {
			u := durl.New("dubbo", "10.0.0.1", port+i, "a.B")
			out = append(out, service.NewInstance(u, u, u))
		}
		return out
	}
	a := fresh(100, 1)
	old, set := service.NewSet(1, a), service.NewSet(2, append(slices.Clone(a[:50]), fresh(50, 1000)...))
	if _, _, ok := set.Reusing(old).Carry(bitset.Make(100)); ok {
		t.Error("half of a list was carried over")
	}
	if _, _, ok := set.Reusing(old).CarryList(nil); ok {
		t.Error("a list was carried over although nearly all is new")
	}
	if _, _, ok := set.Reusing(nil).CarryList(nil); ok {
		t.Error("a list was carried over from no set")
	}
	if _, _, ok := set.Reusing(nil).Carry(bitset.Make(100)); ok {
		t.Error("carried over from nothing")
	}
	moved := append(slices.Clone(a[50:]), a[:50]...) // in another order: found, or told as new
	if carried, added, ok := service.NewSet(3, moved).Reusing(old).Carry(bitset.Make(100)); ok && carried.Count()+len(added) == 0 {
		t.Error("a moved instance is neither carried over nor new")
	}
}

// TestAddEqual: providers at one address count as one.
func TestAddEqual(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	for range 200 {
		n, ports := 1+r.IntN(100), 1+r.IntN(120)
		list := make([]*service.Instance, n)
		for i := range list {
			u := durl.New("dubbo", "10.0.0.1", 1+r.IntN(ports), "a.B", durl.Param{Key: "n", Value: strconv.Itoa(i)})
			if r.IntN(10) == 0 {
				u = durl.New("dubbo", "", 0, "a.B")
			}
			list[i] = service.NewInstance(u, u, u)
		}
		got, want := bitset.Make(n), bitset.Make(n)
		met := map[string]bool{"": false}
		for i := range list {
			if r.IntN(3) == 0 {
				got.Add(i)
				if a := list[i].Address(); a != "" {
					met[a] = true
				}
			}
		}
		for i := range list {
			if met[list[i].Address()] {
				want.Add(i)
			}
		}
		if service.NewSet(1, list).Effective().AddEqual(got); !got.Equal(want) {
			t.Fatalf("got %v, want %v", got.AppendTo(nil), want.AppendTo(nil))
		}
	}
}

// TestIndexOfOneValue: an index in which all instances have the same value tells the same as others, also when it stops being one.
func TestIndexOfOneValue(t *testing.T) {
	of := func(schemes ...string) *service.Set {
		var list []*service.Instance
		for i, s := range schemes {
			u := durl.New(s, "10.0.0.1", i+1, "a.B")
			list = append(list, service.NewInstance(u, u, u))
		}
		return service.NewSet(1, list)
	}
	same := of("dubbo", "dubbo", "dubbo")
	x := same.Schemes()
	bits, none := bitset.Make(3), bitset.Make(3)
	x.AddValue(bits, 0)
	x.AddAbsent(none)
	if v, ok := x.Of(2); x.Values() != 1 || bits.Count() != 3 || none.Any() || x.Count(0) != 3 || x.CountAbsent() != 0 || v != "dubbo" || !ok {
		t.Errorf("%d values, %v have the first, %v none; the last has %q", x.Values(), bits, none, v)
	}
	for _, more := range [][]string{{"dubbo"}, {"mock"}, {""}, {"mock", "dubbo", ""}} {
		list := []*service.Instance{same.At(0), same.At(2)}
		for i := range more {
			list = append(list, of(more...).At(i))
		}
		set := service.NewSet(2, list)
		x := set.Reusing(same).Schemes()
		for i := range set.Len() {
			if v, ok := x.Of(i); v != set.At(i).URL.Scheme() || ok != (v != "") {
				t.Errorf("with %q instance %d has %q", more, i, v)
			}
			for v := range x.Values() {
				bits := bitset.Make(set.Len())
				x.AddValue(bits, v)
				if bits.Has(i) != (set.At(i).URL.Scheme() == x.Value(v)) {
					t.Errorf("with %q value %q is that of %v", more, x.Value(v), bits)
				}
			}
		}
	}
	if x := of().Schemes(); x.Values() != 0 || x.CountAbsent() != 0 {
		t.Error("no instances have a value")
	}
}
