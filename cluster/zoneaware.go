package cluster

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/directory"
	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/rpc"
)

// The attachments by which a call says its zone (spec §11.3).
const (
	// ZoneKey is the zone that the call belongs to.
	ZoneKey = "registry_zone"
	// ForceZoneKey, "true" in any case, forbids registries of other zones.
	ForceZoneKey = "registry_zone_force"
)

// ZoneAware chooses among registries (spec §11.3), in this order: the first preferred one that has a provider within reach; the first of the
// call's zone that has; where the zone is forced, none; one by the registries' weights; the first that has a provider within reach. When none
// has, 2.7 calls the first registry all the same, 3.x fails, and Standard calls the first registry that has a candidate, because it may be
// connecting just then. Only Registries use it.
type ZoneAware struct {
	*core
	zone func(ctx context.Context, inv *rpc.Invocation) (string, bool)
}

// Name returns "zone-aware".
func (*ZoneAware) Name() string { return NameZoneAware }

// ZoneReason says why a call goes to a registry, or why not: a closed set.
type ZoneReason string

// The reasons.
const (
	// ZonePreferred: the registry is marked as preferred.
	ZonePreferred ZoneReason = "preferred"
	// ZoneSame: the registry is in the zone of the call.
	ZoneSame ZoneReason = "same-zone"
	// ZoneWeight: the registries that have this reason share the calls by weight.
	ZoneWeight ZoneReason = "by-weight"
	// ZoneOnly: no other registry has a provider within reach.
	ZoneOnly ZoneReason = "available"
	// ZoneLast: none has a provider within reach, and this one is tried all the same.
	ZoneLast ZoneReason = "last-resort"
	// ZoneOther: another registry takes the call.
	ZoneOther ZoneReason = "not-chosen"
	// ZoneForced: the zone of the call is forced, and the registry is in another one.
	ZoneForced ZoneReason = "other-zone"
	// ZoneUnavailable: no provider of the registry is within reach.
	ZoneUnavailable ZoneReason = "unavailable"
)

// zoneOf returns the zone of a call and whether it is forced.
func (z *ZoneAware) zoneOf(ctx context.Context, inv *rpc.Invocation) (zone string, force bool) {
	zone, _ = inv.Attachments.Get(ZoneKey)
	text, _ := inv.Attachments.Get(ForceZoneKey)
	force = strings.EqualFold(text, "true")
	if zone == "" && z.zone != nil {
		zone, force = z.zone(ctx, inv)
	}
	return zone, force
}

// fixed returns the registry that a call goes to whatever the weights, -1 for none. forced tells that none may take it.
func (z *ZoneAware) fixed(list route.Candidates, next rpc.Invoker, zone string, force bool) (at int, why ZoneReason, forced bool) {
	for i := range list.Len() {
		if in := list.At(i); in.URL.Bool("preferred", false) && available(next, in) {
			return i, ZonePreferred, false
		}
	}
	if zone == "" {
		return -1, "", false
	}
	for i := range list.Len() {
		if in := list.At(i); in.URL.Get("zone", "") == zone && available(next, in) {
			return i, ZoneSame, false
		}
	}
	return -1, "", force
}

// Invoke implements Strategy.
func (z *ZoneAware) Invoke(ctx context.Context, d Directory, next rpc.Invoker, inv *rpc.Invocation) (rpc.Result, error) {
	list, err := d.Route(inv)
	if err != nil {
		return rpc.Result{}, err
	}
	if list.Len() == 0 {
		return rpc.Result{}, noProvider(list, inv)
	}
	zone, force := z.zoneOf(ctx, inv)
	at, _, forced := z.fixed(list, next, zone, force)
	if forced {
		return rpc.Result{}, failure(rpc.NoProvider, inv, fmt.Sprintf("no registry of zone %q has a provider that can be reached, and the call is for that zone only; registries: %s", zone, registryNames(list)), nil)
	}
	if at < 0 {
		if at, err = z.balanced(d, list, next, inv); err != nil {
			return rpc.Result{}, err
		}
	}
	return z.call(ctx, d, next, attempt{list: list, chosen: list.At(at)}, inv)
}

