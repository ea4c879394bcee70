package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"time"
)

// listener is one HTTP server of the daemon.
type listener struct {
	name   string
	l      net.Listener
	server *http.Server
	done   chan error
}

// listenHTTP binds address; orFree takes a free port of the same host when the port is taken.
func listenHTTP(name, address string, orFree bool) (*listener, error) {
	l, err := net.Listen("tcp", address)
	if err != nil && orFree {
		if host, _, splitErr := net.SplitHostPort(address); splitErr == nil {
			l, err = net.Listen("tcp", net.JoinHostPort(host, "0"))
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: cannot listen on %s: %w; give another address, port 0 takes a free one", name, address, err)
	}
	return &listener{name: name, l: l, done: make(chan error, 1)}, nil
}

func (l *listener) address() string {
	if l == nil {
		return ""
	}
	return l.l.Addr().String()
}

// serve answers with h until shutdown.
func (l *listener) serve(h http.Handler) {
	l.server = &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 1 << 16}
	go func() {
		err := l.server.Serve(l.l)
		if errors.Is(err, http.ErrServerClosed) {
			err = nil
		}
		l.done <- err
	}()
}

// shutdown lets running requests finish until ctx ends, then breaks them off.
func (l *listener) shutdown(ctx context.Context) error {
	if l == nil {
		return nil
	}
	if l.server == nil {
		return l.l.Close()
	}
	err := l.server.Shutdown(ctx)
	if err != nil {
		err = errors.Join(fmt.Errorf("%s: %w", l.name, err), l.server.Close())
	}
	return errors.Join(err, <-l.done)
}

// loopback reports whether only this machine can reach the listener.
func (l *listener) loopback() bool {
	a, ok := l.l.Addr().(*net.TCPAddr)
	return ok && a.IP.IsLoopback()
}

// token returns the admin token; a listener that others can reach must have one.
func (c *AdminConfig) token(loopback bool) (string, error) {
	token := c.Token
	if token == "" && c.TokenFile != "" {
		b, err := os.ReadFile(c.TokenFile)
		if err != nil {
			return "", fmt.Errorf("admin: the token cannot be read: %w", err)
		}
		if token = strings.TrimSpace(string(b)); token == "" {
			return "", fmt.Errorf("admin: the token file %s is empty", c.TokenFile)
		}
	}
	if token == "" && !loopback {
		return "", fmt.Errorf("admin: %s is reachable from other machines, where a token is required: set admin.tokenFile, or listen on 127.0.0.1", c.Listen)
	}
	return token, nil
}
