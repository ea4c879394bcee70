package dubway

import (
	"context"
	"errors"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/dubway-go/dubway/cluster"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/directory"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/service"
)

// Service is one service as a consumer calls it: a live directory, a balancer and a strategy against failure.
// It is safe for concurrent use. Client.Service makes it.
type Service struct {
	client  *Client
	key     service.Key
	dialect dialect.Dialect
	// members are the service in each of its registries; there is at least one.
	members []*member
	// registries chooses among members, nil when there is only one.
	registries *cluster.Registries
	next       rpc.Invoker
	forget     context.CancelFunc // ends the registration as a consumer; may be nil
	closing    sync.Once
	failure    error
}

// Key returns the service's key.
func (s *Service) Key() service.Key { return s.key }

// Dialect returns the Dubbo generation that the service agrees with.
func (s *Service) Dialect() dialect.Dialect { return s.dialect }

// Directory returns the directory behind the service, for its state and its snapshots; of several registries, that of the first: Registries has
// all. It belongs to the service: do not close it.
func (s *Service) Directory() *directory.Directory { return s.members[0].directory }

// Call calls a method and returns its value: nil for void and null, Go basic types, []any, maps, time.Time, []byte, and
// *hessian.Object for objects of Java classes (maps with the key "class" from a Java provider, as calls are generic; UUID, Locale and
// the types of java.time are those of package hessian, or time.Duration). Whole numbers that a Java parameter declares as long must be int64. Structs are sent as
// maps of their fields. Tag and attachments are those of ctx. Errors are *Error.
func (s *Service) Call(ctx context.Context, method string, args ...any) (any, error) {
	result, err := s.Invoke(ctx, &rpc.Invocation{Method: method, Args: args})
	return result.Value, err
}

// CallInto calls a method and decodes its value into the variable that out points to; see Decode.
func (s *Service) CallInto(ctx context.Context, out any, method string, args ...any) error {
	result, err := s.Invoke(ctx, &rpc.Invocation{Method: method, Args: args})
	if err != nil {
		return err
	}
	if err := s.client.o.Types.Assign(out, result.Value); err != nil {
		return &Error{Code: Serialization, Service: s.key, Method: method, Message: "the result: " + err.Error(), Cause: err}
	}
	return nil
}

// Invoke makes the call that inv describes, which names parameter types or attachments of its own. Service is filled in, and
// Seed when it is 0; attachments of ctx are added under those of inv. inv itself is not changed.
func (s *Service) Invoke(ctx context.Context, inv *rpc.Invocation) (rpc.Result, error) {
	call := s.prepare(ctx, inv)
	if s.registries != nil {
		return s.registries.Invoke(ctx, s.next, call)
	}
	m := s.members[0]
	return m.strategy.Invoke(ctx, m.directory, s.next, call)
}

// Explain returns how a call of method with args would be routed, with the reason of every step. Tag and attachments
// are those of ctx. Nothing is sent. See ExplainInvocation.
func (s *Service) Explain(ctx context.Context, method string, args ...any) *directory.Explanation {
	return s.ExplainInvocation(ctx, s.prepare(ctx, &rpc.Invocation{Method: method, Args: args}))
}

func (s *Service) prepare(ctx context.Context, inv *rpc.Invocation) *rpc.Invocation {
	call := *inv
	call.Service = s.key
	call.Attachments = outgoing(ctx, inv.Attachments)
	if call.Seed == 0 {
		call.Seed = rand.Uint64()
	}
	return &call
}

// announce registers the consumer, for tools that list who consumes. It does not hold up opening, and its failure is only logged.
func (s *Service) announce(consumer durl.URL) {
	ctx, cancel := context.WithCancel(s.client.life)
	s.forget = cancel
	u := consumer.WithParams(durl.Param{Key: "category", Value: "consumers"}, durl.Param{Key: "check", Value: "false"})
	for _, m := range s.members {
		if m.registry.Registrar == nil {
			continue
		}
		go func() {
			if err := m.registry.Registrar.Register(ctx, u); err != nil && ctx.Err() == nil {
				s.client.o.Logger.Warn("the consumer could not be registered", "service", s.key.String(), "registry", m.registry.Name, "error", err)
			}
		}()
	}
}

// Close closes the service: its calls that run may finish within the directory's drain time. It may be called again.
func (s *Service) Close() error {
	s.client.mu.Lock()
	delete(s.client.services, s)
	s.client.mu.Unlock()
	return s.shut()
}

func (s *Service) shut() error {
	s.closing.Do(func() {
		if s.forget != nil {
			s.forget()
		}
		var all []error
		if s.registries != nil {
			all = append(all, s.registries.Close())
		}
		for _, m := range s.members {
			all = append(all, cluster.Close(m.strategy))
		}
		var drained sync.WaitGroup
		for _, m := range s.members { // side by side: each may wait for calls that run
			drained.Go(func() { _ = m.directory.Close() })
		}
		drained.Wait()
		s.failure = errors.Join(all...)
	})
	return s.failure
}

// hooks returns the user's hooks for s, with the client's own: a provider that no service lists any more loses its connection.
func (c *Client) hooks(s *Service) *directory.Hooks {
	h := &directory.Hooks{}
	if c.o.Hooks != nil {
		if user := c.o.Hooks(s); user != nil {
			*h = *user
		}
	}
	user := h.Retired
	h.Retired = func(in *service.Instance) {
		if c.own != nil && !c.lists(in.Address()) {
			c.own.CloseAddress(in.Address())
		}
		if user != nil {
			user(in)
		}
	}
	return h
}

// lists reports whether any open service has a provider at address.
func (c *Client) lists(address string) bool {
	c.mu.Lock()
	open := make([]*Service, 0, len(c.services))
	for s := range c.services {
		open = append(open, s)
	}
	c.mu.Unlock()
	for _, s := range open {
		listed := false
		s.Providers(func(_, _ string, in *service.Instance) bool {
			listed = in.Address() == address
			return !listed
		})
		if listed {
			return true
		}
	}
	return false
}

func hasScheme(text string) bool { return strings.Contains(text, "://") }

// started is what a provider or consumer URL says under timestamp.
func started() string { return strconv.FormatInt(time.Now().UnixMilli(), 10) }
