package balance

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/service"
)

// Balancer chooses one of the candidates of a call. The built-in balancers are safe for concurrent use and do
// not allocate once they have seen a Decision.
type Balancer interface {
	// Name is the value of the parameter loadbalance that selects it.
	Name() string
	// Pick returns a number n with 0 ≤ n < c.Len() for c.At(n), or -1 when there is no candidate or when a
	// Dubbo dialect refuses the call (see Refuser). Draws derive from inv.Seed: the same seed and candidates give
	// the same choice for balancers without memory; seed 0 draws a fresh seed.
	Pick(c route.Candidates, inv *rpc.Invocation) int
}

// Excluder is a Balancer that can choose again without some candidates, as if they were not in the list.
// All built-in balancers are.
type Excluder interface {
	// PickExcluding is Pick among the candidates n for which skip(n) is false; -1 when none is left.
	PickExcluding(c route.Candidates, inv *rpc.Invocation, skip func(n int) bool) int
}

// Refuser is a Balancer that may refuse a call with candidates because of a parameter, as Dubbo's consistent
// hash does for hash.arguments=x.
type Refuser interface {
	// Refusal returns why Pick returns -1 for these candidates, or nil.
	Refusal(c route.Candidates, inv *rpc.Invocation) error
}

// Feedback is a Balancer that learns from calls. Whoever makes the call brackets it with Begin and End.
type Feedback interface {
	// Begin notes a call to one of the candidates. It does not allocate once it knows the provider.
	Begin(c route.Candidates, to *service.Instance, inv *rpc.Invocation) Ticket
	// End notes how the call ended. answer is what came back with it. Call it exactly once for each Begin; a zero Ticket is
	// ignored.
	End(t Ticket, answer rpc.Attachments, err error)
}

// Requester is a Balancer that asks providers for a report by an attachment on the call, as adaptive does.
type Requester interface {
	// Request returns the attachment to put on a call with these candidates; ok is false when none is wanted.
	Request(c route.Candidates, inv *rpc.Invocation) (key, value string, ok bool)
}

// Ticket links the Begin of a call with its End. The zero value notes nothing.
type Ticket struct {
	load  *load
	began int64    // Unix nanoseconds
	owner Feedback // set by Selector: whose ticket it is
}

// The names of the built-in balancers: values of the parameter loadbalance.
const (
	NameRandom           = "random"
	NameRoundRobin       = "roundrobin"
	NameLeastActive      = "leastactive"
	NameConsistentHash   = "consistenthash"
	NameShortestResponse = "shortestresponse"
	NameAdaptive         = "adaptive"
)

// Names returns the names of the built-in balancers. The slice is the caller's.
func Names() []string {
	return []string{NameRandom, NameRoundRobin, NameLeastActive, NameConsistentHash, NameShortestResponse, NameAdaptive}
}

// Options are the settings of a balancer. The zero value is usable.
type Options struct {
	// Dialect selects the Dubbo version to agree with (spec §11).
	Dialect dialect.Dialect
	// Now is the clock; nil means time.Now.
	Now func() time.Time
	// Logger gets parameters that cannot be used; nil discards them.
	Logger *slog.Logger
	// Default is the balancer that NewSelector uses when no parameter names one; empty means random.
	Default string
	// Custom are balancers of the application; NewSelector finds them by Name, before the built-in ones.
	Custom []Balancer
}

// New returns the built-in balancer with the given name; the empty name is random. The error lists the names.
func New(name string, o Options) (Balancer, error) {
	switch name {
	case "", NameRandom:
		return NewRandom(o), nil
	case NameRoundRobin:
		return NewRoundRobin(o), nil
	case NameLeastActive:
		return NewLeastActive(o), nil
	case NameConsistentHash:
		return NewConsistentHash(o), nil
	case NameShortestResponse:
		return NewShortestResponse(o), nil
	case NameAdaptive:
		return NewAdaptive(o), nil
	}
	return nil, fmt.Errorf("unknown load balancer %q: use one of %q", name, Names())
}

// base is what the built-in balancers share. Its address identifies a balancer in a Decision's slot.
type base struct {
	dialect dialect.Dialect
	clock   func() time.Time
	logger  *slog.Logger
}

func newBase(o Options) base {
	b := base{dialect: o.Dialect, clock: o.Now, logger: o.Logger}
	if b.clock == nil {
		b.clock = time.Now
	}
	if b.logger == nil {
		b.logger = slog.New(slog.DiscardHandler)
	}
	return b
}

// now returns Unix milliseconds, the unit of Dubbo's timestamps.
func (b *base) now() int64 { return b.clock().UnixMilli() }

// weightOf returns the present weight of a provider.
func (b *base) weightOf(in *service.Instance, method string, now int64) int {
	return weightAt(in.Growth(method, b.dialect), b.dialect, now)
}

// seedOf returns the call's seed, or a fresh one when it has none.
func seedOf(inv *rpc.Invocation) uint64 {
	if inv.Seed != 0 {
		return inv.Seed
	}
	return rand.Uint64()
}
