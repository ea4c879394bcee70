package durl

import (
	"strings"
	"unicode/utf8"

	"github.com/dubway-go/dubway/diag"
)

// Encode returns s in the form encoding that Dubbo uses for URLs inside registry paths and for rules
// inside URLs: UTF-8 bytes as %XX, space as "+", and letters, digits and . - _ * as themselves.
func Encode(s string) string {
	n := 0
	for i := range len(s) {
		if !plain(s[i]) && s[i] != ' ' {
			n += 2
		}
	}
	if n == 0 && strings.IndexByte(s, ' ') < 0 {
		return s
	}
	const hex = "0123456789ABCDEF"
	b := make([]byte, 0, len(s)+n)
	for i := range len(s) {
		switch c := s[i]; {
		case plain(c):
			b = append(b, c)
		case c == ' ':
			b = append(b, '+')
		default:
			b = append(b, '%', hex[c>>4], hex[c&15])
		}
	}
	return string(b)
}

func plain(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '.' || c == '-' || c == '_' || c == '*'
}

// Decode undoes Encode. Bytes that are not UTF-8 become U+FFFD. The error is a diag.Diagnostic at
// the first "%" that two hex digits do not follow.
func Decode(s string) (string, error) {
	if strings.IndexByte(s, '%') < 0 && strings.IndexByte(s, '+') < 0 {
		return s, nil
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '+':
			b = append(b, ' ')
		case '%':
			if i+2 >= len(s) || unhex(s[i+1]) < 0 || unhex(s[i+2]) < 0 {
				return "", fault(diag.BadEscape, i+1, min(i+4, len(s)+1), "\"%\" without two hex digits after it", "write a literal percent sign as %25")
			}
			b = append(b, byte(unhex(s[i+1])<<4|unhex(s[i+2])))
			i += 2
		default:
			b = append(b, s[i])
		}
	}
	if !utf8.Valid(b) {
		return strings.ToValidUTF8(string(b), "\uFFFD"), nil
	}
	return string(b), nil
}

// Decodes reports whether Decode(s) returns text and no error. It does not allocate.
func Decodes(s, text string) bool {
	if strings.IndexByte(s, '%') >= 0 && !utf8.ValidString(text) {
		return false
	}
	if strings.IndexByte(s, '+') >= 0 || strings.Contains(text, "\uFFFD") {
		decoded, err := Decode(s) // no name that Dubbo writes: it has neither blanks nor what is no UTF-8
		return err == nil && decoded == text
	}
	for {
		i := strings.IndexByte(s, '%')
		if i < 0 {
			return s == text
		}
		if i+2 >= len(s) || len(text) <= i || s[:i] != text[:i] {
			return false
		}
		hi, lo := unhex(s[i+1]), unhex(s[i+2])
		if hi < 0 || lo < 0 || text[i] != byte(hi<<4|lo) {
			return false
		}
		s, text = s[i+3:], text[i+1:]
	}
}

func unhex(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}
