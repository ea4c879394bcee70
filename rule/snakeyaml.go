package rule

import (
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/token"

	"github.com/dubway-go/dubway/diag"
)

// What Dubbo's YAML reader, SnakeYAML, refuses and the library here would read. A document that only one of the two reads
// would be in force on one side of a fleet.
const (
	// maxKeyLength is the longest key that is not marked with "?", in characters.
	maxKeyLength = 1024
	// maxNesting bounds lists and mappings in each other.
	maxNesting = 50
	// maxCollectionAliases bounds the aliases of lists and mappings.
	maxCollectionAliases = 50
)

// lineBreaks are the breaks of YAML 1.1 besides the line feed. The library knows the line feed only.
const lineBreaks = "\u0085\u2028\u2029"

// breaksAsLineFeeds returns text with each break of YAML 1.1 as one character that the library takes for a break, so that lines
// and columns in characters stay. A carriage return before a line feed is white space to YAML; the library keeps it in some texts.
func breaksAsLineFeeds(text string) string {
	text = strings.ReplaceAll(text, "\r\n", " \n")
	if !strings.ContainsAny(text, lineBreaks) {
		return text
	}
	return strings.Map(func(c rune) rune {
		if strings.ContainsRune(lineBreaks, c) {
			return '\n'
		}
		return c
	}, text)
}

// The library drops a tab inside of a text without quotes, and fails on one in double quotes within a list of the flow style.
// heldTabs returns text with a character that it does not have in the place of each tab that is content, and that character;
// 0 when there is no such tab.
func heldTabs(text string) (string, rune) {
	if !strings.Contains(text, "\t") {
		return text, 0
	}
	hold := rune(firstPrivate)
	for strings.ContainsRune(text, hold) {
		hold++
	}
	lines, found := strings.Split(text, "\n"), false
	for i, line := range lines {
		if !strings.Contains(line, "\t") {
			continue
		}
		var out strings.Builder
		for at := range len(line) {
			if line[at] == '\t' && tabInText(line[:at], line[at+1:]) {
				out.WriteRune(hold)
				found = true
				continue
			}
			out.WriteByte(line[at])
		}
		lines[i] = out.String()
	}
	if !found {
		return text, 0
	}
	return strings.Join(lines, "\n"), hold
}

// firstPrivate begins the characters of Unicode for private use, which no rule needs.
const firstPrivate = '\ue000'

// tabInText reports whether a tab between two parts of a line belongs to a text: inside of double quotes, or between two
// characters neither of which is a sign of YAML.
func tabInText(before, after string) bool {
	before, after = strings.TrimRight(before, " \t"), strings.TrimLeft(after, " \t\r")
	if before == "" || after == "" {
		return false
	}
	if strings.Count(before, `"`)%2 == 1 {
		return true
	}
	last := before[len(before)-1]
	return !strings.ContainsRune(`:-?,[]{}"'|>!*`, rune(last)) && !strings.ContainsRune(`#,]}:"'`, rune(after[0]))
}

// putTabs puts the tabs back that heldTabs took.
func putTabs(tokens token.Tokens, hold rune) {
	if hold == 0 {
		return
	}
	for _, t := range tokens {
		t.Value = strings.ReplaceAll(t.Value, string(hold), "\t")
		t.Origin = strings.ReplaceAll(t.Origin, string(hold), "\t")
	}
}

// strictness walks over the tokens of a text and reports what SnakeYAML refuses.
type strictness struct {
	src    *source
	report *report
	flow   int
	// explicit counts keys begun with "?" whose value has not come.
	explicit int
	content  bool
	// ended says that "..." came and no "---" after it.
	ended bool
	// headers counts "---".
	headers int
}

// check reports whether a token may stand after the one before; prev is nil for the first.
func (s *strictness) check(prev, t *token.Token) bool {
	if s.ended && s.content && t.Type != token.CommentType && t.Type != token.DocumentEndType && t.Type != token.DirectiveType && prev != nil && prev.Type != token.DirectiveType {
		return s.refuse(t, `after "..." a document begins with "---"`, "take \"...\" out")
	}
	switch t.Type {
	case token.MappingStartType, token.SequenceStartType:
		s.flow++
	case token.MappingEndType, token.SequenceEndType:
		s.flow = max(0, s.flow-1)
	case token.MappingKeyType:
		if s.flow == 0 && prev != nil && prev.Type == token.MappingValueType && prev.Position.Line == t.Position.Line {
			return s.refuse(t, "a key begins behind another on its line", "put a text of \"?\" in quotes")
		}
		s.explicit++
	case token.MappingValueType:
		if !s.value(prev, t) {
			return false
		}
	case token.DoubleQuoteType:
		if badEscape(s.src.text[s.src.lineColumn(t.Position.Line, t.Position.Column):]) {
			return s.refuse(t, `"\/" is no escape`, "write /")
		}
	case token.StringType:
		if prev != nil && (prev.Type == token.LiteralType || prev.Type == token.FoldedType) {
			return true // the text of a block
		}
		if strings.HasPrefix(t.Value, "%") || strings.HasPrefix(t.Value, "@") || strings.HasPrefix(t.Value, "`") {
			return s.refuse(t, "a text begins with "+t.Value[:1], "put it in quotes")
		}
		if t.Value == "?" && s.flow == 0 && prev != nil && prev.Type == token.MappingValueType && prev.Position.Line == t.Position.Line {
			return s.refuse(t, `"?" begins a key`, "put it in quotes")
		}
		if tabAfterBreak(t.Origin) {
			return s.refuse(t, "a line of this text begins with a tab", "use blanks")
		}
		if strings.Contains(t.Value, ": ") && strings.Contains(t.Origin, "\n") {
			return s.refuse(t, "a key stands inside of a text of several lines", "check indentation")
		}
	}
	return s.indented(prev, t) && s.tab(prev, t)
}

