package match

import (
	"math"
	"strings"
)

// Range reads "low~high", "low~" or "~high" as Standard does: whole numbers, inclusive, perhaps negative; a missing end is
// open. ok is false for every other text, also for "~" alone.
func Range(pattern string) (low, high int64, ok bool) {
	a, b, found := strings.Cut(pattern, "~")
	if !found || a == "" && b == "" {
		return 0, 0, false
	}
	low, high = math.MinInt64, math.MaxInt64
	if a != "" {
		if low, ok = number(a); !ok {
			return 0, 0, false
		}
	}
	if b != "" {
		if high, ok = number(b); !ok {
			return 0, 0, false
		}
	}
	return low, high, true
}

func strictRange(p Pattern) (Pattern, bool) {
	low, high, ok := Range(p.text)
	if !ok {
		return p, false
	}
	p.kind, p.low, p.high = kindRange, low, high
	return p, true
}

// number reads a whole decimal number without leading "+". Unlike strconv it does not allocate for text that is none.
func number(s string) (int64, bool) {
	text, negative := strings.CutPrefix(s, "-")
	if text == "" {
		return 0, false
	}
	n := int64(0) // kept negative: the range below 0 is the larger one
	for i := range len(text) {
		c := text[i]
		if c < '0' || c > '9' {
			return 0, false
		}
		d := int64(c - '0')
		if n < (math.MinInt64+d)/10 {
			return 0, false
		}
		n = n*10 - d
	}
	if negative {
		return n, true
	}
	return -n, n != math.MinInt64
}

// looseRange compiles a range as dubbo-3.3 reads it, slips included (spec §2.7): text that is not all digits counts as 0, an
// upper bound that is missing breaks the range unless a second tilde follows, and a broken range gives the side's answer.
func looseRange(p Pattern, right bool) Pattern {
	fallback := kindNever
	mark := ""
	if right {
		fallback, mark = kindAny, "overflow matches"
	}
	// Java's split drops empty pieces at the end.
	pieces := strings.Split(p.text, "~")
	for len(pieces) > 0 && pieces[len(pieces)-1] == "" {
		pieces = pieces[:len(pieces)-1]
	}
	if len(pieces) < 2 {
		p.kind = fallback
		return p
	}
	low, high := int64(math.MinInt64), int64(math.MaxInt64)
	ok := true
	if pieces[0] != "" {
		low, ok = digits(pieces[0])
	}
	if pieces[1] != "" && ok {
		high, ok = digits(pieces[1])
	}
	if !ok {
		p.kind = fallback
		return p
	}
	p.kind, p.low, p.high, p.suffix = kindLooseRange, low, high, mark
	return p
}

// digits reads text of digits only as a 32-bit number and every other text as 0; ok is false when the number
// is too large.
func digits(s string) (int64, bool) {
	if s == "" {
		return 0, true
	}
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, true
		}
	}
	n, ok := number(s)
	return n, ok && n <= math.MaxInt32
}
