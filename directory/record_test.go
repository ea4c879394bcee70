package directory

import (
	"reflect"
	"testing"

	"github.com/dubway-go/dubway/durl"
)

// TestRecordsHaveCacheLinesOfTheirOwn: calls count on the records of different instances without disturbing each other.
func TestRecordsHaveCacheLinesOfTheirOwn(t *testing.T) {
	const line = 64
	for _, n := range []int{0, 1, 2, 3, 5, 7, 8, 100} {
		var tab table
		tab.grow(n)
		lines := map[uintptr]bool{}
		for i := range max(n, 1) {
			u := durl.New("dubbo", "10.0.0.1", i+1, "a.B")
			r, isNew := tab.acquire(u, u, u)
			calls := reflect.ValueOf(&r.calls).Pointer() / line
			if !isNew || lines[calls] || r.instance.Kept() != r || r.instance.Port() != i+1 {
				t.Fatalf("record %d of %d shares a cache line or an instance", i, n)
			}
			lines[calls] = true
		}
	}
}
