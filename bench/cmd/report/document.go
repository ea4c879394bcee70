package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

const peerVersion = "v3.3.1"

// part is one generated part of the document.
type part struct{ name, text string }

// benchSlices are the slices whose raw files are outputs of "go test -bench".
var benchSlices = [...]string{"route", "route-peer", "cold", "update", "explain", "directory", "pick", "pick-peer", "memory", "echo"}

// parts makes the parts of the document from the raw files that there are.
func parts(texts map[string]string) []part {
	var all strings.Builder
	for _, name := range benchSlices {
		all.WriteString(texts[name])
	}
	results := parse(all.String())
	out := []part{{"targets", targets(results, texts)}}
	if len(results.order)+len(results.own) > 0 {
		out = append(out, part{"bench", results.markdown()})
	}
	out = append(out, part{"machine", machine(texts, results.cpu)})
	if t := tableOf(texts["change"]); t != "" {
		out = append(out, part{"change", t})
	}
	if t := tableOf(texts["wire"]); t != "" {
		out = append(out, part{"wire", t})
	}
	return out
}

// tableOf returns the Markdown table in a command's output, also one that a test logged.
func tableOf(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if i := strings.Index(line, "| "); i == 0 || i > 0 && logged.MatchString(line[:i]) {
			b.WriteString(line[i:])
		} else if i := strings.Index(line, "|--"); i >= 0 {
			b.WriteString(line[i:])
		}
	}
	return b.String()
}

var logged = regexp.MustCompile(`^\s+[a-z_]+\.go:\d+: $`)

// machine says where, when and with what the raw files were measured.
func machine(texts map[string]string, cpu string) string {
	values := func(prefix string) []string {
		var out []string
		for _, s := range plan() {
			for line := range strings.Lines(texts[s.name]) {
				if v, ok := strings.CutPrefix(line, prefix); ok {
					out = append(out, strings.TrimSpace(v))
				}
			}
		}
		slices.Sort(out)
		return slices.Compact(out)
	}
	least, most := -1.0, 0.0
	for _, l := range values("# load ") {
		var one float64
		if _, err := fmt.Sscan(l, &one); err == nil {
			most = max(most, one)
			if least < 0 || one < least {
				least = one
			}
		}
	}
	system, total := "", 0.0
	for _, v := range values(done + " in ") {
		took, rest, _ := strings.Cut(v, " s, ")
		var seconds float64
		if _, err := fmt.Sscan(took, &seconds); err == nil {
			total += seconds
		}
		system = rest
	}
	return fmt.Sprintf("%s, %s; dubway %s, dubbo-go %s; load average between %.1f and %.1f at the ends of the parts; %.0f s in all. Medians.\n",
		cpu, system, strings.Join(values("# commit "), " to "), peerVersion, max(least, 0), most, total)
}
