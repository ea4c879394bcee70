package dubway

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/service"
	"github.com/dubway-go/dubway/transport/dubbo"
)

// Server serves Dubbo services over the Dubbo protocol and keeps them in a registry. It is safe for concurrent use; make it
// with NewServer, give it services with Handle, start it with Start or ListenAndServe, end it with Shutdown.
type Server struct {
	o     ServerOptions
	inner *dubbo.Server
	since string

	mu       sync.Mutex
	services []export
	listener net.Listener
	done     chan struct{} // closed when the accept loop ended
	failure  error         // of the accept loop, after done
	leave    context.CancelFunc
	stopped  bool
}

type export struct {
	key     service.Key
	methods string
	o       HandleOptions
}

// NewServer returns a server without services.
func NewServer(o ServerOptions) *Server {
	o.Application = firstOf(o.Application, "dubway")
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Notice == 0 {
		o.Notice = DefaultNotice
	}
	return &Server{o: o, since: started(), inner: dubbo.NewServer(dubbo.ServerOptions{Types: o.Types, Logger: o.Logger})}
}

// Handle serves a service, named by its service key ("com.example.OrderService", "shop/com.example.OrderService:1.0"). handler is a
// Handler, a function of that shape, or any value whose exported methods serve: GetOrder(ctx, id int64) (*Order, error) is
// called as getOrder. Their parameters are converted as Decode does. It must be called before Start.
func (s *Server) Handle(name string, handler any) error {
	return s.HandleWith(name, handler, HandleOptions{})
}

// HandleWith is Handle with options of its own.
func (s *Server) HandleWith(name string, handler any, o HandleOptions) error {
	key, err := service.ParseKey(name)
	if err != nil {
		return fmt.Errorf("handle: %w", err)
	}
	key.Group, key.Version = firstOf(o.Group, key.Group), firstOf(o.Version, key.Version)
	h, names, err := handlerOf(handler, s.o.Types)
	if err != nil {
		return fmt.Errorf("handle %s: %w", key, err)
	}
	if len(o.Methods) > 0 {
		names = o.Methods
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listener != nil || s.stopped {
		return fmt.Errorf("handle %s: the server has started; give it its services first", key)
	}
	for _, other := range s.services {
		if other.key == key {
			return fmt.Errorf("handle %s: the service has a handler already", key)
		}
	}
	s.services = append(s.services, export{key, firstOf(strings.Join(names, ","), "*"), o})
	s.inner.Handle(key, s.adapt(h))
	return nil
}

// adapt makes a transport handler of h.
func (s *Server) adapt(h Handler) dubbo.Handler {
	return dubbo.HandlerFunc(func(ctx context.Context, call *dubbo.ServerCall) (rpc.Result, error) {
		c := newServedCall(ctx, call, s.o.Propagation)
		value, err := h.Serve(c, &c.request)
		if err != nil {
			value = nil
		}
		return rpc.Result{Value: value, Attachments: c.answer.take()}, err
	})
}

// Start listens on address ("127.0.0.1:0" takes a free port), serves, and returns once every service is in the registry.
// ctx bounds the registration only.
func (s *Server) Start(ctx context.Context, address string) error {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return fmt.Errorf("serve: %w", err)
	}
	return s.StartOn(ctx, l)
}

// StartOn is Start on a listener, which the server closes.
func (s *Server) StartOn(ctx context.Context, l net.Listener) error {
	s.mu.Lock()
	if s.listener != nil || s.stopped {
		s.mu.Unlock()
		_ = l.Close()
		return errors.New("serve: the server was started already")
	}
	s.listener, s.done = l, make(chan struct{})
	life, leave := context.WithCancel(context.WithoutCancel(ctx))
	s.leave = leave
	s.mu.Unlock()
	go func() {
		defer close(s.done)
		if err := s.inner.Serve(l); err != nil && !errors.Is(err, dubbo.ErrServerClosed) {
			s.failure = fmt.Errorf("serve: %w", err)
		}
	}()
	if err := s.register(ctx, life); err != nil {
		_ = s.inner.Close()
		leave()
		<-s.done
		return err
	}
	return nil
}

// register puts every service into the registry and keeps it there until life ends.
func (s *Server) register(ctx, life context.Context) error {
	if s.o.Registrar == nil {
		return nil
	}
	for _, u := range s.URLs() {
		done := make(chan error, 1)
		go func() { done <- s.o.Registrar.Register(life, u) }()
		select {
		case err := <-done:
			if err != nil {
				return &Error{Code: Registry, Service: service.KeyOf(u), Message: "the provider could not be registered: " + err.Error(), Cause: err}
			}
		case <-ctx.Done():
			return &Error{Code: Registry, Service: service.KeyOf(u), Message: "the registry did not answer in time", Cause: context.Cause(ctx)}
		}
	}
	return nil
}

// URLs returns the provider URLs of the services, empty before Start.
func (s *Server) URLs() []durl.URL {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listener == nil {
		return nil
	}
	host, port := s.advertised()
	out := make([]durl.URL, len(s.services))
	for i := range s.services {
		out[i] = s.o.providerURL(s.services[i].key, &s.services[i].o, s.services[i].methods, host, port, s.since)
	}
	return out
}

// Address returns the host:port that consumers get, "" before Start.
func (s *Server) Address() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listener == nil {
		return ""
	}
	host, port := s.advertised()
	return net.JoinHostPort(host, decimal(port))
}

func (s *Server) advertised() (string, int) {
	host, port := s.o.Host, 0
	if a, ok := s.listener.Addr().(*net.TCPAddr); ok {
		port = a.Port
		if host == "" && !a.IP.IsUnspecified() {
			host = a.IP.String()
		}
	}
	return firstOf(host, ownHost()), port
}

// ListenAndServe starts on address and serves until ctx ends; then it shuts down, giving running calls up to 10 s, and returns nil.
func (s *Server) ListenAndServe(ctx context.Context, address string) error {
	if err := s.Start(ctx, address); err != nil {
		return err
	}
	select {
	case <-s.done:
		return s.failure
	case <-ctx.Done():
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	return s.Shutdown(last)
}

// Shutdown takes the services out of the registry, goes on serving for ServerOptions.Notice so that consumers hear of it, lets
// running calls finish until ctx ends, and closes the connections. It may be called again.
func (s *Server) Shutdown(ctx context.Context) error {
	s.mu.Lock()
	first, running := !s.stopped, s.listener != nil
	s.stopped = true
	s.mu.Unlock()
	if !running {
		return nil
	}
	var all []error
	if first && s.o.Registrar != nil {
		for _, u := range s.URLs() {
			if err := s.o.Registrar.Unregister(ctx, u); err != nil {
				all = append(all, fmt.Errorf("unregister: %w", err))
			}
		}
		if s.o.Notice > 0 {
			wait, cancel := context.WithTimeout(ctx, s.o.Notice)
			<-wait.Done()
			cancel()
		}
	}
	s.leave()
	all = append(all, s.inner.Shutdown(ctx))
	<-s.done
	return errors.Join(all...)
}
