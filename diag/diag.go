// Package diag holds the one diagnostic type for every text that a human wrote:
// a stable code, where it is, what is wrong and what to do about it.
package diag

import (
	"fmt"
	"strings"
)

// Severity says what a diagnostic does to the text it is about. The zero value is Error.
type Severity uint8

// The severities, gravest first.
const (
	// Error means that the text is refused.
	Error Severity = iota
	// Warning means that the text is accepted but likely not what its author meant.
	Warning
	// Info is a remark.
	Info
)

// String returns "error", "warning" or "info".
func (s Severity) String() string {
	switch s {
	case Error:
		return "error"
	case Warning:
		return "warning"
	}
	return "info"
}

// MarshalText implements encoding.TextMarshaler.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Span is a stretch of text. Lines and columns count from 1, columns in bytes; EndLine and
// EndCol point just past the last byte. The zero Span means "nowhere in particular".
type Span struct {
	Line    int `json:"line"`
	Col     int `json:"col"`
	EndLine int `json:"endLine,omitempty"`
	EndCol  int `json:"endCol,omitempty"`
}

// IsZero reports whether the span points nowhere.
func (s Span) IsZero() bool { return s == Span{} }

// Diagnostic is one finding about a text. It is a value: copy it freely.
type Diagnostic struct {
	// Code is stable: DW1xx syntax, DW2xx meaning, DW3xx portability.
	Code     string   `json:"code"`
	Severity Severity `json:"severity"`
	// File names the text: a path, a rule key, or a URL's origin. It may be empty.
	File    string `json:"file,omitempty"`
	Span    Span   `json:"span"`
	Message string `json:"message"`
	// Hint is the next step, or empty.
	Hint string `json:"hint,omitempty"`
}

// Error returns "file:line:col: severity CODE: message (hint)".
func (d Diagnostic) Error() string {
	var b strings.Builder
	if d.File != "" {
		b.WriteString(d.File)
		b.WriteByte(':')
	}
	if !d.Span.IsZero() {
		fmt.Fprintf(&b, "%d:%d:", d.Span.Line, d.Span.Col)
	}
	if b.Len() > 0 {
		b.WriteByte(' ')
	}
	fmt.Fprintf(&b, "%s %s: %s", d.Severity, d.Code, d.Message)
	if d.Hint != "" {
		fmt.Fprintf(&b, " (%s)", d.Hint)
	}
	return b.String()
}

// List is the findings about one text, in order of position. A nil List means "nothing to say".
type List []Diagnostic

// HasErrors reports whether any finding is an Error.
func (l List) HasErrors() bool {
	for i := range l {
		if l[i].Severity == Error {
			return true
		}
	}
	return false
}

// Err returns l as an error when it has errors, else nil.
func (l List) Err() error {
	if l.HasErrors() {
		return l
	}
	return nil
}

// Error joins the findings, one a line.
func (l List) Error() string {
	s := make([]string, len(l))
	for i := range l {
		s[i] = l[i].Error()
	}
	return strings.Join(s, "\n")
}
