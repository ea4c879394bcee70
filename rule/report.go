package rule

import (
	"cmp"
	"slices"

	"github.com/dubway-go/dubway/diag"
)

// maxFindings bounds what is said about one text.
const maxFindings = 200

// report collects the findings about one text.
type report struct {
	file string
	list diag.List
	// soft turns errors into warnings: what is wrong in a document that is switched off harms nobody.
	soft bool
	// room is what the parts of the document are made in.
	room room
}

func (r *report) add(severity diag.Severity, code string, span diag.Span, message, hint string) {
	if len(r.list) >= maxFindings {
		if severity != diag.Error || r.soft || r.list.HasErrors() {
			return
		}
		r.list = r.list[:maxFindings-1]
	}
	if r.soft && severity == diag.Error {
		severity = diag.Warning
	}
	r.list = append(r.list, diag.Diagnostic{Code: code, Severity: severity, File: r.file, Span: span, Message: message, Hint: hint})
}

func (r *report) error(code string, span diag.Span, message, hint string) {
	r.add(diag.Error, code, span, message, hint)
}

func (r *report) warn(code string, span diag.Span, message, hint string) {
	r.add(diag.Warning, code, span, message, hint)
}

func (r *report) info(code string, span diag.Span, message, hint string) {
	r.add(diag.Info, code, span, message, hint)
}

// sorted returns the findings in order of position; nil when there are none.
func (r *report) sorted() diag.List {
	slices.SortStableFunc(r.list, func(a, b diag.Diagnostic) int {
		return cmp.Or(cmp.Compare(a.Span.Line, b.Span.Line), cmp.Compare(a.Span.Col, b.Span.Col))
	})
	return r.list
}
