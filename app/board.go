package app

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"strings"
	"time"
)

func goVersion() string { return runtime.Version() }

// Board prints the traffic as a table: one line a second, one column a provider, with the names again every so often.
type Board struct {
	d      *Demo
	w      io.Writer
	before map[string]tally
	calls  uint64
	failed uint64
	lines  int
	// dim and plain switch the colour of idle cells; both are empty without colour.
	dim, plain string
}

// NewBoard returns a board that writes to w.
func (d *Demo) NewBoard(w io.Writer, colour bool) *Board {
	b := &Board{d: d, w: w, before: make(map[string]tally)}
	if colour {
		b.dim, b.plain = "\x1b[2m", "\x1b[0m"
	}
	return b
}

// Run prints until ctx ends.
func (b *Board) Run(ctx context.Context) {
	ticks := time.NewTicker(time.Second)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
			b.Line()
		}
	}
}

const cell = 8

func (b *Board) header() {
	var names, places strings.Builder
	service := ""
	for _, p := range b.d.providers {
		if p.service != service && service != "" {
			names.WriteString(" |")
			places.WriteString(" |")
		}
		service = p.service
		place := short(p.region)
		if p.tag != "" {
			place += " " + p.tag
		}
		if p.version != "" {
			place += " v" + p.version[:1]
		}
		fmt.Fprintf(&names, "%*s", cell, p.name)
		fmt.Fprintf(&places, "%*s", cell, place)
	}
	fmt.Fprintf(b.w, "%7s %5s%s\n%13s%s\n", "calls/s", "fail", names.String(), "", places.String())
}

// Line prints what happened since the last Line: calls a second, failures, and each provider's share of its service's calls.
func (b *Board) Line() {
	if b.lines%20 == 0 {
		b.header()
	}
	b.lines++
	now := perProvider(b.d.app.traffic.snapshot())
	byService := make(map[string]uint64)
	for _, p := range b.d.providers {
		byService[p.service] += now[p.address].calls - b.before[p.address].calls
	}
	calls, failed := b.d.load.calls.Load(), b.d.load.failures.Load()
	var line strings.Builder
	fmt.Fprintf(&line, "%7d %5d", calls-b.calls, failed-b.failed)
	service := ""
	for _, p := range b.d.providers {
		if p.service != service && service != "" {
			line.WriteString(" |")
		}
		service = p.service
		n := now[p.address].calls - b.before[p.address].calls
		if n == 0 {
			line.WriteString(b.dim + strings.Repeat(" ", cell-1) + "·" + b.plain)
			continue
		}
		fmt.Fprintf(&line, "%*s", cell, fmt.Sprintf("%.0f%%", 100*float64(n)/float64(byService[p.service])))
	}
	fmt.Fprintln(b.w, line.String())
	b.before, b.calls, b.failed = now, calls, failed
}
