package directory

import (
	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/rule"
)

// ConditionRules is what one condition router holds through the life of its documents (spec §3.4, §3.5): in dubbo-3.3 the
// last classic list and the last list of weighted destinations, of which the last readable document chose one; elsewhere one
// document. The zero value holds none. It is not safe for concurrent use.
type ConditionRules struct {
	classic, multi *rule.ConditionDocument
	useMulti       bool
}

// InForce returns the document whose conditions apply; nil for none.
func (r *ConditionRules) InForce() *rule.ConditionDocument {
	if r.useMulti {
		return r.multi
	}
	return r.classic
}

// Clear takes the news that the document was deleted and reports whether conditions were in force.
func (r *ConditionRules) Clear() (changed bool) {
	changed = r.InForce() != nil
	*r = ConditionRules{}
	return changed
}

// Offer takes a new text as the dialect does. Readable tells whether it is a document at all; what is in force changed
// iff changed. Of a document that is readable but has nothing to apply (no conditions, or "valid: false"), the Dubbo
// dialects go on with the old conditions, which findings tell with code diag.KeepsOld; Standard takes it at its word. One that is
// switched off switches off, whatever its conditions look like.
func (r *ConditionRules) Offer(o rule.Origin, text string, d dialect.Dialect) (findings diag.List, readable, changed bool) {
	before := r.InForce()
	doc, findings := rule.ParseConditionDocument(o, text, d)
	switch {
	case doc == nil && d == dialect.Dubbo33:
		if multi, ok := rule.SelectedForm(text, findings); ok {
			r.useMulti = multi
		}
	case doc == nil:
	case d == dialect.Standard:
		*r = ConditionRules{classic: doc}
	case !doc.Valid || doc.Enabled && len(doc.Conditions)+len(doc.Multi) == 0:
		r.useMulti = selectsMulti(doc, d)
		findings = append(findings, diag.Diagnostic{Code: diag.KeepsOld, Severity: diag.Warning, File: o.Name,
			Message: "a document without conditions leaves the old conditions in force in Dubbo", Hint: "delete the key to clear the rule"})
	case selectsMulti(doc, d):
		r.useMulti, r.multi = true, doc
	default:
		r.useMulti, r.classic = false, doc
	}
	return findings, doc != nil, r.InForce() != before
}

func selectsMulti(doc *rule.ConditionDocument, d dialect.Dialect) bool {
	return d == dialect.Dubbo33 && rule.IsMulti(doc.ConfigVersion)
}
