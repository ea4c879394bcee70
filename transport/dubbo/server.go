package dubbo

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dubway-go/dubway/service"
)

// ErrServerClosed is what Serve returns after Shutdown or Close.
var ErrServerClosed = errors.New("dubbo: server closed")

// Server serves Dubbo services. It is safe for use by many goroutines; make it with NewServer.
type Server struct {
	options  ServerOptions
	exec     *executor
	handlers atomic.Pointer[map[service.Key]*export]
	codecs   sync.Pool // *serverCodec
	bodies   sync.Pool // *[]byte

	mu        sync.Mutex
	listeners map[net.Listener]struct{}
	conns     map[*serverConn]struct{}
	closed    bool
	running   sync.WaitGroup
	// refusing is set late in Shutdown: requests that still come are answered "channel inactive".
	refusing atomic.Bool
}

type export struct {
	key     service.Key
	handler Handler
}

// NewServer returns a server without services.
func NewServer(o ServerOptions) *Server {
	s := &Server{
		options:   o.withDefaults(),
		listeners: make(map[net.Listener]struct{}),
		conns:     make(map[*serverConn]struct{}),
	}
	s.exec = newExecutor(s.options.MaxConcurrent)
	s.handlers.Store(&map[service.Key]*export{})
	s.codecs.New = func() any { return newServerCodec(&s.options) }
	return s
}

// Handle serves key with h, in place of any handler that it had; a nil h takes the service out. Calls are matched by
// path (or interface), group and version exactly; version "0.0.0" is no version, as in Dubbo.
func (s *Server) Handle(key service.Key, h Handler) {
	if key.Version == noVersion {
		key.Version = ""
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	old := *s.handlers.Load()
	next := make(map[service.Key]*export, len(old)+1)
	for k, e := range old {
		next[k] = e
	}
	if h == nil {
		delete(next, key)
	} else {
		next[key] = &export{key, h}
	}
	s.handlers.Store(&next)
}

// lookup finds the service of a request among all: by its path, by its interface, by the last element of a path with a context
// ("context/com.example.Order").
func lookup(all map[service.Key]*export, path, iface, group, version string) *export {
	if version == noVersion {
		version = ""
	}
	if e := all[service.Key{Interface: path, Group: group, Version: version}]; e != nil {
		return e
	}
	if iface != "" && iface != path {
		if e := all[service.Key{Interface: iface, Group: group, Version: version}]; e != nil {
			return e
		}
	}
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		return all[service.Key{Interface: path[i+1:], Group: group, Version: version}]
	}
	return nil
}

// notFound says which service was asked for, and which the server has under that name.
func (s *Server) notFound(path, group, version string) string {
	var have []string
	for k := range *s.handlers.Load() {
		if k.Interface == path {
			have = append(have, fmt.Sprintf("group %q version %q", k.Group, k.Version))
		}
	}
	if len(have) == 0 {
		return fmt.Sprintf("Not found exported service: %s (group %q, version %q)", path, group, version)
	}
	return fmt.Sprintf("Not found exported service: %s with group %q, version %q; it is exported with %s", path, group, version, strings.Join(have, ", "))
}

// Serve accepts connections on l until Shutdown or Close, then returns ErrServerClosed. It closes l. It may be called for
// several listeners.
func (s *Server) Serve(l net.Listener) error {
	defer l.Close()
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return ErrServerClosed
	}
	s.listeners[l] = struct{}{}
	s.running.Add(1)
	s.mu.Unlock()
	defer s.running.Done()
	wait := time.Duration(0)
	for {
		nc, err := l.Accept()
		if err != nil {
			if s.isClosed() {
				return ErrServerClosed
			}
			if !temporary(err) {
				s.mu.Lock()
				delete(s.listeners, l)
				s.mu.Unlock()
				return fmt.Errorf("accept on %v: %w", l.Addr(), err)
			}
			wait = min(max(2*wait, 5*time.Millisecond), time.Second)
			s.options.Logger.Warn("accept failed", "error", err, "retry", wait)
			time.Sleep(wait)
			continue
		}
		wait = 0
		s.accept(nc)
	}
}

// temporary tells errors of accept that pass: out of file descriptors, a connection that was reset early.
func temporary(err error) bool {
	t, ok := errors.AsType[interface {
		error
		Temporary() bool
	}](err)
	return ok && t.Temporary()
}

func (s *Server) accept(nc net.Conn) {
	s.mu.Lock()
	if s.closed || s.options.MaxConnections > 0 && len(s.conns) >= s.options.MaxConnections {
		s.mu.Unlock()
		s.options.Logger.Warn("connection refused: MaxConnections reached or shutting down", "remote", nc.RemoteAddr())
		_ = nc.Close()
		return
	}
	c := newServerConn(s, nc)
	s.conns[c] = struct{}{}
	s.running.Add(2)
	s.mu.Unlock()
	c.start()
}

func (s *Server) isClosed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

func (s *Server) forget(c *serverConn) {
	s.mu.Lock()
	delete(s.conns, c)
	s.mu.Unlock()
}

// stop closes the listeners and returns the connections that live.
func (s *Server) stop() []*serverConn {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for l := range s.listeners {
		_ = l.Close()
	}
	clear(s.listeners)
	conns := make([]*serverConn, 0, len(s.conns))
	for c := range s.conns {
		conns = append(conns, c)
	}
	return conns
}

// Close ends the server at once: connections are closed, contexts of running calls canceled. It waits for handlers to return.
func (s *Server) Close() error {
	for _, c := range s.stop() {
		c.fail(ErrServerClosed)
	}
	s.running.Wait()
	s.exec.close()
	return nil
}
