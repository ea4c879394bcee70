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
	// nesting is the number of lists and mappings around, collections the number of aliases of such.
	nesting, collections int
	failed               bool
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
	switch n.(type) {
	case *ast.MappingNode, *ast.MappingValueNode, *ast.SequenceNode:
		if b.nesting++; b.nesting > maxNesting {
			return b.fail(diag.DocumentTooDeep, tokenSpan(n.GetToken(), b.src), "document is nested more than 50 deep: Dubbo's reader refuses it", "a rule document needs about six levels")
		}
		defer func() { b.nesting-- }()
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
		if out.kind == nodeList || out.kind == nodeMapping {
			if b.collections++; b.collections > maxCollectionAliases {
				return b.fail(diag.DocumentAliases, span, "more than 50 aliases of lists and mappings: Dubbo's reader refuses them", "write the values out")
			}
		}
		return out
	case *ast.TagNode:
		return b.tagged(n, depth)
	case *ast.LiteralNode:
		return b.block(n)
	case *ast.StringNode:
		return b.scalar(n.GetToken(), n.Value)
	case *ast.NullNode:
		return &node{span: tokenSpan(n.GetToken(), b.src)}
	case *ast.MergeKeyNode:
		return b.fail(diag.BadYAML, tokenSpan(n.GetToken(), b.src), "<< is no value", "put it in quotes")
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
		_, merge := v.Key.(*ast.MergeKeyNode)
		key := &node{}
		if !merge {
			key = b.build(v.Key, depth+1)
		}
		value := b.build(v.Value, depth+1)
		if b.failed {
			return out
		}
		if merge {
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
		if key.kind == nodeNull { // Java's null as a key: no field has that name
			key = &node{kind: nodeScalar, text: b.locate(v.Key.GetToken(), "null", stylePlain), plain: true, span: key.span}
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
	if value == "<<" && t.Type != token.SingleQuoteType && t.Type != token.DoubleQuoteType {
		return b.fail(diag.BadYAML, tokenSpan(t, b.src), "<< is no value", "put it in quotes")
	}
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
