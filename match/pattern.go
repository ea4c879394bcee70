package match

import (
	"strings"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/durl"
)

// Options says how a pattern is read. The zero value reads a left-side pattern in the Standard dialect.
type Options struct {
	Dialect dialect.Dialect
	// Right is set for the right side of a rule, where "$name" stands for a value of the consumer
	// and where a broken range matches everything in dubbo-3.3 (spec §2.4, §2.7).
	Right bool
	// Consumer is the URL that "$name" is looked up in.
	Consumer durl.URL
}

type kind uint8

const (
	kindLiteral    kind = iota // value == prefix
	kindAffix                  // value starts with prefix and ends with suffix
	kindAny                    // everything, also an absent value
	kindEmpty                  // an empty or absent value only
	kindNever                  // nothing
	kindRange                  // a whole number between low and high
	kindLooseRange             // the same, with every value that is no number counting as 0
)

// Pattern is a compiled value pattern. It is immutable, safe for concurrent use, and matching does
// not allocate. The zero Pattern matches the empty value only.
type Pattern struct {
	text           string
	prefix, suffix string
	low, high      int64
	kind           kind
}

// Compile reads one value of a rule. It never fails: text that means nothing matches nothing, and
// package rule reports it when the rule is parsed.
//
// In Standard and dubbo-3.3 a text with "~" is a number range (spec §2.7). Standard repairs its slips: "5~" is open
// above, numbers may be negative, a value that is no number is in no range, and a text whose ends are no numbers is
// plain text, so that names with a tilde can be matched.
func Compile(pattern string, o Options) Pattern {
	p := Pattern{text: pattern}
	if strings.IndexByte(pattern, '~') >= 0 {
		switch o.Dialect {
		case dialect.Dubbo33:
			return looseRange(p, o.Right)
		case dialect.Standard:
			if r, ok := strictRange(p); ok {
				return r
			}
		}
	}
	if o.Right && strings.HasPrefix(pattern, "$") {
		pattern, _ = lookup(pattern[1:], o)
	}
	return glob(p, pattern)
}

// lookup resolves "$name". Standard also knows $address, which Dubbo looks up as a mere parameter.
func lookup(name string, o Options) (string, bool) {
	if name == "address" && o.Dialect == dialect.Standard {
		return o.Consumer.Address(), true
	}
	return o.Consumer.Raw(name)
}

// glob compiles what Glob does.
func glob(p Pattern, pattern string) Pattern {
	i := strings.LastIndexByte(pattern, '*')
	switch {
	case pattern == "*":
		p.kind = kindAny
	case pattern == "":
		p.kind = kindEmpty
	case i < 0:
		p.kind, p.prefix = kindLiteral, pattern
	default:
		p.kind, p.prefix, p.suffix = kindAffix, pattern[:i], pattern[i+1:]
	}
	return p
}

// Match reports whether the pattern matches value; present tells an empty value from an absent one.
// An absent value is matched by "*" and by an empty "$name" only, as Dubbo does with null; whether a rule
// asks at all about an absent key is the caller's business (spec §2.5).
func (p Pattern) Match(value string, present bool) bool {
	switch p.kind {
	case kindLiteral:
		return present && value == p.prefix
	case kindAffix:
		return present && value != "" && strings.HasPrefix(value, p.prefix) && strings.HasSuffix(value, p.suffix)
	case kindAny:
		return true
	case kindEmpty:
		return !present || value == ""
	case kindRange:
		n, ok := number(value)
		return present && ok && p.low <= n && n <= p.high
	case kindLooseRange:
		n, ok := digits(value)
		if !ok {
			return p.suffix != "" // numeric overflow of the value: the side's default answer
		}
		return p.low <= n && n <= p.high
	}
	return false
}

// Literal returns the text that a value must equal when the pattern is plain equality; it is "", true for the pattern that
// matches the empty value only.
func (p Pattern) Literal() (string, bool) {
	return p.prefix, p.kind == kindLiteral || p.kind == kindEmpty
}

// Always reports whether the pattern matches every value.
func (p Pattern) Always() bool { return p.kind == kindAny }

// Never reports whether the pattern matches no value.
func (p Pattern) Never() bool { return p.kind == kindNever || p.kind == kindRange && p.low > p.high }

// String returns the text that the pattern was compiled from.
func (p Pattern) String() string { return p.text }
