package main

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// markdown writes one table a benchmark function, and one of the benchmarks that have no engine in their names.
func (r *results) markdown() string {
	var b strings.Builder
	last := ""
	for _, name := range r.sorted() {
		group, rest, _ := strings.Cut(name, "/")
		ours, peers := r.by[name]["dubway"], r.by[name]["dubbo-go"]
		if group != last {
			last = group
			fmt.Fprintf(&b, "\n**Benchmark%s**\n\n| workload | dubway | B | allocs | dubbo-go | B | allocs | ratio |\n|---|--:|--:|--:|--:|--:|--:|--:|\n", group)
		}
		fmt.Fprintf(&b, "| %s |%s|%s| %s |\n", rest, columns(ours), columns(peers), ratio(ours, peers))
	}
	for i, name := range r.ownOrder {
		if i == 0 {
			b.WriteString("\n**Over a connection, client and server in one process**\n\n| | a call | B | allocs | calls/s | of the limit | cpu ns | p50 µs | p99 µs |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|\n")
		}
		s := r.own[name]
		ns, _ := s.median("ns/op")
		fmt.Fprintf(&b, "| %s | %s |", name, duration(ns))
		for _, unit := range []string{"B/op", "allocs/op", "calls/s"} {
			fmt.Fprintf(&b, " %s |", cell(s, unit))
		}
		fmt.Fprintf(&b, " %s |", r.ofLimit(name))
		for _, unit := range []string{"cpu-ns/call", "p50-µs", "p99-µs"} {
			fmt.Fprintf(&b, " %s |", cell(s, unit))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// ofLimit is the share of calls a second that a benchmark reaches of what the machine's sockets can do, which BenchmarkEchoLimit measures: it says
// more than the calls do when machines or days differ.
func (r *results) ofLimit(name string) string {
	limit := r.own["EchoLimit"]
	if limit == nil || !strings.HasPrefix(name, "Echo/") {
		return "–"
	}
	most, ok := limit.median("calls/s")
	calls, ok2 := r.own[name].median("calls/s")
	if !ok || !ok2 || most == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f %%", 100*calls/most)
}

// sorted returns the names by function in order of appearance, and in a function by workload, number of rules, of providers and
// of processors.
func (r *results) sorted() []string {
	order := slices.Clone(r.order)
	first := map[string]int{}
	for i, name := range order {
		parts := strings.Split(name, "/")
		for _, key := range []string{parts[0], parts[0] + "/" + parts[1]} {
			if _, ok := first[key]; !ok {
				first[key] = i
			}
		}
	}
	slices.SortStableFunc(order, func(a, b string) int {
		x, y := strings.Split(a, "/"), strings.Split(b, "/")
		if c := cmp.Or(first[x[0]]-first[y[0]], first[x[0]+"/"+x[1]]-first[y[0]+"/"+y[1]]); c != 0 {
			return c
		}
		return slices.Compare(numbers(a), numbers(b))
	})
	return order
}

// numbers returns the values of r=, n= and cpu= in a name.
func numbers(name string) []int {
	var out []int
	for _, m := range settings.FindAllStringSubmatch(name, -1) {
		n, _ := strconv.Atoi(m[1])
		out = append(out, n)
	}
	return out
}

var settings = regexp.MustCompile(`/[a-z]+=(\d+)`)

func cell(s *samples, unit string) string {
	v, ok := s.median(unit)
	if !ok {
		return "–"
	}
	return thousands(v)
}

func columns(s *samples) string {
	if s == nil {
		return " – | – | – "
	}
	if per, ok := s.median("B/instance"); ok {
		total, _ := s.median("MB")
		return fmt.Sprintf(" %.0f MB | %.0f an instance | – ", total, per)
	}
	ns, _ := s.median("ns/op")
	return fmt.Sprintf(" %s | %s | %s ", duration(ns), cell(s, "B/op"), cell(s, "allocs/op"))
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
