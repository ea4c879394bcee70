package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// results are the samples of one or more runs, by benchmark and engine.
type results struct {
	cpu   string
	order []string // benchmark names without the engine, in order of appearance
	by    map[string]map[string]*samples
	// own are the benchmarks without an engine in their names, and their order.
	own      map[string]*samples
	ownOrder []string
}

// samples are the measurements of one benchmark by unit.
type samples map[string][]float64

func (s samples) median(unit string) (float64, bool) {
	list := slices.Clone(s[unit])
	if len(list) == 0 {
		return 0, false
	}
	slices.Sort(list)
	return list[len(list)/2], true
}

// parse reads lines such as "BenchmarkRoute/X-NONE/r=0/n=10/engine=dubway-2  100  53 ns/op  0 B/op".
func parse(text string) *results {
	out := &results{by: map[string]map[string]*samples{}, own: map[string]*samples{}}
	for line := range strings.Lines(text) {
		if cpu, ok := strings.CutPrefix(line, "cpu:"); ok {
			out.cpu = strings.TrimSpace(cpu)
		}
		f := strings.Fields(line)
		if len(f) < 4 || !strings.HasPrefix(f[0], "Benchmark") || len(f)%2 != 0 {
			continue
		}
		full, procs := processors(strings.TrimPrefix(f[0], "Benchmark"))
		name, engine, ok := strings.Cut(full, "/engine=")
		if !ok {
			s := out.own[full]
			if s == nil {
				s = &samples{}
				out.own[full] = s
				out.ownOrder = append(out.ownOrder, full)
			}
			s.add(f[2:])
			continue
		}
		if strings.HasPrefix(name, "Pick/") || strings.HasPrefix(name, "Call/") {
			name += fmt.Sprintf("/cpu=%d", procs)
		}
		if out.by[name] == nil {
			out.by[name] = map[string]*samples{}
			out.order = append(out.order, name)
		}
		s := out.by[name][engine]
		if s == nil {
			s = &samples{}
			out.by[name][engine] = s
		}
		s.add(f[2:])
	}
	return out
}

// processors cuts the number of processors off a name; go test leaves it out when it is 1.
func processors(name string) (string, int) {
	if i := strings.LastIndexByte(name, '-'); i >= 0 {
		if n, err := strconv.Atoi(name[i+1:]); err == nil {
			return name[:i], n
		}
	}
	return name, 1
}

// add takes the values and units of a line.
func (s *samples) add(fields []string) {
	for i := 0; i+1 < len(fields); i += 2 {
		if v, err := strconv.ParseFloat(fields[i], 64); err == nil {
			(*s)[fields[i+1]] = append((*s)[fields[i+1]], v)
		}
	}
}
