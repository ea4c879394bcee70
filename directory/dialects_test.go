package directory_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/directory"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/service"
	"github.com/dubway-go/dubway/source"
)

// TestDialectTable keeps the section "Directory" of docs/dialects.md true: one entry a row, the answers in the order
// dubbo-2.6, 2.7, 3.1, 3.3, standard.
func TestDialectTable(t *testing.T) {
	order := []dialect.Dialect{dialect.Dubbo26, dialect.Dubbo27, dialect.Dubbo31, dialect.Dubbo33, dialect.Standard}
	two := source.State{Providers: []string{provider(1), provider(2)}}
	with := func(st source.State, configurators ...string) source.State {
		st.Configurators = configurators
		return st
	}
	for _, row := range []struct {
		no   string
		want [5]string
		run  func(r *directory.Replay) string
		// params are the consumer's; key is the service's.
		params, version string
	}{
		{no: "D1", params: "dubbo.tag=blue", want: [5]string{"blue", "gray", "gray", "gray", "gray"}, run: func(r *directory.Replay) string {
			r.Update(source.State{Providers: []string{provider(1, "dubbo.tag=gray")}})
			return first(r).Tag()
		}},
		{no: "D2", params: "timestamp=77", want: [5]string{"77", "55", "55", "55", "55"}, run: func(r *directory.Replay) string {
			r.Update(source.State{Providers: []string{provider(1, "timestamp=55")}})
			return first(r).URL.Get("timestamp", "")
		}},
		{no: "D3", params: "owner=consumer", want: [5]string{"consumer 9", "consumer 9", "provider -", "provider -", "provider 9"}, run: func(r *directory.Replay) string {
			r.Update(source.State{Providers: []string{provider(1, "owner=provider")}, Configurators: []string{override("0.0.0.0", "level=9")}})
			return first(r).Labels.Get("owner", "-") + " " + first(r).Labels.Get("level", "-")
		}},
		{no: "D4", want: [5]string{"", "1", "", "", ""}, run: func(r *directory.Replay) string {
			r.Update(source.State{Providers: []string{provider(1, "region=hz"), provider(2, "region=bj")}})
			r.SetDocument(serviceRule, conditions("protocol=dubbo => region=hz"))
			return only(r)
		}},
		{no: "D5", want: [5]string{"", "1", "", "1", "1"}, run: func(r *directory.Replay) string {
			r.Update(with(source.State{Providers: []string{provider(1, "region=hz"), provider(2, "region=bj")}}, override("0.0.0.0", "zone=z1")))
			r.SetDocument(serviceRule, conditions("zone=z1 => host=10.0.0.1"))
			return only(r)
		}},
		{no: "D6", want: [5]string{"", "1", "", "", ""}, run: func(r *directory.Replay) string {
			r.Update(source.State{Providers: []string{provider(1, "region=hz"), provider(2, "region=bj")}})
			r.SetDocument(serviceRule, conditions("region=hz => host=10.0.0.1"))
			return only(r)
		}},
		{no: "D7", want: [5]string{"1 2", "2", "2", "2", "2"}, run: func(r *directory.Replay) string {
			r.Update(source.State{Providers: []string{provider(1, "compatible_config=true"), provider(2)}})
			return reached(r)
		}},
		{no: "D8", want: [5]string{"1 2", "forbidden", "no-provider", "no-provider", "forbidden"}, run: func(r *directory.Replay) string {
			r.Update(two)
			r.Notify([]string{"empty://10.0.0.9/" + iface + "?category=providers"})
			r.Notify([]string{override("0.0.0.0", "timeout=9")})
			return reached(r)
		}},
		{no: "D9", want: [5]string{"1 2", "1 2", "1 2", "1 2", "no-provider"}, run: func(r *directory.Replay) string {
			r.Update(two)
			r.Update(with(two, override("0.0.0.0", "disabled=true")))
			return reached(r)
		}},
		{no: "D10", want: [5]string{"forbidden", "forbidden", "1 2", "forbidden", "forbidden"}, run: func(r *directory.Replay) string {
			r.Update(two)
			r.Update(source.State{})
			return reached(r)
		}},
		{no: "D11", want: [5]string{"1 2", "1 2", "1 2", "1 2", "1"}, run: func(r *directory.Replay) string {
			st := two
			st.Routers = []string{routeURL("=> host=10.0.0.1", "name=one", "runtime=true")}
			r.Update(st)
			st.Routers = []string{routeURL("=> => host=10.0.0.1", "name=one", "runtime=true")}
			r.Update(st)
			return reached(r)
		}},
		{no: "D12", want: [5]string{"1 2", "1", "1", "1", "1 2"}, run: func(r *directory.Replay) string {
			r.SetDocument(shopTags, "tags:\n- name: gray\n  addresses: [\"10.0.0.2:20880\"]\n")
			r.Update(two)
			var moved source.State
			for _, text := range two.Providers {
				moved.Providers = append(moved.Providers, strings.Replace(text, "=shop", "=store", 1))
			}
			r.Update(moved)
			return reached(r)
		}},
		{no: "D13", want: [5]string{"-", "9", "9", "9", "9"}, run: func(r *directory.Replay) string {
			r.Notify(append([]string{override("0.0.0.0", "timeout=9"), "override://0.0.0.0/" + iface}, two.Providers...))
			r.Notify([]string{override("0.0.0.0", "timeout=9"), "override://0.0.0.0/" + iface + "?anyhost=true"})
			return first(r).URL.Get("timeout", "-")
		}},
		{no: "D14", version: "1.0", want: [5]string{"9", "9", "9", "-", "9"}, run: func(r *directory.Replay) string {
			r.Update(source.State{Providers: []string{provider(1, "version=1.0")}, Configurators: []string{override("0.0.0.0", "timeout=9")}})
			return first(r).URL.Get("timeout", "-")
		}},
		{no: "D15", want: [5]string{"9", "-", "-", "-", "-"}, run: func(r *directory.Replay) string {
			r.Update(with(two, override("0.0.0.0", "timeout=9&enabled=false")))
			return first(r).URL.Get("timeout", "-")
		}},
		{no: "D16", want: [5]string{"9", "9", "9", "-", "-"}, run: func(r *directory.Replay) string {
			r.Update(with(source.State{Providers: []string{strings.Replace(provider(1), ":20880", ":2088", 1)}}, override("0.0.0.0", "timeout=9&providerAddresses=10.0.0.1:20880")))
			return first(r).URL.Get("timeout", "-")
		}},
		{no: "D17", want: [5]string{"-", "-", "-", "-", "5"}, run: func(r *directory.Replay) string {
			r.Update(with(two, override("0.0.0.0", "timeout=9&priority=x"), override("0.0.0.0", "timeout=5")))
			return first(r).URL.Get("timeout", "-")
		}},
		{no: "D18", want: [5]string{"1 2", "1", "1", "1", "1 2"}, run: func(r *directory.Replay) string {
			r.Update(two)
			r.SetDocument(serviceRule, conditions("=> host=10.0.0.1"))
			r.SetDocument(serviceRule, "valid: false\n"+conditions("=> host=10.0.0.2"))
			return reached(r)
		}},
		{no: "D19", want: [5]string{"1 2", "1", "1 2", "1", "1 2"}, run: func(r *directory.Replay) string {
			r.Update(two)
			r.SetDocument(serviceRule, conditions("=> host=10.0.0.1"))
			r.SetDocument(serviceRule, "configVersion: v3.1\nconditions: [{to: [{match: host=10.0.0.2}]}]\n")
			r.SetDocument(serviceRule, "valid: false\n"+conditions("=> host=10.0.0.2"))
			return reached(r)
		}},
		{no: "D20", want: [5]string{"1 2", "1 2", "1 2", "1 2", "1"}, run: func(r *directory.Replay) string {
			r.Update(two)
			r.SetDocument(webRule, conditions("=> host=10.0.0.1"))
			r.SetDocument(shopRule, conditions("=> host=10.0.0.1"))
			r.DeleteDocument(webRule)
			return reached(r)
		}},
		{no: "D21", want: [5]string{"1 2", "1", "1", "1", "1"}, run: func(r *directory.Replay) string {
			r.Update(two)
			r.SetDocument(serviceRule, conditions("=> host=10.0.0.1"))
			r.SetDocument(serviceRule, "conditions: \"=> host=10.0.0.2\"\n")
			return reached(r)
		}},
		{no: "D22", want: [5]string{"1 3 4", "1 3 4", "4", "4", "1 3 4"}, run: func(r *directory.Replay) string {
			both := source.State{Providers: []string{of("depot", 1, "hz"), of("shop", 3, "hz"), of("shop", 4, "bj")}}
			r.Update(both)
			r.SetDocument(shopMesh, meshTo("shop", "bj"))
			r.Update(source.State{Providers: both.Providers[:1]})
			r.DeleteDocument(shopMesh)
			r.Update(both)
			return reached(r)
		}},
		{no: "D23", want: [5]string{"2", "2", "1 2", "2", "2"}, run: func(r *directory.Replay) string {
			r.Update(with(source.State{Providers: []string{provider(1, "dubbo.tag=gray"), provider(2)}}, override("0.0.0.0", "mock=fail:return null")))
			return reached(r)
		}},
		{no: "O1", want: [5]string{"-", "-", "-", "-", "9"}, run: documentTimeout("side: consumer, type: weight, parameters: {timeout: 9}")},
		{no: "O2", want: [5]string{"-", "9", "9", "9", "-"}, run: func(r *directory.Replay) string {
			documentTimeout("side: consumer, parameters: {timeout: 9}")(r)
			r.SetDocument(serviceOverrides, "key: "+iface+"\nconfigs: []\n")
			return first(r).URL.Get("timeout", "-")
		}},
		{no: "O3", want: [5]string{"-", "9", "9", "-", "-"}, run: func(r *directory.Replay) string {
			r.Update(two)
			r.SetDocument(serviceOverrides, "configVersion: v3.0\nkey: "+iface+"\nconfigs:\n- {side: consumer, parameters: {timeout: 9}, match: {param: [{key: env, value: {exact: gray}}]}}\n")
			return first(r).URL.Get("timeout", "-")
		}},
		{no: "O4", want: [5]string{"-", "9", "9", "9", "-"}, run: documentTimeout("side: consumer, parameters: {timeout: 9}, match: {param: [{key: env, value: {exact: gray}}]}")},
		{no: "O5", version: "1.0", want: [5]string{"-", "9", "9", "-", "9"}, run: func(r *directory.Replay) string {
			r.Update(source.State{Providers: []string{provider(1, "version=1.0")}})
			r.SetDocument(iface+":1.0:.configurators", "key: "+iface+"\nconfigs:\n- {side: consumer, parameters: {timeout: 9}}\n")
			return first(r).URL.Get("timeout", "-")
		}},
		{no: "O6", want: [5]string{"-", "javascript", "-", "-", "-"}, run: func(r *directory.Replay) string {
			documentTimeout("side: consumer, parameters: {type: javascript, timeout: 9}")(r)
			return first(r).URL.Get("type", "-")
		}},
		{no: "O7", want: [5]string{"-", "a", "a", "a", "a&b=c"}, run: func(r *directory.Replay) string {
			documentTimeout("side: consumer, parameters: {note: \"a&b=c\"}")(r)
			return first(r).URL.Get("note", "-")
		}},
		{no: "O8", want: [5]string{"-", "null", "[1, 2]", "[1, 2]", "-"}, run: func(r *directory.Replay) string {
			documentTimeout("side: consumer, parameters: {x: [1, 2]}")(r)
			return first(r).URL.Get("x", "-")
		}},
		{no: "O9", want: [5]string{"-", "-", "9", "9", "9"}, run: func(r *directory.Replay) string {
			r.Update(two)
			r.SetDocument(serviceOverrides, "enabled: \"true\"\nkey: "+iface+"\nconfigs:\n- {side: consumer, parameters: {timeout: 9}}\n")
			return first(r).URL.Get("timeout", "-")
		}},
		{no: "O10", want: [5]string{"-", "-", "-", "9", "-"}, run: func(r *directory.Replay) string {
			r.Update(source.State{Providers: []string{provider(1, "env=prod")}})
			r.SetDocument(serviceOverrides, "configVersion: v3.0\nkey: "+iface+"\nconfigs:\n- {side: consumer, parameters: {timeout: 9, \"~env\": gray}}\n")
			return first(r).URL.Get("timeout", "-")
		}},
		{no: "O11", want: [5]string{"-", "-", "-", "-", "5"}, run: func(r *directory.Replay) string {
			documentTimeout("side: consumer, parameters: {timeout: 5}")(r)
			return documentTimeout("parameters: {timeout: 9}")(r)
		}},
		{no: "O12", want: [5]string{"-", "9", "9", "9", "-"}, run: func(r *directory.Replay) string {
			documentTimeout("side: consumer, parameters: {timeout: 9}")(r)
			r.SetDocument(serviceOverrides, "[]")
			return first(r).URL.Get("timeout", "-")
		}},
	} {
		for i, d := range order {
			key := service.Key{Interface: iface, Version: row.version}
			u, err := durl.ParseAs("consumer://10.0.0.9/"+iface+"?application=web&"+row.params, d)
			if err != nil {
				t.Fatal(err)
			}
			r, err := directory.NewReplay(key, u, directory.Options{Dialect: d})
			if err != nil {
				t.Fatal(err)
			}
			if got := row.run(r); got != row.want[i] {
				t.Errorf("%s %s: %q, want %q", row.no, d, got, row.want[i])
			}
		}
	}
}

// documentTimeout puts a configurator document with one entry in force and tells the first provider's timeout.
func documentTimeout(entry string) func(r *directory.Replay) string {
	return func(r *directory.Replay) string {
		r.Update(source.State{Providers: []string{provider(1), provider(2)}})
		r.SetDocument(serviceOverrides, "key: "+iface+"\nconfigs:\n- {"+entry+"}\n")
		return first(r).URL.Get("timeout", "-")
	}
}

func first(r *directory.Replay) *service.Instance { return r.Snapshot().Set().At(0) }

// reached lists where a call of get can go, or the code of the error.
func reached(r *directory.Replay) string {
	inv := call("get")
	inv.Direct = true
	c, err := r.Route(inv)
	if err != nil {
		return rpc.CodeOf(err).String()
	}
	var out []string
	for i := range c.Len() {
		out = append(out, strings.TrimPrefix(c.At(i).Host(), "10.0.0."))
	}
	if len(out) == 0 {
		return rpc.NoProvider.String()
	}
	return strings.Join(out, " ")
}

// only is reached, or "" when the rule left both providers.
func only(r *directory.Replay) string {
	if got := reached(r); got != "1 2" {
		return fmt.Sprint(got)
	}
	return ""
}
