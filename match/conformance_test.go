package match_test

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/match"
)

var versions = map[string]dialect.Dialect{
	"2.6.12": dialect.Dubbo26, "2.7.23": dialect.Dubbo27, "3.1.11": dialect.Dubbo31, "3.3.1": dialect.Dubbo33,
}

type matchCase struct {
	ID, Op, Pattern, Param, Host string
	Value                        *string
	Port                         int
	Expect                       map[string]struct {
		Error string
		Match bool
	}
}

// TestConformance compares globs and address expressions with the answers of the real versions.
func TestConformance(t *testing.T) {
	f, err := os.Open("../testdata/conformance/url.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	scan := bufio.NewScanner(f)
	scan.Buffer(nil, 1<<20)
	checked := map[string]int{}
	for scan.Scan() {
		var head struct{ Op string }
		if err := json.Unmarshal(scan.Bytes(), &head); err != nil {
			t.Fatal(err)
		}
		if head.Op != "glob" && head.Op != "ip" {
			continue
		}
		var c matchCase
		if err := json.Unmarshal(scan.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		for version, want := range c.Expect {
			checked[c.Op]++
			if c.Op == "glob" {
				checkGlob(t, c, versions[version], want.Match)
				continue
			}
			p, err := match.CompileAddress(c.Pattern, versions[version])
			got := err == nil && p.Match(c.Host, c.Port)
			if got != want.Match { // an error is "no match" to Dubbo's callers
				t.Errorf("%s %s: address %q on %s:%d = %v %v, want %v", c.ID, version, c.Pattern, c.Host, c.Port, got, err, want)
			}
		}
	}
	if checked["glob"] != 996 || checked["ip"] != 642 {
		t.Errorf("checked %v", checked)
	}
}

func checkGlob(t *testing.T, c matchCase, d dialect.Dialect, want bool) {
	t.Helper()
	value := ""
	if c.Value != nil {
		value = *c.Value
	}
	pattern := c.Pattern
	o := match.Options{Dialect: d, Right: c.Param != ""}
	if c.Param != "" {
		var err error
		if o.Consumer, err = durl.ParseAs(c.Param, d); err != nil {
			t.Errorf("%s: %v", c.ID, err)
		}
		if len(pattern) > 0 && pattern[0] == '$' {
			pattern, _ = o.Consumer.Raw(pattern[1:])
		}
	}
	if got := match.Glob(pattern, value); got != want {
		t.Errorf("%s: Glob(%q, %q) = %v", c.ID, pattern, value, got)
	}
	if d == dialect.Dubbo33 {
		o.Dialect = dialect.Dubbo31 // from 3.2 on "~" never reaches the glob (spec §2.4)
	}
	if got := match.Compile(c.Pattern, o).Match(value, c.Value != nil); got != want {
		t.Errorf("%s: Compile(%q).Match(%q) = %v", c.ID, c.Pattern, value, got)
	}
}
