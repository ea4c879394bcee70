package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// slice is a part of the whole measurement with a raw file of its own, so that a run can be stopped and gone on with.
type slice struct {
	name string
	what string
	// seconds is about how long it takes on two idle cores.
	seconds int
	// dir is where the command runs, from this module's directory; command is the command without the options of -max.
	dir     string
	command []string
	// sized commands take -maxn.
	sized bool
}

func benchmarks(pattern, benchtime string, count int, more ...string) []string {
	return append([]string{"go", "test", "-run", "^$", "-bench", pattern, "-benchtime", benchtime, "-count", fmt.Sprint(count), "-timeout", "0", "."}, more...)
}

// plan is every slice in order. Five samples of 200 ms or more for what the targets are about; dubbo-go's slow calls run once or
// twice a sample.
func plan() []slice {
	return []slice{
		{"route", "one warm call of dubway", 400, ".", benchmarks("^BenchmarkRoute$/./././engine=dubway", "200ms", 5), true},
		{"route-peer", "the same with dubbo-go's routers", 150, ".", benchmarks("^BenchmarkRoute$/./././engine=dubbo-go", "100ms", 5), true},
		{"cold", "the first call on a new snapshot", 30, ".", benchmarks("^BenchmarkCold$", "50x", 5), true},
		{"update", "a document's text to the first call that obeys it", 60, ".", benchmarks("^BenchmarkUpdate$", "200ms", 5), true},
		{"explain", "a call with the reason of every step", 55, ".", benchmarks("^BenchmarkExplain$", "100ms", 5), true},
		{"directory", "a provider list to the snapshot in use", 175, ".", benchmarks("^BenchmarkDirectory$", "200ms", 5), true},
		{"pick", "balancers, and whole calls on 1, 2, 4 and 8 goroutines", 340, ".", benchmarks("^Benchmark(Pick|Call)$/./././engine=dubway", "100ms", 5, "-cpu", "1,2,4,8"), true},
		{"pick-peer", "dubbo-go's balancers", 30, ".", benchmarks("^BenchmarkPick$/./././engine=dubbo-go", "50ms", 5, "-cpu", "2"), true},
		{"memory", "live heap of open directories", 15, ".", benchmarks("^BenchmarkMemory$", "1x", 3), true},
		{"echo", "calls over one connection in one process, and the whole way of a call", 40, "..", []string{"go", "test", "-run", "^$",
			"-bench", "^Benchmark(Echo|EchoLimit|Call)$", "-benchmem", "-benchtime", "1s", "-count", "5", ".", "./transport/dubbo"}, false},
		{"change", "64 callers while snapshots are published", 65, ".", []string{"go", "test", "-count", "1", "-run", "TestUnderChange", "-v", ".", "-changefor", "60s"}, false},
		{"race", "the same under the race detector", 25, ".", []string{"go", "test", "-race", "-count", "1", "-run", "TestUnderChange", "-v", ".", "-changefor", "10s"}, false},
		{"demo", "from the start of the demo to its first routed call", 5, "..", []string{"go", "run", "./cmd/dubway", "demo", "--for", "3s", "--json", "--admin", "127.0.0.1:0",
			"--gateway", "127.0.0.1:0", "--base-port", "0"}, false},
		{"wire", "both clients with both servers", 65, ".", []string{"go", "run", "./load"}, false},
	}
}

// chosen returns the slices with these names, all of them for "".
func chosen(names string) ([]slice, error) {
	all := plan()
	if names == "" {
		return all, nil
	}
	var out []slice
	for name := range strings.SplitSeq(names, ",") {
		i := slices.IndexFunc(all, func(s slice) bool { return s.name == strings.TrimSpace(name) })
		if i < 0 {
			return nil, fmt.Errorf("no slice %q: see -list", name)
		}
		out = append(out, all[i])
	}
	return out, nil
}

// list prints the plan.
func list(w io.Writer) {
	total := 0
	for _, s := range plan() {
		fmt.Fprintf(w, "%-12s about %3d s  %s\n", s.name, s.seconds, s.what)
		total += s.seconds
	}
	fmt.Fprintf(w, "%-12s about %3d s on two idle cores\n", "all", total)
}

// done begins the last line of a raw file that is complete.
const done = "# done"

// runner runs slices into a directory.
type runner struct {
	raw   string
	again bool
	max   int
}

func (r runner) file(s slice) string { return filepath.Join(r.raw, s.name+".txt") }

// complete reports whether a slice was run to its end.
func (r runner) complete(s slice) bool {
	text, err := os.ReadFile(r.file(s))
	return err == nil && strings.Contains(string(text), "\n"+done)
}

// run runs what is not complete yet and says how long each part took.
func (r runner) run(parts []slice) error {
	if err := os.MkdirAll(r.raw, 0o755); err != nil {
		return err
	}
	start := time.Now()
	for i, s := range parts {
		if !r.again && r.complete(s) {
			fmt.Fprintf(os.Stderr, "report: %s was run before (%s); -again runs it anew\n", s.name, r.file(s))
			continue
		}
		fmt.Fprintf(os.Stderr, "report: %s (%d of %d): %s, about %d s\n", s.name, i+1, len(parts), s.what, s.seconds)
		if err := r.one(s); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	fmt.Fprintf(os.Stderr, "report: all in %.0f s\n", time.Since(start).Seconds())
	return nil
}

// one runs a slice. Its file is complete only when the command ended well.
func (r runner) one(s slice) error {
	var text bytes.Buffer
	args := s.command[1:]
	if s.sized && r.max > 0 {
		args = append(slices.Clone(args), "-maxn", fmt.Sprint(r.max))
	}
	fmt.Fprintf(&text, "# %s %s\n# load %s\n# commit %s\n", s.command[0], strings.Join(args, " "), load(), commit())
	start := time.Now()
	c := exec.Command(s.command[0], args...)
	c.Dir = s.dir
	c.Stdout, c.Stderr = io.MultiWriter(&text, os.Stderr), os.Stderr
	err := c.Run()
	took := time.Since(start)
	if err == nil {
		fmt.Fprintf(&text, "# load %s\n%s in %.0f s, %s/%s, %d CPUs, %s\n", load(), done, took.Seconds(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())
		fmt.Fprintf(os.Stderr, "report: %s took %.0f s\n", s.name, took.Seconds())
	}
	if werr := os.WriteFile(r.file(s), text.Bytes(), 0o644); werr != nil {
		return werr
	}
	return err
}

// read returns the raw text of the slices of the plan that are complete, by name, and the names of those that are not.
func (r runner) read() (texts map[string]string, missing []string, err error) {
	texts = map[string]string{}
	for _, s := range plan() {
		if !r.complete(s) {
			missing = append(missing, s.name)
			continue
		}
		text, err := os.ReadFile(r.file(s))
		if err != nil {
			return nil, nil, err
		}
		texts[s.name] = string(text)
	}
	return texts, missing, nil
}

// load returns the three load averages, or "unknown".
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if f := strings.Fields(string(text)); err == nil && len(f) >= 3 {
		return strings.Join(f[:3], " ")
	}
	return "unknown"
}

func commit() string {
	out, err := exec.Command("git", "rev-parse", "--short", "HEAD").Output()
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(out))
}
