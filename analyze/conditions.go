package analyze

import (
	"strconv"
	"strings"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/rule"
)

// conditions analyses a condition document.
func (l *linter) conditions() {
	docs := readDocument(l, func(d dialect.Dialect) (*rule.ConditionDocument, diag.List) {
		return rule.ParseConditionDocument(l.origin(), l.text.Text, d)
	})
	l.oldConsumers(docs)
	l.unread(rule.KindCondition)
	doc := first(docs, l.asked)
	if doc == nil {
		return
	}
	l.goSwitches(doc.ConfigVersion)
	if !doc.Enabled {
		return
	}
	for _, c := range doc.Conditions {
		l.condition(c, doc.Force)
	}
	for _, m := range doc.Multi {
		switch {
		case len(m.To) > 0:
		case len(m.From) == 0:
			l.put(diag.Diagnostic{Code: diag.BlocksEverything, Severity: diag.Warning, Span: m.Span, Message: "no call gets a provider", Hint: "say in from whom to block"}, l.asked)
		default:
			l.blocks(m.Span)
		}
		for _, to := range m.To {
			l.clauses(to.Match, doc.Force)
		}
	}
	l.compareConditions(docs)
}

// first returns the document of the first dialect that takes it.
func first[T any](docs map[dialect.Dialect]*T, order []dialect.Dialect) *T {
	for _, d := range order {
		if doc := docs[d]; doc != nil {
			return doc
		}
	}
	return nil
}

// condition looks at one classic condition.
func (l *linter) condition(c rule.Condition, force bool) {
	if c.Blacklist && len(c.When) > 0 {
		l.blocks(c.Span)
	}
	l.clauses(c.Then, force)
}

func (l *linter) blocks(span diag.Span) {
	l.add(diag.Info, BlocksSome, span, "the calls that match get no provider at all, whatever force says", "give a right side if they shall go somewhere: => region=hz")
}

// builtIn are the keys that every provider has a value for.
func builtIn(key string) bool {
	switch key {
	case "host", "address", "port", "protocol", "path", "application", "interface", "methods", "method", "username", "password":
		return true
	}
	return strings.HasPrefix(key, "arguments") || strings.HasPrefix(key, "attachments")
}

// clauses looks at the right side of a rule with what is known of the fleet.
func (l *linter) clauses(clauses []rule.Clause, force bool) {
	w := &l.o.World
	for i := range clauses {
		c := &clauses[i]
		for _, v := range append(append([]rule.Value(nil), c.In...), c.NotIn...) {
			l.dollar(v)
		}
		if builtIn(c.Key) {
			continue
		}
		with := 0
		for _, p := range w.Providers {
			if _, ok := p.Param(c.Key); ok {
				with++
			}
		}
		all := len(w.Providers)
		quoted := strconv.Quote(c.Key)
		if len(c.In) == 0 && len(c.NotIn) > 0 && (all == 0 || with < all) {
			severity, message := diag.Info, "providers without "+quoted+" pass \"!=\" up to Dubbo 3.1 and are left out from 3.2 on"
			if all > 0 {
				severity, message = diag.Warning, strconv.Itoa(all-with)+" of "+strconv.Itoa(all)+" providers have no "+quoted+": they pass \"!=\" up to Dubbo 3.1 and are left out from 3.2 on"
			}
			l.add(severity, AbsentLabel, c.Span, message, "give every provider a value for "+quoted+", or name the wanted values with \"=\"")
		}
		if all > 0 && with == 0 && l.overridden(c.Key) {
			l.add(diag.Warning, OnlyOverridden, c.Span, quoted+" is set by an override only: from Dubbo 3.0 on rules see what the provider registered, so no provider has it",
				"let the providers register "+quoted, dialect.Dubbo31, dialect.Dubbo33, dialect.Standard)
		}
		if force && with > 0 && with*2 < all && len(c.In) > 0 {
			l.add(diag.Info, ForceOnFew, c.Span, "only "+strconv.Itoa(with)+" of "+strconv.Itoa(all)+" providers have "+quoted+", and force keeps calls from all others even when these are gone",
				"leave force out, or label more providers")
		}
		l.hidden(c, with > 0)
	}
}

