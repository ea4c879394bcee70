package cluster_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dubway-go/dubway/cluster"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/service"
)

// inRegistries are several worlds as the registries of one service: providers a:1, b:1, … of each.
type inRegistries struct {
	names  []string
	worlds []*world
	list   []cluster.Registry
	down   map[string]bool // "registry/address"
	calls  []string
	fail   map[string]rpc.Code
}

// registry describes one: "name zone=hz preferred weight=50 providers=2".
func newRegistries(t testing.TB, v dialect.Dialect, specs ...string) *inRegistries {
	r := &inRegistries{down: map[string]bool{}, fail: map[string]rpc.Code{}}
	for _, spec := range specs {
		one := cluster.Registry{}
		providers := 2
		for i, word := range strings.Fields(spec) {
			key, value, _ := strings.Cut(word, "=")
			switch {
			case i == 0:
				one.Name = word
			case key == "zone":
				one.Zone = value
			case key == "preferred":
				one.Preferred = true
			case key == "weight":
				fmt.Sscan(value, &one.Weight)
			case key == "providers":
				fmt.Sscan(value, &providers)
			}
		}
		queries := make([]string, providers)
		for i := range queries {
			queries[i] = "registry=" + one.Name
		}
		w := newWorld(t, "")
		w.dialect = v
		w.list(queries...)
		one.Directory = w
		one.Strategy = strategy(t, "failover", cluster.Options{Dialect: v})
		r.names, r.worlds, r.list = append(r.names, one.Name), append(r.worlds, w), append(r.list, one)
	}
	return r
}

func (r *inRegistries) Invoke(_ context.Context, to *service.Instance, inv *rpc.Invocation) (rpc.Result, error) {
	at := to.URL.Get("registry", "")
	r.calls = append(r.calls, at)
	if code, ok := r.fail[at]; ok {
		return rpc.Result{}, &rpc.Error{Code: code, Service: inv.Service, Message: "broken"}
	}
	return rpc.Result{Value: at}, nil
}

// Available cannot tell registries apart by address: worlds that are down have no providers in these tests.
func (r *inRegistries) Available(string) bool { return true }

func (r *inRegistries) join(t testing.TB, v dialect.Dialect, o cluster.RegistriesOptions, query string) *cluster.Registries {
	t.Helper()
	o.Dialect = v
	all, err := cluster.NewRegistries(r.list, newWorld(t, query).consumer, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = all.Close() })
	return all
}

func zoned(seed uint64, zone, force string) *rpc.Invocation {
	inv := call("get")
	inv.Seed = seed
	if zone != "" {
		inv.Attachments = inv.Attachments.With(cluster.ZoneKey, zone)
	}
	if force != "" {
		inv.Attachments = inv.Attachments.With(cluster.ForceZoneKey, force)
	}
	return inv
}

