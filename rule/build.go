package rule

import (
	"strconv"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"github.com/dubway-go/dubway/diag"
)

// builder turns the library's tree into nodes: anchors and merge keys resolved, every scalar located.
type builder struct {
	src     *source
	report  *report
	anchors map[string]*node
	size    int
	failed  bool
}

// plainTag reports whether a tag is one of plain data; Dubbo's reader refuses all others, which could name classes.
func plainTag(tag string) bool {
	switch tag {
	case "!", "!!str", "!!int", "!!float", "!!bool", "!!null", "!!map", "!!seq":
		return true
	}
	return false
}

func (b *builder) fail(code string, span diag.Span, message, hint string) *node {
	if !b.failed {
		b.report.error(code, span, message, hint)
	}
	b.failed = true
	return &node{span: span}
}

// build returns the node of n; after a failure an empty one.
func (b *builder) build(n ast.Node, depth int) *node {
	switch {
	case b.failed || n == nil:
		return &node{}
	case depth > 4*maxDepth:
		return b.fail(diag.DocumentTooDeep, tokenSpan(n.GetToken(), b.src), "document is nested too deep", "a rule document needs about six levels")
	}
	out := b.buildKind(n, depth)
	if out.size == 0 {
		out.size = 1
	}
	if b.size++; b.size > maxNodes || out.size > maxNodes {
		return b.fail(diag.DocumentAliases, out.span, "document is too large with its aliases written out", "write the values out instead of using \"*alias\"")
	}
	return out
}

func (b *builder) buildKind(n ast.Node, depth int) *node {
	switch n := n.(type) {
	case *ast.MappingNode:
		return b.mapping(n, n.Values, depth)
	case *ast.MappingValueNode:
		return b.mapping(n, []*ast.MappingValueNode{n}, depth)
	case *ast.SequenceNode:
		out := &node{kind: nodeList, span: tokenSpan(n.GetToken(), b.src), size: 1}
		for _, v := range n.Values {
			item := b.build(v, depth+1)
			out.size += item.size
			out.items = append(out.items, item)
		}
		return out
	case *ast.AnchorNode:
		out := b.build(n.Value, depth+1)
		if n.Name != nil {
			b.anchors[n.Name.GetToken().Value] = out
		}
		return out
	case *ast.AliasNode:
		span := tokenSpan(n.GetToken(), b.src)
		name := ""
		if n.Value != nil {
			name = n.Value.GetToken().Value
		}
		out, ok := b.anchors[name]
		if !ok {
			return b.fail(diag.DocumentAliases, span, "unknown alias "+strconv.Quote("*"+name), "a text that begins with \"*\" needs quotes")
		}
		return out
	case *ast.TagNode:
		tag := n.GetToken().Value
		if !plainTag(tag) {
			return b.fail(diag.BadYAML, tokenSpan(n.GetToken(), b.src), "YAML tag "+quote(tag)+" is not allowed", "take it out: rules are plain mappings, lists and texts")
		}
		out := *b.build(n.Value, depth+1)
		if tag == "!!str" || tag == "!" {
			out.plain = false
		}
		return &out
	case *ast.LiteralNode:
		return b.block(n)
	case *ast.StringNode:
		return b.scalar(n.GetToken(), n.Value)
	case *ast.NullNode:
		return &node{span: tokenSpan(n.GetToken(), b.src)}
	case *ast.MergeKeyNode:
		return b.scalar(n.GetToken(), "<<")
	case *ast.MappingKeyNode:
		return b.build(n.Value, depth+1)
	case *ast.BoolNode, *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		return b.scalar(n.GetToken(), n.GetToken().Value)
	}
	return b.fail(diag.BadYAML, tokenSpan(n.GetToken(), b.src), "this kind of YAML is not used in rules", "write plain mappings, lists and texts")
}

func (b *builder) mapping(n ast.Node, values []*ast.MappingValueNode, depth int) *node {
	out := &node{kind: nodeMapping, span: tokenSpan(n.GetToken(), b.src), size: 1}
	var merged []field
	for _, v := range values {
		key, value := b.build(v.Key, depth+1), b.build(v.Value, depth+1)
		if b.failed {
			return out
		}
		if _, ok := v.Key.(*ast.MergeKeyNode); ok {
			sources := []*node{value}
			if value.kind == nodeList {
				sources = value.items
			}
			for _, m := range sources {
				merged = append(merged, m.fields...)
			}
			if len(merged) > maxEntries {
				b.fail(diag.DocumentAliases, value.span, "too many merged keys", "write the values out")
				return out
			}
			continue
		}
		if key.kind != nodeScalar {
			b.fail(diag.WrongType, key.span, "a key must be text", "write name: value")
			return out
		}
		out.size += key.size + value.size
		out.fields = append(out.fields, field{key, value})
	}
	if len(out.fields) > 0 {
		out.span = out.fields[0].key.span
	}
	for _, m := range merged {
		if out.get(m.key.string()) == nil {
			out.size += m.key.size + m.value.size
			out.fields = append(out.fields, m)
		}
	}
	return out
}

func (b *builder) scalar(t *token.Token, value string) *node {
	out := &node{kind: nodeScalar, plain: true}
	style := stylePlain
	switch t.Type {
	case token.SingleQuoteType:
		style, out.plain = styleSingle, false
	case token.DoubleQuoteType:
		style, out.plain = styleDouble, false
	}
	out.text = b.locate(t, value, style)
	out.span = out.text.span(0, len(value))
	if out.plain && out.scalarType() == typeNull {
		out.kind = nodeNull
	}
	return out
}

func (b *builder) block(n *ast.LiteralNode) *node {
	value := ""
	if n.Value != nil {
		value = n.Value.Value
	}
	style := styleLiteral
	if n.Start != nil && n.Start.Type == token.FoldedType {
		style = styleFolded
	}
	out := &node{kind: nodeScalar, text: b.locate(n.Start, value, style)}
	out.span = out.text.span(0, len(value))
	return out
}
