package balance

// smooth is smooth weighted round robin over a fixed list with fixed weights (spec §11.2): each step adds
// every provider's weight to its current value, takes the first provider with the greatest value and
// subtracts the sum of weights from it.
//
// Representation: the step is not carried out on every provider. After tick steps the current value of
// provider i is base[i] + tick × weight, so providers of equal weight keep their order among themselves;
// each distinct weight has a heap of its members by (base descending, index ascending). A step compares the
// tops of the heaps and sifts one down: O(distinct weights + log n), and the sequence is Java's exactly.
//
// It is not safe for concurrent use.
type smooth struct {
	tick    int64
	total   int64
	base    []int64
	classes []smoothClass
}

type smoothClass struct {
	weight  int64
	members []int32 // heap
}

// newSmooth starts from the given current values (nil = all zero); weights must not be negative.
func newSmooth(weights []int32, current []int64) *smooth {
	s := &smooth{base: make([]int64, len(weights))}
	copy(s.base, current)
	class := make(map[int32]int, 8)
	for i, w := range weights {
		s.total += int64(w)
		c, ok := class[w]
		if !ok {
			c = len(s.classes)
			class[w] = c
			s.classes = append(s.classes, smoothClass{weight: int64(w)})
		}
		s.classes[c].members = append(s.classes[c].members, int32(i))
	}
	for c := range s.classes {
		members := s.classes[c].members
		for i := len(members)/2 - 1; i >= 0; i-- {
			s.sift(members, i)
		}
	}
	return s
}

// next takes one step and returns the chosen index; the list must not be empty.
func (s *smooth) next() int {
	if s.tick++; s.tick > foldAfter {
		s.fold()
	}
	best, bestValue := -1, int64(0)
	for c := range s.classes {
		top := s.classes[c].members[0]
		value := s.base[top] + s.tick*s.classes[c].weight
		if best < 0 || value > bestValue || value == bestValue && top < s.classes[best].members[0] {
			best, bestValue = c, value
		}
	}
	members := s.classes[best].members
	chosen := members[0]
	s.base[chosen] -= s.total
	s.sift(members, 0)
	return int(chosen)
}

// foldAfter keeps tick × weight far from overflow, whatever the weights.
const foldAfter = 1 << 30

// fold moves the growth of all steps but the present one into the bases. The order within a class stays.
func (s *smooth) fold() {
	steps := s.tick - 1
	s.tick = 1
	for c := range s.classes {
		for _, i := range s.classes[c].members {
			s.base[i] += steps * s.classes[c].weight
		}
	}
}

// nextAmong takes one step in which only providers with allowed(i) take part, as Java does for a shorter
// list: the others neither gain nor count. It walks the list. It returns -1 when none is allowed.
func (s *smooth) nextAmong(weights []int32, allowed func(int) bool) int {
	best, bestValue, total := -1, int64(0), int64(0)
	for i, w := range weights {
		if !allowed(i) {
			s.base[i] -= int64(w) // undo the growth that the tick below gives everyone
			continue
		}
		total += int64(w)
		if value := s.base[i] + (s.tick+1)*int64(w); best < 0 || value > bestValue {
			best, bestValue = i, value
		}
	}
	s.tick++
	if best >= 0 {
		s.base[best] -= total
	}
	for c := range s.classes {
		members := s.classes[c].members
		for i := len(members)/2 - 1; i >= 0; i-- {
			s.sift(members, i)
		}
	}
	return best
}

// current returns provider i's current value; weight is its weight.
func (s *smooth) current(i int, weight int32) int64 { return s.base[i] + s.tick*int64(weight) }

// less reports whether member a is taken before member b of the same class.
func (s *smooth) less(a, b int32) bool {
	return s.base[a] > s.base[b] || s.base[a] == s.base[b] && a < b
}

func (s *smooth) sift(members []int32, i int) {
	moving := members[i]
	for {
		child := 2*i + 1
		if child >= len(members) {
			break
		}
		if child+1 < len(members) && s.less(members[child+1], members[child]) {
			child++
		}
		if !s.less(members[child], moving) {
			break
		}
		members[i] = members[child]
		i = child
	}
	members[i] = moving
}
