package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// target is one figure that the design names and what the raw files say about it.
type target struct {
	work, want string
	// of reads the measured value; ok is false when it is not there.
	of    func(r *results, texts map[string]string) (v float64, ok bool)
	show  func(v float64) string
	most  float64 // the value must not exceed it
	least float64 // or must reach it, when most is 0
}

// worst returns the greatest median of a unit among dubway's benchmarks whose names match.
func worst(pattern, unit string) func(*results, map[string]string) (float64, bool) {
	re := regexp.MustCompile(pattern)
	return func(r *results, _ map[string]string) (most float64, found bool) {
		for _, name := range r.order {
			if s := r.by[name]["dubway"]; s != nil && re.MatchString(name) {
				if v, ok := s.median(unit); ok {
					most, found = max(most, v), true
				}
			}
		}
		return most, found
	}
}

// best returns the greatest median of a unit among the benchmarks of the module itself.
func best(name, unit string) func(*results, map[string]string) (float64, bool) {
	return func(r *results, _ map[string]string) (float64, bool) {
		s := r.own[name]
		if s == nil {
			return 0, false
		}
		return s.median(unit)
	}
}

// logValue finds a number in the output of a slice.
func logValue(slice, pattern string) func(*results, map[string]string) (float64, bool) {
	re := regexp.MustCompile(pattern)
	return func(_ *results, texts map[string]string) (float64, bool) {
		m := re.FindStringSubmatch(texts[slice])
		if m == nil {
			return 0, false
		}
		v, err := strconv.ParseFloat(m[1], 64)
		return v, err == nil
	}
}

// allTargets are those of the design.
func allTargets() []target {
	percent := func(v float64) string { return fmt.Sprintf("%.1f %%", v) }
	count := func(v float64) string { return thousands(v) }
	return []target{
		{"route + pick, 1 matching condition, 1,000 providers", "≤ 60 ns", worst(`^Route/C-HIT/r=1/n=1000$`, "ns/op"), duration, 60, 0},
		{"route + pick, any conditions or tags, 10 to 1,000,000 providers, r ≤ 100", "≤ 150 ns", worst(`^Route/[^S]`, "ns/op"), duration, 150, 0},
		{"the same, allocations", "0", worst(`^Route/[^S]`, "allocs/op"), count, 0.5, 0},
		{"route + pick behind a script that does not look at the call, 10 to 100,000 providers", "≤ 150 ns", worst(`^Route/S-(PORT|EXPR)`, "ns/op"), duration, 150, 0},
		{"first call on a new snapshot, 100,000 providers, r ≤ 100", "≤ 5 ms", worst(`^Cold/.*/n=100000$`, "ns/op"), duration, 5e6, 0},
		{"text of 100 conditions to active rule, 10,000 providers", "≤ 1 ms", worst(`^Update/U-COND/r=100/n=10000$`, "ns/op"), duration, 1e6, 0},
		{"one provider of 100,000 changed, added or removed", "≤ 5 ms", worst(`^Directory/D-(CHURN1|ADDDEL)/r=0/n=100000$`, "ns/op"), duration, 5e6, 0},
		{"identical list of 100,000", "≤ 50 ms", worst(`^Directory/D-SAME(-COPY)?/r=0/n=100000$`, "ns/op"), duration, 50e6, 0},
		{"cold start of 100,000", "≤ 1 s", worst(`^Directory/D-COLD/r=0/n=100000$`, "ns/op"), duration, 1e9, 0},
		{"cold start of 1,000,000", "≤ 15 s", worst(`^Directory/D-COLD/r=0/n=1000000$`, "ns/op"), duration, 15e9, 0},
		{"explain at 1,000 providers", "≤ 1 ms", worst(`^Explain/.*/n=1000$`, "ns/op"), duration, 1e6, 0},
		{"start of `dubway demo` to first routed call", "≤ 2 s", logValue("demo", `"firstCallMillis": ([\d.]+)`), func(v float64) string { return duration(1e6 * v) }, 2000, 0},
		{"memory an instance, one directory of 100,000", "≤ 600 B", worst(`^Memory/services=1/n=100000$`, "B/instance"), func(v float64) string { return fmt.Sprintf("%.0f B", v) }, 600, 0},
		{"1,000 services × 100 providers", "≤ 100 MB", worst(`^Memory/services=1000/n=100$`, "MB"), func(v float64) string { return fmt.Sprintf("%.0f MB", v) }, 100, 0},
		{"64 callers, 100 snapshots a second: loss", "< 10 %", logValue("change", `loss (-?[\d.]+) %`), percent, 10, 0},
		{"echo, one connection, 64 callers, two cores", "≥ 300,000 calls/s", best("Echo/direct", "calls/s"), count, 0, 300_000},
		{"allocations of a client's whole call", "≤ 10", logValue("wire", `\| dubway \| dubway \| closed loop \|(?:[^|]*\|){5,6}? ([\d.]+) \|`), func(v float64) string { return fmt.Sprintf("%.1f", v) }, 10, 0},
	}
}

// targets says of each target whether it was met.
func targets(r *results, texts map[string]string) string {
	var b strings.Builder
	b.WriteString("| work | target | measured | |\n|---|---|--:|---|\n")
	for _, t := range allTargets() {
		v, ok := t.of(r, texts)
		if !ok {
			continue
		}
		verdict := "**missed**"
		if t.most > 0 && v <= t.most || t.most == 0 && v >= t.least {
			verdict = "met"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", t.work, t.want, t.show(v), verdict)
	}
	return b.String()
}
