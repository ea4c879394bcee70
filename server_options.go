package dubway

import (
	"log/slog"
	"time"

	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/hessian"
	"github.com/dubway-go/dubway/service"
	"github.com/dubway-go/dubway/source"
)

// DefaultNotice is how long a server that leaves goes on serving after it took itself out of the registry.
const DefaultNotice = 500 * time.Millisecond

// ServerOptions are the settings of a Server. The zero value is usable, and serves without a registry.
type ServerOptions struct {
	// Application is the provider's name, by which tag rules and rules of the application find it. Default "dubway".
	Application string
	// Registrar gets the provider URLs; nil means that consumers are given the address directly.
	Registrar source.Registrar
	// Host is the address that consumers get. Default: the listener's, or, when that is every address, this machine's first
	// address that is no loopback address.
	Host string
	// Tag is the provider's static tag (parameter dubbo.tag).
	Tag string
	// Weight of the provider; 0 means the default of 100.
	Weight int
	// Parameters are further parameters of the provider URLs, which rules can match on, for example region=hangzhou.
	Parameters map[string]string
	// Propagation says what a served call passes on to the calls made inside it. Zero passes the tag on.
	Propagation Propagation
	// Notice is how long Shutdown goes on serving after it took the providers out of the registry, so that consumers hear of it first.
	// Default DefaultNotice; negative none.
	Notice time.Duration
	// Types names the Java classes of Go structs; nil means none, then structs are sent as maps.
	Types *hessian.Types
	// Logger gets changes of state; nil discards.
	Logger *slog.Logger
}

// HandleOptions are the settings of one service of a server. The zero value is usable.
type HandleOptions struct {
	// Group and Version of the service, when the name given to Handle does not have them.
	Group, Version string
	// Methods are the names to register; default: those of the handler, or "*" when it does not tell.
	Methods []string
	// Parameters are further parameters of this service's provider URL; they win over those of the server.
	Parameters map[string]string
}

// providerURL returns what a registry keeps about one service of a server (spec §1.4).
func (o *ServerOptions) providerURL(key service.Key, h *HandleOptions, methods, host string, port int, since string) durl.URL {
	params := []durl.Param{
		{Key: "application", Value: o.Application}, {Key: "interface", Value: key.Interface}, {Key: "methods", Value: methods},
		{Key: "side", Value: "provider"}, {Key: "dubbo", Value: "2.0.2"}, {Key: "dynamic", Value: "true"}, {Key: "generic", Value: "false"},
		{Key: "timestamp", Value: since},
	}
	add := func(key, value string) {
		if value != "" {
			params = append(params, durl.Param{Key: key, Value: value})
		}
	}
	add("group", key.Group)
	add("version", key.Version)
	add("dubbo.tag", o.Tag)
	if o.Weight > 0 {
		add("weight", decimal(o.Weight))
	}
	for k, v := range o.Parameters {
		add(k, v)
	}
	for k, v := range h.Parameters {
		add(k, v)
	}
	return durl.New("dubbo", host, port, key.Interface, params...)
}
