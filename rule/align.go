package rule

import (
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/token"
)

type scalarStyle uint8

const (
	stylePlain scalarStyle = iota
	styleSingle
	styleDouble
	styleLiteral
	styleFolded
)

// slack is how far, in bytes, the library's columns are trusted to be off.
const slack = 48

// locate finds where each byte of a scalar's value stands in the source, so that a finding inside a
// quoted or folded text points at the right place. When that cannot be told, all bytes point at the scalar.
func (b *builder) locate(t *token.Token, value string, style scalarStyle) located {
	out := located{text: value, source: b.src}
	start := b.src.lineColumn(t.Position.Line, t.Position.Column)
	src := b.src.text
	if style >= styleLiteral {
		next := strings.IndexByte(src[start:], '\n')
		if next >= 0 {
			if offsets, ok := align(value, src, start+next+1, style); ok {
				out.offsets = offsets
				return out
			}
		}
		out.base = start
		out.offsets = same(start, len(value))
		return out
	}
	for distance := range slack {
		for _, at := range [...]int{start - distance, start + distance} {
			if at < 0 || at > len(src) || distance == 0 && at != start {
				continue
			}
			from, ok := opens(src, at, style)
			if !ok {
				continue
			}
			if style == stylePlain && strings.HasPrefix(src[from:], value) {
				out.base = from
				return out
			}
			if offsets, ok := align(value, src, from, style); ok {
				out.offsets = offsets
				return out
			}
		}
	}
	out.base = start
	out.offsets = same(start, len(value))
	return out
}

func same(offset, n int) []int {
	out := make([]int, n+1)
	for i := range out {
		out[i] = offset
	}
	return out
}

// opens returns where the content of a scalar that begins at the offset starts.
func opens(src string, at int, style scalarStyle) (int, bool) {
	var quote byte
	switch style {
	case styleSingle:
		quote = '\''
	case styleDouble:
		quote = '"'
	default:
		return at, true
	}
	return at + 1, at < len(src) && src[at] == quote
}

// align walks value and source side by side, undoing escapes, folding and indentation.
func align(value, src string, j int, style scalarStyle) ([]int, bool) {
	offsets := make([]int, 0, len(value)+1)
	indent := 0
	if style >= styleLiteral {
		indent = indentation(src[j:])
		j = skipIndent(src, j, indent)
	}
	for i := 0; i < len(value); {
		if j >= len(src) {
			return nil, false
		}
		if style == styleDouble && src[j] == '\\' {
			n, width := escape(src[j:])
			if width == 0 {
				return nil, false
			}
			for range min(n, len(value)-i) {
				offsets = append(offsets, j)
			}
			i, j = i+n, j+width
			continue
		}
		if n, k := lineBreak(src, j, style); n > 0 {
			m := folded(value[i:], n, style)
			if m == 0 {
				return nil, false
			}
			for range m {
				offsets = append(offsets, j)
			}
			i, j = i+m, k
			if style >= styleLiteral {
				j = skipIndent(src, j, indent)
			}
			continue
		}
		if value[i] != src[j] {
			return nil, false
		}
		offsets = append(offsets, j)
		if style == styleSingle && value[i] == '\'' {
			j++
		}
		i, j = i+1, j+1
	}
	for len(offsets) < len(value)+1 {
		offsets = append(offsets, j)
	}
	return offsets, true
}

// lineBreak returns the number of line breaks at j with the white space around them, and the offset behind it all.
func lineBreak(src string, j int, style scalarStyle) (n, end int) {
	k := j
	if style == styleLiteral {
		if src[j] == '\r' && j+1 < len(src) && src[j+1] == '\n' {
			return 1, j + 2
		}
		if src[j] == '\n' {
			return 1, j + 1
		}
		return 0, j
	}
	for k < len(src) && (src[k] == ' ' || src[k] == '\t' || src[k] == '\r' || src[k] == '\n') {
		if src[k] == '\n' {
			n++
			end = k + 1
		}
		k++
	}
	if style == styleFolded || n == 0 {
		return n, end
	}
	return n, k
}

// folded returns how many bytes of value n line breaks have become.
func folded(value string, n int, style scalarStyle) int {
	if style != styleLiteral && n == 1 && strings.HasPrefix(value, " ") {
		return 1
	}
	m := 0
	for m < n && m < len(value) && value[m] == '\n' {
		m++
	}
	return m
}

func indentation(s string) int {
	for line := range strings.SplitSeq(s, "\n") {
		if rest := strings.TrimLeft(line, " "); rest != "" && rest != "\r" {
			return len(line) - len(rest)
		}
	}
	return 0
}

func skipIndent(src string, j, indent int) int {
	for n := 0; n < indent && j < len(src) && src[j] == ' '; n++ {
		j++
	}
	return j
}

// escape returns the number of bytes that the escape at the start of s stands for, and its width; width
// 0 means that it is none.
func escape(s string) (n, width int) {
	if len(s) < 2 {
		return 0, 0
	}
	var digits int
	switch s[1] {
	case '\n', '\r':
		return 0, 2 + len(s[2:]) - len(strings.TrimLeft(s[2:], " \t\r\n"))
	case '_', 'N':
		return 2, 2
	case 'L', 'P':
		return 3, 2
	case 'x':
		digits = 2
	case 'u':
		digits = 4
	case 'U':
		digits = 8
	default:
		return 1, 2
	}
	if len(s) < 2+digits {
		return 0, 0
	}
	r := rune(0)
	for _, c := range s[2 : 2+digits] {
		r = r<<4 | hexDigit(c)
	}
	return max(1, utf8.RuneLen(r)), 2 + digits
}

func hexDigit(c rune) rune {
	switch {
	case '0' <= c && c <= '9':
		return c - '0'
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10
	case 'A' <= c && c <= 'F':
		return c - 'A' + 10
	}
	return 0
}
