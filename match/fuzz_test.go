package match_test

import (
	"strings"
	"testing"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/match"
)

// FuzzGlob: the compiled pattern answers as Glob does wherever "~" and "$" play no part.
func FuzzGlob(f *testing.F) {
	for _, s := range [][2]string{{"*", ""}, {"", ""}, {"a*", "ab"}, {"*b", "ab"}, {"ab*ba", "aba"}, {"a*b*", "a*bc"}, {"1~5", "3"}, {"5~", "9"}, {"~", ""}, {"$host", "h"}, {"~~", "1"}, {"99999999999~1", "5"}} {
		f.Add(s[0], s[1])
	}
	consumer := durl.New("consumer", "h", 0, "a.B", durl.Param{Key: "k", Value: "v*"})
	f.Fuzz(func(t *testing.T, pattern, value string) {
		for _, d := range dialect.All() {
			for _, right := range []bool{false, true} {
				p := match.Compile(pattern, match.Options{Dialect: d, Right: right, Consumer: consumer})
				got := p.Match(value, true)
				if p.String() != pattern {
					t.Fatalf("String() = %q, want %q", p, pattern)
				}
				if text, ok := p.Literal(); ok && got != (text == value) {
					t.Fatalf("%s: literal %q of %q, Match(%q) = %v", d, text, pattern, value, got)
				}
				if p.Always() && !got || p.Never() && got {
					t.Fatalf("%s: %q always %v never %v, Match(%q) = %v", d, pattern, p.Always(), p.Never(), value, got)
				}
				if !strings.Contains(pattern, "~") && !(right && strings.HasPrefix(pattern, "$")) && got != match.Glob(pattern, value) {
					t.Fatalf("%s: %q on %q = %v, Glob says otherwise", d, pattern, value, got)
				}
				p.Match("", false)
			}
		}
	})
}

// FuzzAddress: no expression and no host panics, and an error comes with a pattern that matches nothing.
func FuzzAddress(f *testing.F) {
	for _, s := range [][2]string{{"*", "10.0.0.1"}, {"10.0.0.1:20880", "10.0.0.1"}, {"10.0.*.1-5", "10.0.0.3"}, {"10.0.0.0/8", "10.1.1.1"}, {"fd00::/64", "[fd00::1]"},
		{"[fd00::1]:20880", "fd00::1"}, {"fd00:0:0:0:0:0:*:0-ff", "fd00::1"}, {"0.0.0.0:20880", "1.2.3.4"}, {"*:20880", "h"}, {"10.0.0.1/33", "10.0.0.1"}, {"/", "::"}, {"[", "["}, {"1.2.3.-", "1.2.3.4"}, {"host.name", "host.name"}} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, expr, host string) {
		for _, d := range dialect.All() {
			p, err := match.CompileAddress(expr, d)
			got := p.Match(host, 20880)
			if err != nil && (got || err.Error() == "") {
				t.Fatalf("%s: %q is an error (%v) and matches %q", d, expr, err, host)
			}
			if p.String() != expr {
				t.Fatalf("String() = %q, want %q", p, expr)
			}
		}
	})
}
