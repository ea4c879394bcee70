package analyze

import "slices"

// Entry describes one code. docs/diag has a page for each.
type Entry struct {
	Code string `json:"code"`
	// Title says what is wrong, in one line.
	Title string `json:"title"`
	// Since says for which Dubbo versions.
	Since string `json:"since"`
	// Traps are the numbers of spec §12.2 that the code covers.
	Traps []string `json:"traps,omitempty"`
}

// Page returns the path of the code's page inside the repository.
func (e Entry) Page() string { return "docs/diag/" + e.Code + ".md" }

// Catalogue returns every code that Lint can give, in order. The slice is the caller's.
func Catalogue() []Entry { return slices.Concat(syntaxEntries(), meaningEntries()) }

func byCode() map[string]Entry {
	out := map[string]Entry{}
	for _, e := range Catalogue() {
		out[e.Code] = e
	}
	return out
}

// Unseen returns the traps of spec §12.2 that no rule text and no list of URLs shows, with the reason.
func Unseen() map[string]string {
	return map[string]string{
		"L47": "where the registry is set is in the consumer's own configuration",
	}
}
