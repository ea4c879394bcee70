package cluster_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestTableOfGroupsIsTested keeps the rows G and Z of docs/dialects.md and the tests that they name in step.
func TestTableOfGroupsIsTested(t *testing.T) {
	read := func(name string) string {
		t.Helper()
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	sources := map[string]string{"D": read("../directory/groups_test.go"), "C": read("mergeable_test.go") + read("registries_test.go"), "`cluster/merger`": read("merger/merger_test.go")}
	rows := regexp.MustCompile(`(?m)^\| ([GZ]\d+) \|.*\| ([^|]+) \|$`).FindAllStringSubmatch(read("../docs/dialects.md"), -1)
	if len(rows) < 20 {
		t.Fatalf("only %d rows found", len(rows))
	}
	last := ""
	for _, row := range rows {
		named := row[2]
		if named == "same" {
			named = last
		}
		last = named
		where, name, _ := strings.Cut(named, " ")
		if name = strings.Trim(name, "`"); !strings.Contains(sources[where], "func "+name+"(") {
			t.Errorf("row %s names a test that is not there: %s", row[1], named)
		}
	}
}
