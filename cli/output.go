package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"
	"unicode"
)

// json prints v as one indented JSON value.
func (s *streams) json(v any) error {
	e := json.NewEncoder(s.out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}

func (s *streams) wantsJSON() bool { return s.output == "json" }

// paint are the colours in use; all empty when there is no colour.
type paint struct{ bold, dim, red, green, yellow, off string }

// colours returns the colours for standard output: none unless it is a terminal, nor with NO_COLOR or TERM=dumb.
func (s *streams) colours() paint {
	if s.noColor || s.getenv("NO_COLOR") != "" || s.getenv("TERM") == "dumb" || !terminal(s.out) {
		return paint{}
	}
	return paint{"\x1b[1m", "\x1b[2m", "\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[0m"}
}

func terminal(w any) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// table prints rows in aligned columns.
func (s *streams) table(rows [][]string) {
	w := tabwriter.NewWriter(s.out, 0, 4, 2, ' ', 0)
	for _, r := range rows {
		for i := range r {
			r[i] = clean(r[i])
		}
		fmt.Fprintln(w, strings.TrimRight(strings.Join(r, "\t"), "\t "))
	}
	_ = w.Flush()
}

// clean keeps what comes from registries and providers from steering the terminal.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return '\uFFFD'
		}
		return r
	}, text)
}

// plural returns "1 provider", "3 providers".
func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}
