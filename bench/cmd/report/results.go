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
	out := &results{by: map[string]map[string]*samples{}}
	for line := range strings.Lines(text) {
		if cpu, ok := strings.CutPrefix(line, "cpu:"); ok {
			out.cpu = strings.TrimSpace(cpu)
		}
		f := strings.Fields(line)
		if len(f) < 4 || !strings.HasPrefix(f[0], "Benchmark") || len(f)%2 != 0 {
			continue
		}
		name, engine, ok := strings.Cut(strings.TrimPrefix(f[0], "Benchmark"), "/engine=")
		if !ok {
			continue
		}
		if i := strings.LastIndexByte(engine, '-'); i >= 0 {
			if procs, err := strconv.Atoi(engine[i+1:]); err == nil {
				engine = engine[:i]
				if strings.HasPrefix(name, "PickParallel/") {
					name += fmt.Sprintf("/cpu=%d", procs)
				}
			}
		} else if strings.HasPrefix(name, "PickParallel/") {
			name += "/cpu=1"
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
		for i := 2; i+1 < len(f); i += 2 {
			if v, err := strconv.ParseFloat(f[i], 64); err == nil {
				(*s)[f[i+1]] = append((*s)[f[i+1]], v)
			}
		}
	}
	return out
}
