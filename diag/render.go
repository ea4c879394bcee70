package diag

import (
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxShownLine bounds how much of a line Render shows, in bytes.
const maxShownLine = 160

// Render writes the findings with the line of text each is about and a caret under the place:
//
//	order.tag-router:3:5: error DW143: mapping expected
//	   3 | tags gray
//	     |     ^^^^^
//	     = hint: write "tags:"
//
// A finding without a position has no excerpt. The error is the writer's.
func (l List) Render(w io.Writer, text string) error {
	lines := strings.Split(text, "\n")
	var b strings.Builder
	for _, d := range l {
		hint := d.Hint
		d.Hint = ""
		b.WriteString(d.Error())
		b.WriteByte('\n')
		if n := d.Span.Line; n >= 1 && n <= len(lines) {
			d.Span.excerpt(&b, strings.TrimSuffix(lines[n-1], "\r"))
		}
		if hint != "" {
			b.WriteString("     = hint: " + hint + "\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// excerpt writes one line of text and the caret line below it.
func (s Span) excerpt(b *strings.Builder, line string) {
	from := min(max(s.Col-1, 0), len(line))
	to := from + 1
	switch {
	case s.EndLine > s.Line:
		to = len(line)
	case s.EndLine == s.Line && s.EndCol > s.Col:
		to = min(s.EndCol-1, len(line))
	}
	if from > maxShownLine-40 { // keep the place in sight
		cut := from - 40
		for cut > 0 && !utf8.RuneStart(line[cut]) {
			cut--
		}
		line, from, to = "…"+line[cut:], from-cut+len("…"), to-cut+len("…")
	}
	if len(line) > maxShownLine {
		end := maxShownLine
		for end > 0 && !utf8.RuneStart(line[end]) {
			end--
		}
		line = line[:end] + "…"
		to = min(to, len(line))
	}
	number := pad(s.Line)
	b.WriteString(number + " | " + strings.Map(visible, line) + "\n")
	before := utf8.RuneCountInString(line[:min(from, len(line))])
	width := 1
	if to > from && from <= len(line) {
		width = max(1, utf8.RuneCountInString(line[from:min(to, len(line))]))
	}
	b.WriteString("     | " + strings.Repeat(" ", before) + strings.Repeat("^", width) + "\n")
}

// visible keeps one column for each character, and keeps control characters of a stranger's text off the terminal.
func visible(r rune) rune {
	switch {
	case r == '\t':
		return ' '
	case unicode.IsControl(r):
		return '\uFFFD'
	}
	return r
}

func pad(n int) string {
	digits := ""
	for ; n > 0; n /= 10 {
		digits = string(rune('0'+n%10)) + digits
	}
	return strings.Repeat(" ", max(0, 4-len(digits))) + digits
}
