package rule

import (
	"strings"
	"unicode/utf8"

	"github.com/dubway-go/dubway/diag"
)

// blockReader reads the plain part of YAML in which nearly all rules are written: mappings and lists in block style, one entry a line, with
// scalars of one line in quotes without escapes or without quotes, lists of such in flow style on one line, and comments, in printable ASCII but for lines of comment. It makes the very nodes that the builder makes of
// the library's tree, at a tenth of the cost, and gives up on everything else, also on everything that is wrong: then the library reads the text and its
// findings count. What it takes is therefore kept narrow; tests compare it with the library.
type blockReader struct {
	src *source
	// line is the number of the current line from 0, that of no line at the end. The line has its first byte that is no blank at
	// offset at, and its break at end.
	line, at, end int
	// tokens and keys count no less than what the library would count.
	tokens, keys, depth int
	failed              bool

	slab   []node
	lists  []*node
	pairs  []field
	items  []*node // of the lists that are not finished, innermost last
	fields []field // of the mappings
}

// maxBlockDepth is how deep lists and mappings may be nested to be read here; rule documents need about six levels.
const maxBlockDepth = 16

// readBlocks returns the document, or nil when the text is not plain enough.
func readBlocks(src *source) *node {
	if len(src.text) > MaxDocumentLength || !printable(src.text) {
		return nil
	}
	b := &blockReader{src: src, line: -1}
	b.next()
	if b.line == len(src.lines) || b.indent() != 0 {
		return nil
	}
	root := b.block(0)
	if b.failed || b.line != len(src.lines) || b.tokens > maxTokens || b.keys > maxEntries {
		return nil
	}
	return root
}

// printable reports whether a text has nothing but printable ASCII and line feeds, and other letters in lines that are comments only.
func printable(text string) bool {
	start := 0 // of the line
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\n':
			start = i + 1
		case c-' ' <= '~'-' ':
		case c < utf8.RuneSelf || !strings.HasPrefix(strings.TrimLeft(text[start:i], " "), "#"):
			return false
		default:
			line, _, _ := strings.Cut(text[i:], "\n")
			if invalidText(line) >= 0 || strings.ContainsAny(line, lineBreaks+"\t\r"+byteOrderMark) {
				return false
			}
			i += len(line) - 1
		}
	}
	return true
}

func (b *blockReader) fail() *node {
	b.failed = true
	return nil
}

// indent is the number of blanks before the current line.
func (b *blockReader) indent() int { return b.at - b.src.lines[b.line] }

// next goes to the next line with content.
func (b *blockReader) next() {
	text, lines := b.src.text, b.src.lines
	for b.line++; b.line < len(lines); b.line++ {
		b.at, b.end = lines[b.line], len(text)
		if b.line+1 < len(lines) {
			b.end = lines[b.line+1] - 1
		}
		for b.at < b.end && text[b.at] == ' ' {
			b.at++
		}
		if b.at == b.end {
			continue
		}
		if text[b.at] != '#' {
			return
		}
		b.tokens++
	}
}

// more reports whether the current line is one of a block at an indentation; a line that stands further in belongs to nothing here.
func (b *blockReader) more(indent int) bool {
	if b.failed || b.line == len(b.src.lines) {
		return false
	}
	if b.indent() > indent {
		b.fail()
	}
	return !b.failed && b.indent() == indent
}

// block reads the list or mapping that the current line begins.
func (b *blockReader) block(indent int) *node {
	if b.depth++; b.depth > maxBlockDepth {
		return b.fail()
	}
	defer func() { b.depth-- }()
	if b.dash() {
		return b.list(indent)
	}
	return b.mapping(indent, b.at)
}

// dash reports whether the current line is an entry of a list.
func (b *blockReader) dash() bool {
	return b.at+2 < b.end && b.src.text[b.at] == '-' && b.src.text[b.at+1] == ' '
}

