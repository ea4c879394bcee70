package dubbo

import (
	"context"
	"log/slog"
	"net"
	"strings"
	"time"

	"github.com/dubway-go/dubway/hessian"
)

const defaultPort = "20880"

// ClientOptions are the settings of a Client. The zero value is usable: every field has a default.
type ClientOptions struct {
	// Application is the name of this consumer; providers see it as the attachments "application" and
	// "remote.application". Empty means the "application" parameter of the provider's effective URL, if any.
	Application string
	// Timeout is how long a call may take when neither the context nor the provider's URL says. Default 1 s, as Dubbo.
	Timeout time.Duration
	// DialTimeout bounds one attempt to connect. Default 3 s.
	DialTimeout time.Duration
	// WriteTimeout bounds one write to a provider that does not read; after it the connection is closed. Default 10 s.
	WriteTimeout time.Duration
	// Heartbeat is after how long without a byte from the provider a heartbeat is sent; after three times as long the
	// connection is closed. Default 60 s; negative switches heartbeats off.
	Heartbeat time.Duration
	// MaxBody is the largest body of a frame, in bytes, both ways. Default DefaultMaxBody.
	MaxBody int
	// MaxInFlight is how many calls may wait on one connection; one more fails with rpc.Limit. Default 65,536.
	MaxInFlight int
	// MaxQueued is how many bytes may wait to be written on one connection before calls fail with rpc.Limit. Default 16 MiB.
	MaxQueued int
	// ReconnectMin and ReconnectMax bound the time between attempts to reach a provider that is down; it doubles with
	// each failure and half of it is random. Defaults 100 ms and 10 s.
	ReconnectMin, ReconnectMax time.Duration
	// DrainTimeout is how long CloseAddress lets calls end before it closes their connection. Default 10 s.
	DrainTimeout time.Duration
	// Dial opens a connection to address: "host:port", or the host alone where the provider's URL has no port. Nil means
	// TCP, with port 20880 where there is none, as Dubbo.
	Dial func(ctx context.Context, address string) (net.Conn, error)
	// Types are the Go types of Java classes; nil means none: objects decode as *hessian.Object.
	Types *hessian.Types
	// Limits bound what is decoded; the zero value is hessian's defaults.
	Limits hessian.Limits
	// Logger gets changes of connection state; nil discards them.
	Logger *slog.Logger
}

func (o ClientOptions) withDefaults() ClientOptions {
	set := func(d *time.Duration, def time.Duration) {
		if *d == 0 {
			*d = def
		}
	}
	set(&o.Timeout, time.Second)
	set(&o.DialTimeout, 3*time.Second)
	set(&o.WriteTimeout, 10*time.Second)
	set(&o.Heartbeat, time.Minute)
	set(&o.ReconnectMin, 100*time.Millisecond)
	set(&o.ReconnectMax, 10*time.Second)
	set(&o.DrainTimeout, 10*time.Second)
	if o.MaxBody <= 0 {
		o.MaxBody = DefaultMaxBody
	}
	if o.MaxInFlight <= 0 {
		o.MaxInFlight = 1 << 16
	}
	if o.MaxQueued <= 0 {
		o.MaxQueued = 16 << 20
	}
	if o.Dial == nil {
		d := new(net.Dialer)
		o.Dial = func(ctx context.Context, address string) (net.Conn, error) {
			if _, _, err := net.SplitHostPort(address); err != nil {
				address = net.JoinHostPort(strings.Trim(address, "[]"), defaultPort)
			}
			return d.DialContext(ctx, "tcp", address)
		}
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}
