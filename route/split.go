package route

import (
	"fmt"
	"math/bits"
	"sort"
)

// drawn is what one split of a run came to: the upper bounds of its shares and the one that was drawn.
// Only destinations that met the candidates take part.
type drawn struct {
	bounds []uint64 // ascending; share i is drawn when the number is below bounds[i] and not below the one before
	total  uint64
	share  int
}

// draw returns the depth-th number of a seed, uniform in 0 to total-1 (total > 0).
func draw(seed uint64, depth int, total uint64) uint64 {
	z := seed ^ 0xD1B54A32D192ED03
	z += 0x9E3779B97F4A7C15 * uint64(depth+1)
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	hi, _ := bits.Mul64(z^z>>31, total)
	return hi
}

// pick returns the share that a number falls into.
func pick(bounds []uint64, number uint64) int {
	if len(bounds) <= 8 {
		for i, b := range bounds {
			if number < b {
				return i
			}
		}
		return len(bounds) - 1
	}
	return min(sort.Search(len(bounds), func(i int) bool { return number < bounds[i] }), len(bounds)-1)
}

// split draws one destination (spec §3.6). Dubbo gives the first share one part too many and the last one too
// few, because it stops where the number has fallen to 0 instead of below it; loose does the same.
func (o *op) split(loose bool, sc *scratch, left int) outcome {
	var live []*destination
	for i := range o.destinations {
		if d := &o.destinations[i]; d.meets(sc.cand) {
			live = append(live, d)
		}
	}
	switch {
	case len(live) == 0 && !o.force:
		return outcome{untouched: true, reason: ReasonFellBack}
	case len(live) == 0:
		sc.cand.Clear()
		return outcome{reason: ReasonForced}
	case len(live) == 1:
		return outcome{left: live[0].narrow(sc.cand, left), reason: ReasonSplit, destination: live[0], detail: "the only destination with providers"}
	}
	step := drawn{bounds: make([]uint64, len(live))}
	for i, d := range live {
		step.total += d.weight
		step.bounds[i] = step.total
		if loose {
			step.bounds[i]++
		}
	}
	step.share = pick(step.bounds, draw(sc.seed, sc.base+len(sc.path), step.total))
	sc.path = append(sc.path, step)
	d := live[step.share]
	return outcome{left: d.narrow(sc.cand, left), reason: ReasonSplit, destination: d, detail: fmt.Sprintf("destination %d of %d with providers, weight %d of %d", step.share+1, len(live), d.weight, step.total)}
}
