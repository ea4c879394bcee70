package balance

import (
	"sync"

	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/service"
)

// Selector hands each call to the balancer that the parameter loadbalance of the first candidate's effective
// URL names, method-scoped or plain (spec §11.2); the effective URL has the consumer's value on top of the
// provider's. An unknown name is reported once per candidate set and counts as absent.
type Selector struct {
	base
	options Options
	byName  map[string]Balancer
	mu      sync.Mutex
}

// NewSelector returns a Selector. The error says which Options.Default is unknown.
func NewSelector(o Options) (*Selector, error) {
	s := &Selector{base: newBase(o), options: o, byName: make(map[string]Balancer)}
	for _, b := range o.Custom {
		s.byName[b.Name()] = b
	}
	if s.options.Default == "" {
		s.options.Default = NameRandom
	}
	if _, err := s.named(s.options.Default); err != nil {
		return nil, err
	}
	return s, nil
}

// Name returns "selector".
func (*Selector) Name() string { return "selector" }

// named returns the balancer with a name, one for all calls: its state belongs to all of them.
func (s *Selector) named(name string) (Balancer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b, ok := s.byName[name]; ok {
		return b, nil
	}
	b, err := New(name, s.options)
	if err == nil {
		s.byName[name] = b
	}
	return b, err
}

// choice is what a Decision remembers: the balancer and what else it can do, found out once.
type choice struct {
	balancer  Balancer
	random    *Random // the balancer when it is that one: called directly
	feedback  Feedback
	excluder  Excluder
	refuser   Refuser
	requester Requester
}

// For returns the balancer of a call with these candidates, which must not be empty.
func (s *Selector) For(c route.Candidates, inv *rpc.Invocation) Balancer {
	return s.choiceOf(c, inv).balancer
}

func (s *Selector) choiceOf(c route.Candidates, inv *rpc.Invocation) *choice {
	key := viewKey{&s.base, viewChoice, inv.Method}
	if v := viewsOf(c); v != nil {
		if h, ok := v.get(key).(*choice); ok {
			return h
		}
	}
	h := s.choose(c, inv)
	if !c.Decision().Remembered() {
		return h
	}
	s.ensureViews(c)
	return addView(c, key, h)
}

func (s *Selector) choose(c route.Candidates, inv *rpc.Invocation) *choice {
	name, ok := c.At(0).URL.MethodParam(inv.Method, "loadbalance")
	if !ok || name == "" {
		name = s.options.Default
	}
	b, err := s.named(name)
	if err != nil {
		s.logger.Warn("load balancer ignored", "service", inv.Service.Interface, "method", inv.Method, "problem", err, "instead", s.options.Default)
		b, _ = s.named(s.options.Default)
	}
	h := &choice{balancer: b}
	h.random, _ = b.(*Random)
	h.feedback, _ = b.(Feedback)
	h.excluder, _ = b.(Excluder)
	h.refuser, _ = b.(Refuser)
	h.requester, _ = b.(Requester)
	return h
}

// Pick implements Balancer.
func (s *Selector) Pick(c route.Candidates, inv *rpc.Invocation) int {
	switch c.Len() {
	case 0:
		return -1
	case 1:
		return 0
	}
	h := s.choiceOf(c, inv)
	if h.random != nil {
		return h.random.Pick(c, inv)
	}
	return h.balancer.Pick(c, inv)
}

// PickExcluding implements Excluder. A custom balancer that is no Excluder is asked a few times; then the first candidate
// that is not skipped is taken.
func (s *Selector) PickExcluding(c route.Candidates, inv *rpc.Invocation, skip func(int) bool) int {
	if c.Len() == 0 {
		return -1
	}
	h := s.choiceOf(c, inv)
	if h.excluder != nil {
		return h.excluder.PickExcluding(c, inv, skip)
	}
	return PickAgain(h.balancer, c, inv, skip)
}

// PickAgain asks any balancer for a candidate that is not skipped: a few picks with other seeds, then the next
// candidate in the list after the last pick. It returns -1 when all are skipped.
func PickAgain(b Balancer, c route.Candidates, inv *rpc.Invocation, skip func(int) bool) int {
	again := *inv
	r := newDraw(seedOf(inv))
	start := 0
	for range 4 {
		again.Seed = r.next()
		i := b.Pick(c, &again)
		if i < 0 {
			return -1
		}
		if !skip(i) {
			return i
		}
		start = i
	}
	for step := range c.Len() {
		if i := (start + step) % c.Len(); !skip(i) {
			return i
		}
	}
	return -1
}

// Refusal implements Refuser.
func (s *Selector) Refusal(c route.Candidates, inv *rpc.Invocation) error {
	if c.Len() == 0 {
		return nil
	}
	if h := s.choiceOf(c, inv); h.refuser != nil {
		return h.refuser.Refusal(c, inv)
	}
	return nil
}

// Request implements Requester.
func (s *Selector) Request(c route.Candidates, inv *rpc.Invocation) (key, value string, ok bool) {
	if c.Len() == 0 {
		return "", "", false
	}
	if h := s.choiceOf(c, inv); h.requester != nil {
		return h.requester.Request(c, inv)
	}
	return "", "", false
}

// Begin implements Feedback: for balancers that learn nothing it costs a look-up.
func (s *Selector) Begin(c route.Candidates, to *service.Instance, inv *rpc.Invocation) Ticket {
	if c.Len() == 0 {
		return Ticket{}
	}
	h := s.choiceOf(c, inv)
	if h.feedback == nil {
		return Ticket{}
	}
	t := h.feedback.Begin(c, to, inv)
	t.owner = h.feedback
	return t
}

// End implements Feedback.
func (s *Selector) End(t Ticket, answer rpc.Attachments, err error) {
	if t.owner != nil {
		t.owner.End(t, answer, err)
	}
}
