package dubway

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/dubway-go/dubway/balance"
	"github.com/dubway-go/dubway/cluster"
	"github.com/dubway-go/dubway/directory"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/service"
	"github.com/dubway-go/dubway/source"
)

// RegistryOptions are one of several registries of a Client (spec §8.9). A call goes to one of them, chosen in this order: the first that is
// preferred and has a provider within reach; the first in the call's zone that has; by weight among those that have. A registry that is lost goes on serving
// what it said last, and never takes anything from the others.
type RegistryOptions struct {
	// Name tells the registry from the others, in messages and for ServiceOptions.Registries. It must not be empty.
	Name string
	// Registry delivers providers and registry-side rules.
	Registry source.Registry
	// Registrar, when set, gets a consumer URL for each service.
	Registrar source.Registrar
	// Preferred takes every call while a provider of the registry can be reached.
	Preferred bool
	// Zone is where the registry is. Calls with the attachment "registry_zone" of that value, or of a consumer with Options.Zone, go there.
	Zone string
	// Weight is the registry's share of the other calls; 0 means 100, negative none.
	Weight int
}

// WithZone returns a context whose calls belong to zone: they go to a registry of that zone while it has a provider within reach. With force they
// go to no other (attachments registry_zone and registry_zone_force, spec §11.3).
func WithZone(ctx context.Context, zone string, force bool) context.Context {
	ctx = WithAttachment(ctx, cluster.ZoneKey, zone)
	if force {
		ctx = WithAttachment(ctx, cluster.ForceZoneKey, "true")
	}
	return ctx
}

// checkRegistries reports what is wrong with the registries of a client.
func (o *Options) checkRegistries() error {
	if o.Registry != nil && len(o.Registries) > 0 {
		return errors.New("give Options.Registry or Options.Registries, not both")
	}
	seen := make(map[string]bool)
	for i := range o.Registries {
		r := &o.Registries[i]
		switch {
		case r.Name == "" || strings.ContainsAny(r.Name, " ,/:?&#@"):
			return fmt.Errorf("registry %d is called %q: give it a name without spaces and signs, such as hangzhou", i+1, r.Name)
		case seen[r.Name]:
			return fmt.Errorf("two registries are called %q: give each a name of its own", r.Name)
		case r.Registry == nil:
			return fmt.Errorf("registry %q has no Registry: give one such as that of package source/zk", r.Name)
		}
		seen[r.Name] = true
	}
	return nil
}

// registriesOf returns the registries of a service; none when the client has none.
func (c *Client) registriesOf(o *ServiceOptions) ([]RegistryOptions, error) {
	all := c.o.Registries
	if c.o.Registry != nil {
		all = []RegistryOptions{{Registry: c.o.Registry, Registrar: c.o.Registrar}}
	}
	if len(o.Registries) == 0 {
		return all, nil
	}
	var out []RegistryOptions
	for _, name := range o.Registries {
		at := slices.IndexFunc(all, func(r RegistryOptions) bool { return r.Name == name })
		if at < 0 {
			return nil, fmt.Errorf("there is no registry called %q: the client has %s", name, namesOf(all))
		}
		if !slices.ContainsFunc(out, func(r RegistryOptions) bool { return r.Name == name }) {
			out = append(out, all[at])
		}
	}
	return out, nil
}

func namesOf(list []RegistryOptions) string {
	if len(list) == 0 {
		return "none"
	}
	names := make([]string, len(list))
	for i := range list {
		names[i] = fmt.Sprintf("%q", list[i].Name)
	}
	return strings.Join(names, ", ")
}

// member is a service in one registry.
type member struct {
	registry  RegistryOptions
	balancer  balance.Balancer
	strategy  cluster.Strategy
	directory *directory.Directory // nil until it is open
}

