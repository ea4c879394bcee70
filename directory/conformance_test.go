package directory_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dubway-go/dubway/dialect"
)

// versions maps the recorded versions to the dialect that agrees with them.
var versions = map[string]dialect.Dialect{
	"2.6.12": dialect.Dubbo26, "2.7.23": dialect.Dubbo27, "3.1.11": dialect.Dubbo31, "3.3.1": dialect.Dubbo33,
}

// readCases decodes every line of one area of the recorded corpus.
func readCases[T any](t *testing.T, area string) []T {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "testdata", "conformance", area+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []T
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 16<<20)
	for sc.Scan() {
		var c T
		if err := json.Unmarshal(sc.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		out = append(out, c)
	}
	if err := sc.Err(); err != nil {
		t.Fatal(err)
	}
	if len(out) == 0 {
		t.Fatalf("no cases in area %s", area)
	}
	return out
}

// tally counts passed and failed answers and shows the first failures.
type tally struct {
	t           *testing.T
	pass, total map[dialect.Dialect]int
	shown       int
}

func newTally(t *testing.T) *tally {
	return &tally{t: t, pass: map[dialect.Dialect]int{}, total: map[dialect.Dialect]int{}}
}

func (c *tally) check(id string, d dialect.Dialect, got, want any) {
	c.t.Helper()
	c.total[d]++
	g, w := fmt.Sprint(got), fmt.Sprint(want)
	if g == w {
		c.pass[d]++
		return
	}
	if c.shown++; c.shown <= 5 {
		c.t.Errorf("%s %s:\n got %s\nwant %s", id, d, g, w)
	}
}

func (c *tally) report(area string) {
	c.t.Helper()
	var parts []string
	failed := 0
	for _, d := range dialect.All() {
		if c.total[d] > 0 {
			parts = append(parts, fmt.Sprintf("%s %d/%d", d, c.pass[d], c.total[d]))
			failed += c.total[d] - c.pass[d]
		}
	}
	c.t.Logf("%s: %s", area, strings.Join(parts, ", "))
	if failed != 0 {
		c.t.Errorf("%s: %d answers differ", area, failed)
	}
}

func present(m map[string]*string) map[string]string {
	out := map[string]string{}
	for k, v := range m {
		if v != nil {
			out[k] = *v
		}
	}
	return out
}

func sorted(m map[string]string) string {
	b, _ := json.Marshal(maps.Collect(maps.All(m)))
	return string(b)
}
