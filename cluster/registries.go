package cluster

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/dubway-go/dubway/balance"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/service"
)

// Registry is one of several registries that a service is found in: the directory of its providers there, and the strategy that makes calls to
// them.
type Registry struct {
	// Name tells the registry from the others: it must not be empty, and each name is used once.
	Name string
	// Preferred takes every call for as long as a provider of the registry can be reached. Of several the first counts.
	Preferred bool
	// Zone is where the registry is: calls of that zone go there. Empty means nowhere.
	Zone string
	// Weight is the registry's share of the other calls; 0 means 100, a negative weight means none.
	Weight int
	// Directory and Strategy make a call within the registry.
	Directory Directory
	Strategy  Strategy
}

// RegistriesOptions are the settings of Registries. The zero value is usable.
type RegistriesOptions struct {
	Options

	// Cluster names the strategy that chooses among the registries; empty means zone-aware, in dubbo-2.6 available. The other strategies work
	// on registries as they do on providers.
	Cluster string
	// Zone returns the zone of a call that has no attachment registry_zone, and whether no other zone will do; nil means that there is none
	// (Dubbo 3's zone detector).
	Zone func(ctx context.Context, inv *rpc.Invocation) (zone string, force bool)
}

// Registries calls a service that is in several registries (spec §8.9): a strategy, zone-aware by default, chooses the registry, then
// the registry's own strategy chooses the provider. No rule applies to the registries themselves. Only the registry that was chosen is called: what
// fails there is tried again there.
//
// It is safe for concurrent use. It closes neither directories nor strategies of the registries.
type Registries struct {
	list     []Registry
	snapshot *route.Snapshot
	strategy Strategy
}

// registryPath is the interface that Dubbo's registry URLs are about.
const registryPath = "org.apache.dubbo.registry.RegistryService"

// NewRegistries returns the registries as one. consumer is the reference's URL: parameters such as loadbalance and retries count here too.
func NewRegistries(list []Registry, consumer durl.URL, o RegistriesOptions) (*Registries, error) {
	if len(list) == 0 {
		return nil, errors.New("cluster: there are no registries: give at least one")
	}
	instances := make([]*service.Instance, len(list))
	seen := make(map[string]bool)
	for i := range list {
		if list[i].Name == "" || seen[list[i].Name] {
			return nil, fmt.Errorf("cluster: registry %d is called %q: give each registry a name of its own", i+1, list[i].Name)
		}
		seen[list[i].Name] = true
		u := list[i].url(consumer, o.Dialect)
		instances[i] = service.NewInstance(u, u, u)
		if instances[i].Address() != list[i].Name {
			return nil, fmt.Errorf("cluster: registry %d is called %q: give it a name of letters, digits and dashes", i+1, list[i].Name)
		}
	}
	r := &Registries{list: list}
	r.snapshot, _ = route.Compile(route.Input{Dialect: o.Dialect, Consumer: service.Consumer{URL: consumer}, Set: service.NewSet(1, instances), Chain: route.Chain{}})
	if o.Balancer == nil || o.Dialect == dialect.Dubbo27 {
		s, err := balance.NewSelector(balance.Options{Dialect: o.Dialect, Logger: o.Logger})
		if err != nil {
			return nil, err
		}
		o.Balancer = s
	}
	name := o.Cluster
	if name == "" {
		name = NameZoneAware
		if o.Dialect == dialect.Dubbo26 {
			name = NameAvailable
		}
	}
	if name != NameZoneAware {
		s, err := New(name, o.Options)
		r.strategy = s
		return r, err
	}
	c, err := newCore(o.Options)
	r.strategy = &ZoneAware{core: c, zone: o.Zone}
	return r, err
}

// url is the registry as strategies and balancers see it: what Dubbo reads from a registry's URL, and the reference's parameters. The
// weight stands there only when it was given: Dubbo 3's random looks at the first registry to decide whether weights count at all.
func (r *Registry) url(consumer durl.URL, d dialect.Dialect) durl.URL {
	var params []durl.Param
	for k, v := range consumer.All() {
		switch {
		case k == "weight", k == "warmup", k == "timestamp", k == "dubbo.tag", k == "zone", k == "preferred", strings.HasSuffix(k, ".weight"):
		case d == dialect.Dubbo27 && (k == "loadbalance" || strings.HasSuffix(k, ".loadbalance")): // always random there
		default:
			params = append(params, durl.Param{Key: k, Value: v})
		}
	}
	if r.Preferred {
		params = append(params, durl.Param{Key: "preferred", Value: "true"})
	}
	if r.Zone != "" {
		params = append(params, durl.Param{Key: "zone", Value: r.Zone})
	}
	if r.Weight != 0 {
		params = append(params, durl.Param{Key: "weight", Value: strconv.Itoa(max(r.Weight, 0))})
	}
	return durl.New("registry", r.Name, 0, registryPath, params...)
}

// Invoke makes a call: the registry is chosen, then a provider of it is called through next. Errors are *rpc.Error.
func (r *Registries) Invoke(ctx context.Context, next rpc.Invoker, inv *rpc.Invocation) (rpc.Result, error) {
	return r.strategy.Invoke(ctx, registryDirectory{r}, registryInvoker{r, next}, inv)
}

// Strategy returns the name of the strategy that chooses among the registries.
func (r *Registries) Strategy() string { return r.strategy.Name() }

// Close ends the background work of the strategy that chooses among the registries.
func (r *Registries) Close() error { return Close(r.strategy) }

// available reports whether a provider of registry i can be reached.
func (r *Registries) available(i int, next rpc.Invoker) bool {
	return reachable(r.list[i].Directory.Snapshot().Set(), next)
}

// find returns the number of a registry.
func (r *Registries) find(name string) int {
	for i := range r.list {
		if r.list[i].Name == name {
			return i
		}
	}
	return -1
}

// registryDirectory is the static directory of the registries: it lists all of them, unrouted.
type registryDirectory struct{ r *Registries }

func (d registryDirectory) Snapshot() *route.Snapshot { return d.r.snapshot }

func (d registryDirectory) Route(inv *rpc.Invocation) (route.Candidates, error) {
	return d.r.snapshot.Route(inv), nil
}

// registryInvoker calls a registry as if it were a provider.
type registryInvoker struct {
	r    *Registries
	next rpc.Invoker
}

func (v registryInvoker) Invoke(ctx context.Context, to *service.Instance, inv *rpc.Invocation) (rpc.Result, error) {
	one := &v.r.list[v.r.find(to.Address())]
	return one.Strategy.Invoke(ctx, one.Directory, v.next, inv)
}

// Available implements Availability: address is a registry's name.
func (v registryInvoker) Available(address string) bool {
	return v.r.available(v.r.find(address), v.next)
}