func (b *blockReader) list(indent int) *node {
	out := b.node()
	*out = node{kind: nodeList, span: b.span(b.at, b.at+1), size: 1}
	first := len(b.items)
	for b.more(indent) && b.dash() {
		b.tokens++
		var item *node
		if _, key := b.key(b.at + 2); key {
			if b.depth++; b.depth > maxBlockDepth {
				return b.fail()
			}
			item = b.mapping(indent+2, b.at+2)
			b.depth--
		} else {
			item = b.scalar(b.at + 2)
			b.next()
		}
		if b.failed {
			return nil
		}
		out.size += item.size
		b.items = append(b.items, item)
	}
	out.items = b.keepList(b.items[first:])
	b.items = b.items[:first]
	return out
}

// mapping reads a mapping whose first key stands at an offset of the current line, and the others on lines of an indentation.
func (b *blockReader) mapping(indent, at int) *node {
	out := b.node()
	*out = node{kind: nodeMapping, size: 1}
	first := len(b.fields)
	for {
		end, ok := b.key(at)
		if !ok {
			return b.fail()
		}
		key := b.text(at, end, true)
		if key.scalarType() == typeNull {
			return b.fail()
		}
		b.tokens += 2
		b.keys++
		value := b.value(indent, end+1)
		if b.failed {
			return nil
		}
		out.size += key.size + value.size
		b.fields = append(b.fields, field{key, value})
		if !b.more(indent) || b.dash() {
			break
		}
		at = b.at
	}
	if b.failed {
		return nil
	}
	out.fields = b.keepPairs(b.fields[first:])
	out.span = out.fields[0].key.span
	b.fields = b.fields[:first]
	return out
}

// key returns where the key at an offset of the current line ends; ok is false when there is none.
func (b *blockReader) key(at int) (end int, ok bool) {
	text := b.src.text
	for end = at; end < b.end && (letter(text[end]) || end > at && (digit(text[end]) || text[end] == '.' || text[end] == '-')); {
		end++
	}
	return end, end > at && end-at < maxKeyLength && end < b.end && text[end] == ':' && (end+1 == b.end || text[end+1] == ' ')
}

// value reads what stands behind a key, from the offset on or on the lines below.
func (b *blockReader) value(indent, from int) *node {
	for from < b.end && b.src.text[from] == ' ' {
		from++
	}
	if from < b.end {
		out := b.scalar(from)
		b.next()
		return out
	}
	if b.next(); b.line == len(b.src.lines) {
		return b.fail() // nothing
	}
	in := b.indent()
	if in > indent || in == indent && b.dash() {
		return b.block(in)
	}
	return b.fail()
}

// scalar reads the scalar from an offset to the end of the current line.
func (b *blockReader) scalar(from int) *node {
	text := b.src.text
	b.tokens++
	switch c := text[from]; {
	case c == '"', c == '\'':
		out, end := b.quoted(from)
		if out == nil || !b.rest(end) {
			return b.fail()
		}
		return out
	case c == '[':
		return b.flow(from)
	case letter(c), digit(c), c == '/', c == '.', c == '$', c == '=':
	case c == '-' && from+1 < b.end && digit(text[from+1]):
	default:
		return b.fail()
	}
	end := from
	for end < b.end && b.inside(end) {
		end++
	}
	if !b.rest(end) {
		return b.fail()
	}
	for text[end-1] == ' ' {
		end--
	}
	out := b.text(from, end, true)
	if out.scalarType() == typeNull {
		return b.fail()
	}
	return out
}

// quoted reads the scalar in quotes at an offset and returns the offset behind it; nil when it is not plain enough.
func (b *blockReader) quoted(from int) (out *node, end int) {
	quote, rest := b.src.text[from], b.src.text[from+1:b.end]
	n := strings.IndexByte(rest, quote)
	if n < 0 || quote == '"' && strings.IndexByte(rest[:n], '\\') >= 0 {
		return nil, from
	}
	return b.text(from+1, from+1+n, false), from + n + 2
}

