package main

import "strings"

// condition makes a case of area condition-parse.
func (g *generator) condition() fields {
	rule := func() string {
		r, _ := g.recorded()["rule"].(map[string]any)
		return text(r["text"])
	}
	var out string
	switch g.IntN(5) {
	case 0, 1:
		out = g.mutate(rule())
	case 2:
		out = g.cross(rule(), rule())
	case 3:
		var b strings.Builder
		for range 1 + g.IntN(12) {
			b.WriteString(g.one("a", "b", "host", "method", "=", "!=", "&", ",", " ", "=>", "=", "&", "a", "1", "*", "!", "\t", "\n", "\u3000", "\u0085", "\u000b", "\u001c", "\u0000", "\u200b", "\ufeff", "true", "false", "consumer.", "provider.", "$x", "a~b", ">", "=>"))
		}
		out = b.String()
	default:
		side := func() string {
			var parts []string
			for range g.IntN(4) {
				parts = append(parts, g.one("host", "region", "method", "a", "arguments[0]", "attachments[x]", "consumer.host", "provider.region")+g.one("=", "!=", " = ", " != ", "=", "", "==", "=,")+strings.Join(g.some(3, "1", "*", "a*", "$a", "1~2", " x", "false", "true", "=>"), g.one(",", " , ", ",", " ", ",,")))
			}
			return strings.Join(parts, g.one("&", " & ", "&", " ", "&&", "& &"))
		}
		out = side() + g.one("=>", " => ", "=>", " =>", "", "=> =>", "->") + side()
	}
	return fields{"rule": map[string]any{"text": out}}
}
