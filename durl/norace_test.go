//go:build !race

package durl_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dubway-go/dubway/dialect"
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

// TestReaderAllocations: a text of a known kind costs its address and what only it has, several texts at a time.
func TestReaderAllocations(t *testing.T) {
	const n = 1_000
	for _, c := range []struct {
		name string
		text func(i int) string
		most float64
	}{
		{"an address", func(i int) string {
			return strings.Replace(provider, "10.0.0.7", fmt.Sprintf("10.0.%d.%d", i/250, i%250), 1)
		}, 0.25},
		{"a value of ten", func(i int) string { return fmt.Sprintf("%s&zone=z%d", provider, i%10) }, 0.25},
		{"a value of its own", func(i int) string { return fmt.Sprintf("%s&zone=z%d", provider, i) }, 0.5},
	} {
		texts := make([]string, 5*n)
		for i := range texts {
			texts[i] = c.text(i)
		}
		r := durl.NewReader(new(durl.Sharer), dialect.Standard)
		if _, err := r.Parse(texts[0]); err != nil {
			t.Fatal(err)
		}
		each := testing.AllocsPerRun(3, func() {
			r.Grow(n)
			for _, text := range texts[:n] {
				if _, ok := r.Known(text); !ok {
					t.Fatalf("%s: %q is not known", c.name, text)
				}
			}
			texts = texts[n:]
		}) / n
		t.Logf("%s: %.2f allocations", c.name, each)
		if each > c.most {
			t.Errorf("%s: %.2f allocations a text, at most %.2f are accepted", c.name, each, c.most)
		}
	}
}

func BenchmarkReader(b *testing.B) {
	texts := make([]string, 1_000)
	for i := range texts {
		texts[i] = strings.Replace(provider, "10.0.0.7", fmt.Sprintf("10.0.%d.%d", i/250, i%250), 1) + fmt.Sprintf("&zone=z%d", i%10)
	}
	r := durl.NewReader(new(durl.Sharer), dialect.Standard)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if i%len(texts) == 0 {
			r.Grow(len(texts))
		}
		if _, err := r.Parse(texts[i%len(texts)]); err != nil {
			b.Fatal(err)
		}
	}
}
