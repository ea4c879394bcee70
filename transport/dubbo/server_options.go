package dubbo

import (
	"log/slog"
	"time"

	"github.com/dubway-go/dubway/hessian"
)

// ServerOptions are the settings of a Server. The zero value is usable: every field has a default.
type ServerOptions struct {
	// MaxBody is the largest body of a frame, in bytes, both ways. Default DefaultMaxBody.
	MaxBody int
	// MaxConnections is how many connections are served; one more is closed at once. Default 0: no limit.
	MaxConnections int
	// MaxInFlight is how many requests of one connection may be queued or running; one more is answered with
	// "thread pool exhausted" (rpc.Limit). Default 16,384.
	MaxInFlight int
	// MaxConcurrent is the same for all connections together. Default 65,536.
	MaxConcurrent int
	// MaxQueued is how many bytes of responses may wait for a client that does not read. Beyond it nothing more is
	// read from that client, and after WriteTimeout it is disconnected. Default 16 MiB.
	MaxQueued int
	// WriteTimeout bounds one write. Default 10 s.
	WriteTimeout time.Duration
	// Heartbeat is after how long without a frame a heartbeat is sent; after three times as long the connection is
	// closed. Default 60 s; negative switches both off.
	Heartbeat time.Duration
	// Types are the Go types of Java classes; nil means none: objects decode as *hessian.Object.
	Types *hessian.Types
	// Limits bound what is decoded; the zero value is hessian's defaults.
	Limits hessian.Limits
	// Logger gets refused connections, broken frames and handlers' panics; nil discards them.
	Logger *slog.Logger
}

func (o ServerOptions) withDefaults() ServerOptions {
	set := func(v *int, def int) {
		if *v <= 0 {
			*v = def
		}
	}
	set(&o.MaxBody, DefaultMaxBody)
	set(&o.MaxInFlight, 1<<14)
	set(&o.MaxConcurrent, 1<<16)
	set(&o.MaxQueued, 16<<20)
	if o.WriteTimeout <= 0 {
		o.WriteTimeout = 10 * time.Second
	}
	if o.Heartbeat == 0 {
		o.Heartbeat = time.Minute
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}
