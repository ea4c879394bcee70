package script

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/service"
)

// Engine runs one program over one instance set for one consumer. It is immutable and safe for concurrent use; it needs no
// closing, and is worth as long as its snapshot. Providers get into a machine once for each set, one property at a time as the script asks.
type Engine struct {
	program   *Program
	dialect   dialect.Dialect
	providers *providers
	// fixed is the answer to every call, when no program runs.
	fixed *Result
	// last is how the list of the last call is written, which is usually that of the next one too.
	last atomic.Pointer[writtenList]
}

// NewEngine binds a program to a set and a consumer.
func NewEngine(p *Program, c service.Consumer, set *service.Set, d dialect.Dialect) *Engine {
	return &Engine{program: p, dialect: d, providers: &providers{set: set, consumer: c.URL}}
}

// Set returns the instance set.
func (e *Engine) Set() *service.Set { return e.providers.set }

// Run runs the script for a call. in are the indices into the set that the routers before left, ascending unless the dialect is 2.x; nil means
// all. They must not be changed afterwards. It returns within about Limits.Time, whatever the script does and however many calls wait, and does
// not keep inv.
func (e *Engine) Run(inv *rpc.Invocation, in []uint32) Result {
	if e.fixed != nil {
		return *e.fixed
	}
	c := newCall(inv, e.dialect)
	if e.program.expr != nil {
		return e.program.expr.run(e, c, in)
	}
	a := e.program.js.run(e, job{call: c, chosen: e.chosen(in)})
	if a.err != nil {
		r := Result{Outcome: Ignored, Err: a.err}
		if t, ok := errors.AsType[*thrownError](a.err); ok {
			r.Line = t.line
		}
		return r
	}
	r := e.read(a.text, in)
	r.Same = a.same && r.Outcome == Kept
	return r
}

// writtenList is a list of indices and its text.
type writtenList struct {
	list []uint32
	text string
}

// chosen writes a list of indices for the prelude.
func (e *Engine) chosen(in []uint32) string {
	if in == nil {
		return "*"
	}
	if w := e.last.Load(); w != nil && len(in) > 0 && len(w.list) == len(in) && &w.list[0] == &in[0] {
		return w.text // the same list, which nobody changes
	}
	b := append(make([]byte, 0, 2+6*len(in)), '[')
	for i, n := range in {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendUint(b, uint64(n), 10)
	}
	w := &writtenList{in, string(append(b, ']'))}
	e.last.Store(w)
	return w.text
}

// old reports whether a list is taken as the script gave it.
func (e *Engine) old() bool { return e.dialect == dialect.Dubbo26 || e.dialect == dialect.Dubbo27 }

// read turns the prelude's word for a result into a Result (spec §5.2).
func (e *Engine) read(text string, in []uint32) Result {
	switch text[:1] {
	case "k":
	case "n":
		err := fmt.Errorf("%w: it gave null", ErrNotAList)
		if e.old() {
			return Result{Kept: []uint32{}, Err: err}
		}
		return Result{Outcome: Failed, Err: err}
	case "u":
		return Result{Outcome: Failed, Err: fmt.Errorf("%w: it gave nothing: does the function return its list, and is it called?", ErrNotAList)}
	default:
		return Result{Outcome: Failed, Err: fmt.Errorf("%w: it gave %s", ErrNotAList, text[1:])}
	}
	kept := make([]uint32, 0, strings.Count(text, ",")+1)
	foreign := false
	for rest := text[1:]; rest != ""; {
		var field string
		field, rest, _ = strings.Cut(rest, ",")
		n, err := strconv.ParseUint(field, 10, 32)
		if err != nil || int(n) >= e.providers.set.Len() {
			foreign = true
			continue
		}
		kept = append(kept, uint32(n))
	}
	return e.result(kept, in, foreign)
}

// result orders a list as the dialect has it and takes out what was not offered.
func (e *Engine) result(kept, in []uint32, foreign bool) Result {
	if e.old() {
		if foreign {
			return Result{Outcome: Failed, Err: fmt.Errorf("%w: its list has an entry that is no provider", ErrNotAList)}
		}
		return Result{Kept: kept}
	}
	slices.Sort(kept)
	kept = slices.Compact(kept)
	if in != nil {
		kept = slices.DeleteFunc(kept, func(n uint32) bool {
			_, ok := slices.BinarySearch(in, n)
			return !ok
		})
	}
	return Result{Kept: kept}
}
