package durl

import "slices"

// values are parameters by key, with keys that the form has too, and other values.
type values struct{ params []Param }

// set returns the set of the given values, sorted by key; equal ones are one. With copied, their texts are copied first: they lie in a text that must
// not be kept. The keys are kept as they are. The caller holds mu, and may use list again.
func (s *Sharer) set(list []Param, copied bool, r *room) *values {
	if len(list) == 0 {
		return nil
	}
	h := uint64(0)
	for i := range list {
		h = hashText(hashText(h, list[i].Key), list[i].Value)
	}
	if v := s.known[h]; v != nil && slices.Equal(v.params, list) {
		return v
	}
	v := r.newValues(len(list))
	copy(v.params, list)
	if copied {
		r.copyTexts(v)
	}
	if s.known == nil || len(s.known) >= maxValues {
		s.known = make(map[uint64]*values)
	}
	s.known[h] = v
	return v
}
