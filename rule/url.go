package rule

import (
	"errors"
	"strconv"
	"strings"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/durl"
)

// ParseRouteURL reads a condition rule URL as registries hold them, decoded once: "condition://…?rule=…" or
// "route://…?router=condition&rule=…" (spec §1.4, §2.8). The document has one condition; its Origin names the URL. All findings are
// returned, with their columns in text; the document is nil iff there is an error among them.
//
// The parameter rule is percent-encoded once more. Force is false, Enabled true and Priority 0 (dubbo-2.6: 2) unless given.
func ParseRouteURL(text string, d dialect.Dialect) (*ConditionDocument, diag.List) {
	r := &report{file: shortURL(text)}
	doc := readRouteURL(text, d, r)
	list := r.sorted()
	if list.HasErrors() {
		return nil, list
	}
	return doc, list
}

// shortURL names a rule URL in messages: without its parameters and user info.
func shortURL(text string) string {
	head, _, _ := strings.Cut(text, "?")
	if i := strings.LastIndexByte(head, '@'); i >= 0 {
		scheme, _, _ := strings.Cut(head, "://")
		head = scheme + "://" + head[i+1:]
	}
	if len(head) > 200 {
		head = head[:200]
	}
	return strings.ToValidUTF8(head, "\uFFFD")
}

func readRouteURL(text string, d dialect.Dialect, r *report) *ConditionDocument {
	u, err := durl.ParseAs(text, d)
	if err != nil {
		r.wrap(err)
		return nil
	}
	src := newSource(text)
	head := src.span(0, max(1, strings.Index(text, "?")))
	switch kind := routeKind(u); kind {
	case "condition":
	case "":
		r.error(diag.URLNotARule, head, "a route URL without the parameter router is dropped by every Dubbo version", "add router=condition")
		return nil
	default:
		hint := "this reads condition:// and route://…?router=condition"
		if kind == "script" {
			hint = "script rules in registry URLs are not run"
		}
		r.error(diag.URLBadKind, head, quote(kind)+" is not a condition rule", hint)
		return nil
	}
	doc := &ConditionDocument{
		Origin: Origin{Source: "registry", Name: text}, Text: text, Valid: true,
		Enabled: u.Bool("enabled", true), Force: u.Bool("force", false), Key: u.ServiceKey(), Scope: "service",
	}
	priority := 0
	if d == dialect.Dubbo26 {
		priority = 2
	}
	if doc.Priority, err = u.Int("priority", priority); err != nil {
		r.wrap(err)
	}
	r.soft = !doc.Enabled && d != dialect.Dubbo26
	l, ok := ruleText(u, src, r)
	if ok {
		doc.Conditions = []Condition{parseCondition(l, d, r)}
		if r.soft && faulty(r.list) {
			doc.Conditions = nil
		}
	}
	return doc
}

// routeKind is the router that a rule URL names: the parameter router of a route URL, else the protocol.
func routeKind(u durl.URL) string {
	if k := u.Get("router", ""); k != "" {
		return k
	}
	if u.Scheme() == "route" {
		return ""
	}
	return u.Scheme()
}

// ruleText decodes the parameter rule, keeping the place of each byte in the URL.
func ruleText(u durl.URL, src *source, r *report) (located, bool) {
	value, ok := u.Param("rule")
	if !ok || value == "" {
		r.error(diag.RuleEmpty, src.span(0, len(src.text)), "rule URL without a rule", "add rule= with the condition, percent-encoded")
		return located{}, false
	}
	// The last one counts, as for the URL; a copy from default.rule is not found here and has no place of its own.
	at := max(strings.LastIndex(src.text, "?rule="), strings.LastIndex(src.text, "&rule="), strings.LastIndex(src.text, ";rule="))
	raw := located{text: value, source: src, offsets: nil}
	if start := at + len("?rule="); at >= 0 && strings.HasPrefix(src.text[start:], value) {
		raw.base = start
	} else {
		raw.offsets = same(0, len(value))
	}
	text, err := durl.Decode(value)
	if err != nil {
		var d diag.Diagnostic
		if errors.As(err, &d) {
			r.error(d.Code, raw.span(d.Span.Col-1, d.Span.EndCol-1), d.Message, d.Hint)
		} else {
			r.error(diag.BadEscape, src.span(0, 0), err.Error(), "")
		}
		return located{}, false
	}
	out := located{text: text, source: src, offsets: make([]int, 0, len(text)+1), wide: true}
	for i := 0; i < len(value); i++ {
		out.offsets = append(out.offsets, raw.offset(i))
		if value[i] == '%' {
			i += 2
		}
	}
	out.offsets = append(out.offsets, raw.offset(len(value)))
	if len(out.offsets) != len(text)+1 { // bytes that were no UTF-8 have been replaced
		out.offsets = same(raw.offset(0), len(text))
	}
	return out, true
}

// wrap adds an error of package durl or match.
func (r *report) wrap(err error) {
	var d diag.Diagnostic
	if !errors.As(err, &d) {
		d = diag.Diagnostic{Code: diag.URLNotARule, Message: strconv.Quote(err.Error())}
	}
	r.add(d.Severity, d.Code, d.Span, d.Message, d.Hint)
}
