package rule

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/dubway-go/dubway/diag"
)

// Limits of a document. A document beyond one of them is refused before it costs much.
const (
	// MaxDocumentLength is the largest document, in bytes.
	MaxDocumentLength = 1 << 20
	// maxTokens and maxEntries bound the YAML library's work, which grows with the square of mapping entries.
	maxTokens  = 120_000
	maxEntries = 10_000
	// maxDepth bounds nesting in flow style, and of "- - -" and the like in one line; the library recurses.
	maxDepth = 64
	// maxNodes bounds the document with all aliases written out.
	maxNodes = 200_000
)

// readYAML reads one YAML document into nodes. It returns nil when it reported an error.
func readYAML(text string, r *report) *node {
	text = strings.TrimPrefix(text, byteOrderMark)
	src := newSource(text)
	if n := readBlocks(src); n != nil {
		return n
	}
	return readWithLibrary(src, r)
}

// readWithLibrary is readYAML for every text.
func readWithLibrary(src *source, r *report) *node {
	body, ok := readable(src.text, src, r, true)
	if !ok {
		return nil
	}
	if len(body) > 1 {
		severalDocuments(body[1].GetToken(), src, r)
		return nil
	}
	var first ast.Node
	if len(body) > 0 {
		first = body[0]
	}
	b := &builder{src: src, report: r, anchors: map[string]*node{}}
	n := b.build(first, 0)
	if b.failed {
		return nil
	}
	return n
}

func severalDocuments(t *token.Token, src *source, r *report) {
	r.error(diag.SeveralDocuments, tokenSpan(t, src), "a second YAML document begins here", "one rule key holds one document: take out \"---\"")
}

// byteOrderMark may stand before a document; it is no part of it.
const byteOrderMark = "\ufeff"

// readYAMLDocuments reads all YAML documents of a text. It returns nil when it reported an error.
func readYAMLDocuments(text string, r *report) []*node {
	text = strings.TrimPrefix(text, byteOrderMark)
	src := newSource(text)
	if n := readBlocks(src); n != nil {
		return []*node{n}
	}
	bodies, ok := readable(text, src, r, false)
	if !ok {
		return nil
	}
	out := make([]*node, 0, len(bodies))
	size := 0
	for _, body := range bodies {
		b := &builder{src: src, report: r, anchors: map[string]*node{}, size: size}
		n := b.build(body, 0)
		if b.failed {
			return nil
		}
		size = b.size
		out = append(out, n)
	}
	return out
}

// readable returns the bodies of the YAML documents of a text, or of the one that it may hold; ok is false when it reported an error.
func readable(text string, src *source, r *report, one bool) (bodies []ast.Node, ok bool) {
	if len(text) > MaxDocumentLength {
		r.error(diag.DocumentTooLong, src.span(0, 0), "document of "+strconv.Itoa(len(text))+" bytes is too long",
			"the limit is "+strconv.Itoa(MaxDocumentLength)+" bytes")
		return nil, false
	}
	if i := invalidText(text); i >= 0 {
		r.error(diag.BadYAML, src.span(i, i+1), "this byte is neither UTF-8 nor allowed in YAML", "save the document as UTF-8 text")
		return nil, false
	}
	return parseYAML(src, r, one)
}

// invalidText returns the offset of the first byte that no YAML text has, or -1.
func invalidText(s string) int {
	for i, c := range s {
		switch {
		case c == utf8.RuneError:
			if _, size := utf8.DecodeRuneInString(s[i:]); size == 1 {
				return i
			}
		case c < ' ' && c != '\t' && c != '\n' && c != '\r', c == 0x7f:
			return i
		}
	}
	return -1
}

// parseYAML runs the YAML library. It panics on some malformed texts, and a rule that a stranger
// wrote must not end the process: the panic becomes a diagnostic here, at the boundary.
func parseYAML(src *source, r *report, one bool) (bodies []ast.Node, ok bool) {
	defer func() {
		if p := recover(); p != nil {
			r.error(diag.ParserFailed, src.span(0, 0), fmt.Sprintf("the YAML reader failed on this text: %v", p), "simplify the document; quote all texts")
			bodies, ok = nil, false
		}
	}()
	text, hold := heldTabs(breaksAsLineFeeds(src.text))
	tokens := lexer.Tokenize(text)
	putTabs(tokens, hold)
	if !checkTokens(tokens, src, r) || !checkStrictness(tokens, src, r, one) {
		return nil, false
	}
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		reportSyntax(err, src, r)
		return nil, false
	}
	for _, d := range file.Docs {
		if d == nil || d.Body == nil {
			continue
		}
		if _, ok := d.Body.(*ast.DirectiveNode); !ok {
			bodies = append(bodies, d.Body)
		}
	}
	return bodies, true
}

