package match_test

import (
	"net/netip"
	"testing"

	"pgregory.net/rapid"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/match"
)

// TestPlainAddress compares with the standard library's reader and printer: on addresses, and on what is nearly one.
func TestPlainAddress(t *testing.T) {
	number := rapid.SampledFrom([]string{"0", "1", "9", "10", "99", "127", "255", "256", "01", "00", "", "+1", "1000", "-1", "a"})
	port := rapid.SampledFrom([]string{"0", "1", "80", "20880", "65535", "65536", "080", "", "999999", "100000", "1 ", "+1"})
	plain := 0
	rapid.Check(t, func(t *rapid.T) {
		text := ""
		for i := range rapid.SampledFrom([]int{4, 4, 4, 4, 3, 5}).Draw(t, "numbers") {
			if i > 0 {
				text += "."
			}
			text += rapid.OneOf(rapid.SampledFrom([]string{"1", "10", "172", "0"}), number).Draw(t, "number")
		}
		text += rapid.SampledFrom([]string{":", ":", ":", ":", "", ".", "::"}).Draw(t, "colon") + rapid.OneOf(rapid.Just("20880"), port).Draw(t, "port")
		a, err := netip.ParseAddrPort(text)
		want := err == nil && a.Addr().Is4() && a.String() == text && text[0] != '0' && a.Port() != 0
		if got := match.PlainAddress(text); got != want {
			t.Fatalf("PlainAddress(%q) is %v", text, got)
		}
		if !want {
			return
		}
		plain++
		for _, d := range dialect.All() {
			p, err := match.CompileAddress(text, d)
			if err != nil || !p.Match(a.Addr().String(), int(a.Port())) || p.Match(a.Addr().Next().String(), int(a.Port())) {
				t.Fatalf("%s: %q is read as %v, %v", d, text, p, err)
			}
		}
	})
	if plain == 0 {
		t.Error("no plain address was drawn")
	}
}
