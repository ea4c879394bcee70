package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
)

const peerVersion = "v3.3.1"

// machine describes where and with what the figures were measured.
func machine(r *results) string {
	load := "unknown"
	if text, err := os.ReadFile("/proc/loadavg"); err == nil {
		load = strings.Join(strings.Fields(string(text))[:3], " ")
	}
	commit := "unknown"
	if out, err := exec.Command("git", "rev-parse", "--short", "HEAD").Output(); err == nil {
		commit = strings.TrimSpace(string(out))
	}
	return fmt.Sprintf("%s/%s, %s, %d CPUs, load average %s at the end; %s; dubway %s, dubbo-go %s. Medians.\n",
		runtime.GOOS, runtime.GOARCH, r.cpu, runtime.NumCPU(), load, runtime.Version(), commit, peerVersion)
}

// markdown writes one table a benchmark function.
func (r *results) markdown() string {
	var b strings.Builder
	last := ""
	order := slices.Clone(r.order)
	first := map[string]int{} // a function's results stand together, also when they come from several runs
	for i, name := range order {
		group, _, _ := strings.Cut(name, "/")
		if _, ok := first[group]; !ok {
			first[group] = i
		}
	}
	slices.SortStableFunc(order, func(a, b string) int {
		a, _, _ = strings.Cut(a, "/")
		b, _, _ = strings.Cut(b, "/")
		return first[a] - first[b]
	})
	for _, name := range order {
		group, rest, _ := strings.Cut(name, "/")
		ours, peers := r.by[name]["dubway"], r.by[name]["dubbo-go"]
		if group != last {
			last = group
			fmt.Fprintf(&b, "\n**Benchmark%s**\n\n| workload | dubway | B | allocs | dubbo-go | B | allocs | ratio |\n|---|--:|--:|--:|--:|--:|--:|--:|\n", group)
		}
		fmt.Fprintf(&b, "| %s |%s|%s| %s |\n", rest, columns(ours), columns(peers), ratio(ours, peers))
	}
	return b.String()
}

func columns(s *samples) string {
	if s == nil {
		return " – | – | – "
	}
	if per, ok := s.median("B/instance"); ok {
		total, _ := s.median("MB")
		return fmt.Sprintf(" %.0f MB | %.0f an instance | – ", total, per)
	}
	cell := func(unit string) string {
		v, ok := s.median(unit)
		if !ok {
			return "–"
		}
		return thousands(v)
	}
	ns, _ := s.median("ns/op")
	return fmt.Sprintf(" %s | %s | %s ", duration(ns), cell("B/op"), cell("allocs/op"))
}

func ratio(ours, peers *samples) string {
	if ours == nil || peers == nil {
		return "–"
	}
	a, ok := ours.median("ns/op")
	b, ok2 := peers.median("ns/op")
	if !ok || !ok2 || a == 0 {
		return "–"
	}
	if b/a < 10 {
		return fmt.Sprintf("%.1f", b/a)
	}
	return thousands(b / a)
}

func duration(ns float64) string {
	switch {
	case ns < 1e3:
		return fmt.Sprintf("%.0f ns", ns)
	case ns < 1e6:
		return fmt.Sprintf("%.1f µs", ns/1e3)
	case ns < 1e9:
		return fmt.Sprintf("%.1f ms", ns/1e6)
	}
	return fmt.Sprintf("%.2f s", ns/1e9)
}

func thousands(v float64) string {
	digits := fmt.Sprintf("%.0f", v)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
