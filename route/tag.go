package route

import (
	"strings"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/internal/bitset"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/rule"
)

// Branches of the tag subject: no request tag, a tag that nobody knows, then the known ones.
const (
	tagNone uint32 = iota
	tagUnknown
	tagFirst
)

// forceRule is how a dialect reads "force use tag" (spec §4.1).
type forceRule struct {
	// loose: anything but empty and "false" is on (2.6); otherwise only "true" is.
	loose bool
	// The answers of the consumer URL where the dialect asks it: for a call without any attachment, for
	// one that has others only, for one that has it empty.
	whenNone, whenAbsent, whenEmpty bool
}

func (f forceRule) on(value string, present bool) bool {
	switch {
	case !present:
		return f.whenAbsent
	case value == "":
		return f.whenEmpty
	case f.loose:
		return value != "false"
	}
	return strings.EqualFold(value, "true")
}

func (c *compiler) forceRule() forceRule {
	reference := c.in.Consumer.URL.Bool(rpc.ForceTagKey, false)
	switch c.in.Dialect {
	case dialect.Dubbo26:
		return forceRule{loose: true}
	case dialect.Dubbo27:
		return forceRule{whenNone: reference, whenEmpty: reference}
	}
	return forceRule{whenNone: reference, whenAbsent: reference, whenEmpty: reference}
}

// tagGroup is one tag of the rule that has providers listed (spec §4.2 "set").
type tagGroup struct {
	name, label string
	members
	span diag.Span
}

// tagPlan is the tag router's knowledge while it emits.
type tagPlan struct {
	origin   rule.Origin
	active   bool
	force    bool
	groups   []tagGroup
	byName   map[string]int
	listed   bitset.Set // union of all tags' addresses
	untagged bitset.Set // no static tag
	plain    bitset.Set // what a request without tag may use
	fallback bitset.Set // what a tagged request may use when its tag leads nowhere

	// The same for choices.
	keepUntagged, keepPlain, keepFallback *members
}

// tag emits the tag router (spec §4.3, §4.4).
func (c *compiler) tag() {
	p := c.tagPlan()
	at, force := c.subject(subjectKey{kind: subjectTag}), c.subject(subjectKey{kind: subjectForce})
	f := c.prog.subjects[force]
	f.force = c.forceRule()
	off, on := &class{id: c.ids.Add(1)}, &class{id: c.ids.Add(1), branch: 1}
	f.other, f.yes, f.absent = off, on, off
	if f.force.whenNone {
		f.absent = on
	}

	s := c.prog.subjects[at]
	index := c.values.Tags()
	known := make([]string, 0, len(p.groups)+index.Values())
	for i := range p.groups {
		known = append(known, p.groups[i].name)
	}
	for v := range index.Values() {
		if _, listed := p.byName[index.Value(v)]; !listed {
			known = append(known, index.Value(v))
		}
	}
	o := op{kind: opSwitch, router: RouterTag, origin: p.origin, verdict: NoTag, special: &special{groups: p.groups, first: at, second: force, stride: 2}}
	o.cases = make([]switchCase, 0, 4+2*len(known)+2*len(p.groups))
	c.choices = make([]choice, 0, cap(o.cases)+cap(o.cases)/2)
	o.cases = append(o.cases, p.noTag(c.in.Dialect, false), p.noTag(c.in.Dialect, true))
	o.cases = append(o.cases, c.tagCase(p, -1, -1, theRequestTag, false), c.tagCase(p, -1, -1, theRequestTag, true))
	s.other = &class{id: c.ids.Add(1), branch: tagUnknown}
	none := &class{id: c.ids.Add(1), branch: tagNone}
	s.values = newValueTable(c.seed, len(known), 0)
	multi := p.active && (c.in.Dialect == dialect.Standard || c.in.Dialect == dialect.Dubbo33)
	add := func(open, exact, static int, name string) *class {
		k, what := &class{id: c.ids.Add(1), branch: uint32(len(o.cases) / 2)}, theRequestTag
		if name != "" && (open < 0 || exact < 0) {
			what = "tag " + name
		}
		o.cases = append(o.cases, c.tagCase(p, open, static, what, false), c.tagCase(p, exact, static, what, true))
		return k
	}
	for _, name := range known {
		if name == "" {
			continue // a request without a tag is another matter
		}
		exact, open := p.lookup(name, false), p.lookup(name, multi)
		static, ok := index.Lookup(name)
		if !ok {
			static = -1
		}
		s.values.remember(name, add(open, exact, static, name))
	}
	if multi {
		s.levels = make(map[string]*class, len(p.groups))
		for i := range p.groups {
			s.levels[p.groups[i].name] = add(i, -1, -1, p.groups[i].name)
			s.longest = max(s.longest, len(p.groups[i].name))
		}
	}
	s.absent = none
	if c.in.Dialect != dialect.Dubbo26 {
		if def := c.in.Consumer.URL.Get(rpc.TagKey, ""); def != "" {
			s.absent = s.tagClass(def)
		}
	}
	c.prog.ops = append(c.prog.ops, o)
}

// lookup returns the number of the group for a request tag, with levels when they count, or -1.
func (p *tagPlan) lookup(name string, levels bool) int {
	for {
		if i, ok := p.byName[name]; ok {
			return i
		}
		i := strings.LastIndexByte(name, '|')
		if !levels || i < 0 {
			return -1
		}
		name = name[:i]
	}
}

