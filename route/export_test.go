package route

// DrawsAfterFilter is the number of the first draw after a filter.
const DrawsAfterFilter = tailDepth

// JavaDouble is how mesh rules read a number from a text.
func JavaDouble(text string) (float64, bool) { return javaDouble(text) }

// Draw is the randomness of splits, for the naive evaluator: which number a seed means is not a matter of the specification.
func Draw(seed uint64, depth int, total uint64) uint64 { return draw(seed, depth, total) }

// LongText is longText.
const LongText = longText

// WordsOf is wordsOf.
func WordsOf(s string) (low, high uint64) {
	w := wordsOf(s)
	return w.low, w.high
}

// ValueTable returns the look-up of a table that holds the values.
func ValueTable(values []string) func([]byte) bool {
	t := newValueTable(newTextSeed(), len(values), 0)
	for _, v := range values {
		t.remember(v, &class{})
	}
	return func(v []byte) bool { return t.find(string(v)) != nil }
}
