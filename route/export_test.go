package route

// Draw is the randomness of splits, for the naive evaluator: which number a seed means is not a matter of the specification.
func Draw(seed uint64, depth int, total uint64) uint64 { return draw(seed, depth, total) }
