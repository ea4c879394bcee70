package balance

import (
	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/rpc"
)

// Random chooses at random in proportion to weight; uniformly when the weights are equal or all zero (spec §11.2).
// It keeps no state beside what it precomputes for a Decision, and a warm choice writes nothing.
//
// In dubbo-3.1 and dubbo-3.3 the weights count only when the first candidate states a weight or a
// timestamp, as there.
type Random struct{ base }

// NewRandom returns the balancer "random".
func NewRandom(o Options) *Random { return &Random{newBase(o)} }

// Name returns "random".
func (*Random) Name() string { return NameRandom }

// Pick implements Balancer.
func (b *Random) Pick(c route.Candidates, inv *rpc.Invocation) int {
	switch c.Len() {
	case 0:
		return -1
	case 1:
		return 0
	}
	r := newDraw(seedOf(inv))
	return b.draw(b.weightedOf(c, inv.Method), c, inv.Method, &r)
}

// PickExcluding implements Excluder.
func (b *Random) PickExcluding(c route.Candidates, inv *rpc.Invocation, skip func(int) bool) int {
	return b.drawExcluding(c, inv, skip)
}

// drawExcluding draws by weight among the candidates that are not skipped: a few plain draws, then a walk.
func (b *base) drawExcluding(c route.Candidates, inv *rpc.Invocation, skip func(int) bool) int {
	if c.Len() == 0 {
		return -1
	}
	r := newDraw(seedOf(inv))
	if c.Len() > 1 {
		w := b.weightedOf(c, inv.Method)
		for range 4 {
			if i := b.draw(w, c, inv.Method, &r); i >= 0 && !skip(i) {
				return i
			}
		}
	}
	return b.walk(c, inv.Method, &r, skip)
}