// checkTokens refuses what would make the recursive part of the library costly.
func checkTokens(tokens token.Tokens, src *source, r *report) bool {
	flow, entries, inLine, line := 0, 0, 0, 0
	for _, t := range tokens {
		if t.Position.Line != line {
			line, inLine = t.Position.Line, 0
		}
		switch t.Type {
		case token.MappingStartType, token.SequenceStartType:
			flow++
		case token.MappingEndType, token.SequenceEndType:
			flow = max(0, flow-1)
		case token.MappingValueType:
			entries++
		case token.SequenceEntryType, token.MappingKeyType, token.TagType, token.AnchorType:
			if flow == 0 {
				inLine++
			}
		}
		if flow > maxDepth || inLine > maxDepth {
			r.error(diag.DocumentTooDeep, tokenSpan(t, src), "document is nested more than "+strconv.Itoa(maxDepth)+" deep", "a rule document needs about six levels")
			return false
		}
	}
	if len(tokens) > maxTokens || entries > maxEntries {
		r.error(diag.DocumentTooLong, src.span(0, 0), fmt.Sprintf("document has %d tokens and %d keys", len(tokens), entries),
			fmt.Sprintf("the limits are %d and %d", maxTokens, maxEntries))
		return false
	}
	return true
}

// checkStrictness refuses what Dubbo's reader refuses; one says whether the text may hold one document only.
func checkStrictness(tokens token.Tokens, src *source, r *report, one bool) bool {
	s := strictness{src: src, report: r}
	var prev *token.Token
	directive := 0
	for _, t := range tokens {
		if t.Type == token.DirectiveType {
			directive = t.Position.Line
		}
		if s.document(t, t.Position.Line == directive) && one {
			severalDocuments(t, src, r)
			return false
		}
		if !s.check(prev, t) {
			return false
		}
		prev = t
	}
	return true
}

func reportSyntax(err error, src *source, r *report) {
	message, span := err.Error(), diag.Span{Line: 1, Col: 1}
	var located interface {
		GetToken() *token.Token
		GetMessage() string
	}
	if errors.As(err, &located) {
		message = located.GetMessage()
		if t := located.GetToken(); t != nil && t.Position != nil {
			span = tokenSpan(t, src)
		}
	}
	if i := strings.IndexByte(message, '\n'); i >= 0 {
		message = message[:i]
	}
	hint := "check indentation, and put conditions in double quotes"
	if strings.Contains(message, "alias") || strings.Contains(message, "anchor") {
		hint = "a value that begins with \"*\" or \"&\" needs quotes"
	}
	r.error(diag.BadYAML, span, "not YAML: "+message, hint)
}

// tokenSpan returns the place of a token. The library counts columns in characters, and not always exactly.
func tokenSpan(t *token.Token, src *source) diag.Span {
	if t == nil || t.Position == nil {
		return src.span(0, 0)
	}
	start := src.lineColumn(t.Position.Line, t.Position.Column)
	return src.span(start, start+1)
}

// lineColumn returns the offset of a line and a column in characters, both from 1.
func (s *source) lineColumn(line, column int) int {
	if line < 1 || line > len(s.lines) {
		return len(s.text)
	}
	start, end := s.lines[line-1], len(s.text)
	if line < len(s.lines) {
		_, size := utf8.DecodeLastRuneInString(s.text[:s.lines[line]])
		end = s.lines[line] - size
	}
	// The library asks in order, so going on from the last answer keeps long lines cheap.
	c := &s.last
	if c.line != line || c.column > column {
		c.line, c.column, c.offset = line, 1, start
	}
	for c.column < column && c.offset < end {
		_, size := utf8.DecodeRuneInString(s.text[c.offset:end])
		c.offset += size
		c.column++
	}
	return c.offset
}
