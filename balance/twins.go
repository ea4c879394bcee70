package balance

import "math"

// twins is smooth weighted round robin where candidates share a current value, because nothing but parameters tells them
// apart: one address in two groups, or twice in a list. Dubbo then adds the weight of each to the one value in turn, and
// starts the value again at zero whenever the next of them weighs something else (spec §11.2).
//
// It walks the list in each step. It is not safe for concurrent use.
type twins struct {
	weights []int32 // by place: the weight that the value belongs to
	current []int64 // by place
}

// newTwins starts from the remembered values of p. The caller holds the state's mutex.
func newTwins(p *turnPlan) *twins {
	t := &twins{weights: make([]int32, len(p.keys)), current: make([]int64, len(p.keys))}
	for _, at := range p.places {
		if v, ok := p.state.values[p.keys[at]]; ok {
			t.weights[at], t.current[at] = v.weight, v.current
		}
	}
	return t
}

// next takes one step among the candidates that are not skipped and returns the chosen one, -1 when all are.
func (t *twins) next(places, weights []int32, skip func(int) bool) int {
	chosen, best, total := -1, int64(math.MinInt64), int32(0)
	for i, at := range places {
		if skip != nil && skip(i) {
			continue
		}
		if t.weights[at] != weights[i] {
			t.weights[at], t.current[at] = weights[i], 0
		}
		t.current[at] += int64(weights[i])
		if t.current[at] > best {
			chosen, best = i, t.current[at]
		}
		total += weights[i]
	}
	if chosen >= 0 {
		t.current[places[chosen]] -= int64(total)
	}
	return chosen
}