// balanced chooses by weight; else the first that can be reached; else the last resort.
func (z *ZoneAware) balanced(d Directory, list route.Candidates, next rpc.Invoker, inv *rpc.Invocation) (int, error) {
	i, err := z.choose(list, next, inv, z.settingsOf(d, list, inv.Method), nil)
	if err != nil {
		return -1, err
	}
	if available(next, list.At(i)) {
		return i, nil
	}
	for i := range list.Len() {
		if available(next, list.At(i)) {
			return i, nil
		}
	}
	return lastResort(d, list, inv, z.dialect)
}

// lastResort returns the registry to call when none has a provider within reach.
func lastResort(d Directory, list route.Candidates, inv *rpc.Invocation, v dialect.Dialect) (int, error) {
	if v == dialect.Dubbo27 {
		return 0, nil
	}
	r, ok := d.(registryDirectory)
	if !ok {
		return -1, failure(rpc.NoProvider, inv, "no provider can be reached at present", nil)
	}
	var reasons []error
	var codes []rpc.Code
	for i := range list.Len() {
		one := &r.r.list[i]
		c, err := one.Directory.Route(inv)
		switch {
		case err != nil:
			codes = append(codes, rpc.CodeOf(err))
			reasons = append(reasons, fmt.Errorf("%s: %w", one.Name, err))
		case c.Len() > 0 && v == dialect.Standard:
			return i, nil
		default:
			codes = append(codes, rpc.NoProvider)
			reasons = append(reasons, fmt.Errorf("%s: its providers cannot be reached at present", one.Name))
		}
	}
	code := rpc.NoProvider
	if codes = slices.Compact(codes); len(codes) == 1 {
		code = codes[0] // all registries say the same
	}
	return -1, failure(code, inv, "no registry has a provider", joined(reasons))
}

func registryNames(list route.Candidates) string {
	var names []string
	for i := range list.Len() {
		in := list.At(i)
		names = append(names, fmt.Sprintf("%s (zone %q)", in.Address(), in.URL.Get("zone", "")))
	}
	return strings.Join(names, ", ")
}

// Plan says what a call would do with each registry, in their order. It calls nothing and draws nothing. Strategies other than zone-aware and
// available are shown as choosing by weight.
func (r *Registries) Plan(ctx context.Context, next rpc.Invoker, inv *rpc.Invocation) []directory.RegistryOutcome {
	out := make([]directory.RegistryOutcome, len(r.list))
	list, _ := registryDirectory{r}.Route(inv)
	within := 0
	for i := range r.list {
		in := list.At(i)
		out[i] = directory.RegistryOutcome{Name: r.list[i].Name, Preferred: r.list[i].Preferred, Zone: r.list[i].Zone, Weight: in.Weight(inv.Method),
			Available: r.available(i, next), Instances: r.list[i].Directory.Snapshot().Set().Len(), Reason: string(ZoneOther)}
		if !out[i].Available {
			out[i].Reason = string(ZoneUnavailable)
		} else {
			within++
		}
	}
	at, why := -1, ZoneReason("")
	switch s := r.strategy.(type) {
	case *ZoneAware:
		zone, force := s.zoneOf(ctx, inv)
		var forced bool
		if at, why, forced = s.fixed(list, registryInvoker{r, next}, zone, force); forced {
			for i := range out {
				if out[i].Available {
					out[i].Reason = string(ZoneForced)
				}
			}
			return out
		}
		if within == 0 {
			if last, err := lastResort(registryDirectory{r}, list, inv, s.dialect); err == nil {
				at, why = last, ZoneLast
			}
		}
	case *Available:
		for i := range out {
			if out[i].Available {
				at, why = i, ZoneOnly
				break
			}
		}
	}
	switch {
	case at >= 0:
		out[at].Chosen, out[at].Reason = true, string(why)
	case within == 1:
		for i := range out {
			if out[i].Available {
				out[i].Chosen, out[i].Reason = true, string(ZoneOnly)
			}
		}
	default:
		share(out)
	}
	return out
}

// share marks the registries within reach as sharing the calls by weight.
func share(list []directory.RegistryOutcome) {
	total, n := 0, 0
	for i := range list {
		if list[i].Available {
			total += list[i].Weight
			n++
		}
	}
	for i := range list {
		one := &list[i]
		if !one.Available {
			continue
		}
		one.Reason = string(ZoneWeight)
		if total == 0 {
			one.Chosen, one.Share = true, 100/float64(n)
		} else {
			one.Chosen, one.Share = one.Weight > 0, 100*float64(one.Weight)/float64(total)
		}
	}
}
