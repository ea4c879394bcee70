package balance

import (
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/service"
)

// exactCandidates is up to how many candidates standard compares all of them. Beyond, it compares two drawn by
// weight, whose greater load is avoided: nearly as even, at constant cost. The Dubbo dialects always
// compare all.
const exactCandidates = 16

// scored is the common part of the balancers that take the candidate with the smallest score and break ties
// by weight: leastactive and shortestresponse.
type scored struct {
	base
	loads loads
	score func(l *load, now int64) int64
	timed bool // the score needs the time
}

func (b *scored) key(inv *rpc.Invocation, in *service.Instance) loadKey {
	return loadKey{service: inv.Service, address: in.Address(), method: inv.Method}
}

func (b *scored) loadOf(view *loadView, c route.Candidates, i int, inv *rpc.Invocation) *load {
	if l := view.load(i); l != nil {
		return l
	}
	l := b.loads.get(b.key(inv, c.At(i)), b.now)
	view.setLoad(i, l)
	return l
}

// Pick implements Balancer.
func (b *scored) Pick(c route.Candidates, inv *rpc.Invocation) int {
	n := c.Len()
	switch n {
	case 0:
		return -1
	case 1:
		return 0
	}
	var now int64
	if b.timed {
		now = b.now()
	}
	r := newDraw(seedOf(inv))
	view := b.loadsOf(c, inv.Method)
	if b.dialect != dialect.Standard || n <= exactCandidates {
		return b.least(view, c, inv, now, &r, nil)
	}
	w := b.weightedOf(c, inv.Method)
	first := b.draw(w, c, inv.Method, &r)
	second := b.draw(w, c, inv.Method, &r)
	for tries := 0; second == first && tries < 3; tries++ {
		second = b.draw(w, c, inv.Method, &r)
	}
	if b.score(b.loadOf(view, c, second, inv), now) < b.score(b.loadOf(view, c, first, inv), now) {
		return second
	}
	return first
}

// PickExcluding implements Excluder.
func (b *scored) PickExcluding(c route.Candidates, inv *rpc.Invocation, skip func(int) bool) int {
	if c.Len() == 0 {
		return -1
	}
	r := newDraw(seedOf(inv))
	return b.least(b.loadsOf(c, inv.Method), c, inv, b.now(), &r, skip)
}

// least walks the candidates: the smallest score wins; among equals, weight decides, or chance when the weights are
// equal or zero.
func (b *scored) least(view *loadView, c route.Candidates, inv *rpc.Invocation, now int64, r *draw, skip func(int) bool) int {
	best, ties, total := -1, 0, 0
	var smallest int64
	clock := int64(0)
	for i := range c.Len() {
		if skip != nil && skip(i) {
			continue
		}
		score := b.score(b.loadOf(view, c, i, inv), now)
		if best >= 0 && score > smallest {
			continue
		}
		weight, settled := view.settledWeight(i)
		if !settled {
			if clock == 0 {
				clock = b.now()
			}
			weight = b.presentWeight(view, c, i, inv.Method, clock)
		}
		if best < 0 || score < smallest {
			best, smallest, ties, total = i, score, 0, 0
		}
		ties++
		total += weight
		// Keep one of the equals as we go: the m-th replaces the one kept with probability weight ÷ sum so far.
		// That draws in proportion to weight in a single pass, which loads that change meanwhile cannot confuse.
		if ties > 1 && weight > 0 && r.below(total) < weight {
			best = i
		}
	}
	if best < 0 || ties < 2 || total > 0 {
		return best
	}
	return b.uniform(view, c, inv, now, smallest, ties, r, skip, best)
}

// uniform returns the k-th of the candidates with the given score, for a random k; best if they changed meanwhile.
func (b *scored) uniform(view *loadView, c route.Candidates, inv *rpc.Invocation, now, score int64, ties int, r *draw, skip func(int) bool, best int) int {
	k := r.below(ties)
	for i := range c.Len() {
		if skip != nil && skip(i) || b.score(b.loadOf(view, c, i, inv), now) != score {
			continue
		}
		if k--; k < 0 {
			return i
		}
	}
	return best
}

// Begin implements Feedback.
func (b *scored) Begin(c route.Candidates, to *service.Instance, inv *rpc.Invocation) Ticket {
	view := b.loadsOf(c, inv.Method)
	l := view.loadFor(to)
	if l == nil {
		l = b.loads.get(b.key(inv, to), b.now)
		view.know(to, l)
	}
	l.active.Add(1)
	t := Ticket{load: l}
	if b.timed {
		t.began = b.clock().UnixNano()
	}
	return t
}

// End implements Feedback. A provider's exception is an answer; other errors are not.
func (b *scored) End(t Ticket, _ rpc.Attachments, err error) {
	if t.load == nil {
		return
	}
	now := b.clock().UnixNano()
	t.load.active.Add(-1)
	t.load.used.Store(now / 1e6)
	if b.timed && answered(err) {
		t.load.elapsed.Add(max(now-t.began, 0) / 1000)
		t.load.succeeded.Add(1)
	}
}

// answered reports whether the provider answered, be it with an exception.
func answered(err error) bool { return err == nil || rpc.CodeOf(err) == rpc.Business }
