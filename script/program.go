package script

import (
	"fmt"
	"strings"

	"github.com/dubway-go/dubway/rule"
)

// Program is a compiled script: immutable, safe for concurrent use. Close releases its machines.
type Program struct {
	language string
	text     string
	js       *pool
	expr     *expression
}

// SyntaxError says why a script does not compile.
type SyntaxError struct {
	// Line and Column count from 1, columns in characters; both are 0 when the place is not known.
	Line, Column int
	Message      string
	// Hint is the next step, or empty.
	Hint string
}

// Error implements error.
func (e *SyntaxError) Error() string {
	s := e.Message
	if e.Line > 0 {
		s = fmt.Sprintf("%d:%d: %s", e.Line, e.Column, s)
	}
	if e.Hint != "" {
		s += " (" + e.Hint + ")"
	}
	return s
}

// Compile compiles text. language is rule.ScriptJavaScript or rule.ScriptExpr. The error is a *SyntaxError.
func Compile(text, language string, l Limits) (*Program, error) {
	l = l.withDefaults()
	if len(text) > rule.MaxScriptLength {
		return nil, &SyntaxError{Message: fmt.Sprintf("script of %d bytes is too long: the limit is %d", len(text), rule.MaxScriptLength)}
	}
	p := &Program{language: language, text: text}
	var err error
	switch language {
	case rule.ScriptJavaScript:
		p.js, err = newPool(text, l)
	case rule.ScriptExpr:
		p.expr, err = newExpression(text, l)
	default:
		hint := "write type: javascript or type: expr"
		if strings.EqualFold(language, "groovy") {
			hint = "Groovy is not run: write the rule in JavaScript"
		}
		err = &SyntaxError{Message: fmt.Sprintf("no engine for scripts of type %q", language), Hint: hint}
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}

// Text returns the script.
func (p *Program) Text() string { return p.text }

// Language returns the language that the program was compiled from.
func (p *Program) Language() string { return p.language }

// Close releases idle machines. Engines of the program still work; their machines are released after each run. A program that
// is forgotten without Close is cleaned up by the garbage collector.
func (p *Program) Close() {
	if p != nil && p.js != nil {
		p.js.close()
	}
}
