package dubway_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dubway-go/dubway"
	"github.com/dubway-go/dubway/cluster/merger"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/service"
	"github.com/dubway-go/dubway/source/mem"
)

const menus = "com.example.MenuService"

// menuOf answers with lists, sets, maps and numbers that name it.
func menuOf(name string) dubway.Handler {
	return dubway.HandlerFunc(func(_ context.Context, r *dubway.Request) (any, error) {
		switch r.Method {
		case "items":
			return []any{name + "-1", "both"}, nil
		case "byKey":
			return map[string]any{name: int64(1)}, nil
		case "codes":
			return []int32{int32(len(name))}, nil
		case "total":
			return int64(len(name)), nil
		case "void":
			return nil, nil
		case "fails":
			if name == "a" {
				return nil, &dubway.RemoteException{Class: "com.example.Closed", Message: "closed"}
			}
		}
		return name, nil
	})
}

func serveMenus(t *testing.T, registry *mem.Store, group, name string) *dubway.Server {
	t.Helper()
	key := service.Key{Interface: menus, Group: group}
	return serve(t, registry, dubway.ServerOptions{Application: "menu-" + name}, key.String(), menuOf(name))
}

func TestSeveralGroups(t *testing.T) {
	for _, v := range []dialect.Dialect{dialect.Standard, dialect.Dubbo26, dialect.Dubbo27, dialect.Dubbo31, dialect.Dubbo33} {
		registry := mem.New()
		serveMenus(t, registry, "a", "a")
		serveMenus(t, registry, "b", "b")
		serveMenus(t, registry, "c", "c")
		own := merger.Func("upper", func(values []any) (any, error) { return strings.ToUpper(fmt.Sprint(values...)), nil })
		client := dial(t, registry, dubway.Options{Dialect: v, Timeout: 5 * time.Second, Mergers: []merger.Merger{own}})
		for _, group := range []string{"a,b", "*"} {
			want := map[string]int{"a,b": 2, "*": 3}[group]
			s, err := client.ServiceWith(t.Context(), menus, dubway.ServiceOptions{Group: group, Merger: "true", Check: true,
				Parameters: map[string]string{"items.merger": "set", "name.merger": "upper", "one.merger": "false", "total.merger": "longsum"}})
			if err != nil {
				t.Fatal(v, err)
			}
			items, err := s.Call(t.Context(), "items")
			if list, ok := items.([]any); err != nil || !ok || len(list) != want+1 {
				t.Errorf("%v, %s: items %v, %v", v, group, items, err)
			}
			byKey, err := s.Call(t.Context(), "byKey")
			if m, ok := byKey.(map[string]any); err != nil || !ok || len(m) != want {
				t.Errorf("%v, %s: byKey %v, %v", v, group, byKey, err)
			}
			var codes []int
			if err := s.CallInto(t.Context(), &codes, "codes"); err != nil || len(codes) != want {
				t.Errorf("%v, %s: codes %v, %v", v, group, codes, err)
			}
			if total, err := s.Call(t.Context(), "total"); (v == dialect.Standard) != (err == nil && total == int64(want)) {
				t.Errorf("%v, %s: total %v, %v", v, group, total, err)
			}
			if got, err := s.Call(t.Context(), "void"); err != nil || got != nil {
				t.Errorf("%v, %s: void %v, %v", v, group, got, err)
			}
			if got, err := s.Call(t.Context(), "name"); err != nil || len(got.(string)) != want {
				t.Errorf("%v, %s: the application's merger %v, %v", v, group, got, err)
			}
			ctx, record := dubway.WithRecord(t.Context())
			if got, err := s.Call(ctx, "one"); err != nil || got != "a" || len(record.Attempts()) != 1 {
				t.Errorf("%v, %s: without a merger %v, %v at %v", v, group, got, err, record.Attempts())
			}
			if _, err = s.Call(t.Context(), "fails"); group == "a,b" && err != nil {
				t.Errorf("%v: the group that fails is not left out: %v", v, err)
			}
			x := s.Explain(t.Context(), "items")
			if len(x.Groups) != want || x.Code != "" || len(x.Places()) != want {
				t.Errorf("%v, %s: %d groups explained, %d places", v, group, len(x.Groups), len(x.Places()))
			}
		}
	}
}

