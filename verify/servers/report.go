package servers

import (
	"fmt"
	"os"
	"strings"
)

// Report returns one line that names the suites which cannot run here, what they miss and the command
// that sets it up; empty when nothing is missing. interop is a module of its own, so a plain
// `go test ./...` never runs it: ran says which suites this run included.
func Report(found func(string) bool, ran func(Suite) bool) string {
	var out []string
	for _, s := range Suites() {
		switch missing := s.Missing(found); {
		case len(missing) > 0:
			out = append(out, fmt.Sprintf("%s (missing %s)", s.Name, strings.Join(missing, ", ")))
		case !ran(s):
			out = append(out, s.Name+" (a module of its own)")
		}
	}
	if len(out) == 0 {
		return ""
	}
	return "not run, real servers: " + strings.Join(out, "; ") + " — `make test` sets them up and runs them"
}

func exists(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
