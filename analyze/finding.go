package analyze

import (
	"cmp"
	"slices"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
)

// Finding is one thing to say about a text.
type Finding struct {
	diag.Diagnostic
	// Trap is the number of the trap in spec §12.2 ("L1"), or empty.
	Trap string `json:"trap,omitempty"`
	// Dialects are the dialects that the finding concerns.
	Dialects []dialect.Dialect `json:"dialects,omitempty"`
	// Since says from which Dubbo version on, or up to which one, the finding holds.
	Since string `json:"since,omitempty"`
	// Witness shows a difference between dialects; nil for other findings.
	Witness *Witness `json:"witness,omitempty"`
}

// Witness is one provider and one call for which dialects part.
type Witness struct {
	Provider    string            `json:"provider"`
	Consumer    string            `json:"consumer"`
	Method      string            `json:"method"`
	Args        []string          `json:"args,omitempty"`
	Attachments map[string]string `json:"attachments,omitempty"`
	// Kept are the dialects in which the provider may take the call, Dropped those in which it may not.
	Kept    []dialect.Dialect `json:"kept"`
	Dropped []dialect.Dialect `json:"dropped"`
}

// Findings is everything to say about one text, in order of position. A nil list means "nothing".
type Findings []Finding

// HasErrors reports whether any finding is an error.
func (f Findings) HasErrors() bool {
	return slices.ContainsFunc(f, func(x Finding) bool { return x.Severity == diag.Error })
}

// Codes returns the distinct codes, sorted.
func (f Findings) Codes() []string {
	var out []string
	for _, x := range f {
		out = append(out, x.Code)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (f Findings) sort() {
	slices.SortStableFunc(f, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Span.Line, b.Span.Line), cmp.Compare(a.Span.Col, b.Span.Col), cmp.Compare(a.Severity, b.Severity))
	})
}
