package rule

import (
	"strings"
	"unicode/utf8"

	"github.com/dubway-go/dubway/diag"
)

// source is a whole text with the starts of its lines, to turn offsets into positions.
type source struct {
	text  string
	lines []int
	last  cursor
}

// cursor remembers where a column in characters was found.
type cursor struct{ line, column, offset int }

func newSource(text string) *source {
	s := &source{text: text, lines: make([]int, 1, 1+strings.Count(text, "\n"))}
	for i, c := range text {
		if c == '\n' || c >= 0x85 && strings.ContainsRune(lineBreaks, c) {
			s.lines = append(s.lines, i+utf8.RuneLen(c))
		}
	}
	return s
}

// position returns line and column (in bytes) of an offset, both from 1.
func (s *source) position(offset int) (line, col int) {
	offset = max(0, min(offset, len(s.text)))
	i, after := 0, len(s.lines) // line i begins at or before offset, line after behind it
	for after-i > 1 {
		if half := int(uint(i+after) / 2); s.lines[half] <= offset {
			i = half
		} else {
			after = half
		}
	}
	return i + 1, offset - s.lines[i] + 1
}

// span returns the stretch between two offsets.
func (s *source) span(from, to int) diag.Span {
	var p diag.Span
	p.Line, p.Col = s.position(from)
	if from >= 0 && to >= from && to <= len(s.text) && (p.Line == len(s.lines) || to < s.lines[p.Line]) {
		p.EndLine, p.EndCol = p.Line, p.Col+to-from // as nearly always, on the same line
		return p
	}
	p.EndLine, p.EndCol = s.position(max(from, to))
	return p
}

// located is a piece of text of which each byte is known to come from a place in its source. A nil
// offsets means that byte i comes from base+i.
type located struct {
	text    string
	source  *source
	base    int
	offsets []int // len(text)+1 entries when present
	// wide is set when a byte may take several in the source: its end is where the next one starts.
	wide bool
}

// whole returns a text that is its own source.
func whole(text string) located { return located{text: text, source: newSource(text)} }

func (l located) offset(i int) int {
	if l.offsets == nil {
		return l.base + i
	}
	return l.offsets[max(0, min(i, len(l.offsets)-1))]
}

// span returns where the bytes [from, to) of the piece stand in the source.
func (l located) span(from, to int) diag.Span {
	start := l.offset(from)
	if to <= from {
		return l.source.span(start, start)
	}
	if l.wide {
		return l.source.span(start, max(l.offset(to), start))
	}
	// The end of the last byte, not the start of the next: text may have been left out between them.
	return l.source.span(start, max(l.offset(to-1)+1, start))
}

// slice returns the bytes [from, to).
func (l located) slice(from, to int) located {
	out := located{text: l.text[from:to], source: l.source, base: l.base + from, wide: l.wide}
	if l.offsets != nil {
		out.offsets = l.offsets[from : to+1]
	}
	return out
}

// cut returns the text without the given ranges, which are in order and do not overlap.
func (l located) cut(ranges [][2]int) located {
	if len(ranges) == 0 {
		return l
	}
	text := make([]byte, 0, len(l.text))
	offsets := make([]int, 0, len(l.text)+1)
	at := 0
	add := func(end int) {
		text = append(text, l.text[at:end]...)
		for ; at < end; at++ {
			offsets = append(offsets, l.offset(at))
		}
	}
	for _, r := range ranges {
		add(r[0])
		at = r[1]
	}
	add(len(l.text))
	return located{text: string(text), source: l.source, offsets: append(offsets, l.offset(len(l.text))), wide: l.wide}
}
