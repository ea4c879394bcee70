package app

import (
	"time"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/gateway"
	"github.com/dubway-go/dubway/script"
)

// The default addresses of a daemon's listeners.
const (
	DefaultAdmin   = "127.0.0.1:20990"
	DefaultGateway = "127.0.0.1:20980"
)

// Config is what a daemon is told to do; docs/config.md has the file that holds it. DefaultConfig has the defaults.
type Config struct {
	// Application is the daemon's name as a consumer: rules match on it.
	Application string
	// Dialect is the Dubbo generation to agree with.
	Dialect dialect.Dialect
	// Registry and Rules are addresses such as zookeeper://127.0.0.1:2181. Without Rules the registry's rules are used, if it keeps any.
	Registry, Rules string
	// Registries are used in place of Registry when there are several. RegistryCluster names the strategy that chooses among them.
	Registries      []RegistryConfig
	RegistryCluster string
	Admin           AdminConfig
	Gateway         GatewayConfig
	Consumer        ConsumerConfig
	// Services are opened when the daemon starts; others open at their first use.
	Services []ServiceConfig
	// Idle is how long a service that nobody uses stays open, MaxServices how many may be open.
	Idle        time.Duration
	MaxServices int
	// ShutdownTimeout bounds how long running calls may finish when the daemon stops.
	ShutdownTimeout time.Duration
	Scripts         ScriptsConfig
	Log             LogConfig
}

// AdminConfig is the admin listener. Beyond loopback it needs a token.
type AdminConfig struct {
	Listen string
	Token  string
	// TokenFile holds the token, when Token is empty.
	TokenFile string
}

// GatewayConfig is the HTTP gateway. An empty Listen switches it off.
type GatewayConfig struct {
	Listen              string
	MaxBody             int64
	MaxResult           int
	MaxInFlight         int
	Timeout, MaxTimeout time.Duration
}

// ConsumerConfig is how the daemon looks to rules and providers.
type ConsumerConfig struct {
	Host, Tag  string
	Parameters map[string]string
	Timeout    time.Duration
	// Zone is where the daemon is, for the choice among registries; ForceZone keeps its calls from other zones.
	Zone      string
	ForceZone bool
}

// ServiceConfig is one service with settings of its own.
type ServiceConfig struct {
	Name, Cluster, LoadBalance string
	Timeout                    time.Duration
	Retries                    int
	Direct                     []string
	Parameters                 map[string]string
	// Merger makes one result of the answers of several groups; Registries are the names of those to use, nil means all.
	Merger     string
	Registries []string
}

// LogConfig is what is logged and how.
type LogConfig struct {
	// Level is debug, info, warn or error; Format text or json.
	Level, Format string
}

// DefaultConfig returns the configuration of an empty file.
func DefaultConfig() Config {
	return Config{
		Application: "dubway", Admin: AdminConfig{Listen: DefaultAdmin},
		Gateway: GatewayConfig{Listen: DefaultGateway, MaxBody: 1 << 20, MaxResult: gateway.DefaultMaxResult, MaxInFlight: 10_000, Timeout: 10 * time.Second, MaxTimeout: time.Minute},
		Idle:    10 * time.Minute, MaxServices: 1000, ShutdownTimeout: 10 * time.Second,
		Scripts: ScriptsConfig{Time: script.DefaultTime, Memory: script.DefaultMemory}, Log: LogConfig{Level: "info", Format: "text"},
	}
}
