package rule

import (
	"strconv"
	"strings"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
)

// sideParser turns the tokens of one side into clauses.
type sideParser struct {
	text    located
	side    side
	report  *report
	clauses []*Clause
	current *Clause
	// values is the list that was written to last and owner its clause: Dubbo's "," goes there, whatever key came after.
	values *[]Value
	owner  *Clause
	failed bool
}

func parseSide(l located, s side, r *report) []Clause {
	p := &sideParser{text: l, side: s, report: r}
	tokens, skipped := tokenize(l.text)
	if s.right && !s.multi && strings.Contains(l.text, "=>") {
		i := strings.Index(l.text, "=>")
		p.doubt(diag.SecondArrow, l.span(i, i+2), "second \"=>\" in one rule", "a rule has one \"=>\": write two rules")
	}
	for i, gap := range skipped {
		p.gap(gap, len(tokens) == 0 && i == 0)
	}
	for _, t := range tokens {
		p.token(t)
	}
	out := make([]Clause, len(p.clauses))
	for i, c := range p.clauses {
		out[i] = *c
	}
	if !p.failed {
		for i := range out {
			checkClause(&out[i], s, r)
		}
	}
	return out
}

// doubt reports what Dubbo takes and Standard refuses.
func (p *sideParser) doubt(code string, span diag.Span, message, hint string) {
	if p.side.strict() {
		p.report.error(code, span, message, hint)
		return
	}
	p.report.warn(code, span, message, hint)
}

// gap reports separators that nothing follows.
func (p *sideParser) gap(gap [2]int, nothing bool) {
	text := p.text.text[gap[0]:gap[1]]
	span := p.text.span(gap[0], gap[1])
	if nothing {
		p.doubt(diag.BadSeparator, span, strconv.Quote(text)+" without a key", "write key=value")
		return
	}
	if text == "=" || text == "!=" {
		return // the key without value is reported
	}
	p.report.warn(diag.IgnoredSeparator, span, strconv.Quote(text)+" is ignored here", "take it out")
}

func (p *sideParser) token(t word) {
	separator := p.text.text[t.sepFrom:t.sepTo]
	switch separator {
	case "", "&":
		p.key(t, separator == "")
	case "=", "!=":
		if p.current == nil {
			p.fail(diag.ValueWithoutKey, t, strconv.Quote(separator)+" without a key before it", "write key"+separator+"value")
			return
		}
		p.values, p.owner = &p.current.In, p.current
		if separator == "!=" {
			p.values = &p.current.NotIn
		}
		p.value(t)
	case ",":
		if p.values == nil || len(*p.values) == 0 {
			p.fail(diag.CommaWithout, t, "\",\" without a value before it", "commas separate values: key=a,b; conditions are joined with \"&\"")
			return
		}
		if p.owner != p.current {
			p.doubt(diag.CommaOnOtherKey, p.text.span(t.sepFrom, t.to), "this value falls to key "+strconv.Quote(p.owner.Key)+", not to "+strconv.Quote(p.current.Key),
				"write "+p.current.Key+"="+p.text.text[t.from:t.to])
		}
		p.value(t)
	default:
		p.fail(diag.BadSeparator, t, strconv.Quote(separator)+" is no separator", separatorHint(separator))
		p.recover(t, separator)
	}
}

func separatorHint(s string) string {
	switch {
	case s == "&&":
		return "conditions are joined with one \"&\""
	case s == "==":
		return "write one \"=\""
	case s == "!":
		return "\"not\" is written key!=value"
	case s == "=!":
		return "write \"!=\""
	case strings.Trim(s, ",") == "":
		return "write one \",\" between values"
	}
	return "use \"=\", \"!=\", \",\" or \"&\"; there are no brackets, quotes or \"or\""
}

func (p *sideParser) fail(code string, t word, message, hint string) {
	p.failed = true
	to := t.sepTo
	if to == t.sepFrom {
		to = t.to
	}
	p.report.error(code, p.text.span(t.sepFrom, to), message, hint)
}

// recover reads on after a bad separator, to find what else is wrong.
func (p *sideParser) recover(t word, separator string) {
	switch {
	case strings.HasSuffix(separator, "&"), p.current == nil:
		p.key(t, false)
	case strings.HasSuffix(separator, "="):
		p.values, p.owner = &p.current.In, p.current
		p.value(t)
	case p.values != nil && len(*p.values) > 0:
		p.value(t)
	}
}

func (p *sideParser) key(t word, fresh bool) {
	name, from := p.text.text[t.from:t.to], t.from
	if p.side.dialect == dialect.Standard && !p.side.multi {
		for _, prefix := range prefixes {
			for strings.HasPrefix(name, prefix) && len(name) > len(prefix) {
				name, from = name[len(prefix):], from+len(prefix)
			}
		}
	}
	span := p.text.span(from, t.to)
	for i, c := range p.clauses {
		if c.Key != name {
			continue
		}
		if !fresh {
			p.current = c
			return
		}
		p.doubt(diag.RepeatedKey, span, "key "+strconv.Quote(name)+" without \"&\" before it replaces what was said about it before", "join the conditions with \"&\"")
		p.current = &Clause{Key: name, Span: span}
		p.clauses[i] = p.current
		return
	}
	p.current = &Clause{Key: name, Span: span}
	p.clauses = append(p.clauses, p.current)
}

func (p *sideParser) value(t word) {
	text := p.text.text[t.from:t.to]
	for i := range *p.values {
		if (*p.values)[i].Text == text {
			return
		}
	}
	*p.values = append(*p.values, Value{Text: text, Span: p.text.span(t.from, t.to)})
	if p.owner == p.current {
		end := p.text.span(t.from, t.to)
		p.current.Span.EndLine, p.current.Span.EndCol = end.EndLine, end.EndCol
	}
}
