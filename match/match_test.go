package match_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/match"
)

const std, old, d31, d33 = dialect.Standard, dialect.Dubbo26, dialect.Dubbo31, dialect.Dubbo33

// TestCompile: ranges and "$name" (spec §2.4, §2.7). The dubbo-3.3 rows are vectors C37 to C43 of the spec's appendix D.
func TestCompile(t *testing.T) {
	consumer := durl.New("consumer", "10.0.0.9", 0, "a.B", durl.Param{Key: "region", Value: "h*"}, durl.Param{Key: "k", Value: "$k"})
	for _, c := range []struct {
		dialect   dialect.Dialect
		right     bool
		pattern   string
		yes, no   []string
		nullMatch bool
	}{
		{dialect: std, pattern: "5~10", yes: []string{"5", "10", "007"}, no: []string{"4", "11", "abc", "", "-5", "5~10", "99999999999999999999"}},
		{dialect: std, pattern: "5~", yes: []string{"5", "9000000000"}, no: []string{"4", "x"}},
		{dialect: std, pattern: "~5", yes: []string{"5", "0", "-7"}, no: []string{"6", ""}},
		{dialect: std, pattern: "-5~-1", yes: []string{"-5", "-1"}, no: []string{"0", "-6"}},
		{dialect: std, pattern: "-9223372036854775808~9223372036854775807", yes: []string{"-9223372036854775808", "9223372036854775807", "0"}, no: []string{"9223372036854775808", "-9223372036854775809", "+1", "-", "1e3"}},
		{dialect: std, pattern: "9~1", no: []string{"1", "5", "9"}},
		{dialect: std, pattern: "a~b", yes: []string{"a~b"}, no: []string{"a", "0"}},
		{dialect: std, pattern: "~", yes: []string{"~"}, no: []string{"", "1"}},
		{dialect: d31, pattern: "5~10", yes: []string{"5~10"}, no: []string{"7"}},
		{dialect: d33, pattern: "5~10", yes: []string{"5", "10"}, no: []string{"11", "5~10", "4"}},
		{dialect: d33, pattern: "5~", no: []string{"5", "9"}},
		{dialect: d33, right: true, pattern: "5~", yes: []string{"1", "11"}},
		{dialect: d33, pattern: "5~~x", yes: []string{"11"}, no: []string{"1"}},
		{dialect: d33, pattern: "0~10", yes: []string{"abc", "-5", ""}, no: []string{"11"}},
		{dialect: d33, pattern: "~10", yes: []string{"3"}, no: []string{"11"}},
		{dialect: d33, right: true, pattern: "99999999999~5", yes: []string{"3", "11"}},
		{dialect: d33, pattern: "99999999999~5", no: []string{"3", "11"}},
		{dialect: d33, pattern: "1~5", no: []string{"99999999999"}},
		{dialect: d33, right: true, pattern: "1~5", yes: []string{"99999999999"}},
		{dialect: d33, pattern: "~", no: []string{"", "0"}},
		{dialect: std, right: true, pattern: "$region", yes: []string{"hz"}, no: []string{"sh", "$region", ""}},
		{dialect: std, right: true, pattern: "$nosuch", yes: []string{""}, no: []string{"x", "$nosuch"}, nullMatch: true},
		{dialect: std, right: true, pattern: "$host", yes: []string{"10.0.0.9"}},
		{dialect: std, right: true, pattern: "$port", yes: []string{"0"}},
		{dialect: std, right: true, pattern: "$address", yes: []string{"10.0.0.9"}},
		{dialect: d33, right: true, pattern: "$address", yes: []string{""}, no: []string{"10.0.0.9"}, nullMatch: true},
		{dialect: std, pattern: "$host", yes: []string{"$host"}, no: []string{"10.0.0.9"}},
		{dialect: std, right: true, pattern: "$k", yes: []string{"$k"}},
		{dialect: old, pattern: "*", yes: []string{"", "x"}, nullMatch: true},
		{dialect: old, pattern: "a*b*", yes: []string{"a*bx"}, no: []string{"axbx"}},
	} {
		p := match.Compile(c.pattern, match.Options{Dialect: c.dialect, Right: c.right, Consumer: consumer})
		for _, v := range c.yes {
			if !p.Match(v, true) {
				t.Errorf("%s: %q does not match %q", c.dialect, c.pattern, v)
			}
		}
		for _, v := range c.no {
			if p.Match(v, true) {
				t.Errorf("%s: %q matches %q", c.dialect, c.pattern, v)
			}
		}
		if c.dialect != d33 && p.Match("", false) != c.nullMatch {
			t.Errorf("%s: %q on an absent value: %v", c.dialect, c.pattern, !c.nullMatch)
		}
	}
}

