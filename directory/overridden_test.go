package directory_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/directory"
	"github.com/dubway-go/dubway/service"
)

// told prints what overrides did to a provider: "timeout=9<5 registry:0 weight=50 web.configurators:7".
func told(list []directory.Overridden) string {
	var out []string
	for _, o := range list {
		text := o.Key + "=" + o.Value
		if o.Before != "" {
			text += "<" + o.Before
		}
		rule := o.By.Rule
		if o.By.Source == "registry" {
			rule = "registry"
		}
		out = append(out, fmt.Sprintf("%s %s:%d", text, rule, o.By.Line))
	}
	return strings.Join(out, " ")
}

// TestOverriddenNamesTheOverride: which override set which parameter, by source, document and line; of several the one that counts.
func TestOverriddenNamesTheOverride(t *testing.T) {
	const application = "configVersion: v2.7\nscope: application\nkey: web\nenabled: true\nconfigs:\n" +
		"- side: consumer\n  addresses: [\"0.0.0.0\"]\n  parameters: {timeout: 7, retries: 5}\n" +
		"- side: consumer\n  addresses: [\"0.0.0.0\"]\n  providerAddresses: [\"10.0.0.2:20880\"]\n  parameters: {weight: 50}\n"
	for _, v := range []dialect.Dialect{dialect.Standard, dialect.Dubbo27, dialect.Dubbo31, dialect.Dubbo33} {
		w := newWorld(t, provider(1, "timeout=5"), provider(2, "timeout=5"), provider(3, "timeout=5"))
		w.overrides(override("0.0.0.0", "timeout=9&env=test"), override("10.0.0.1:20880", "weight=10"))
		w.put("web.configurators", application)
		d := w.open(as(v))
		for i, want := range []string{
			"env=test registry:0 retries=5 web.configurators:6 timeout=7<5 web.configurators:6 weight=10 registry:0",
			"env=test registry:0 providerAddresses=10.0.0.2:20880 web.configurators:9 retries=5 web.configurators:6 timeout=7<5 web.configurators:6 weight=50 web.configurators:9",
			"env=test registry:0 retries=5 web.configurators:6 timeout=7<5 web.configurators:6",
		} {
			if got := told(d.Overridden(d.Snapshot().Set().At(i))); got != want {
				t.Errorf("%v, provider %d: %s, want %s", v, i+1, got, want)
			}
		}
		x := d.Explain(call("get"))
		if len(x.Overridden) != 3 || x.Overridden[1].Address != "10.0.0.2:20880" || len(x.Overridden[1].Parameters) != 5 {
			t.Errorf("%v: explanation %+v", v, x.Overridden)
		}
		// 3.1 leaves the consumer as it is.
		if got := told(x.ConsumerOverridden); strings.Contains(got, "retries=5 web.configurators:6") == (v == dialect.Dubbo31) {
			t.Errorf("%v: of the consumer: %s", v, got)
		}
		w.overrides()
		w.delete("web.configurators")
		await(t, d, "nothing is overridden", func() bool {
			x := d.Explain(call("get"))
			return x.Overridden == nil && x.ConsumerOverridden == nil && d.Overridden(d.Snapshot().Set().At(0)) == nil
		})
	}
}

// TestOverriddenIsWhatTheDirectoryDid compares, for random overrides, what is told with the effective URLs: each parameter that differs from the
// plain merge is told with its value, and nothing else is.
func TestOverriddenIsWhatTheDirectoryDid(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	keys := []string{"weight", "timeout", "env", "retries", "loadbalance"}
	for round := range 60 {
		v := everyDialect[round%len(everyDialect)]
		w := newWorld(t, provider(1, "timeout=5"), provider(2, "env=a"), provider(3))
		var list []string
		for range 1 + r.IntN(4) {
			host := []string{"0.0.0.0", "10.0.0.1:20880", "10.0.0.2:20880"}[r.IntN(3)]
			text := override(host, fmt.Sprintf("%s=%d&priority=%d", keys[r.IntN(len(keys))], r.IntN(5), r.IntN(3)))
			if r.IntN(4) == 0 {
				text = strings.Replace(text, "override://", "absent://", 1)
			}
			list = append(list, text)
		}
		w.overrides(list...)
		d := w.open(as(v))
		for _, in := range instances(d) {
			plain := directory.Merge(in.Provider, d.Consumer(), v)
			want := map[string]string{}
			for k, value := range in.URL.All() {
				if before, ok := plain.Param(k); (!ok || before != value) && k != "check" {
					want[k] = value
				}
			}
			told := map[string]string{}
			for _, o := range d.Overridden(in) {
				told[o.Key] = o.Value
			}
			for k, value := range want {
				if told[k] != value {
					t.Fatalf("%v, %q, %s: %s is %s and told as %q", v, list, in.Address(), k, value, told[k])
				}
			}
			for k, value := range told {
				if have, _ := in.URL.Param(k); have != value {
					t.Fatalf("%v, %q, %s: %s is told as %s and is %q", v, list, in.Address(), k, value, have)
				}
			}
		}
	}
}

// TestOverriddenInGroups: the overrides of a group's own key are told too.
func TestOverriddenInGroups(t *testing.T) {
	w := newWorld(t, provider(1, "group=a"), provider(2, "group=b"))
	w.put(iface+"::a.configurators", "configVersion: v2.7\nscope: service\nkey: a/"+iface+"\nenabled: true\nconfigs:\n- side: consumer\n  addresses: [\"0.0.0.0\"]\n  parameters: {weight: 9}\n")
	d := w.openKey(service.Key{Interface: iface, Group: "*"})
	await(t, d, "the override is told", func() bool {
		x := d.Explain(call("get"))
		return len(x.Overridden) == 1 && x.Overridden[0].Group == "a" && told(x.Overridden[0].Parameters) == "weight=9 "+iface+"::a.configurators:6"
	})
}
