package rule

import (
	"strings"

	"github.com/dubway-go/dubway/diag"
)

// IsMulti reports whether a configVersion means multi-destination rules: it starts with v3.1, in any case (spec §3.5).
func IsMulti(configVersion string) bool { return multi(configVersion) }

// SelectedForm tells which of its two lists of conditions Dubbo 3.3 turns to when it is given a text that
// ParseConditionDocument refused with these findings (spec §3.5): one that is a document all the same, with a
// condition that cannot be read, without conditions, or of a configVersion beyond v3.1. ok is false when the text is not even
// that, and nothing changes.
func SelectedForm(text string, findings diag.List) (weighted, ok bool) {
	root := readYAML(text, &report{})
	if root == nil || root.kind != nodeMapping {
		return false, false
	}
	version := ""
	if n := root.get("configVersion"); n != nil && n.kind == nodeScalar && n.scalarType() == typeText {
		version = n.string()
	}
	beyond := !multi(version) && strings.ToLower(version) > "v3.1"
	weighted = multi(version)
	conditions := root.get("conditions")
	for _, f := range findings {
		switch {
		case f.Severity != diag.Error:
		case f.Code == diag.NoConditions:
			if weighted && (conditions == nil || conditions.kind != nodeList) {
				return false, false // not even read without the field
			}
		case f.Code == diag.BadConfigVersion && beyond:
		case f.Code >= diag.RuleEmpty && f.Code < diag.DocumentTooLong, f.Code == diag.BadWeight:
			// Found only when the list is built from the document.
		default:
			return false, false
		}
	}
	return weighted, true
}