func TestPatternFacts(t *testing.T) {
	for _, c := range []struct {
		pattern       string
		literal       bool
		always, never bool
	}{{"abc", true, false, false}, {"a*", false, false, false}, {"*", false, true, false}, {"9~1", false, false, true}, {"1~9", false, false, false}, {"", true, false, false}} {
		p := match.Compile(c.pattern, match.Options{})
		text, literal := p.Literal()
		if literal != c.literal || literal && text != c.pattern || p.Always() != c.always || p.Never() != c.never || p.String() != c.pattern {
			t.Errorf("%q: literal %q %v, always %v, never %v", c.pattern, text, literal, p.Always(), p.Never())
		}
	}
}

// TestAddress: forms and repairs of address expressions (spec §1.10).
func TestAddress(t *testing.T) {
	for _, c := range []struct {
		dialect dialect.Dialect
		expr    string
		host    string
		port    int
		want    bool
	}{
		{std, "*:20880", "10.0.0.1", 20880, true},
		{std, "*:20880", "10.0.0.1", 20881, false},
		{std, "*", "any.name", 1, true},
		{std, "0.0.0.0:20880", "10.0.0.1", 20880, true},
		{d33, "0.0.0.0:20880", "10.0.0.1", 20880, true},
		{d33, "0.0.0.0:20880", "fd00::1", 20880, false},
		{std, "10.0.0.0/16:20880", "10.0.7.7", 20880, true},
		{std, "10.0.0.0/16:20880", "10.0.7.7", 20881, false},
		{std, "10.0.0.0/16", "10.1.0.0", 1, false},
		{d33, "10.0.0.7/33", "10.0.0.7", 1, true},
		{d33, "10.0.0.7/-1", "11.0.0.8", 1, true},
		{std, "10.0.*.1-5", "10.0.9.5", 1, true},
		{std, "10.0.*.1-5", "10.0.9.6", 1, false},
		{std, "10.0.*.1-5", "a.host.name.x", 1, false},
		{std, " 10.0.0.1 ", "10.0.0.1", 1, true},
		{std, "fd00::1", "[fd00:0:0:0:0:0:0:1]", 1, true},
		{std, "[fd00::1]:20880", "[fd00::1]", 20880, true},
		{std, "[fd00::1]:20880", "[fd00::1]", 20881, false},
		{std, "fd00::/64", "fd00::1:2", 1, true},
		{std, "fd00:0:0:0:0:0:*:0-ff", "[fd00::3:1f]", 1, true},
		{std, "fd00:0:0:0:0:0:*:0-ff", "[fd00::3:100]", 1, false},
		{std, "fe80::1", "[fe80::1%eth0]", 1, true},
		{std, "10.0.0.1", "fd00::1", 1, false},
	} {
		p, err := match.CompileAddress(c.expr, c.dialect)
		if err != nil || p.Match(c.host, c.port) != c.want {
			t.Errorf("%s: %q on %s:%d: %v, want %v", c.dialect, c.expr, c.host, c.port, err, c.want)
		}
	}
	for _, expr := range []string{"", " ", "10.0.0", "host.name", "a.b.c.d", "10.0.0.1:x", "10.0.0.1:0", "10.0.0.1:70000", "10.0.0.1:", "10.0.0.256", "10.0.0.5-1", "10.0.0.1-300", "10.0.0.a*",
		"10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/x", "name/8", "10.0.0.0/8:x", "[fd00::1", "fd00:*", "fd00::*", "fd00::zz", fmt.Sprintf("%300d", 1)} {
		p, err := match.CompileAddress(expr, std)
		d, ok := errors.AsType[diag.Diagnostic](err)
		if !ok || d.Code != diag.BadAddress || d.Hint == "" || p.Match("10.0.0.1", 20880) {
			t.Errorf("%q: %v", expr, err)
		}
	}
}

func ExampleCompile() {
	consumer, _ := durl.Parse("consumer://10.0.0.9/com.example.Order?region=hz")
	sameRegion := match.Compile("$region", match.Options{Right: true, Consumer: consumer})
	ports := match.Compile("20880~20890", match.Options{Right: true})
	fmt.Println(sameRegion.Match("hz", true), sameRegion.Match("sh", true), ports.Match("20885", true))
	// Output: true false true
}

func ExampleCompileAddress() {
	p, _ := match.CompileAddress("10.0.*.1-5:20880", dialect.Standard)
	fmt.Println(p.Match("10.0.7.3", 20880), p.Match("10.0.7.9", 20880))
	_, err := match.CompileAddress("order.example.com:20880", dialect.Standard)
	fmt.Println(err)
	// Output:
	// true false
	// 1:1: error DW160: address expression "order.example.com" has not four segments (host names are not looked up here: write the IP address)
}