// TestProviderWithoutAGroupIsCalled: the group "*" of the reference must not be sent to a provider that has none.
func TestProviderWithoutAGroupIsCalled(t *testing.T) {
	for _, v := range []dialect.Dialect{dialect.Standard, dialect.Dubbo26, dialect.Dubbo27, dialect.Dubbo33} {
		registry := mem.New()
		serveMenus(t, registry, "", "plain")
		client := dial(t, registry, dubway.Options{Dialect: v, Timeout: 5 * time.Second})
		s, err := client.ServiceWith(t.Context(), menus, dubway.ServiceOptions{Group: "*", Version: "*"})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := s.Call(t.Context(), "name"); err != nil || got != "plain" {
			t.Errorf("%v: %v, %v", v, got, err)
		}
	}
}

func TestSeveralRegistries(t *testing.T) {
	hz, bj := mem.New(), mem.New()
	first := serveMenus(t, hz, "", "hz")
	serveMenus(t, bj, "", "bj")
	client := dial(t, nil, dubway.Options{Timeout: 5 * time.Second, Rules: hz.Rules(), Registries: []dubway.RegistryOptions{
		{Name: "hangzhou", Registry: hz, Registrar: hz, Zone: "hz", Weight: 300},
		{Name: "beijing", Registry: bj, Registrar: bj, Zone: "bj"},
	}})
	s := open(t, client, menus)
	if list := s.Registries(); len(list) != 2 || list[0].Name != "hangzhou" || list[1].Zone != "bj" || list[0].Directory != s.Directory() {
		t.Errorf("registries %+v", list)
	}
	ask := func(ctx context.Context) string {
		t.Helper()
		got, err := s.Call(ctx, "name")
		if err != nil {
			return dubway.CodeOf(err).String()
		}
		return got.(string)
	}
	for _, zone := range []string{"hz", "bj"} {
		for range 5 {
			if got := ask(dubway.WithZone(t.Context(), zone, false)); got != zone {
				t.Errorf("a call of zone %s went to %s", zone, got)
			}
		}
	}
	if got := ask(dubway.WithZone(t.Context(), "sh", true)); got != "no-provider" {
		t.Errorf("a call forced into a zone without a registry: %s", got)
	}
	seen := map[string]int{}
	for range 400 {
		seen[ask(t.Context())]++
	}
	if seen["hz"] < 250 || seen["bj"] < 50 {
		t.Errorf("weights 300 and 100: %v", seen)
	}
	x := s.Explain(dubway.WithZone(t.Context(), "bj", false), "name")
	if len(x.Registries) != 2 || !x.Registries[1].Chosen || x.Registries[1].Reason != "same-zone" || x.Registries[0].Chosen || len(x.Trace.Left) != 1 {
		t.Errorf("explanation %+v", x.Registries)
	}
	if a := x.Not(s.Registries()[0].Directory.Snapshot().Set().At(0).Address()); a.Step == nil || a.Step.Router != "registries" {
		t.Errorf("why not the provider of the other registry: %+v", a)
	}
	// One registry is lost: it goes on serving what it said, and takes nothing from the other.
	bj.Fail(errors.New("no route to host"))
	eventually(t, "the loss is told", func() bool { return len(s.State().Lost) == 1 })
	if st := s.State(); st.Lost[0].Registry != "beijing" || !st.Ready || st.Instances != 2 || len(st.Registries) != 2 {
		t.Errorf("state %+v", st)
	}
	for _, zone := range []string{"hz", "bj"} {
		if got := ask(dubway.WithZone(t.Context(), zone, true)); got != zone {
			t.Errorf("with a registry lost, a call of zone %s went to %s", zone, got)
		}
	}
	// The providers of the other one go: its calls go to the first.
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	if err := first.Shutdown(ctx); err != nil {
		t.Fatal(err)
	}
	eventually(t, "calls of zone hz go to bj", func() bool { return ask(dubway.WithZone(t.Context(), "hz", false)) == "bj" })
}

