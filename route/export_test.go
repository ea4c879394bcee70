package route

// DrawsAfterFilter is the number of the first draw after a filter.
const DrawsAfterFilter = tailDepth

// Draw is the randomness of splits, for the naive evaluator: which number a seed means is not a matter of the specification.
func Draw(seed uint64, depth int, total uint64) uint64 { return draw(seed, depth, total) }
