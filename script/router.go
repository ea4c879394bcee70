package script

import (
	"errors"
	"fmt"
	"strings"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/rule"
	"github.com/dubway-go/dubway/service"
)

// Options are what a router needs to know. The zero value is dialect standard with default limits.
type Options struct {
	Dialect dialect.Dialect
	Limits  Limits

	// compile stands for Compile where programs are shared.
	compile func(text, language string) (*Program, error)
}

func (o *Options) compiled(text, language string) (*Program, error) {
	if o.compile != nil {
		return o.compile(text, language)
	}
	return Compile(text, language, o.Limits)
}

// Router is one script rule in force: of an application's document or of a rule URL. It is immutable and safe for concurrent use; a nil
// Router passes everything.
type Router struct {
	options Options
	// doc is the rule in force; nil after a deletion under dubbo-3.3.
	doc *rule.ScriptDocument
	// program is what runs. Under dubbo-3.3 it may belong to an older document than doc (spec §5.3). It is nil when the script
	// did not compile.
	program *Program
	// compiled is set once an engine has been found for any document: only then does a deletion fail every call.
	compiled bool
	failure  error
}

// New compiles the first document of a rule, or a rule URL. The findings are all about the script itself; the router is nil iff there
// is an error among them, and then the rule is not in force.
//
// Standard refuses a script that does not compile. The Dubbo dialects take it and pass every provider (spec §5.2).
func New(doc *rule.ScriptDocument, o Options) (*Router, diag.List) {
	return (*Router)(nil).replace(doc, o)
}

// Replace returns what a new document makes of the rule; r may be nil and stays as it is. When the findings have errors the router
// is nil, and r should stay in force. Close r's program once no snapshot uses it, or leave it to the garbage collector.
//
// Under dubbo-3.3 a document of an unknown type, or with an empty script, takes the place of the old one while the old script goes on (spec §5.3).
func (r *Router) Replace(doc *rule.ScriptDocument, o Options) (*Router, diag.List) {
	return r.replace(doc, o)
}

func (r *Router) replace(doc *rule.ScriptDocument, o Options) (*Router, diag.List) {
	out := &Router{options: o, doc: doc}
	if r != nil {
		out.program, out.compiled, out.failure = r.program, r.compiled, r.failure
	}
	language := doc.Language(o.Dialect)
	if o.Dialect == dialect.Standard {
		out.program, out.compiled, out.failure = nil, false, nil
		if !doc.Valid || !doc.Enabled {
			return out, nil
		}
	} else if !doc.Valid || language == "" || doc.Script == "" {
		return out, nil // the compiled script stays
	}
	program, err := o.compiled(doc.Script, language)
	if err == nil {
		out.program, out.compiled, out.failure = program, true, nil
		return out, nil
	}
	finding := syntaxFinding(doc, err)
	if o.Dialect == dialect.Standard {
		return nil, diag.List{finding}
	}
	finding.Severity = diag.Warning
	finding.Message += "; every provider passes"
	out.program, out.compiled, out.failure = nil, true, fmt.Errorf("%w: %w", ErrNotCompiled, err)
	return out, diag.List{finding}
}

// syntaxFinding says where in the document a script is wrong.
func syntaxFinding(doc *rule.ScriptDocument, err error) diag.Diagnostic {
	d := diag.Diagnostic{Code: diag.ScriptSyntax, File: doc.Origin.Name, Span: doc.ScriptSpan, Message: "script does not compile: " + err.Error()}
	if doc.Origin.Source == "registry" {
		d.File, _, _ = strings.Cut(d.File, "?")
	}
	var s *SyntaxError
	if errors.As(err, &s) {
		d.Message, d.Hint = "script does not compile: "+s.Message, s.Hint
		if strings.HasPrefix(s.Message, "\"for each\"") {
			d.Code = diag.ScriptForEach
		}
		if s.Line > 0 {
			d.Span = doc.At(offsetOf(doc.Script, s.Line, s.Column))
		}
	}
	return d
}

// offsetOf returns the offset of a line and a column in characters.
func offsetOf(text string, line, column int) int {
	at := 0
	for ; line > 1; line-- {
		i := strings.IndexByte(text[at:], '\n')
		if i < 0 {
			return len(text)
		}
		at += i + 1
	}
	for i := range text[at:] {
		if column--; column <= 0 || text[at+i] == '\n' {
			return at + i
		}
	}
	return len(text)
}

// Delete returns what is left of the rule when its document is deleted. Under dubbo-3.3 that is a router that fails every call
// (spec §5.3, L26), of which the finding warns; else it is nil, which passes everything.
func (r *Router) Delete() (*Router, diag.List) {
	if r == nil || r.options.Dialect != dialect.Dubbo33 || !r.compiled {
		return nil, nil
	}
	name := ""
	if r.doc != nil {
		name = r.doc.Origin.Name
	}
	out := &Router{options: r.options, program: r.program, compiled: true}
	return out, diag.List{{Code: diag.ScriptDeleted, Severity: diag.Warning, File: name, Message: "script rule was deleted: Dubbo 3.2 and later fail every call from now on",
		Hint: "put the document back with enabled: false"}}
}

// Document returns the document in force, nil after a deletion.
func (r *Router) Document() *rule.ScriptDocument { return r.doc }

// Program returns the script that runs; nil when none does.
func (r *Router) Program() *Program { return r.program }

// Close releases the router's machines. Its engines still work.
func (r *Router) Close() {
	if r != nil {
		r.program.Close()
	}
}

// Bind ties the rule to an instance set and a consumer. It returns nil when the rule passes everything without a word: it is switched
// off, invalid, or r is nil.
func (r *Router) Bind(c service.Consumer, set *service.Set) *Engine {
	switch {
	case r == nil:
		return nil
	case r.doc == nil:
		return r.always(set, Result{Outcome: Failed, Err: ErrDeleted})
	case !r.doc.Valid || !r.doc.Enabled:
		return nil
	case r.program == nil && r.failure != nil:
		return r.always(set, Result{Outcome: Ignored, Err: r.failure})
	case r.program == nil:
		return nil
	}
	return NewEngine(r.program, c, set, r.options.Dialect)
}

func (r *Router) always(set *service.Set, fixed Result) *Engine {
	return &Engine{dialect: r.options.Dialect, providers: &providers{set: set}, fixed: &fixed}
}
