package hessian_test

import (
	"strings"
	"testing"

	"github.com/dubway-go/dubway/hessian"
)

// Eight bytes are looked at together, so a character beyond ASCII stands at each place of one, two and three such groups, and around the end of a chunk.
func TestTextsAroundGroupsAndChunks(t *testing.T) {
	check := func(s string) {
		t.Helper()
		wire := hessian.AppendString(nil, s)
		if bytes := hessian.AppendStringBytes(nil, []byte(s)); string(bytes) != string(wire) {
			t.Fatalf("%.40q as bytes: %x, as text %x", s, bytes, wire)
		}
		d := hessian.NewDecoder(hessian.DecoderOptions{})
		d.Reset(wire)
		text, err := d.DecodeText()
		if err != nil || string(text) != s || d.Remaining() != 0 {
			t.Fatalf("%.40q (%d bytes): read as %.40q, %v, %d bytes left", s, len(s), text, err, d.Remaining())
		}
		d.Reset(wire)
		if v, err := d.Decode(); err != nil || v != s {
			t.Fatalf("%.40q: %v %v", s, v, err)
		}
	}
	for _, odd := range []string{"", "\x7f", "é", "漢", "😀"} {
		for n := range 30 {
			for at := range n + 1 {
				text := strings.Repeat("a", n)
				check(text[:at] + odd + text[at:])
			}
		}
		for _, n := range []int{1 << 10, 1 << 15, 1 << 16} {
			for at := n - 10; at < n+10; at++ {
				check(strings.Repeat("a", at) + odd + "bc")
			}
		}
	}
}
