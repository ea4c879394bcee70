package balance

import (
	"strconv"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/service"
)

// DefaultTimeout is the timeout in milliseconds that adaptive assumes when a provider's URL names none.
const DefaultTimeout = 1000

// Adaptive compares two candidates drawn at random and takes the one with the lower load, a formula of the
// provider's CPU, the moving average of latency, the calls under way, the success rate and the weight; equal loads
// are decided by a coin weighted by weight (spec §11.2; Dubbo 3.2+). It needs Begin and End around
// each call. Providers of Dubbo 3.2+ report their CPU when the call carries the attachment AdaptiveKey =
// AdaptiveRequest; without a report standard counts CPU as 1 and uses the latency measured here, while the
// Dubbo dialects count the load as 0, as there.
type Adaptive struct {
	base
	loads loads
}

// NewAdaptive returns the balancer "adaptive".
func NewAdaptive(o Options) *Adaptive { return &Adaptive{base: newBase(o)} }

// Name returns "adaptive".
func (*Adaptive) Name() string { return NameAdaptive }

func (b *Adaptive) exact() bool { return b.dialect != dialect.Standard }

func (b *Adaptive) key(inv *rpc.Invocation, in *service.Instance) loadKey {
	return loadKey{service: inv.Service, address: in.Address()}
}

// Pick implements Balancer.
func (b *Adaptive) Pick(c route.Candidates, inv *rpc.Invocation) int {
	n := c.Len()
	switch n {
	case 0:
		return -1
	case 1:
		return 0
	}
	r := newDraw(seedOf(inv))
	first, second := 0, 1
	if n > 2 {
		first, second = r.below(n), r.below(n-1)
		if second >= first {
			second++
		}
	}
	return b.lower(c, inv, first, second, &r)
}

// PickExcluding implements Excluder.
func (b *Adaptive) PickExcluding(c route.Candidates, inv *rpc.Invocation, skip func(int) bool) int {
	n := c.Len()
	if n == 0 {
		return -1
	}
	// The second is the next allowed one after a random place, so both are found in one walk at most.
	r := newDraw(seedOf(inv))
	start, first, second := r.below(n), -1, -1
	for step := range n {
		i := (start + step) % n
		if skip(i) {
			continue
		}
		if first < 0 {
			first = i
			continue
		}
		second = i
		break
	}
	if second < 0 {
		return first
	}
	return b.lower(c, inv, first, second, &r)
}

func (b *Adaptive) lower(c route.Candidates, inv *rpc.Invocation, first, second int, r *draw) int {
	now := b.now()
	view := b.loadsOf(c, inv.Method)
	w1, w2 := b.presentWeight(view, c, first, inv.Method, now), b.presentWeight(view, c, second, inv.Method, now)
	l1 := b.loadOf(view, c, first, inv).adaptive.value(now, view.timeoutOf(c, first, inv.Method), w1, b.exact())
	l2 := b.loadOf(view, c, second, inv).adaptive.value(now, view.timeoutOf(c, second, inv.Method), w2, b.exact())
	switch {
	case l1 < l2:
		return first
	case l2 < l1:
		return second
	}
	if total := w1 + w2; total > 0 && r.below(total) >= w1 || total <= 0 && r.below(2) == 1 {
		return second
	}
	return first
}

func (b *Adaptive) loadOf(view *loadView, c route.Candidates, i int, inv *rpc.Invocation) *load {
	if l := view.load(i); l != nil {
		return l
	}
	l := b.loads.get(b.key(inv, c.At(i)), b.now)
	view.setLoad(i, l)
	return l
}

// Request implements Requester.
func (*Adaptive) Request(route.Candidates, *rpc.Invocation) (key, value string, ok bool) {
	return AdaptiveKey, AdaptiveRequest, true
}

// timeoutOf returns the timeout of a method in milliseconds.
func timeoutOf(in *service.Instance, method string) int64 {
	if text, ok := in.URL.MethodParam(method, "timeout"); ok && text != "" {
		if n, err := strconv.Atoi(text); err == nil && n > 0 {
			return int64(n)
		}
	}
	return DefaultTimeout
}

// Begin implements Feedback.
func (b *Adaptive) Begin(c route.Candidates, to *service.Instance, inv *rpc.Invocation) Ticket {
	view := b.loadsOf(c, inv.Method)
	l := view.loadFor(to)
	if l == nil {
		l = b.loads.get(b.key(inv, to), b.now)
		view.know(to, l)
	}
	now := b.clock().UnixNano()
	l.active.Add(1)
	l.adaptive.begin(now / 1e6)
	return Ticket{load: l, began: now}
}

// End implements Feedback.
func (b *Adaptive) End(t Ticket, answer rpc.Attachments, err error) {
	if t.load == nil {
		return
	}
	now := b.clock().UnixNano()
	t.load.active.Add(-1)
	t.load.used.Store(now / 1e6)
	report, _ := answer.Get(AdaptiveKey)
	t.load.adaptive.end(now/1e6, max(now-t.began, 0)/1e6, answered(err), report, b.exact())
}
