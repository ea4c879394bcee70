package balance

import (
	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/service"
)

// scale weighs the candidates of a call. It reads what the set keeps of all its providers, and a provider itself only when that
// has a weight for single methods.
type scale struct {
	base    *base
	weights *service.Weights
	c       route.Candidates
	method  string
}

// scaleOf returns the scale for looks at the time now or later.
func (b *base) scaleOf(c route.Candidates, method string, now int64) scale {
	return scale{b, c.Set().Weights(b.dialect, now), c, method}
}

// growth returns what the weight of candidate i depends on. The start is left out where the weight does not depend on it any more.
func (s *scale) growth(i int) service.Growth {
	at := s.c.Index(i)
	if s.weights.Scoped(at) {
		return s.c.Set().At(at).Growth(s.method, s.base.dialect)
	}
	return s.weights.At(at)
}

// even reports whether all candidates are known to weigh the same for good.
func (s *scale) even() bool { return s.weights.Even(s.c.Decision().Members()) }
