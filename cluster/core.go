package cluster

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"

	"github.com/dubway-go/dubway/balance"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/service"
)

// core is what the strategies share: choosing a provider and making one call to it.
type core struct {
	dialect  dialect.Dialect
	logger   *slog.Logger
	balancer balance.Balancer
	excluder balance.Excluder // nil when the balancer is none; so for the next three
	feedback balance.Feedback
	refuser  balance.Refuser
	request  balance.Requester
	sticky   atomic.Pointer[stickyChoice]
}

// stickyChoice is the provider that a sticky service keeps; decision and at are where it was last seen.
type stickyChoice struct {
	instance *service.Instance
	decision *route.Decision
	at       int
}

func newCore(o Options) (*core, error) {
	c := &core{dialect: o.Dialect, logger: o.Logger, balancer: o.Balancer}
	if c.logger == nil {
		c.logger = slog.New(slog.DiscardHandler)
	}
	if c.balancer == nil {
		s, err := balance.NewSelector(balance.Options{Dialect: o.Dialect, Logger: o.Logger})
		if err != nil {
			return nil, err
		}
		c.balancer = s
	}
	c.excluder, _ = c.balancer.(balance.Excluder)
	c.feedback, _ = c.balancer.(balance.Feedback)
	c.refuser, _ = c.balancer.(balance.Refuser)
	c.request, _ = c.balancer.(balance.Requester)
	return c, nil
}

// attempt is one call to one provider, and what led there.
type attempt struct {
	list     route.Candidates
	settings *settings
	chosen   *service.Instance
}

// begin routes, chooses and marks the chosen provider busy; every success must be followed by one call. Providers in
// tried are avoided, as are those that cannot be reached.
func (c *core) begin(d Directory, next rpc.Invoker, inv *rpc.Invocation, tried *triedList) (attempt, error) {
	a, err := c.find(d, next, inv, tried)
	if err != nil {
		return attempt{}, err
	}
	if drainer, drains := d.(Drainer); drains && !drainer.Begin(a.chosen) {
		return c.beginElsewhere(d, drainer, next, inv, tried, a.chosen)
	}
	return a, nil
}

// find routes and chooses.
func (c *core) find(d Directory, next rpc.Invoker, inv *rpc.Invocation, tried *triedList) (attempt, error) {
	list, err := d.Route(inv)
	if err != nil {
		return attempt{}, err
	}
	if list.Len() == 0 {
		return attempt{}, noProvider(list, inv)
	}
	a := attempt{list: list, settings: c.settingsOf(d, list, inv.Method)}
	i, err := c.choose(list, next, inv, a.settings, tried)
	if err != nil {
		return attempt{}, err
	}
	a.chosen = list.At(i)
	return a, nil
}

// maxDrained bounds how often a call chooses again because the chosen provider left.
const maxDrained = 8

// beginElsewhere goes on when the chosen provider left between routing and now. The next routing does not have it;
// should it lag behind, the provider is avoided all the same.
func (c *core) beginElsewhere(d Directory, drainer Drainer, next rpc.Invoker, inv *rpc.Invocation, tried *triedList, gone *service.Instance) (attempt, error) {
	var avoid triedList
	if tried != nil {
		for i := range tried.n {
			avoid.add(tried.at(i))
		}
		avoid.barred = tried.barred
	}
	for range maxDrained {
		avoid.add(gone)
		a, err := c.find(d, next, inv, &avoid)
		if err != nil {
			return attempt{}, err
		}
		if drainer.Begin(a.chosen) {
			return a, nil
		}
		gone = a.chosen
	}
	return attempt{}, failure(rpc.Network, inv, "provider "+gone.Address()+" has left and is being drained", nil)
}

// call makes the call that begin prepared.
func (c *core) call(ctx context.Context, d Directory, next rpc.Invoker, a attempt, inv *rpc.Invocation) (rpc.Result, error) {
	var ticket balance.Ticket
	if c.feedback != nil {
		ticket = c.feedback.Begin(a.list, a.chosen, inv)
	}
	if c.request != nil {
		if key, value, ok := c.request.Request(a.list, inv); ok {
			inv = withAttachment(inv, key, value)
		}
	}
	result, err := next.Invoke(ctx, a.chosen, inv)
	if c.feedback != nil {
		c.feedback.End(ticket, result.Attachments, err)
	}
	if drainer, ok := d.(Drainer); ok {
		drainer.End(a.chosen)
	}
	return result, err
}

// withAttachment returns a copy of inv with an attachment, inv itself when the caller set that already.
func withAttachment(inv *rpc.Invocation, key, value string) *rpc.Invocation {
	if _, ok := inv.Attachments.Get(key); ok {
		return inv
	}
	out := *inv
	out.Attachments = inv.Attachments.With(key, value)
	return &out
}

