package zk

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"

	zklib "github.com/go-zookeeper/zk"

	"github.com/dubway-go/dubway/durl"
)

func names(n int) (raw, texts []string) {
	for i := range n {
		text := fmt.Sprintf("dubbo://10.%d.%d.%d:20880/com.example.shop.OrderService?application=order&side=provider&timestamp=%d", i>>16, i>>8&255, i&255, 1_760_000_000_000+i)
		texts = append(texts, text)
		raw = append(raw, durl.Encode(text))
	}
	slices.Sort(texts)
	return raw, texts
}

// TestDecodeKeepsTheStringsItHad: an unchanged provider costs no new memory when the list around it changes.
func TestDecodeKeepsTheStringsItHad(t *testing.T) {
	raw, texts := names(1000)
	was := decode(raw, listing{})
	first := was.texts
	if !slices.Equal(first, texts) {
		t.Fatal("decoded texts differ")
	}
	changed := append(slices.Delete(slices.Clone(raw), 10, 20), durl.Encode("dubbo://192.0.2.1:1/x"), "no-url", "%zz", raw[0])
	slices.Reverse(changed)
	second := decode(changed, was).texts
	if !slices.IsSorted(second) || len(second) != 991 {
		t.Fatalf("%d texts, sorted %v, want 991", len(second), slices.IsSorted(second))
	}
	had := map[string]*byte{}
	for _, s := range first {
		had[s] = unsafe.StringData(s)
	}
	fresh := 0
	for _, s := range second {
		if p, ok := had[s]; !ok {
			fresh++
		} else if p != unsafe.StringData(s) {
			t.Fatalf("%q was kept as a copy", s)
		}
	}
	if fresh != 1 {
		t.Errorf("%d texts are new, want 1", fresh)
	}
}

// TestDecodeInSteps: whatever names come and go, in whatever order a server lists them, the texts are those of decoding all names,
// and those that stay are the same strings.
func TestDecodeInSteps(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	raw, _ := names(400)
	extra := []string{"no-url", "%zz", "a+b%3A%2F%2Fx", "dubbo%3A%2F%2Fa", "%64ubbo%3A%2F%2Fa", "dubbo%3A%2F%2F%FF"}
	list := slices.Clone(raw[:200])
	var last listing
	for step := range 300 {
		for range r.IntN(12) {
			at := r.IntN(len(list) + 1)
			switch name := append(raw, extra...)[r.IntN(len(raw)+len(extra))]; {
			case at < len(list) && len(list) > 20 && r.IntN(2) == 0:
				list = slices.Delete(list, at, at+1)
			case !slices.Contains(list, name):
				list = slices.Insert(list, at, name)
			}
		}
		switch r.IntN(20) {
		case 0:
			r.Shuffle(len(list), func(i, k int) { list[i], list[k] = list[k], list[i] })
		case 1:
			list = slices.Delete(list, 5, 15)
		}
		var want []string
		for _, name := range list {
			if text, err := durl.Decode(name); err == nil && strings.Contains(text, "://") {
				want = append(want, text)
			}
		}
		slices.Sort(want)
		want = slices.Compact(want)
		had := map[string]*byte{}
		for _, text := range last.texts {
			had[text] = unsafe.StringData(text)
		}
		last = decode(list, last)
		if !slices.Equal(last.texts, want) {
			t.Fatalf("step %d: %d texts, want %d", step, len(last.texts), len(want))
		}
		for _, text := range last.texts {
			if p, ok := had[text]; ok && p != unsafe.StringData(text) {
				t.Fatalf("step %d: %q was kept as a copy", step, text)
			}
		}
		for i, id := range last.order {
			text, err := durl.Decode(list[i])
			if id >= 0 && last.texts[id] != text || id < 0 && err == nil && strings.Contains(text, "://") {
				t.Fatalf("step %d: name %q is at %d", step, list[i], id)
			}
		}
	}
}

// TestDecodeOfKnownNamesAllocatesTheListsOnly: names that were there before are not decoded again.
func TestDecodeOfKnownNamesAllocatesTheListsOnly(t *testing.T) {
	raw, _ := names(1000)
	last := decode(raw, listing{})
	if n := testing.AllocsPerRun(20, func() { decode(raw, last) }); n > 8 {
		t.Errorf("%v allocations for names that were all known", n)
	}
}

// TestArmedWatchesAreUsedAgain: one watch a path, however often watchers come and go, and none that fired.
func TestArmedWatchesAreUsedAgain(t *testing.T) {
	var a armed
	if a.get(watchData, "/x") != nil {
		t.Fatal("a watch nobody set")
	}
	ch := make(chan zklib.Event, 1)
	a.set(watchData, "/x", ch)
	if a.get(watchData, "/x") == nil || a.get(watchChildren, "/x") != nil {
		t.Fatal("kinds are mixed up")
	}
	ch <- zklib.Event{}
	close(ch)
	if a.get(watchData, "/x") != nil {
		t.Fatal("a watch that fired was handed out")
	}
	for i := range 10_000 {
		fired := make(chan zklib.Event)
		close(fired)
		a.set(watchData, fmt.Sprint(i), fired)
	}
	if len(a.m) > 200 {
		t.Errorf("%d watches that fired are kept", len(a.m))
	}
}

func BenchmarkDecode(b *testing.B) {
	for _, n := range []int{1000, 100_000} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			raw, _ := names(n)
			last := decode(raw, listing{})
			b.ReportAllocs()
			for b.Loop() {
				decode(raw, last)
			}
		})
	}
}
