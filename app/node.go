package app

import (
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/dubway-go/dubway/diag"
)

// maxConfig is the largest configuration file, in bytes; maxNesting how deep it may nest.
const (
	maxConfig  = 1 << 20
	maxNesting = 16
)

// node is a piece of the file with its place.
type node struct {
	kind    string // "text", "list", "map" or "null"
	text    string
	list    []node
	entries []entry
	span    diag.Span
}

type entry struct {
	key   node
	value node
}

// reader turns YAML into nodes and collects what is wrong.
type reader struct {
	file     string
	findings diag.List
}

func (r *reader) add(code string, at diag.Span, message, hint string) {
	r.findings = append(r.findings, diag.Diagnostic{Code: code, File: r.file, Span: at, Message: message, Hint: hint})
}

// parse reads the one document of text.
func (r *reader) parse(text string) (node, bool) {
	empty := node{kind: "null", span: diag.Span{Line: 1, Col: 1}}
	if len(text) > maxConfig {
		r.add(diag.DocumentTooLong, diag.Span{}, fmt.Sprintf("the file has %d bytes, at most %d are read", len(text), maxConfig), "")
		return empty, false
	}
	if depth(text) > 4*maxNesting {
		r.add(diag.DocumentTooDeep, diag.Span{}, fmt.Sprintf("the file nests deeper than %d", maxNesting), "")
		return empty, false
	}
	f, err := parseYAML(text)
	if err != nil {
		span, message := yamlError(err)
		r.add(diag.BadYAML, span, message, "docs/config.md has a complete file")
		return empty, false
	}
	var body ast.Node
	for _, d := range f.Docs {
		if d.Body == nil {
			continue
		}
		if body != nil {
			r.add(diag.SeveralDocuments, place(d.Body.GetToken()), "the file has more than one document", "keep one, without ---")
			return empty, false
		}
		body = d.Body
	}
	if body == nil {
		return empty, true
	}
	n, ok := r.build(body, 0)
	return n, ok
}

// parseYAML turns a panic of the YAML library into an error: the text comes from a person, the process must live.
func parseYAML(text string) (f *ast.File, err error) {
	defer func() {
		if p := recover(); p != nil {
			f, err = nil, fmt.Errorf("the YAML parser failed: %v", p)
		}
	}()
	return parser.ParseBytes([]byte(text), 0)
}

// depth bounds the nesting of flow collections before the parser recurses into them.
func depth(text string) int {
	deepest, now := 0, 0
	for i := range len(text) {
		switch text[i] {
		case '[', '{':
			now++
			deepest = max(deepest, now)
		case ']', '}':
			now = max(0, now-1)
		}
	}
	return deepest
}

func (r *reader) build(n ast.Node, level int) (node, bool) {
	at := place(n.GetToken())
	if level > maxNesting {
		r.add(diag.DocumentTooDeep, at, fmt.Sprintf("the file nests deeper than %d", maxNesting), "")
		return node{}, false
	}
	switch t := n.(type) {
	case *ast.MappingNode:
		out := node{kind: "map", span: at}
		ok := true
		for _, v := range t.Values {
			ok = r.entry(&out, v, level) && ok
		}
		return out, ok
	case *ast.MappingValueNode:
		out := node{kind: "map", span: at}
		return out, r.entry(&out, t, level)
	case *ast.SequenceNode:
		out := node{kind: "list", span: at}
		for _, v := range t.Values {
			e, ok := r.build(v, level+1)
			if !ok {
				return out, false
			}
			out.list = append(out.list, e)
		}
		return out, true
	case *ast.NullNode:
		return node{kind: "null", span: at}, true
	case *ast.LiteralNode:
		return node{kind: "text", text: t.Value.Value, span: at}, true
	case *ast.AliasNode, *ast.AnchorNode, *ast.MergeKeyNode, *ast.TagNode:
		r.add(diag.DocumentAliases, at, "anchors, aliases, merges and tags are not read here", "write the value out")
		return node{}, false
	case ast.ScalarNode:
		tok := n.GetToken()
		text := tok.Value
		if tok.Type == token.StringType || tok.Type == token.SingleQuoteType || tok.Type == token.DoubleQuoteType {
			text = fmt.Sprint(t.GetValue())
		}
		return node{kind: "text", text: text, span: at}, true
	}
	r.add(diag.WrongType, at, fmt.Sprintf("%s is not expected here", n.Type()), "")
	return node{}, false
}

func (r *reader) entry(out *node, v *ast.MappingValueNode, level int) bool {
	key, ok := v.Key.(ast.Node)
	if !ok {
		return false
	}
	k, ok := r.build(key, level+1)
	if !ok || k.kind != "text" {
		if ok {
			r.add(diag.WrongType, k.span, "a key must be text", "")
		}
		return false
	}
	for _, e := range out.entries {
		if e.key.text == k.text {
			r.add(diag.DuplicateKey, k.span, fmt.Sprintf("%q is here twice, first in line %d", k.text, e.key.span.Line), "keep one")
			return false
		}
	}
	value := node{kind: "null", span: k.span}
	if v.Value != nil {
		if value, ok = r.build(v.Value, level+1); !ok {
			return false
		}
	}
	out.entries = append(out.entries, entry{k, value})
	return true
}

func place(t *token.Token) diag.Span {
	if t == nil || t.Position == nil {
		return diag.Span{}
	}
	s := diag.Span{Line: t.Position.Line, Col: t.Position.Column}
	s.EndLine, s.EndCol = s.Line, s.Col+max(1, len(strings.TrimSpace(t.Origin)))
	return s
}

// yamlError takes position and text out of the library's error.
func yamlError(err error) (diag.Span, string) {
	var positioned interface {
		GetToken() *token.Token
		GetMessage() string
	}
	if errors.As(err, &positioned) {
		return place(positioned.GetToken()), positioned.GetMessage()
	}
	first, _, _ := strings.Cut(err.Error(), "\n")
	return diag.Span{}, first
}
