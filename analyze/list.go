package analyze

import (
	"errors"
	"slices"
	"strings"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/rule"
)

// list analyses a text of URLs and conditions, one a line.
func (l *linter) list() {
	here := ReadWorld(l.text.Text, l.o.Dialect)
	l.o.World = World{Providers: slices.Concat(here.Providers, l.o.World.Providers), Consumers: slices.Concat(here.Consumers, l.o.World.Consumers),
		Overrides: slices.Concat(here.Overrides, l.o.World.Overrides), ConfigCentres: slices.Concat(here.ConfigCentres, l.o.World.ConfigCentres)}
	lines := strings.Split(l.text.Text, "\n")
	for i, raw := range lines {
		line := strings.TrimSpace(raw)
		if line == "" || line[0] == '#' {
			continue
		}
		l.line, l.column = i, strings.Index(raw, line)
		plain := decoded(line)
		if l.encoded = 0; plain != line {
			l.encoded = len(line)
		}
		l.entry(plain)
	}
	l.encoded = 0
	l.line, l.column = 0, 0
	l.weights(here.Providers, lines)
	l.releases(here.Consumers, lines)
}

// entry analyses one line.
func (l *linter) entry(line string) {
	arrow, scheme := strings.Index(line, "=>"), strings.Index(line, "://")
	if scheme < 0 || arrow >= 0 && arrow < scheme {
		l.conditionText(line)
		return
	}
	switch line[:scheme] {
	case "condition", "route", "script", "file", "tag":
		l.ruleURL(line)
	case "override", "absent":
		if u, ok := l.url(line); ok {
			l.override(u, line)
		}
	case "consumer":
		if u, ok := l.url(line); ok {
			l.consumer(u, line)
			l.tagLeak(u, line)
		}
	case "consul", "nacos", "zookeeper", "apollo":
		l.url(line)
	default:
		if u, ok := l.url(line); ok {
			l.provider(u, line)
		}
	}
}

// url reads a URL in each dialect asked for; ok is false when the first of them cannot.
func (l *linter) url(line string) (durl.URL, bool) {
	host := line[strings.Index(line, "://")+3:]
	if end := strings.IndexAny(host, "/?"); end >= 0 {
		host = host[:end]
	}
	if strings.HasPrefix(host, "[") && strings.HasSuffix(host, "]") || strings.Count(host, ":") > 1 && !strings.HasPrefix(host, "[") {
		at := strings.Index(line, host)
		l.add(diag.Error, IPv6WithoutPort, columns(at, at+len(host)), "an IPv6 host without a port: Dubbo takes what follows the last colon for the port and cannot read the URL", "write the port: ["+strings.Trim(host, "[]")+"]:20880")
		return durl.URL{}, false
	}
	urls := read(l, func(d dialect.Dialect) (durl.URL, diag.List) {
		u, err := durl.ParseAs(line, d)
		return u, listed(err)
	})
	u, ok := urls[l.asked[0]]
	return u, ok
}

// listed turns an error of package durl into findings.
func listed(err error) diag.List {
	if err == nil {
		return nil
	}
	d, ok := errors.AsType[diag.Diagnostic](err)
	if !ok {
		d = diag.Diagnostic{Code: diag.URLNotARule, Message: err.Error()}
	}
	return diag.List{d}
}

// columns is a place in the present line, from byte offsets.
func columns(from, to int) diag.Span {
	return diag.Span{Line: 1, Col: from + 1, EndLine: 1, EndCol: to + 1}
}

// param returns the place of a parameter in a URL's text, else of its whole head.
func param(line, key string) diag.Span {
	for _, mark := range []string{"?", "&", ";"} {
		if at := strings.LastIndex(line, mark+key+"="); at >= 0 {
			end := strings.IndexAny(line[at+1:], "&;")
			if end < 0 {
				end = len(line) - at - 1
			}
			return columns(at+1, at+1+end)
		}
	}
	end := strings.IndexByte(line, '?')
	if end < 0 {
		end = len(line)
	}
	return columns(0, end)
}

// conditionText analyses a condition that stands alone.
func (l *linter) conditionText(line string) {
	parsed := read(l, func(d dialect.Dialect) (*rule.ConditionDocument, diag.List) {
		c, list := rule.ParseCondition(line, d)
		return &rule.ConditionDocument{Origin: l.origin(), Enabled: true, Valid: true, Conditions: []rule.Condition{c}}, list
	})
	doc := first(parsed, l.asked)
	if doc == nil {
		return
	}
	l.condition(doc.Conditions[0], false)
	l.compareRules(parsed)
}

// ruleURL analyses a rule URL as registries hold them.
func (l *linter) ruleURL(line string) {
	if u, err := durl.ParseAs(line, l.o.Dialect); err == nil {
		if n, err := u.Int("priority", 0); err == nil && n != 0 {
			l.add(diag.Info, SmallerFirst, param(line, "priority"), "rules with a smaller priority run first, in every version", "a rule that shall run last needs the largest number")
		}
	}
	for _, d := range l.asked {
		if d == dialect.Dubbo31 || d == dialect.Dubbo33 {
			l.add(diag.Error, NotReadThere, param(line, ""), "Dubbo 3.0.5 and later consumers do not read rule URLs in the registry: the rule does not exist for them",
				"write it as a rule document in the config centre", dialect.Dubbo31, dialect.Dubbo33)
			break
		}
	}
	if strings.HasPrefix(line, "script://") || strings.HasPrefix(line, "route://") && strings.Contains(line, "router=script") {
		read(l, func(d dialect.Dialect) (*rule.ScriptDocument, diag.List) {
			doc, list := rule.ParseScriptURL(line, d)
			return doc, append(list, compiled(doc, d)...)
		})
		return
	}
	docs := read(l, func(d dialect.Dialect) (*rule.ConditionDocument, diag.List) { return rule.ParseRouteURL(line, d) })
	delete(docs, dialect.Dubbo31)
	delete(docs, dialect.Dubbo33)
	doc := first(docs, l.asked)
	if doc == nil || !doc.Enabled || len(doc.Conditions) == 0 {
		return
	}
	l.condition(doc.Conditions[0], doc.Force)
	l.compareRules(docs)
}
