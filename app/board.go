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

// Board prints the traffic as a table: one line a second, one column a provider, with the names, regions and tags or versions again every so often.
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
			if b.lines == 0 {
				b.Line() // a short run, or a machine too busy to tick, shows something too
			}
			return
		case <-ticks.C:
			b.Line()
		}
	}
}

// The board fits into 100 columns: a cell holds a share, the first of a service also a provider's whole name; the others have its number only.
const (
	cell      = 6
	firstCell = 8
)

// row writes one line: the start, then a cell for each provider, with a bar between services.
func (b *Board) row(start string, text func(p *demoServer, first bool) string) {
	line := strings.Builder{}
	line.WriteString(start)
	service := ""
	for _, p := range b.d.providers {
		first, width := p.service != service, cell
		if first {
			width = firstCell
			if service != "" {
				line.WriteString(" |")
			}
		}
		service = p.service
		if s := text(p, first); s != idle {
			fmt.Fprintf(&line, "%*s", width, s)
		} else {
			line.WriteString(b.dim + strings.Repeat(" ", width-1) + idle + b.plain)
		}
	}
	fmt.Fprintln(b.w, line.String())
}

// idle is the cell of a provider without calls.
const idle = "·"

func (b *Board) header() {
	indent := strings.Repeat(" ", 13)
	b.row(fmt.Sprintf("%7s %5s", "calls/s", "fail"), func(p *demoServer, first bool) string {
		if first {
			return p.name
		}
		return p.name[strings.LastIndexByte(p.name, '-'):]
	})
	b.row(indent, func(p *demoServer, _ bool) string { return short(p.region) })
	b.row(indent, func(p *demoServer, _ bool) string {
		if p.version != "" {
			return "v" + p.version[:1]
		}
		return p.tag
	})
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
	b.row(fmt.Sprintf("%7d %5d", calls-b.calls, failed-b.failed), func(p *demoServer, _ bool) string {
		n := now[p.address].calls - b.before[p.address].calls
		if n == 0 {
			return idle
		}
		return fmt.Sprintf("%.0f%%", 100*float64(n)/float64(byService[p.service]))
	})
	b.before, b.calls, b.failed = now, calls, failed
}