// flow reads a list in flow style of scalars that ends on the current line.
func (b *blockReader) flow(from int) *node {
	text := b.src.text
	out := b.node()
	*out = node{kind: nodeList, span: b.span(from, from+1), size: 1}
	first := len(b.items)
	b.tokens++ // the closing bracket
	at := b.blanks(from + 1)
	for at < b.end && text[at] != ']' {
		var item *node
		if b.tokens += 2; text[at] == '"' || text[at] == '\'' {
			item, at = b.quoted(at)
		} else {
			item, at = b.flowText(at)
		}
		if item == nil {
			return b.fail()
		}
		out.size++
		b.items = append(b.items, item)
		if at = b.blanks(at); at == b.end || text[at] == ']' {
			break
		}
		if text[at] != ',' {
			return b.fail()
		}
		if at = b.blanks(at + 1); at < b.end && text[at] == ']' {
			return b.fail()
		}
	}
	if at >= b.end || !b.rest(at+1) {
		return b.fail()
	}
	out.items = b.keepList(b.items[first:])
	b.items = b.items[:first]
	return out
}

// blanks returns the offset of the first character from an offset on that is no blank.
func (b *blockReader) blanks(at int) int {
	for at < b.end && b.src.text[at] == ' ' {
		at++
	}
	return at
}

// flowText reads the scalar without quotes at an offset within a list in flow style, and returns the offset behind it.
func (b *blockReader) flowText(from int) (out *node, end int) {
	text := b.src.text
	if c := text[from]; !letter(c) && !digit(c) {
		return nil, from
	}
	for end = from; end < b.end && text[end] != ',' && text[end] != ']'; end++ {
		if !b.inside(end) {
			return nil, from
		}
	}
	for text[end-1] == ' ' {
		end--
	}
	if out = b.text(from, end, true); out.scalarType() == typeNull {
		return nil, from
	}
	return out, end
}

// inside reports whether the character at an offset may stand inside of a scalar without quotes.
func (b *blockReader) inside(at int) bool {
	switch c := b.src.text[at]; c {
	case ' ', '.', '/', '-', '+', '$', '*', '=', '>', '!', '&', ',', '~', '(', ')':
		return true
	case ':':
		return at+1 < b.end && (letter(b.src.text[at+1]) || digit(b.src.text[at+1]))
	default:
		return letter(c) || digit(c)
	}
}

// rest reports whether nothing but a comment follows on the current line.
func (b *blockReader) rest(at int) bool {
	if at == b.end {
		return true
	}
	text := b.src.text
	if text[at] != ' ' && text[at-1] != ' ' {
		return false
	}
	for at < b.end && text[at] == ' ' {
		at++
	}
	if at == b.end || text[at] != '#' {
		return false
	}
	b.tokens++
	return true
}

// text returns the scalar between two offsets of the current line.
func (b *blockReader) text(from, to int, plain bool) *node {
	out := b.node()
	*out = node{kind: nodeScalar, plain: plain, text: located{text: b.src.text[from:to], source: b.src, base: from}, span: b.span(from, to), size: 1}
	return out
}

// span returns the stretch between two offsets of the current line.
func (b *blockReader) span(from, to int) diag.Span {
	start := b.src.lines[b.line]
	return diag.Span{Line: b.line + 1, Col: from - start + 1, EndLine: b.line + 1, EndCol: to - start + 1}
}

// node returns room for a node.
func (b *blockReader) node() *node {
	if len(b.slab) == 0 {
		b.slab = make([]node, min(64, 4+2*(len(b.src.lines)-b.line)))
	}
	out := &b.slab[0]
	b.slab = b.slab[1:]
	return out
}

// keepList copies the items of a finished list.
func (b *blockReader) keepList(items []*node) []*node {
	if cap(b.lists)-len(b.lists) < len(items) {
		b.lists = make([]*node, 0, max(64, len(items)))
	}
	start := len(b.lists)
	b.lists = append(b.lists, items...)
	return b.lists[start:len(b.lists):len(b.lists)]
}

// keepPairs copies the fields of a finished mapping.
func (b *blockReader) keepPairs(fields []field) []field {
	if cap(b.pairs)-len(b.pairs) < len(fields) {
		b.pairs = make([]field, 0, max(64, len(fields)))
	}
	start := len(b.pairs)
	b.pairs = append(b.pairs, fields...)
	return b.pairs[start:len(b.pairs):len(b.pairs)]
}

func letter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_' }

func digit(c byte) bool { return '0' <= c && c <= '9' }
