package directory_test

import (
	"fmt"
	"testing"

	"github.com/dubway-go/dubway/directory"
)

// TestPickDoesNotAllocate: a warm call costs no allocation, with rules and tags, also bracketed with Begin and End (user reports
// 36 and 38).
func TestPickDoesNotAllocate(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	var texts []string
	for i := 1; i <= 100; i++ {
		texts = append(texts, provider(i, fmt.Sprintf("region=r%d", i%4)))
	}
	w := newWorld(t, texts...)
	w.put(serviceRule, conditions("method=get => region=r1", "=> host!=10.0.0.5"))
	w.put(shopTags, "tags:\n- name: gray\n  addresses: [\"10.0.0.9:20880\"]\n")
	for _, params := range []string{"", "loadbalance=roundrobin", "loadbalance=leastactive"} {
		d := w.open(func(o *directory.Options) { o.Consumer = consumer(params) })
		plain, gray := call("get"), call("get", "dubbo.tag", "gray")
		work := func() {
			for _, inv := range [2]any{plain, gray} {
				_ = inv
			}
			in, err := d.Pick(plain)
			if err != nil || !d.Begin(in) {
				t.Fatal(err)
			}
			d.End(in)
			if _, err := d.Pick(gray); err != nil {
				t.Fatal(err)
			}
		}
		for range 10 {
			work()
		}
		if n := testing.AllocsPerRun(200, work); n != 0 {
			t.Errorf("%q: %v allocations per call, want 0", params, n)
		}
	}
}
