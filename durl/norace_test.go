//go:build !race

package durl_test

import (
	"testing"

	"github.com/dubway-go/dubway/durl"
)

// TestAllocations: a parse takes the text, the parts and the parameter list; reading takes nothing.
func TestAllocations(t *testing.T) {
	if n := testing.AllocsPerRun(100, func() { _, _ = durl.Parse(provider) }); n > 3 {
		t.Errorf("Parse allocates %v times, want 3", n)
	}
	u := parse(t, provider)
	if n := testing.AllocsPerRun(100, func() {
		u.Param("region")
		u.MethodParam("getOrder", "timeout")
		u.Mapped("address")
		u.Mapped("port")
		u.Raw("host")
		u.Hash()
		_, _ = u.Int("weight", 100)
		for range u.All() {
		}
	}); n != 0 {
		t.Errorf("reading allocates %v times", n)
	}
}

func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := durl.Parse(provider); err != nil {
			b.Fatal(err)
		}
	}
}
