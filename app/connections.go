package app

import (
	"context"
	"net"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// dial opens connections to providers and counts those that are open in gauge.
func dial(gauge prometheus.Gauge) func(ctx context.Context, address string) (net.Conn, error) {
	dialer := new(net.Dialer)
	return func(ctx context.Context, address string) (net.Conn, error) {
		c, err := dialer.DialContext(ctx, "tcp", address)
		if err != nil {
			return nil, err
		}
		gauge.Inc()
		return &countedConn{Conn: c, closed: sync.OnceFunc(gauge.Dec)}, nil
	}
}

type countedConn struct {
	net.Conn

	closed func()
}

// Close closes the connection and counts it out, once.
func (c *countedConn) Close() error {
	c.closed()
	return c.Conn.Close()
}