// noTag is the case of a request without a tag.
func (p *tagPlan) noTag(d dialect.Dialect, force bool) switchCase {
	if force && d == dialect.Dubbo26 {
		return switchCase{{keep: p.keepUntagged, never: true, reason: ReasonTagForced, stop: ReasonTagForced, label: "forced tag", force: true}}
	}
	return switchCase{{keep: p.keepPlain, reason: ReasonUntagged, stop: ReasonUntagged, label: "untagged"}}
}

// theRequestTag is what a call asks for with a tag that nobody has.
const theRequestTag = "the request tag"

// tagCase is the case of a request tag: its listed providers, or those with the static tag, or untagged ones.
func (c *compiler) tagCase(p *tagPlan, group, static int, what string, force bool) switchCase {
	first := len(c.choices)
	c.choices = c.addChoices(c.choices, p, group, static, what, force)
	return c.choices[first:len(c.choices):len(c.choices)]
}

func (c *compiler) addChoices(out []choice, p *tagPlan, group, static int, what string, force bool) []choice {
	switch {
	case group >= 0:
		g := &p.groups[group]
		stop := force || p.force
		out = append(out, choice{keep: &g.members, reason: ReasonTagListed, stop: ReasonTagForced, force: stop, label: g.label, span: g.span})
		if stop {
			return out
		}
	case static >= 0:
		out = append(out, choice{index: c.values.Tags(), value: static, reason: ReasonTagStatic, stop: ReasonTagForced, force: force, label: what})
		if force {
			return out
		}
	case force:
		return append(out, choice{keep: p.keepUntagged, never: true, stop: ReasonTagForced, force: true, label: what})
	}
	return append(out, choice{keep: p.keepFallback, reason: ReasonTagFallback, stop: ReasonTagFallback, label: "untagged"})
}

// tagPlan works out the groups and the two rest sets (spec §4.3 rows 4, 7 and 9).
func (c *compiler) tagPlan() *tagPlan {
	p := c.tagSets()
	p.keepUntagged, p.keepPlain, p.keepFallback = &members{bits: p.untagged}, &members{bits: p.plain}, &members{bits: p.fallback}
	return p
}

// tagSets is tagPlan without what choices need.
func (c *compiler) tagSets() *tagPlan {
	d := c.in.Dialect
	p := &tagPlan{untagged: bitset.Make(c.n), listed: bitset.Make(c.n), byName: map[string]int{}}
	index := c.values.Tags()
	index.AddAbsent(p.untagged)
	p.plain, p.fallback = p.untagged, p.untagged
	doc := c.in.Rules.Tag
	if doc == nil || d == dialect.Dubbo26 {
		return p
	}
	p.origin = doc.Origin
	if !doc.Valid || !doc.Enabled || len(doc.Tags) == 0 {
		return p
	}
	p.active, p.force = true, doc.Force
	overwritten := d == dialect.Dubbo27 || d == dialect.Dubbo31
	p.byName, p.groups = make(map[string]int, len(doc.Tags)), make([]tagGroup, 0, len(doc.Tags))
	for _, t := range tagOrder(doc, d) {
		listed, set := c.tagMembers(doc, t)
		if !set {
			continue
		}
		g := tagGroup{name: t.Name, label: "tag " + t.Name, members: listed, span: t.Span}
		if at, again := p.byName[t.Name]; again {
			if overwritten {
				p.groups[at].addTo(p.listed, c.n)
			}
			p.groups[at] = g
			continue
		}
		p.byName[t.Name] = len(p.groups)
		p.groups = append(p.groups, g)
	}
	for i := range p.groups {
		p.groups[i].addTo(p.listed, c.n)
	}
	p.fallback = p.untagged.Clone()
	p.fallback.AndNot(p.listed)
	p.plain = p.fallback
	if overwritten {
		p.plain = c.foreignTags(doc, p)
	}
	return p
}

// tagOrder lists the tags in the order in which they overwrite each other: as written, but in dubbo-3.3 those
// without addresses after all others, because they are worked out when the providers are known.
func tagOrder(doc *rule.TagDocument, d dialect.Dialect) []*rule.Tag {
	out := make([]*rule.Tag, 0, len(doc.Tags))
	var late []*rule.Tag
	for i := range doc.Tags {
		if t := &doc.Tags[i]; d == dialect.Dubbo33 && len(t.Addresses) == 0 {
			late = append(late, t)
		} else {
			out = append(out, t)
		}
	}
	return append(out, late...)
}

// foreignTags adds to the untagged rest the providers whose static tag is no tag of the rule: up to
// 3.1 a request without a tag may use them (spec §4.3 row 9).
func (c *compiler) foreignTags(doc *rule.TagDocument, p *tagPlan) bitset.Set {
	names := make(map[string]bool, len(doc.Tags))
	for i := range doc.Tags {
		names[doc.Tags[i].Name] = true
	}
	out := p.untagged.Clone()
	index := c.values.Tags()
	for v := range index.Values() {
		if !names[index.Value(v)] {
			index.AddValue(out, v)
		}
	}
	out.AndNot(p.listed)
	return out
}
