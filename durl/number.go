package durl

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/dubway-go/dubway/dialect"
)

// parseInt reads a whole number of 32 bits. In the Dubbo dialects the digits of every script count, as in Java.
func parseInt(text string, d dialect.Dialect) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 32)
	if err == nil || d == dialect.Standard {
		return n, err
	}
	return strconv.ParseInt(strings.Map(latinDigit, text), 10, 32)
}

// latinDigit turns a decimal digit of any script into the one of ASCII.
func latinDigit(r rune) rune {
	if r < 0x80 {
		return r
	}
	for _, t := range unicode.Nd.R16 {
		if r >= rune(t.Lo) && r <= rune(t.Hi) {
			return '0' + (r-rune(t.Lo))%10
		}
	}
	return r
}

// ascii reports whether a text has no character beyond U+007F.
func ascii(text string) bool {
	for i := range len(text) {
		if text[i] >= 0x80 {
			return false
		}
	}
	return true
}
