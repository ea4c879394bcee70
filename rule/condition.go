package rule

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
)

// MaxConditionLength is the longest condition rule, in bytes.
const MaxConditionLength = 64 << 10

// ParseCondition reads one condition rule. All findings are returned; the condition is of use only
// when the list has no errors. Spans are positions in text.
//
// The Dubbo dialects take and refuse exactly what those versions do (spec §2.2) and warn of what hardly was meant. Standard
// reads the same language with these repairs: "consumer." and "provider." are cut from the start of a key only, never from values; a key
// without value, a comma that falls to another key, a second "=>", and malformed argument and attachment keys are errors.
func ParseCondition(text string, d dialect.Dialect) (Condition, diag.List) {
	var r report
	c := parseCondition(whole(text), d, &r)
	return c, r.sorted()
}

// side names the half of a rule that a text is.
type side struct {
	right   bool
	multi   bool // of a multi-destination document: no prefixes are cut, no blacklist
	dialect dialect.Dialect
}

// strict reports whether doubtful texts are refused.
func (s side) strict() bool { return s.dialect == dialect.Standard }

func parseCondition(l located, d dialect.Dialect, r *report) Condition {
	c := Condition{Text: l.text, Span: l.span(0, len(l.text)), Dialect: d}
	if len(l.text) > MaxConditionLength {
		r.error(diag.RuleTooLong, l.span(0, 1), "condition of "+strconv.Itoa(len(l.text))+" bytes is too long",
			"the limit is "+strconv.Itoa(MaxConditionLength)+" bytes: split it")
		return c
	}
	// Java trims here: U+3000 alone is no empty rule, U+0000 alone is one.
	if blank(l.text, dialect.Dubbo26) || d == dialect.Standard && blank(l.text, d) {
		r.error(diag.RuleEmpty, l.span(0, len(l.text)), "condition is empty", "write when => then, for example \"method=get* => region=hz\"")
		return c
	}
	if d != dialect.Standard {
		l = cutPrefixes(l, r)
	}
	var when, then located
	if i := strings.Index(l.text, "=>"); i >= 0 {
		when, then = trimmed(l.slice(0, i)), trimmed(l.slice(i+2, len(l.text)))
	} else {
		when, then = l.slice(0, 0), trimmed(l)
	}
	left, right := side{dialect: d}, side{dialect: d, right: true}
	if !blank(when.text, d) && when.text != "true" {
		c.When = parseSide(when, left, r)
	}
	if blank(then.text, d) || then.text == "false" {
		c.Blacklist = true
		if len(c.When) == 0 {
			r.warn(diag.BlocksEverything, c.Span, "this rule leaves no provider to any call",
				"say on the left side whom to block, for example \"application=web => false\"")
		}
		return c
	}
	c.Then = parseSide(then, right, r)
	return c
}

// blank reports whether s has white space only, as the dialect sees it: 2.6 counts characters up to U+0020,
// later versions all Unicode white space.
func blank(s string, d dialect.Dialect) bool {
	if d == dialect.Dubbo26 {
		return strings.TrimFunc(s, func(r rune) bool { return r <= ' ' }) == ""
	}
	return strings.TrimFunc(s, javaSpace) == ""
}

// javaSpace is white space to Java: Unicode's except the no-break spaces, plus the four separators.
func javaSpace(r rune) bool {
	switch {
	case r == 0xA0 || r == 0x2007 || r == 0x202F || r == 0x85:
		return false
	case 0x1C <= r && r <= 0x1F:
		return true
	}
	return unicode.IsSpace(r)
}

// trimmed cuts characters up to U+0020 at both ends, as Java's trim does.
func trimmed(l located) located {
	from, to := 0, len(l.text)
	for from < to && l.text[from] <= ' ' {
		from++
	}
	for to > from && l.text[to-1] <= ' ' {
		to--
	}
	return l.slice(from, to)
}

// prefixes decorate keys in old rules: "consumer.host" is "host".
var prefixes = [...]string{"consumer.", "provider."}

// cutPrefixes deletes every "consumer." and then every "provider." from the text, inside values too, as Dubbo does.
func cutPrefixes(l located, r *report) located {
	for _, prefix := range prefixes {
		var ranges [][2]int
		for from := 0; ; {
			i := strings.Index(l.text[from:], prefix)
			if i < 0 {
				break
			}
			start := from + i
			from = start + len(prefix)
			ranges = append(ranges, [2]int{start, from})
			if !atKey(l.text[:start]) {
				r.warn(diag.PrefixInValue, l.span(start, from), strconv.Quote(prefix)+" is cut out of this text by Dubbo",
					"the value is compared without it: use a \"*\" or another label")
			}
		}
		l = l.cut(ranges)
	}
	return l
}

// atKey reports whether a key may begin after before.
func atKey(before string) bool {
	b := strings.TrimRight(before, " \t\r\n\v\f")
	return b == "" || strings.HasSuffix(b, "&") || strings.HasSuffix(b, "=>") ||
		len(b) < len(before) && !strings.HasSuffix(b, "=") && !strings.HasSuffix(b, ",")
}
