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
	slotAffinity
	slotAffinityApplication
	slotMesh
	slotScript
	slotApplicationOverrides
	slotServiceOverrides
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
	case slotApplicationOverrides:
		return "application-overrides"
	case slotServiceOverrides:
		return "service-overrides"
	case slotAffinity:
		return "affinity"
	case slotAffinityApplication:
		return "affinity-application"
	case slotMesh:
		return "mesh"
	case slotScript:
		return "script"
	}
	return "tag"
}

// slot holds one rule document through its life (spec §3.4, §9.5): a new text replaces the last one, an
// unusable one is refused and leaves it in force, a deletion clears.
type slot struct {
	key string
	// fresh is set while no event of key has been seen since the slot moved to it.
	fresh     bool
	condition ConditionRules
	tag       *rule.TagDocument
	affinity  *rule.AffinityDocument
	mesh      *rule.MeshDocument
	script    scriptState
	overrides *rule.ConfiguratorDocument
	// level are the overrides as they apply.
	level Configurators
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
	scripts *scripts
	slot    [slots]slot
	// meshes are the mesh documents, of which there can be several; slot has none.
	meshes meshRules
}

// keys returns the rule keys that concern a consumer and its providers' application, by slot; "" where there is none (spec §3.1,
// §4.1). The provider application is that of the first instance in the directory's order.
func documentKeys(s *settings, providerApplication string) (keys [slots]string) {
	if s.Dialect == dialect.Dubbo26 {
		return keys // 2.6 knows no documents
	}
	own := s.consumer.Application()
	keys[slotService] = rule.ConditionKey(serviceTarget(s.key))
	keys[slotServiceOverrides] = rule.ConfiguratorKey(serviceTarget(s.key))
	if s.Dialect == dialect.Standard || s.Dialect == dialect.Dubbo33 {
		keys[slotAffinity] = rule.AffinityKey(serviceTarget(s.key))
	}
	if own != "" {
		keys[slotApplicationOverrides] = rule.ConfiguratorKey(own)
		keys[slotApplication] = rule.ConditionKey(own)
	}
	if providerApplication == "" {
		return keys
	}
	keys[slotTag] = rule.TagKey(providerApplication)
	if s.Dialect == dialect.Standard || s.Dialect == dialect.Dubbo33 {
		keys[slotScript] = rule.ScriptKey(providerApplication)
	}
	if s.Dialect == dialect.Standard {
		keys[slotAffinityApplication] = rule.AffinityKey(providerApplication)
	}
	if (s.Dialect == dialect.Dubbo33 || s.Dialect == dialect.Standard) && providerApplication != own {
		keys[slotProviderApplication] = rule.ConditionKey(providerApplication)
	}
	return keys
}

// documentKeys returns the keys of all slots for the providers of now. They are made anew when the providers' application is another.
func (j *join) documentKeys() [slots]string {
	if application := j.providerApplication(); j.keys == nil || j.keysOf != application {
		keys := documentKeys(j.s, application)
		j.keys, j.keysOf = &keys, application
	}
	return *j.keys
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
	return d.applyTo(&d.slot[id], id, key, text, exists, rev)
}

// applyTo is apply for a slot, which is one of kind id.
func (d *documents) applyTo(s *slot, id slotID, key, text string, exists bool, rev string) outcome {
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
		if id == slotScript {
			return d.deleteScript(s)
		}
		told := s.refused != nil
		s.refused = nil
		changed := s.clear()
		return outcome{changed: changed, told: changed || told}
	}
	origin := rule.Origin{Source: "config-centre", Name: key, Rev: rev}
	switch id {
	case slotTag:
		return d.applyTag(s, origin, text)
	case slotAffinity, slotAffinityApplication:
		return d.applyAffinity(s, origin, text)
	case slotMesh:
		return d.applyMesh(s, origin, text)
	case slotScript:
		return d.applyScript(s, origin, text)
	case slotApplicationOverrides, slotServiceOverrides:
		return d.applyOverrides(s, origin, text)
	}
	findings, readable, changed := s.condition.Offer(origin, text, d.dialect)
	return s.took(origin, findings, readable, changed)
}

// took notes what became of a text.
func (s *slot) took(o rule.Origin, findings diag.List, readable, changed bool) outcome {
	if !readable {
		s.refused = &Rejected{o, findings}
		return outcome{changed: changed, told: true, refused: s.refused}
	}
	s.refused, s.remarks = nil, findings
	return outcome{changed: changed, told: true}
}

func (s *slot) clear() bool {
	had := s.condition.Clear() || s.tag != nil || s.overrides != nil || s.affinity != nil || s.mesh != nil
	s.affinity, s.mesh = nil, nil
	s.tag, s.overrides, s.level, s.remarks = nil, nil, Configurators{}, nil
	return had
}

func (d *documents) applyTag(s *slot, origin rule.Origin, text string) outcome {
	doc, findings := rule.ParseTagDocument(origin, text, d.dialect)
	if doc != nil {
		s.tag = doc
	}
	return s.took(origin, findings, doc != nil, doc != nil)
}

// applyOverrides takes a configurator document (spec §9.5).
func (d *documents) applyOverrides(s *slot, origin rule.Origin, text string) outcome {
	doc, findings := rule.ParseConfiguratorDocument(origin, text, d.dialect)
	if doc == nil {
		return s.took(origin, findings, false, false)
	}
	if len(doc.Overrides) == 0 && d.dialect != dialect.Standard {
		return s.took(origin, findings, true, false) // Dubbo goes on with the old ones; the findings tell
	}
	level, more, ok := DocumentConfigurators(doc, d.dialect, true)
	findings = append(findings, more...)
	if !ok {
		return s.took(origin, findings, false, false)
	}
	s.overrides, s.level = doc, level
	return s.took(origin, findings, true, true)
}