// chosen calls many times and returns the registries that took a call, sorted, or the error's code.
func (r *inRegistries) chosen(all *cluster.Registries, zone, force string) string {
	seen := map[string]bool{}
	for i := range 60 {
		result, err := all.Invoke(context.Background(), r, zoned(uint64(i+1), zone, force))
		if err != nil {
			return rpc.CodeOf(err).String()
		}
		seen[result.Value.(string)] = true
	}
	var out []string
	for name := range seen {
		out = append(out, name)
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// TestZoneAware is the order of spec §11.3, case by case.
func TestZoneAware(t *testing.T) {
	for _, c := range []struct {
		name, zone, force string
		registries        []string
		want              string
		by26              string // what dubbo-2.6 does, which takes the first available one
	}{
		{"weights", "", "", []string{"a", "b"}, "a b", "a"},
		{"a weight of none", "", "", []string{"a weight=-1", "b"}, "b", "a"},
		{"preferred", "", "", []string{"a", "b preferred", "c preferred"}, "b", "a"},
		{"preferred before the zone", "hz", "true", []string{"a zone=hz", "b preferred"}, "b", "a"},
		{"preferred without providers", "", "", []string{"a", "b preferred providers=0"}, "a", "a"},
		{"zone", "hz", "", []string{"a zone=bj", "b zone=hz", "c zone=hz"}, "b", "a"},
		{"zone without providers", "hz", "", []string{"a zone=bj", "b zone=hz providers=0"}, "a", "a"},
		{"zone that nobody is in", "sh", "", []string{"a zone=bj", "b zone=hz"}, "a b", "a"},
		{"forced zone that nobody is in", "sh", "true", []string{"a zone=bj", "b zone=hz"}, "no-provider", "a"},
		{"forced zone without providers", "hz", "TRUE", []string{"a zone=bj", "b zone=hz providers=0"}, "no-provider", "a"},
		{"force without zone", "", "true", []string{"a zone=bj", "b zone=hz"}, "a b", "a"},
		{"force that is no true", "sh", "yes", []string{"a", "b"}, "a b", "a"},
		{"one left", "", "", []string{"a providers=0", "b providers=0", "c"}, "c", "c"},
		{"none left", "", "", []string{"a providers=0", "b providers=0"}, "no-provider", "no-provider"},
	} {
		for _, v := range dialects {
			r := newRegistries(t, v, c.registries...)
			want := c.want
			if v == dialect.Dubbo26 {
				want = c.by26
			}
			if got := r.chosen(r.join(t, v, cluster.RegistriesOptions{}, ""), c.zone, c.force); got != want {
				t.Errorf("%s, %v: %s, want %s", c.name, v, got, want)
			}
		}
	}
}

// TestZoneAwareAgreesWithTheObvious compares random registries and calls with the class read line by line, and Plan with what calls do.
func TestZoneAwareAgreesWithTheObvious(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	zones := []string{"", "hz", "bj"}
	for round := range 1000 {
		v := dialects[round%len(dialects)]
		if v == dialect.Dubbo26 {
			continue
		}
		var specs []string
		for i := range 1 + r.IntN(4) {
			spec := string(rune('a' + i))
			if z := zones[r.IntN(3)]; z != "" {
				spec += " zone=" + z
			}
			if r.IntN(5) == 0 {
				spec += " preferred"
			}
			if r.IntN(3) == 0 {
				spec += " providers=0"
			}
			specs = append(specs, spec)
		}
		zone, force := zones[r.IntN(3)], []string{"", "true"}[r.IntN(2)]
		in := newRegistries(t, v, specs...)
		all := in.join(t, v, cluster.RegistriesOptions{}, "")
		want := obviousZone(in, zone, force)
		plan := all.Plan(t.Context(), in, zoned(1, zone, force))
		var planned []string
		for _, p := range plan {
			if p.Chosen {
				planned = append(planned, p.Name)
			}
		}
		if !slices.Equal(planned, want) {
			t.Fatalf("%v, %q, zone %q force %q: planned %v, want %v", v, specs, zone, force, planned, want)
		}
		result, err := all.Invoke(t.Context(), in, zoned(r.Uint64(), zone, force))
		if len(want) == 0 {
			if err == nil {
				t.Fatalf("%v, %q, zone %q force %q: %v, want an error", v, specs, zone, force, result.Value)
			}
			continue
		}
		if err != nil && !strings.Contains(err.Error(), "0 providers") || err == nil && !slices.Contains(want, result.Value.(string)) {
			t.Fatalf("%v, %q, zone %q force %q: %v, %v; want one of %v", v, specs, zone, force, result.Value, err, want)
		}
	}
}

func obviousZone(in *inRegistries, zone, force string) []string {
	reach := func(i int) bool { return in.worlds[i].Snapshot().Set().Len() > 0 }
	for i, one := range in.list {
		if one.Preferred && reach(i) {
			return []string{one.Name}
		}
	}
	if zone != "" {
		for i, one := range in.list {
			if one.Zone == zone && reach(i) {
				return []string{one.Name}
			}
		}
		if force == "true" {
			return nil
		}
	}
	var out []string
	for i, one := range in.list {
		if reach(i) {
			out = append(out, one.Name)
		}
	}
	if len(out) == 0 && in.worlds[0].dialect == dialect.Dubbo27 {
		return []string{in.list[0].Name} // "just pick one"
	}
	return out
}

func TestWeightsOfRegistries(t *testing.T) {
	for _, v := range []dialect.Dialect{dialect.Standard, dialect.Dubbo27, dialect.Dubbo33} {
		r := newRegistries(t, v, "a weight=300", "b weight=100")
		all := r.join(t, v, cluster.RegistriesOptions{}, "")
		n := map[string]int{}
		for i := range 4000 {
			result, err := all.Invoke(t.Context(), r, zoned(uint64(i+1), "", ""))
			if err != nil {
				t.Fatal(err)
			}
			n[result.Value.(string)]++
		}
		if n["a"] < 2850 || n["a"] > 3150 {
			t.Errorf("%v: %v of 4000 calls, want about 3000 and 1000", v, n)
		}
		plan := all.Plan(t.Context(), r, zoned(1, "", ""))
		if plan[0].Share != 75 || plan[1].Share != 25 || plan[0].Reason != string(cluster.ZoneWeight) || !plan[1].Chosen || plan[1].Instances != 2 {
			t.Errorf("%v: plan %+v", v, plan)
		}
	}
	// The reference's balancer works on registries too, but not in 2.7, where it is random there whatever the reference says.
	for v, alternates := range map[dialect.Dialect]bool{dialect.Standard: true, dialect.Dubbo33: true, dialect.Dubbo27: false} {
		r := newRegistries(t, v, "a", "b")
		all := r.join(t, v, cluster.RegistriesOptions{}, "loadbalance=roundrobin")
		for range 40 {
			if _, err := all.Invoke(t.Context(), r, zoned(0, "", "")); err != nil {
				t.Fatal(err)
			}
		}
		turns := true
		for i := 1; i < len(r.calls); i++ {
			turns = turns && r.calls[i] != r.calls[i-1]
		}
		if turns != alternates {
			t.Errorf("%v: registries take turns: %v", v, turns)
		}
	}
}

func TestZoneOfTheConsumer(t *testing.T) {
	r := newRegistries(t, dialect.Standard, "a zone=bj", "b zone=hz")
	detect := func(context.Context, *rpc.Invocation) (string, bool) { return "hz", true }
	all := r.join(t, dialect.Standard, cluster.RegistriesOptions{Zone: detect}, "")
	if got := r.chosen(all, "", ""); got != "b" {
		t.Errorf("the consumer's own zone: %s", got)
	}
	if got := r.chosen(all, "bj", ""); got != "a" {
		t.Errorf("the call's zone wins: %s", got)
	}
}

// TestOtherStrategiesAmongRegistries: the strategies work on registries as on providers.
func TestOtherStrategiesAmongRegistries(t *testing.T) {
	r := newRegistries(t, dialect.Standard, "a", "b", "c providers=0")
	all := r.join(t, dialect.Standard, cluster.RegistriesOptions{Cluster: "failover"}, "retries=3")
	r.fail["a"] = rpc.Network
	for i := range 20 {
		if result, err := all.Invoke(t.Context(), r, zoned(uint64(i+1), "", "")); err != nil || result.Value != "b" {
			t.Fatal(result, err)
		}
	}
	r.fail["b"] = rpc.Network
	_, err := all.Invoke(t.Context(), r, zoned(1, "", ""))
	if rpc.CodeOf(err) != rpc.Network || all.Strategy() != "failover" {
		t.Error(err)
	}
	if _, err := cluster.NewRegistries(r.list, r.worlds[0].consumer, cluster.RegistriesOptions{Cluster: "typo"}); err == nil {
		t.Error("an unknown strategy is not refused")
	}
	if _, err := cluster.New("zone-aware", cluster.Options{}); err == nil {
		t.Error("zone-aware among providers is not refused")
	}
	if _, err := cluster.NewRegistries([]cluster.Registry{{Name: "a"}, {Name: "a"}}, r.worlds[0].consumer, cluster.RegistriesOptions{}); err == nil {
		t.Error("two registries of one name are not refused")
	}
	if _, err := cluster.NewRegistries(nil, r.worlds[0].consumer, cluster.RegistriesOptions{}); err == nil {
		t.Error("no registries are not refused")
	}
}

// TestFailureStaysInTheRegistry: zone-aware calls one registry; the tries of the call are made there.
func TestFailureStaysInTheRegistry(t *testing.T) {
	r := newRegistries(t, dialect.Standard, "a preferred", "b")
	r.fail["a"] = rpc.Network
	_, err := r.join(t, dialect.Standard, cluster.RegistriesOptions{}, "").Invoke(t.Context(), r, zoned(1, "", ""))
	if rpc.CodeOf(err) != rpc.Network || slices.Contains(r.calls, "b") || len(r.calls) < 2 {
		t.Errorf("%v after %v", err, r.calls)
	}
}
