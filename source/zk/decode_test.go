package zk

import (
	"fmt"
	"slices"
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
	first := decode(raw, nil)
	if !slices.Equal(first, texts) {
		t.Fatal("decoded texts differ")
	}
	changed := append(slices.Delete(slices.Clone(raw), 10, 20), durl.Encode("dubbo://192.0.2.1:1/x"), "no-url", "%zz", raw[0])
	slices.Reverse(changed)
	second := decode(changed, first)
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
			last := decode(raw, nil)
			b.ReportAllocs()
			for b.Loop() {
				decode(raw, last)
			}
		})
	}
}
