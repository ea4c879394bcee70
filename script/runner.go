package script

import (
	"sync"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/rule"
	"github.com/dubway-go/dubway/service"
)

// Runner runs the script rules of a process: it is what switches scripts on in a directory, and implements route.Scripts. Rules with the
// same script share its machines, so that a rule of an application costs the same for one service of it as for a
// thousand. A Runner needs no closing: it holds what rules hold that are not closed. It is safe for concurrent use.
type Runner struct {
	limits Limits

	mu       sync.Mutex
	programs map[programKey]*sharedProgram
}

// programKey is what makes two programs the same; limits are the runner's.
type programKey struct{ text, language string }

// sharedProgram is a program and how many rules hold it.
type sharedProgram struct {
	compile func() (*Program, error)
	users   int
}

// NewRunner returns a runner; the zero Limits are the defaults.
func NewRunner(l Limits) *Runner {
	return &Runner{limits: l.withDefaults(), programs: make(map[programKey]*sharedProgram)}
}

// Limits returns the limits in force.
func (r *Runner) Limits() Limits { return r.limits }

// Programs returns how many different scripts rules hold.
func (r *Runner) Programs() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.programs)
}

// Replace implements route.Scripts; see Router.Replace. old must be of this runner.
func (r *Runner) Replace(old route.ScriptRule, doc *rule.ScriptDocument, d dialect.Dialect) (route.ScriptRule, diag.List) {
	before, fresh := routerOf(old), false
	next, findings := before.Replace(doc, Options{Dialect: d, Limits: r.limits, compile: func(text, language string) (*Program, error) {
		p, err := r.acquire(programKey{text, language})
		fresh = err == nil
		return p, err
	}})
	if next == nil {
		return nil, findings
	}
	return r.held(next, fresh), findings
}

// Delete implements route.Scripts; see Router.Delete.
func (r *Runner) Delete(old route.ScriptRule) (route.ScriptRule, diag.List) {
	next, findings := routerOf(old).Delete()
	if next == nil {
		return nil, findings
	}
	return r.held(next, false), findings
}

func routerOf(s route.ScriptRule) *Router {
	if h, ok := s.(*heldRule); ok {
		return h.router
	}
	return nil
}

// held returns a rule that holds its router's program; fresh says that it does already.
func (r *Runner) held(router *Router, fresh bool) *heldRule {
	h := &heldRule{router: router}
	if p := router.program; p != nil {
		key := programKey{p.text, p.language}
		if !fresh {
			r.retain(key)
		}
		h.release = func() { r.release(key) }
	}
	return h
}

// acquire returns the program for key, compiled once however many ask for it.
func (r *Runner) acquire(key programKey) (*Program, error) {
	r.mu.Lock()
	s := r.programs[key]
	if s == nil {
		s = &sharedProgram{compile: sync.OnceValues(func() (*Program, error) { return Compile(key.text, key.language, r.limits) })}
		r.programs[key] = s
	}
	s.users++
	r.mu.Unlock()
	p, err := s.compile()
	if err != nil {
		r.release(key)
	}
	return p, err
}

// retain counts one more user of a program that has some.
func (r *Runner) retain(key programKey) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.programs[key].users++
}

// release counts one user less and closes the program after the last.
func (r *Runner) release(key programKey) {
	r.mu.Lock()
	s := r.programs[key]
	s.users--
	last := s.users == 0
	if last {
		delete(r.programs, key)
	}
	r.mu.Unlock()
	if last {
		p, _ := s.compile() // nil when it did not compile, which Close takes
		p.Close()
	}
}

// heldRule is a router of a Runner.
type heldRule struct {
	router  *Router
	release func()
	closed  sync.Once
}

// Bind implements route.ScriptRule.
func (h *heldRule) Bind(c service.Consumer, set *service.Set) route.Filter {
	e := h.router.Bind(c, set)
	if e == nil {
		return nil
	}
	f := engineFilter{engine: e}
	if p := h.router.program; p != nil && h.router.doc != nil && h.router.doc.Script == p.text {
		f.doc = h.router.doc
	}
	return f
}

// Close implements route.ScriptRule.
func (h *heldRule) Close() {
	h.closed.Do(func() {
		if h.release != nil {
			h.release()
		}
	})
}

// engineFilter is an engine as a router of a chain. doc is the document that has the script, when the line of an exception stands there.
type engineFilter struct {
	engine *Engine
	doc    *rule.ScriptDocument
}

// Filter implements route.Filter (spec §5.2, §8.6).
func (f engineFilter) Filter(inv *rpc.Invocation, in []uint32) route.Filtered {
	r := f.engine.Run(inv, in)
	out := route.Filtered{Kept: r.Kept, Reason: route.ReasonScripted, Same: r.Same}
	if r.Err != nil {
		out.Detail = r.Err.Error()
	}
	if r.Line > 0 && f.doc != nil {
		out.Span = f.doc.At(offsetOf(f.doc.Script, r.Line, 1))
	}
	switch r.Outcome {
	case Ignored:
		out.Pass, out.Reason = true, route.ReasonScriptIgnored
	case Failed:
		out.Kept, out.Reason = nil, route.ReasonScriptFailed
		_, out.Pass = r.Left(f.engine.dialect)
	}
	return out
}
