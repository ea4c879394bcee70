package cli_test

import (
	"bytes"
	"context"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/dubway-go/dubway"
	"github.com/dubway-go/dubway/app"
	"github.com/dubway-go/dubway/cli"
	"github.com/dubway-go/dubway/service"
	"github.com/dubway-go/dubway/source/mem"
)

// TestExplainRegistriesAndGroups shows a call that has several registries and groups to go to.
func TestExplainRegistriesAndGroups(t *testing.T) {
	hz, bj := mem.New(), mem.New()
	addresses := map[string]string{}
	for _, p := range []struct {
		store *mem.Store
		group string
	}{{hz, "a"}, {hz, "b"}, {bj, "a"}} {
		s := dubway.NewServer(dubway.ServerOptions{Application: "menu", Registrar: p.store, Notice: -1})
		key := service.Key{Interface: "com.example.Menus", Group: p.group}
		name := map[*mem.Store]string{hz: "hz", bj: "bj"}[p.store] + "-" + p.group
		if err := s.Handle(key.String(), dubway.HandlerFunc(func(context.Context, *dubway.Request) (any, error) { return []any{name}, nil })); err != nil {
			t.Fatal(err)
		}
		if err := s.Start(t.Context(), "127.0.0.1:0"); err != nil {
			t.Fatal(err)
		}
		addresses[name] = s.Address()
		t.Cleanup(func() {
			ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
			defer cancel()
			_ = s.Shutdown(ctx)
		})
	}
	c := app.DefaultConfig()
	c.Admin.Listen, c.Gateway.Listen, c.Consumer.Host = "127.0.0.1:0", "", "127.0.0.1"
	c.Services = []app.ServiceConfig{{Name: "*/com.example.Menus", Merger: "true"}}
	a, err := app.Start(t.Context(), app.Options{Config: c, Sources: app.JoinSources([]app.NamedSources{
		{RegistryConfig: app.RegistryConfig{Name: "hangzhou", Zone: "hz", Weight: 300}, Sources: app.FromMem(hz)},
		{RegistryConfig: app.RegistryConfig{Name: "beijing", Zone: "bj"}, Sources: app.FromMem(bj)},
	})})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		_ = a.Shutdown(ctx)
	})
	// An override, once for all providers: explain says which document and line set what.
	document := "configVersion: v2.7\nscope: application\nkey: dubway\nenabled: true\nconfigs:\n- side: consumer\n  addresses: [\"0.0.0.0\"]\n  parameters: {region: hz}\n"
	if err := hz.Put(t.Context(), "dubway.configurators", document); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) string {
		t.Helper()
		var out, errs bytes.Buffer
		if code := cli.Main(append([]string{"--admin", a.AdminAddress()}, args...), strings.NewReader(""), &out, &errs); code != 0 {
			t.Errorf("%v: exit %d: %s", args, code, errs.String())
		}
		return out.String()
	}
	for began := time.Now(); !strings.Contains(run("explain", "*/com.example.Menus"), "on 3 providers") && time.Since(began) < 20*time.Second; {
		time.Sleep(5 * time.Millisecond)
	}
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"explain", "*/com.example.Menus", "-m", "get"}, []string{
			`(?m)^  registry     3 providers$`,
			`hangzhou \(2 providers, zone hz\): chosen: by weight, 75 % of the calls`,
			`beijing \(1 provider, zone bj\): chosen: by weight, 25 % of the calls`,
			`(?m)^  registry hangzhou, group a$`, `(?m)^  registry hangzhou, group b$`, `(?m)^  registry beijing, group a$`,
			`(?m)^3 providers left, random chooses in each group, merger true joins the answers:$`,
			addresses["hz-b"] + `  registry hangzhou, group b  menu  weight 100  75 %`,
			`(?m)^overridden:\n  consumer: region=hz by override dubway.configurators:6:3 of the config-centre\n  region=hz by override dubway.configurators:6:3 of the config-centre, on 3 providers$`,
		}},
		{[]string{"explain", "*/com.example.Menus", "-m", "get", "-a", "registry_zone=bj", "--not", addresses["hz-a"]}, []string{
			`hangzhou \(2 providers, zone hz\): not chosen\n`,
			`beijing \(1 provider, zone bj\): chosen: same zone\n`,
			`(?m)^1 provider left`,
			addresses["hz-a"] + ` was taken out by the registries router: wanted a registry that takes the call, has "hangzhou: not-chosen"`,
		}},
		{[]string{"services", "*/com.example.Menus"}, []string{
			`(?m)^registry hangzhou: 2 providers$`, `(?m)^registry beijing: 1 provider$`,
			`(?m)^PROVIDER +WHERE +APPLICATION`, addresses["bj-a"] + ` +registry beijing, group a +menu`,
		}},
		{[]string{"call", "*/com.example.Menus", "get", "-a", "registry_zone=hz"}, []string{`"hz-a",\s+"hz-b"`}},
		{[]string{"version", "--daemon"}, []string{`registry hangzhou mem://, beijing mem://`}},
	} {
		out := run(c.args...)
		for _, want := range c.want {
			if !regexp.MustCompile(want).MatchString(out) {
				t.Errorf("%v lacks %s:\n%s", c.args, want, out)
			}
		}
	}
}
