package dubway

import (
	"context"
	"log/slog"
	"net"
	"strconv"
	"time"

	"github.com/dubway-go/dubway/cluster"
	"github.com/dubway-go/dubway/cluster/merger"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/directory"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/hessian"
	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/source"
)

// DefaultConnectTimeout is how long Service waits for the first state of a registry and config centre.
const DefaultConnectTimeout = 5 * time.Second

// Options are the settings of a Client. Registry, Registries, or direct addresses for each service, are needed; the rest has defaults.
type Options struct {
	// Application is the consumer's name: rules match on it, providers see it. Default "dubway".
	Application string
	// Registry delivers providers and registry-side rules; nil allows only services with direct addresses.
	Registry source.Registry
	// Registries are used in place of Registry and Registrar when there are several.
	Registries []RegistryOptions
	// RegistryCluster names the strategy that chooses among Registries; default zone-aware (in dubbo-2.6 available).
	RegistryCluster string
	// Zone is where the consumer is, for the choice among Registries; ForceZone keeps its calls from other zones. The attachments of a call win.
	Zone      string
	ForceZone bool
	// Rules delivers the rule documents of a config centre; nil means there are none.
	Rules source.ConfigCenter
	// Scripts runs script rules, which whoever may write rules writes: script.NewRunner makes one. nil, the default, means that they do not run;
	// explain and the state of a directory tell of those that there are.
	Scripts route.Scripts
	// Registrar, when set, gets a consumer URL for each service, so that other tools see who consumes.
	Registrar source.Registrar
	// Host is the consumer's own address as rules see it. Default: this machine's first address that is no loopback address.
	Host string
	// Tag is the tag of calls whose context has none (parameter dubbo.tag).
	Tag string
	// Parameters are further parameters of the consumer, which rules can match on, for example region=hangzhou.
	Parameters map[string]string
	// Dialect is the Dubbo generation whose answers are wanted; zero is Standard.
	Dialect dialect.Dialect
	// Timeout of a call when neither its context nor the service says. Default 1 s, as in Dubbo.
	Timeout time.Duration
	// ConnectTimeout is how long Service waits for the first state of registry and config centre. Default DefaultConnectTimeout.
	ConnectTimeout time.Duration
	// Types names the Java classes of Go structs; nil means none, then structs are sent as maps.
	Types *hessian.Types
	// Strategies are strategies against failure of the application, and Mergers its mergers: their names can stand wherever a built-in one's can.
	Strategies []cluster.Strategy
	Mergers    []merger.Merger
	// Invoker carries calls to providers instead of the client's own Dubbo transport; it is not closed by Close.
	Invoker rpc.Invoker
	// Wrap, when set, goes around what carries each attempt of a call to its provider: for counting, tracing, faults in tests.
	Wrap func(rpc.Invoker) rpc.Invoker
	// Dial opens the connections of the client's own transport; nil means TCP.
	Dial func(ctx context.Context, address string) (net.Conn, error)
	// Hooks are told what every service's directory does; the service is told with it. nil means none.
	Hooks func(service *Service) *directory.Hooks
	// Logger gets changes of state; nil discards. Failed calls are returned, not logged.
	Logger *slog.Logger
}

// ServiceOptions are the settings of one service. The zero value is usable.
type ServiceOptions struct {
	// Group and Version of the service, when the name given to Service does not have them. Group may be a list, "a,b", or "*" for all: a
	// call then goes to one group, or with a Merger to all (docs/balance-and-cluster.md).
	Group, Version string
	// Cluster names the strategy against failure; default failover.
	Cluster string
	// Merger says how the answers of several groups become one: "true" by their kind, a merger's name, or ".addAll" and the like for a method of the
	// result. Without one a single group is called. Parameters can have it by method: "getMenus.merger".
	Merger string
	// Registries are the names of the client's registries to use; nil means all. RegistryCluster replaces that of Options.
	Registries      []string
	RegistryCluster string
	// LoadBalance names the balancer; default random.
	LoadBalance string
	// Timeout of a call; 0 means Options.Timeout.
	Timeout time.Duration
	// Retries is how often a failed call is tried again; 0 means Dubbo's default of 2, negative none.
	Retries int
	// Direct are provider addresses ("host:port" or dubbo:// URLs) to use instead of the registry. Rules of the config centre still apply.
	Direct []string
	// Check makes Service fail when there is no provider yet (Dubbo's check=true).
	Check bool
	// Application, Host and Dialect replace those of Options for this service, for questions on behalf of another consumer.
	Application, Host string
	Dialect           *dialect.Dialect
	// Parameters are further parameters of the reference, such as "getOrder.timeout", sticky, mock, forks. They win over Options.Parameters.
	Parameters map[string]string
}

// params returns the consumer's parameters in one list, later ones winning.
func (o *Options) params(s *ServiceOptions) []durl.Param {
	var out []durl.Param
	add := func(key, value string) {
		if value != "" {
			out = append(out, durl.Param{Key: key, Value: value})
		}
	}
	add("application", firstOf(s.Application, o.Application, "dubway"))
	add("side", "consumer")
	add("dubbo.tag", o.Tag)
	add("cluster", s.Cluster)
	add("loadbalance", s.LoadBalance)
	add("merger", s.Merger)
	add("timeout", milliseconds(firstOf(s.Timeout, o.Timeout)))
	switch {
	case s.Retries > 0:
		add("retries", decimal(s.Retries))
	case s.Retries < 0:
		add("retries", "0")
	}
	for k, v := range o.Parameters {
		add(k, v)
	}
	for k, v := range s.Parameters {
		add(k, v)
	}
	return out
}

func firstOf[T comparable](values ...T) T {
	var zero T
	for _, v := range values {
		if v != zero {
			return v
		}
	}
	return zero
}

func milliseconds(d time.Duration) string {
	if d <= 0 {
		return ""
	}
	return decimal(int(max(d.Milliseconds(), 1)))
}

func decimal(n int) string { return strconv.Itoa(n) }