// hidden reports consumer parameters that stand in for the providers' in 2.x (spec §12.2 L46).
func (l *linter) hidden(c *rule.Clause, label bool) {
	for _, u := range l.o.World.Consumers {
		if v, ok := u.Param(c.Key); ok && label {
			l.add(diag.Error, ConsumerHidesLabels, c.Span, "a consumer has a parameter "+strconv.Quote(c.Key)+" of its own ("+strconv.Quote(v)+"): in Dubbo 2.x it replaces the label of every provider",
				"give the consumer's parameter another name, for example consumer-"+c.Key+", and write $consumer-"+c.Key, dialect.Dubbo26, dialect.Dubbo27)
			return
		}
	}
}

func (l *linter) dollar(v rule.Value) {
	name, ok := strings.CutPrefix(v.Text, "$")
	if !ok || name == "" || name == "address" || builtIn(name) || len(l.o.World.Consumers) == 0 {
		return
	}
	for _, u := range l.o.World.Consumers {
		if _, ok := u.Param(name); ok {
			return
		}
	}
	l.add(diag.Warning, UnknownDollar, v.Span, "no consumer has a parameter "+strconv.Quote(name)+": "+strconv.Quote(v.Text)+" matches an empty value only", "set "+name+" at the consumers, or write the value out")
}

func (l *linter) overridden(key string) bool {
	for _, u := range l.o.World.Overrides {
		if _, ok := u.Param(key); ok {
			return true
		}
	}
	return false
}

// oldConsumers reports multi-destination documents that a named dialect cannot read (spec §12.2 L17).
func (l *linter) oldConsumers(docs map[dialect.Dialect]*rule.ConditionDocument) {
	o, list := rule.ReadOutline(l.origin(), l.text.Text)
	if list.HasErrors() {
		return
	}
	version := o.Field("configVersion")
	text, _ := version.Text()
	if len(text) < 4 || !strings.EqualFold(text[:4], "v3.1") {
		return
	}
	for _, d := range l.asked {
		if d == dialect.Dubbo27 || d == dialect.Dubbo31 {
			l.add(diag.Error, OldConsumers, version.Span(), "consumers before Dubbo 3.3 read this v3.1 document as a classic one: they refuse it and keep the rule they have, or read nonsense",
				"write the rule for old consumers as a v3.0 document of another application or service version", dialect.Dubbo27, dialect.Dubbo31)
			// What those dialects say about the mappings is the consequence.
			kept := l.found[:0]
			for _, f := range l.found {
				if f.Code != diag.WrongType || len(f.Dialects) != 1 || f.Dialects[0] != dialect.Dubbo27 && f.Dialects[0] != dialect.Dubbo31 {
					kept = append(kept, f)
				}
			}
			l.found = kept
			break
		}
	}
	delete(docs, dialect.Dubbo27)
	delete(docs, dialect.Dubbo31)
}

// goSwitches: dubbo-go reads v3.0 documents with two slips (reports apache/dubbo-go#3656 and PR#3682).
func (l *linter) goSwitches(version string) {
	if !strings.HasPrefix(version, "v3.0") {
		return
	}
	o, _ := rule.ReadOutline(l.origin(), l.text.Text)
	if o.Field("enabled") == nil || o.Field("force") == nil {
		l.add(diag.Info, SwitchesMissing, o.Field("configVersion").Span(), "dubbo-go consumers crash on a v3.0 document without enabled and force",
			"write both; dubbo-go up to 3.3.2 takes the one for the other, so where such consumers read this rule give both the same value")
	}
}

// unread reports dialects that do not read documents of this kind at all.
func (l *linter) unread(kind rule.Kind) {
	for _, d := range l.asked {
		if d == dialect.Dubbo26 {
			l.add(diag.Warning, NotReadThere, start(l.text.Text), "Dubbo 2.6 consumers read no "+kind.String()+" documents: the rule does not exist for them",
				"register the rule as a route:// URL too", dialect.Dubbo26)
		}
	}
}

// applies reports whether a provider is one of the application, as far as known.
func applies(p durl.URL, application string) bool {
	return application == "" || p.Application() == "" || p.Application() == application
}