// openRegistries starts the service's directory in each registry and waits for their first states. It succeeds once one registry has answered
// or said that it cannot; the others join in when they do.
func (s *Service) openRegistries(ctx context.Context, list []RegistryOptions, consumer durl.URL, o *ServiceOptions) error {
	for i := range list {
		m, err := s.newMember(list[i], consumer)
		if err != nil {
			return err
		}
		if m.directory, err = directory.Start(ctx, s.key, s.directoryOptions(m, consumer)); err != nil {
			return errors.Join(err, cluster.Close(m.strategy))
		}
		s.members = append(s.members, m)
	}
	errs := make([]error, len(s.members))
	var wait sync.WaitGroup
	for i, m := range s.members {
		wait.Go(func() {
			if errs[i] = m.directory.Ready(ctx); errs[i] == nil && o.Check {
				errs[i] = m.directory.CheckNow()
			}
		})
	}
	wait.Wait()
	failed := 0
	for i, err := range errs {
		if err == nil {
			continue
		}
		failed++
		if len(errs) > 1 {
			errs[i] = fmt.Errorf("registry %s: %w", s.members[i].registry.Name, err)
			s.client.o.Logger.Warn("a registry does not serve yet; the others do", "service", s.key.String(), "registry", s.members[i].registry.Name, "error", err)
		}
	}
	if failed == len(errs) {
		if len(errs) == 1 {
			return errs[0]
		}
		all := errors.Join(errs...)
		return &Error{Code: CodeOf(errs[0]), Service: s.key, Message: "no registry serves: " + strings.ReplaceAll(all.Error(), "\n", "; "), Cause: all}
	}
	return s.joinRegistries(consumer, o)
}

// joinRegistries puts the choice among the registries in front, where there are several.
func (s *Service) joinRegistries(consumer durl.URL, o *ServiceOptions) error {
	if len(s.members) < 2 {
		return nil
	}
	list := make([]cluster.Registry, len(s.members))
	for i, m := range s.members {
		list[i] = cluster.Registry{Name: m.registry.Name, Preferred: m.registry.Preferred, Zone: m.registry.Zone, Weight: m.registry.Weight,
			Directory: m.directory, Strategy: m.strategy}
	}
	ro := cluster.RegistriesOptions{Options: s.clusterOptions(), Cluster: firstOf(o.RegistryCluster, s.client.o.RegistryCluster)}
	if zone := s.client.o.Zone; zone != "" {
		ro.Zone = func(context.Context, *rpc.Invocation) (string, bool) { return zone, s.client.o.ForceZone }
	}
	joined, err := cluster.NewRegistries(list, consumer, ro)
	if err != nil {
		return &Error{Code: Validation, Service: s.key, Message: err.Error(), Cause: err}
	}
	s.registries = joined
	return nil
}

// ServiceRegistry is one registry of a service, with the directory of the service's providers there.
type ServiceRegistry struct {
	// Name is the registry's name, empty for the only registry of a client that has Options.Registry, and for direct addresses.
	Name      string
	Preferred bool
	Zone      string
	// Directory belongs to the service: do not close it.
	Directory *directory.Directory
}

// Registries returns the registries that the service is looked for in, in the order in which they were given; there is at least one.
func (s *Service) Registries() []ServiceRegistry {
	out := make([]ServiceRegistry, len(s.members))
	for i, m := range s.members {
		out[i] = ServiceRegistry{Name: m.registry.Name, Preferred: m.registry.Preferred, Zone: m.registry.Zone, Directory: m.directory}
	}
	return out
}

// State returns the state of the service's directory; for a service in several registries, of all of them together.
func (s *Service) State() directory.Status {
	list := make([]directory.Status, len(s.members))
	for i, m := range s.members {
		list[i] = m.directory.State()
	}
	if len(list) == 1 {
		return list[0]
	}
	return directory.CombineStatus(list)
}

// ExplainInvocation returns how the call that inv describes would be routed, with the reason of every step: among the registries, when the service has
// several, and then in each registry that may take the call. Attachments are those of inv alone. Nothing is sent, inv is not changed.
func (s *Service) ExplainInvocation(ctx context.Context, inv *rpc.Invocation) *directory.Explanation {
	call := *inv
	call.Service = s.key
	if s.registries == nil {
		return s.members[0].directory.Explain(&call)
	}
	parts := make([]*directory.Explanation, len(s.members))
	for i, m := range s.members {
		parts[i] = m.directory.Explain(&call)
	}
	return directory.Combine(parts, s.registries.Plan(ctx, s.next, &call))
}

// Providers calls yield with every provider that the registries list for the service, and with where it stands, until yield returns false.
func (s *Service) Providers(yield func(registry, group string, in *service.Instance) bool) {
	for _, m := range s.members {
		set := m.directory.Snapshot().Set()
		for i := range set.Len() {
			in := set.At(i)
			group := ""
			if m.directory.MultiGroup() {
				group = firstOf(in.Provider.Group(), directory.NoGroup)
			}
			if !yield(m.registry.Name, group, in) {
				return
			}
		}
	}
}
