package balance

import "math/bits"

// aliasTable draws an index with a probability proportional to its weight in constant time (Vose's alias
// method, in exact integer arithmetic). It is immutable.
type aliasTable struct {
	total  uint64 // sum of the weights: the height of each column
	keep   []uint64
	second []int32
}

// newAliasTable builds a table. Weights must not be negative and their sum times their number must fit in
// 63 bits; the result is nil when the sum is zero.
func newAliasTable(weights []int32) *aliasTable {
	n := len(weights)
	var total uint64
	for _, w := range weights {
		total += uint64(w)
	}
	if total == 0 {
		return nil
	}
	t := &aliasTable{total: total, keep: make([]uint64, n), second: make([]int32, n)}
	// Scaled by n, the mean column is exactly total high. The two stacks share one array.
	stack := make([]int32, n)
	small, large := 0, n
	for i, w := range weights {
		t.keep[i] = uint64(w) * uint64(n)
		t.second[i] = int32(i)
		if t.keep[i] < total {
			stack[small] = int32(i)
			small++
		} else {
			large--
			stack[large] = int32(i)
		}
	}
	for small > 0 && large < n {
		small--
		s, l := stack[small], stack[large]
		t.second[s] = l
		t.keep[l] -= total - t.keep[s]
		if t.keep[l] < total {
			large++
			stack[small] = l
			small++
		}
	}
	return t
}

// pick draws an index.
func (t *aliasTable) pick(r *draw) int {
	column, rest := bits.Mul64(r.next(), uint64(len(t.keep)))
	// The low half is uniform over the column: no second draw is needed.
	height, _ := bits.Mul64(rest, t.total)
	if height < t.keep[column] {
		return int(column)
	}
	return int(t.second[column])
}
