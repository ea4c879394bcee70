package rule

import (
	"slices"
	"strconv"

	"github.com/dubway-go/dubway/diag"
)

// proposed reports whether name is a field of an early draft of v3.1; no released Dubbo reads them (spec §3.6).
func proposed(name string) bool {
	switch name {
	case "trafficDisable", "priority", "ratio", "disable", "force":
		return true
	}
	return false
}

// multi reads the conditions of a multi-destination document (spec §3.6).
func (f reader) multi(items []*node) []MultiCondition {
	out := make([]MultiCondition, 0, len(items))
	for _, n := range items {
		if n.kind != nodeMapping {
			f.report.error(diag.WrongType, n.span, "a v3.1 condition is a mapping with \"from\" and \"to\", not "+n.kindName(), "write - {from: {match: \"...\"}, to: [{match: \"...\", weight: 100}]}, or configVersion: v3.0 for condition texts")
			continue
		}
		f.multiKeys(n, []string{"from", "to"})
		c := MultiCondition{Span: n.span}
		if from := n.get("from"); from != nil {
			c.From = f.from(from)
		}
		c.To = f.to(n.get("to"), n)
		out = append(out, c)
	}
	return out
}

func (f reader) multiKeys(n *node, known []string) {
	if !slices.ContainsFunc(n.fields, func(x field) bool { return proposed(x.key.string()) }) {
		f.keys(n, known, " in a v3.1 condition")
		return
	}
	rest := &node{kind: nodeMapping}
	for _, x := range n.fields {
		if name := x.key.string(); proposed(name) {
			severity := f.report.warn
			if f.strict() {
				severity = f.report.error
			}
			severity(diag.ProposalField, x.key.span, "field "+quote(name)+" was proposed only: no Dubbo reads it in a condition", "take it out")
			continue
		}
		rest.fields = append(rest.fields, x)
	}
	f.keys(rest, known, " in a v3.1 condition")
}

func (f reader) from(n *node) []Clause {
	switch n.kind {
	case nodeNull:
		if f.strict() {
			f.report.error(diag.WrongType, n.span, "from is written but empty", "leave it out, or write from: {match: \"...\"}")
		}
		return nil
	case nodeMapping:
	default:
		f.wrongType(n, "from", "a mapping")
		return nil
	}
	f.keys(n, []string{"match"}, " in \"from\"")
	l, ok := f.matchText(n)
	if !ok || blank(l.text, f.dialect) || trimmed(l).text == "true" {
		return nil
	}
	return parseSide(trimmed(l), side{multi: true, dialect: f.dialect}, f.report)
}

// matchText returns the text of "match"; ok is false when there is none.
func (f reader) matchText(n *node) (located, bool) {
	m := n.get("match")
	if m == nil || m.kind == nodeNull {
		return located{}, false
	}
	if m.kind != nodeScalar {
		f.wrongType(m, "match", "text in quotes")
		return located{}, false
	}
	if len(m.string()) > MaxConditionLength {
		f.report.error(diag.RuleTooLong, m.span, "match is too long", "the limit is "+strconv.Itoa(MaxConditionLength)+" bytes")
		return located{}, false
	}
	return m.text, true
}

func (f reader) to(n, parent *node) []Destination {
	switch {
	case n == nil, n.kind == nodeNull && !f.strict(): // Dubbo passes the condition through JSON, which loses what is null
		f.report.warn(diag.BlocksEverything, parent.span, "without \"to\" the calls that match get no provider", "if you mean to block them, say so: to: []")
		return nil
	case n.kind == nodeNull:
		f.report.error(diag.WrongType, n.span, "to is written but empty", "write to: [] to block the calls, or give destinations")
		return nil
	case n.kind != nodeList:
		f.wrongType(n, "to", "a list")
		return nil
	}
	out := make([]Destination, 0, len(n.items))
	sum := 0
	for _, item := range n.items {
		if item.kind != nodeMapping {
			f.report.error(diag.WrongType, item.span, "a destination is a mapping with \"match\" and \"weight\", not "+item.kindName(), "write - {match: \"region=hz\", weight: 100}")
			continue
		}
		f.multiKeys(item, []string{"match", "weight"})
		d := Destination{Span: item.span, Weight: f.weight(item.get("weight"))}
		d.Match = f.destination(item)
		sum += d.Weight
		out = append(out, d)
	}
	if !f.strict() && len(out) > 1 && sum < 100 {
		f.report.warn(diag.SmallWeight, n.span, "weights with the small sum "+strconv.Itoa(sum)+" are drawn unevenly by Dubbo: the first destination gets one part too many, the last one too few",
			"use larger numbers in the same proportion")
	}
	return out
}

func (f reader) destination(item *node) []Clause {
	l, ok := f.matchText(item)
	if !ok {
		return nil
	}
	switch text := trimmed(l).text; {
	case text == "false":
		severity := f.report.warn
		if f.strict() {
			severity = f.report.error
		}
		severity(diag.MatchesAll, item.get("match").span, "match: false in a destination means every provider, the opposite of the classic form", "to block calls write to: []")
		return nil
	case blank(text, f.dialect):
		f.report.warn(diag.EmptyMatch, item.get("match").span, "an empty match means every provider", "leave match out if that is meant")
		return nil
	}
	return parseSide(trimmed(l), side{right: true, multi: true, dialect: f.dialect}, f.report)
}

// weight reads a destination's weight: 100 when absent.
func (f reader) weight(n *node) int {
	if n == nil || n.kind == nodeNull {
		return 100
	}
	v, ok := f.number(n)
	if !ok {
		f.report.error(diag.BadWeight, n.span, "weight must be a whole number, not "+n.kindName(), "write weight: 100")
		return 100
	}
	if v > 0 {
		return v
	}
	if f.strict() {
		f.report.error(diag.BadWeight, n.span, "weight "+strconv.Itoa(v)+" is not above 0; Dubbo reads it as 100", "leave the destination out if it shall get no calls")
	} else {
		f.report.warn(diag.BadWeight, n.span, "weight "+strconv.Itoa(v)+" counts as 100", "leave the destination out if it shall get no calls")
	}
	return 100
}

func quote(s string) string {
	if len(s) > 80 {
		s = s[:80] + "…"
	}
	return strconv.Quote(s)
}
