package rule

// word is a separator and the content after it, as offsets into the text of one side.
type word struct {
	sepFrom, sepTo int
	from, to       int
}

func isSeparator(c byte) bool { return c == '&' || c == '!' || c == '=' || c == ',' }

func isSpace(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }

// tokenize splits one side of a rule the way every Dubbo version does (spec §2.2): a run of separators, white
// space, a run of content. Separators that no content follows are skipped; their places are returned apart. Both lists are appended to those given.
func tokenize(s string, tokens []word, skipped [][2]int) ([]word, [][2]int) {
	for i := 0; i < len(s); {
		t := word{sepFrom: i}
		for i < len(s) && isSeparator(s[i]) {
			i++
		}
		t.sepTo = i
		for i < len(s) && isSpace(s[i]) {
			i++
		}
		t.from = i
		for i < len(s) && !isSeparator(s[i]) && !isSpace(s[i]) {
			i++
		}
		t.to = i
		if t.to == t.from { // nothing follows: Dubbo's scan starts again behind it
			if t.sepTo > t.sepFrom {
				skipped = append(skipped, [2]int{t.sepFrom, t.sepTo})
			}
			continue
		}
		tokens = append(tokens, t)
	}
	return tokens, skipped
}
