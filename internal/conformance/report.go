package conformance

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// defaultShown is how many differences a report prints per area and version unless told otherwise.
const defaultShown = 3

// Report is the outcome of a run.
type Report struct {
	Rows []*Row
	// Shown is how many differences Write prints per area and version; zero means three.
	Shown int
}

// Row counts one area in one version column.
type Row struct {
	Area, Version  string
	Passed, Failed int
	// LeftOut counts cases that the runner cannot replay, by reason.
	LeftOut map[string]int
	// Differences are the failed cases, in the order of the file.
	Differences []Difference
}

// Difference is one case that answered otherwise.
type Difference struct {
	ID, Want, Got string
	// Input is the case as recorded.
	Input string
}

func (r *Report) row(area, version string) *Row {
	for _, x := range r.Rows {
		if x.Area == area && x.Version == version {
			return x
		}
	}
	x := &Row{Area: area, Version: version, LeftOut: map[string]int{}}
	r.Rows = append(r.Rows, x)
	return x
}

// count compares two answers.
func (x *Row) count(c *Case, want, got string) {
	if want == got {
		x.Passed++
		return
	}
	x.Failed++
	x.Differences = append(x.Differences, Difference{ID: c.ID, Want: want, Got: got, Input: c.raw})
}

// Failed returns the number of differences.
func (r *Report) Failed() int {
	n := 0
	for _, x := range r.Rows {
		n += x.Failed
	}
	return n
}

// Write prints the table and the first differences with their inputs.
func (r *Report) Write(w io.Writer) error {
	slices.SortStableFunc(r.Rows, func(a, b *Row) int {
		if c := strings.Compare(a.Area, b.Area); c != 0 {
			return c
		}
		return strings.Compare(a.Version, b.Version)
	})
	var b strings.Builder
	for _, x := range r.Rows {
		fmt.Fprintf(&b, "%-18s %-7s %6d passed %5d failed", x.Area, x.Version, x.Passed, x.Failed)
		reasons := make([]string, 0, len(x.LeftOut))
		for reason := range x.LeftOut {
			reasons = append(reasons, reason)
		}
		slices.Sort(reasons)
		for _, reason := range reasons {
			fmt.Fprintf(&b, "  %d left out: %s;", x.LeftOut[reason], reason)
		}
		b.WriteByte('\n')
	}
	shown := r.Shown
	if shown == 0 {
		shown = defaultShown
	}
	for _, x := range r.Rows {
		for _, d := range x.Differences[:min(shown, len(x.Differences))] {
			fmt.Fprintf(&b, "\n%s %s\n  want %s\n  got  %s\n  case %s\n", x.Version, d.ID, d.Want, d.Got, d.Input)
		}
	}
	_, err := io.WriteString(w, b.String())
	if err != nil {
		return fmt.Errorf("conformance: write report: %w", err)
	}
	return nil
}