// choose is the select step of spec §11.3: the sticky provider, else the balancer's choice, else another.
func (c *core) choose(list route.Candidates, next rpc.Invoker, inv *rpc.Invocation, s *settings, tried *triedList) (int, error) {
	if s.sticky {
		if i := c.stuck(list, next, s, tried); i >= 0 {
			return i, nil
		}
	}
	i, err := c.selectOne(list, next, inv, s, tried)
	if err == nil && s.sticky {
		c.sticky.Store(&stickyChoice{list.At(i), list.Decision(), i})
	}
	return i, err
}

// stuck returns the sticky provider's number, -1 when it left the list, was tried or cannot be reached.
func (c *core) stuck(list route.Candidates, next rpc.Invoker, s *settings, tried *triedList) int {
	last := c.sticky.Load()
	if last == nil {
		return -1
	}
	at := last.at
	if last.decision != list.Decision() {
		if at = position(list, last.instance); at < 0 {
			c.sticky.CompareAndSwap(last, nil)
			return -1
		}
		c.sticky.CompareAndSwap(last, &stickyChoice{list.At(at), list.Decision(), at})
	}
	if in := list.At(at); tried.has(in) || s.availability && !available(next, in) {
		return -1
	}
	return at
}

// position returns the number of the candidate with in's address, -1 when there is none.
func position(list route.Candidates, in *service.Instance) int {
	for i := range list.Len() {
		if other := list.At(i); other == in || other.Address() == in.Address() {
			return i
		}
	}
	return -1
}

func (c *core) selectOne(list route.Candidates, next rpc.Invoker, inv *rpc.Invocation, s *settings, tried *triedList) (int, error) {
	i := c.balancer.Pick(list, inv)
	if i < 0 {
		var cause error
		if c.refuser != nil {
			cause = c.refuser.Refusal(list, inv)
		}
		return -1, failure(rpc.Unknown, inv, "load balancer "+c.balancer.Name()+" refused the call", cause)
	}
	if list.Len() == 1 {
		if tried.bars(list.At(i)) {
			return -1, errNoOther
		}
		return i, nil
	}
	if in := list.At(i); !tried.has(in) && (!s.availability || available(next, in)) {
		return i, nil
	}
	if i = c.reselect(list, next, inv, s, tried, i); i < 0 {
		return -1, errNoOther
	}
	return i, nil
}

// reselect avoids providers tried before and those out of reach; then only those out of reach; then takes the
// neighbour of the first choice. Barred ones are never taken: -1 when all are.
func (c *core) reselect(list route.Candidates, next rpc.Invoker, inv *rpc.Invocation, s *settings, tried *triedList, first int) int {
	away := func(n int) bool { return tried.bars(list.At(n)) || s.availability && !available(next, list.At(n)) }
	if i := c.pickExcluding(list, inv, func(n int) bool { return tried.has(list.At(n)) || away(n) }); i >= 0 {
		return i
	}
	if s.availability {
		if i := c.pickExcluding(list, inv, away); i >= 0 {
			return i
		}
	}
	for n := 1; n <= list.Len(); n++ {
		if i := (first + n) % list.Len(); !tried.bars(list.At(i)) {
			return i
		}
	}
	return -1
}

func (c *core) pickExcluding(list route.Candidates, inv *rpc.Invocation, skip func(int) bool) int {
	if c.excluder != nil {
		return c.excluder.PickExcluding(list, inv, skip)
	}
	return balance.PickAgain(c.balancer, list, inv, skip)
}

// available asks the transport; one that does not know counts as able.
func available(next rpc.Invoker, in *service.Instance) bool {
	a, ok := next.(Availability)
	return !ok || a.Available(in.Address())
}

// triedList are the providers that a call has tried. The zero value is empty; a nil list has none.
type triedList struct {
	first [4]*service.Instance
	n     int
	more  []*service.Instance
	// barred are those of them that said that they do not have the service: asking again is of no use.
	barred []*service.Instance
}

// note bars in when err says that it does not have the service.
func (t *triedList) note(in *service.Instance, err error) {
	if errors.Is(err, rpc.ErrNotExported) {
		t.barred = append(t.barred, in)
	}
}

// bars reports whether in's address is barred.
func (t *triedList) bars(in *service.Instance) bool {
	if t == nil {
		return false
	}
	for _, other := range t.barred {
		if other == in || other.Address() == in.Address() {
			return true
		}
	}
	return false
}

func (t *triedList) add(in *service.Instance) {
	if t.n < len(t.first) {
		t.first[t.n] = in
	} else {
		t.more = append(t.more, in)
	}
	t.n++
}

func (t *triedList) at(i int) *service.Instance {
	if i < len(t.first) {
		return t.first[i]
	}
	return t.more[i-len(t.first)]
}

// has compares addresses: an override may have replaced the instance between two tries.
func (t *triedList) has(in *service.Instance) bool {
	if t == nil {
		return false
	}
	for i := range t.n {
		if other := t.at(i); other == in || other.Address() == in.Address() {
			return true
		}
	}
	return false
}
