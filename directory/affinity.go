package directory

import "github.com/dubway-go/dubway/rule"

// applyAffinity takes a text of an affinity key: one that is refused leaves the rule in force (spec §3.7).
func (d *documents) applyAffinity(s *slot, origin rule.Origin, text string) outcome {
	doc, findings := rule.ParseAffinityDocument(origin, text, d.dialect)
	if doc != nil {
		s.affinity = doc
	}
	return s.took(origin, findings, doc != nil, doc != nil)
}

// applyMesh takes a text of a mesh key: one that is refused leaves the rules in force, one without rules ends them (spec §6.5).
func (d *documents) applyMesh(s *slot, origin rule.Origin, text string) outcome {
	doc, findings := rule.ParseMeshDocument(origin, text, d.dialect)
	if doc != nil {
		s.mesh = doc
	}
	return s.took(origin, findings, doc != nil, doc != nil)
}
