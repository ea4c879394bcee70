//go:build !race

package match_test

import (
	"testing"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/match"
)

func TestMatchDoesNotAllocate(t *testing.T) {
	patterns := []match.Pattern{}
	for _, s := range []string{"a*", "abc", "*", "1~5"} {
		for _, d := range dialect.All() {
			patterns = append(patterns, match.Compile(s, match.Options{Dialect: d}))
		}
	}
	addresses := []match.AddressPattern{}
	for _, s := range []string{"10.0.*.1-5:20880", "10.0.0.0/8", "10.0.0.1", "*"} {
		p, err := match.CompileAddress(s, dialect.Standard)
		if err != nil {
			t.Fatal(err)
		}
		addresses = append(addresses, p)
	}
	if n := testing.AllocsPerRun(100, func() {
		for i := range patterns {
			patterns[i].Match("abc", true)
			patterns[i].Match("3", true)
		}
		for i := range addresses {
			addresses[i].Match("10.0.7.3", 20880)
		}
	}); n != 0 {
		t.Errorf("matching allocates %v times", n)
	}
}
