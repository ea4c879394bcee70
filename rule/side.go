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
	tokens  []word
	clauses []Clause
	// current is the clause whose key came last, owner the one that was written to last, and negative which of its lists: Dubbo's "," goes there,
	// whatever key came after. They are numbers in clauses; nobody and replaced are none.
	current, owner int
	negative       bool
	// old is the owner when it was replaced by a later clause of its key: what is written to it is lost.
	old    Clause
	failed bool
	// seen are the values of the list that is written to, while many follow each other.
	seen map[string]struct{}
}

// manyValues is how many values are looked up in seen.
const manyValues = 32

// Owners that are no clause of the side.
const (
	nobody   = -1
	replaced = -2
)

func parseSide(l located, s side, r *report) []Clause {
	p := &sideParser{text: l, side: s, report: r, clauses: r.room.open[:0], current: nobody, owner: nobody}
	var skipped [][2]int
	p.tokens, skipped = tokenize(l.text, r.room.words[:0], r.room.skipped[:0])
	if s.right && !s.multi && strings.Contains(l.text, "=>") {
		i := strings.Index(l.text, "=>")
		p.doubt(diag.SecondArrow, l.span(i, i+2), "second \"=>\" in one rule", "a rule has one \"=>\": write two rules")
	}
	for i, gap := range skipped {
		p.gap(gap, len(p.tokens) == 0 && i == 0)
	}
	for i := range p.tokens {
		p.token(i)
	}
	out := r.room.takeClauses(len(p.clauses))
	copy(out, p.clauses)
	clear(p.clauses)
	r.room.words, r.room.skipped, r.room.open = p.tokens, skipped, p.clauses
	if !p.failed {
		for i := range out {
			checkClause(&out[i], s, r)
		}
	}
	return out
}

// values is the list that was written to last.
func (p *sideParser) values() *[]Value {
	c := p.written()
	if p.negative {
		return &c.NotIn
	}
	return &c.In
}

// written is the clause that was written to last; there is one.
func (p *sideParser) written() *Clause {
	if p.owner == replaced {
		return &p.old
	}
	return &p.clauses[p.owner]
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

func (p *sideParser) token(at int) {
	t := p.tokens[at]
	separator := p.text.text[t.sepFrom:t.sepTo]
	switch separator {
	case "", "&":
		p.key(t, separator == "")
	case "=", "!=":
		if p.current == nobody {
			p.fail(diag.ValueWithoutKey, t, strconv.Quote(separator)+" without a key before it", "write key"+separator+"value")
			return
		}
		p.write(at, separator == "!=")
	case ",":
		if p.owner == nobody || len(*p.values()) == 0 {
			p.fail(diag.CommaWithout, t, "\",\" without a value before it", "commas separate values: key=a,b; conditions are joined with \"&\"")
			return
		}
		if p.owner != p.current {
			p.doubt(diag.CommaOnOtherKey, p.text.span(t.sepFrom, t.to), "this value falls to key "+strconv.Quote(p.written().Key)+", not to "+strconv.Quote(p.clauses[p.current].Key),
				"write "+p.clauses[p.current].Key+"="+p.text.text[t.from:t.to])
		}
		p.value(at)
	default:
		p.fail(diag.BadSeparator, t, strconv.Quote(separator)+" is no separator", separatorHint(separator))
		p.recover(at, separator)
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
func (p *sideParser) recover(at int, separator string) {
	switch {
	case strings.HasSuffix(separator, "&"), p.current == nobody:
		p.key(p.tokens[at], false)
	case strings.HasSuffix(separator, "="):
		p.write(at, false)
	case p.owner != nobody && len(*p.values()) > 0:
		p.value(at)
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
	for i := range p.clauses {
		if p.clauses[i].Key != name {
			continue
		}
		p.current = i
		if !fresh {
			return
		}
		p.doubt(diag.RepeatedKey, span, "key "+strconv.Quote(name)+" without \"&\" before it replaces what was said about it before", "join the conditions with \"&\"")
		if p.owner == i {
			p.owner, p.old = replaced, p.clauses[i]
		}
		p.clauses[i] = Clause{Key: name, Span: span}
		return
	}
	p.current = len(p.clauses)
	p.clauses = append(p.clauses, Clause{Key: name, Span: span})
}

// write begins to write to a list of the current clause.
func (p *sideParser) write(at int, negative bool) {
	p.owner, p.negative, p.seen = p.current, negative, nil
	list, more := p.values(), p.commas(at+1)
	if *list == nil {
		*list = p.report.room.takeValues(1 + more)
	}
	if more >= manyValues {
		p.seen = make(map[string]struct{}, len(*list)+more+1)
		for i := range *list {
			p.seen[(*list)[i].Text] = struct{}{}
		}
	}
	p.value(at)
}

func (p *sideParser) value(at int) {
	t := p.tokens[at]
	text, list := p.text.text[t.from:t.to], p.values()
	if p.has(*list, text) {
		return
	}
	span := p.text.span(t.from, t.to)
	*list = append(*list, Value{Text: text, Span: span})
	if p.owner == p.current {
		c := &p.clauses[p.current]
		c.Span.EndLine, c.Span.EndCol = span.EndLine, span.EndCol
	}
}

// has reports whether the list that is written to has a value already, and notes the value.
func (p *sideParser) has(list []Value, text string) bool {
	if p.seen != nil {
		n := len(p.seen)
		p.seen[text] = struct{}{}
		return len(p.seen) == n
	}
	for i := range list {
		if list[i].Text == text {
			return true
		}
	}
	return false
}

// commas returns how many tokens from one on follow a comma each.
func (p *sideParser) commas(at int) int {
	n := 0
	for ; at < len(p.tokens) && p.text.text[p.tokens[at].sepFrom:p.tokens[at].sepTo] == ","; at++ {
		n++
	}
	return n
}