func TestRegistryThatIsDownAtTheStart(t *testing.T) {
	dead, up := mem.New(), mem.New()
	dead.Hold()
	serveMenus(t, up, "", "up")
	client := dial(t, nil, dubway.Options{Timeout: 5 * time.Second, ConnectTimeout: 200 * time.Millisecond, Registries: []dubway.RegistryOptions{
		{Name: "dead", Registry: dead, Preferred: true}, {Name: "alive", Registry: up},
	}})
	s, err := client.ServiceWith(t.Context(), menus, dubway.ServiceOptions{Check: true})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := s.Call(t.Context(), "name"); err != nil || got != "up" {
		t.Error(got, err)
	}
	if st := s.State(); !st.Ready || st.Registries[0].Ready || !st.Registries[1].Ready {
		t.Errorf("state %+v", st)
	}
	_, err = client.ServiceWith(t.Context(), menus, dubway.ServiceOptions{Registries: []string{"dead"}})
	if dubway.CodeOf(err) != dubway.Registry {
		t.Error("only a dead registry:", err)
	}
	if _, err = client.ServiceWith(t.Context(), menus, dubway.ServiceOptions{Registries: []string{"typo"}}); dubway.CodeOf(err) != dubway.Validation || !strings.Contains(err.Error(), "alive") {
		t.Error("a registry that does not exist:", err)
	}
	s, err = client.ServiceWith(t.Context(), menus, dubway.ServiceOptions{Registries: []string{"alive", "alive"}})
	if err != nil || len(s.Registries()) != 1 {
		t.Error(err)
	}
}

// TestGroupsInRegistries: groups are those of one registry, the one that was chosen.
func TestGroupsInRegistries(t *testing.T) {
	one, two := mem.New(), mem.New()
	serveMenus(t, one, "a", "a1")
	serveMenus(t, one, "b", "b1")
	serveMenus(t, two, "a", "a2")
	client := dial(t, nil, dubway.Options{Timeout: 5 * time.Second, Zone: "z2", Registries: []dubway.RegistryOptions{
		{Name: "one", Registry: one, Zone: "z1"}, {Name: "two", Registry: two, Zone: "z2"},
	}})
	s, err := client.ServiceWith(t.Context(), menus, dubway.ServiceOptions{Group: "*", Merger: "list"})
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.Call(t.Context(), "items")
	if err != nil || !slices.Equal(got.([]any), []any{"a2-1", "both"}) {
		t.Errorf("the consumer's zone: %v, %v", got, err)
	}
	got, err = s.Call(dubway.WithZone(t.Context(), "z1", false), "items")
	if err != nil || !slices.Equal(got.([]any), []any{"a1-1", "both", "b1-1", "both"}) {
		t.Errorf("the call's zone: %v, %v", got, err)
	}
	x := s.Explain(dubway.WithZone(t.Context(), "z1", false), "items")
	if len(x.Groups) != 2 || x.Groups[0].Registry != "one" || x.Trace.Steps[1].Group != "a" || x.Trace.Steps[1].Registry != "one" {
		t.Errorf("explanation %+v, %+v", x.Groups, x.Trace.Steps)
	}
}

func TestDialRefusesRegistries(t *testing.T) {
	m := mem.New()
	for _, o := range []dubway.Options{
		{Registry: m, Registries: []dubway.RegistryOptions{{Name: "a", Registry: m}}},
		{Registries: []dubway.RegistryOptions{{Registry: m}}},
		{Registries: []dubway.RegistryOptions{{Name: "a b", Registry: m}}},
		{Registries: []dubway.RegistryOptions{{Name: "a", Registry: m}, {Name: "a", Registry: m}}},
		{Registries: []dubway.RegistryOptions{{Name: "a"}}},
	} {
		if _, err := dubway.Dial(context.Background(), o); dubway.CodeOf(err) != dubway.Validation {
			t.Errorf("%+v: %v", o.Registries, err)
		}
	}
}
