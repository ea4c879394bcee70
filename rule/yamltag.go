package rule

import (
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/dubway-go/dubway/diag"
)

// tagged builds a node with a YAML tag. Dubbo's reader knows the tags of plain data and refuses all others, which could name classes.
func (b *builder) tagged(n *ast.TagNode, depth int) *node {
	tag := n.GetToken().Value
	if long, ok := strings.CutPrefix(tag, "!<tag:yaml.org,2002:"); ok {
		tag = "!!" + strings.TrimSuffix(long, ">")
	}
	out := *b.build(n.Value, depth+1)
	if b.failed {
		return &out
	}
	refuse := func(message, hint string) *node {
		return b.fail(diag.BadYAML, tokenSpan(n.GetToken(), b.src), message, hint)
	}
	scalar := out.kind == nodeScalar || out.kind == nodeNull
	switch tag {
	case "!!str", "!!int", "!!float", "!!bool", "!!null", "!!timestamp", "!!binary":
		if !scalar {
			return refuse("YAML tag "+quote(tag)+" does not go with "+out.kindName(), "take it out")
		}
	case "!!map", "!!set":
		if out.kind != nodeMapping {
			return refuse("YAML tag "+quote(tag)+" does not go with "+out.kindName(), "take it out")
		}
	case "!!seq", "!!pairs", "!!omap":
		if out.kind != nodeList {
			return refuse("YAML tag "+quote(tag)+" does not go with "+out.kindName(), "take it out")
		}
	case "!":
	default:
		return refuse("YAML tag "+quote(tag)+" is not allowed", "take it out: rules are plain mappings, lists and texts")
	}
	switch tag {
	case "!!str", "!":
		out.plain = false
	case "!!null":
		out.kind = nodeNull
	case "!!bool":
		out.tag = typeBool
		switch strings.ToLower(out.string()) {
		case "true", "yes", "on", "false", "no", "off":
		default:
			out.kind = nodeNull
		}
	case "!!int":
		if !intPattern.MatchString(out.string()) {
			return refuse(quote(out.string())+" is no whole number", "take the tag out")
		}
		out.tag = typeInt
	case "!!float":
		if s := out.string(); !intPattern.MatchString(s) && !floatPattern.MatchString(s) {
			return refuse(quote(s)+" is no number", "take the tag out")
		}
		out.tag = typeFloat
	case "!!timestamp", "!!binary":
		out.tag = typeTime
	case "!!omap": // a list of mappings of one key each, read as one mapping
		out.kind = nodeMapping
		for _, item := range out.items {
			out.fields = append(out.fields, item.fields...)
		}
		out.items = nil
	}
	return &out
}