// tabAfterBreak reports whether a line of a text without quotes, but for the first, begins with a tab.
func tabAfterBreak(origin string) bool {
	for rest := strings.TrimSpace(origin); ; {
		_, after, ok := strings.Cut(rest, "\n")
		if !ok {
			return false
		}
		rest = strings.TrimLeft(after, " ")
		if strings.HasPrefix(rest, "\t") {
			return true
		}
	}
}

// indented refuses a value on the line after its key that does not stand further in than the key: a scalar, or a list or mapping of the
// flow style.
func (s *strictness) indented(prev, t *token.Token) bool {
	opens := t.Type == token.SequenceStartType || t.Type == token.MappingStartType
	if s.flow > 0 && (!opens || s.flow > 1) || prev == nil || prev.Type != token.MappingValueType || prev.Prev == nil || prev.Position.Line == t.Position.Line ||
		prev.Prev.Position.Line != prev.Position.Line || !opens && !plainScalar(t) && t.Type != token.SingleQuoteType && t.Type != token.DoubleQuoteType {
		return true
	}
	if t.Next != nil && t.Next.Type == token.MappingValueType || t.Position.Column > prev.Prev.Position.Column {
		return true
	}
	return s.refuse(t, "a value stands no further in than its key", "check indentation")
}

// value looks at the ":" t.
func (s *strictness) value(prev, t *token.Token) bool {
	if s.flow > 0 || prev == nil {
		return true
	}
	if prev.Position.Line == t.Position.Line && prev.Type != token.SequenceEntryType {
		if utf8.RuneCountInString(strings.TrimSpace(prev.Origin)) > maxKeyLength {
			return s.refuse(prev, "a key is longer than 1024 characters", "shorten it")
		}
		return true
	}
	if s.explicit > 0 {
		s.explicit--
		return true
	}
	return s.refuse(t, `":" without a key on its line`, "check indentation")
}

// tab refuses a tab between two tokens: no token can begin with one. Behind a plain scalar a tab is part of it.
func (s *strictness) tab(prev, t *token.Token) bool {
	lead := t.Origin[:len(t.Origin)-len(strings.TrimLeft(t.Origin, " \t\r\n"))]
	if i := strings.LastIndexByte(lead, '\n'); i >= 0 {
		lead = lead[i:]
	}
	if strings.Contains(lead, "\t") && (prev == nil || prev.Position.Line != t.Position.Line || !plainScalar(prev)) {
		return s.refuse(t, "a tab stands before this", "use blanks")
	}
	rest := ""
	switch t.Type {
	case token.MappingValueType, token.SequenceEntryType, token.MappingKeyType, token.CollectEntryType, token.SequenceStartType, token.MappingStartType,
		token.SequenceEndType, token.MappingEndType:
		start := s.src.lineColumn(t.Position.Line, t.Position.Column)
		if !strings.HasPrefix(s.src.text[start:], t.Value) {
			return true
		}
		rest = s.src.text[start+len(t.Value):]
	case token.SingleQuoteType, token.DoubleQuoteType:
		if t.Next != nil && t.Next.Position.Line == t.Position.Line || strings.Contains(t.Origin, "\n") {
			return true // what follows has the blanks before it
		}
		start := s.src.lineColumn(t.Position.Line, t.Position.Column)
		quoted := strings.TrimLeft(t.Origin, " ")
		if !strings.HasPrefix(s.src.text[start:], quoted) {
			return true
		}
		rest = s.src.text[start+len(quoted):]
	}
	if strings.HasPrefix(strings.TrimLeft(rest, " "), "\t") {
		return s.refuse(t, "a tab stands after this", "use blanks")
	}
	return true
}

// document counts "---"; it reports whether t begins a second document.
func (s *strictness) document(t *token.Token, directive bool) bool {
	switch t.Type {
	case token.DocumentHeaderType:
		s.headers++
		s.ended = false
		return s.content || s.headers > 1
	case token.DocumentEndType:
		s.ended = true
	case token.CommentType, token.DirectiveType:
	default:
		s.content = s.content || !directive
	}
	return false
}

func (s *strictness) refuse(t *token.Token, message, hint string) bool {
	s.report.error(diag.BadYAML, tokenSpan(t, s.src), "not YAML to Dubbo: "+message, hint)
	return false
}

// plainScalar reports whether t is a scalar without quotes.
func plainScalar(t *token.Token) bool {
	switch t.Type {
	case token.StringType, token.IntegerType, token.FloatType, token.BoolType, token.NullType, token.InfinityType, token.NanType, token.OctetIntegerType, token.HexIntegerType,
		token.BinaryIntegerType, token.ImplicitNullType:
		return true
	}
	return false
}

// badEscape reports whether the double-quoted scalar that text begins with has the escape "\/", which is of YAML 1.2.
func badEscape(text string) bool {
	for i := 1; i+1 < len(text) && text[0] == '"' && text[i] != '"'; i++ {
		if text[i] != '\\' {
			continue
		}
		if text[i+1] == '/' {
			return true
		}
		i++
	}
	return false
}
