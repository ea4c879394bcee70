package directory

import (
	"strings"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/rule"
	"github.com/dubway-go/dubway/service"
)

// slotID names a rule document's part in the chain.
type slotID uint8

const (
	slotService slotID = iota
	slotProviderApplication
	slotApplication
	slotTag
	slots
)

// String returns the scope as State shows it.
func (id slotID) String() string {
	switch id {
	case slotService:
		return "service"
	case slotProviderApplication:
		return "provider-application"
	case slotApplication:
		return "application"
	}
	return "tag"
}

// slot holds one rule document through its life (spec §3.4): a new text replaces the last one, an
// unusable one is refused and leaves it in force, a deletion clears.
type slot struct {
	key string
	// fresh is set while no event of key has been seen since the slot moved to it.
	fresh     bool
	condition *rule.ConditionDocument
	tag       *rule.TagDocument
	rev       string
	// remarks are the findings on the document in force that are no errors.
	remarks diag.List
	refused *Rejected
	// text is what key held last, to recognise repeats.
	text   string
	exists bool
}

// outcome is what an event of a rule key came to.
type outcome struct {
	// changed: other rules are in force; told: there is something new to show.
	changed, told bool
	refused       *Rejected
}

// documents are the rule documents of one directory.
type documents struct {
	dialect dialect.Dialect
	slot    [slots]slot
}

// keys returns the rule keys that concern a consumer and its providers' application, by slot; "" where there is none (spec §3.1,
// §4.1). The provider application is that of the first instance in the directory's order.
func documentKeys(s *settings, providerApplication string) (keys [slots]string) {
	if s.Dialect == dialect.Dubbo26 {
		return keys // 2.6 knows no documents
	}
	own := s.consumer.Application()
	keys[slotService] = rule.ConditionKey(serviceTarget(s.key))
	if own != "" {
		keys[slotApplication] = rule.ConditionKey(own)
	}
	if providerApplication == "" {
		return keys
	}
	keys[slotTag] = rule.TagKey(providerApplication)
	if (s.Dialect == dialect.Dubbo33 || s.Dialect == dialect.Standard) && providerApplication != own {
		keys[slotProviderApplication] = rule.ConditionKey(providerApplication)
	}
	return keys
}

// serviceTarget is interface:version:group, colons always there.
func serviceTarget(k service.Key) string {
	return strings.Join([]string{k.Interface, k.Version, k.Group}, ":")
}

// move binds a slot to another key. The document in force stays until the new key's first event: in the
// Dubbo dialects it even stays when there is no document under the new key (spec §3.9, §4.1).
func (d *documents) move(id slotID, key string) {
	s := &d.slot[id]
	s.key, s.fresh, s.refused = key, true, nil
}

// apply takes one event of a key that feeds the slot, usually the slot's own.
func (d *documents) apply(id slotID, key, text string, exists bool, rev string) outcome {
	s := &d.slot[id]
	own := key == s.key
	first := own && s.fresh
	if own {
		if !first && exists == s.exists && text == s.text {
			return outcome{}
		}
		s.fresh, s.text, s.exists = false, text, exists
	}
	if !exists {
		if first && d.dialect != dialect.Standard {
			return outcome{} // nothing there at the start, or Dubbo's slip of keeping the old application's rule
		}
		told := s.refused != nil
		s.refused = nil
		changed := s.clear()
		return outcome{changed: changed, told: changed || told}
	}
	origin := rule.Origin{Source: "config-centre", Name: key, Rev: rev}
	if id == slotTag {
		return d.applyTag(s, origin, text)
	}
	return d.applyCondition(s, origin, text)
}

func (s *slot) clear() bool {
	had := s.condition != nil || s.tag != nil
	s.condition, s.tag, s.rev, s.remarks = nil, nil, "", nil
	return had
}

func (d *documents) applyCondition(s *slot, origin rule.Origin, text string) outcome {
	doc, findings := rule.ParseConditionDocument(origin, text, d.dialect)
	if doc == nil {
		s.refused = &Rejected{origin, findings}
		return outcome{told: true, refused: s.refused}
	}
	s.refused = nil
	if !doc.Valid || len(doc.Conditions)+len(doc.Multi) == 0 {
		// Well formed, but with nothing to apply. Dubbo goes on with the old conditions (spec §3.4); Standard takes the document at its word.
		if d.dialect != dialect.Standard {
			s.remarks = append(findings, diag.Diagnostic{Code: "DW265", Severity: diag.Warning, File: origin.Name,
				Message: "a document without conditions leaves the old conditions in force in Dubbo", Hint: "delete the key to clear the rule"})
			return outcome{told: true}
		}
	}
	s.condition, s.rev, s.remarks = doc, origin.Rev, findings
	return outcome{changed: true, told: true}
}

func (d *documents) applyTag(s *slot, origin rule.Origin, text string) outcome {
	doc, findings := rule.ParseTagDocument(origin, text, d.dialect)
	if doc == nil {
		s.refused = &Rejected{origin, findings}
		return outcome{told: true, refused: s.refused}
	}
	s.tag, s.rev, s.remarks, s.refused = doc, origin.Rev, findings, nil
	return outcome{changed: true, told: true}
}
