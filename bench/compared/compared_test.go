package compared_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"dubbo.apache.org/dubbo-go/v3/cluster/router"
	"dubbo.apache.org/dubbo-go/v3/cluster/router/affinity"
	"dubbo.apache.org/dubbo-go/v3/cluster/router/chain"
	"dubbo.apache.org/dubbo-go/v3/cluster/router/condition"
	"dubbo.apache.org/dubbo-go/v3/cluster/router/script"
	"dubbo.apache.org/dubbo-go/v3/cluster/router/tag"
	"dubbo.apache.org/dubbo-go/v3/common"
	"dubbo.apache.org/dubbo-go/v3/common/extension"
	"dubbo.apache.org/dubbo-go/v3/config_center"
	"dubbo.apache.org/dubbo-go/v3/protocol/base"
	"dubbo.apache.org/dubbo-go/v3/protocol/invocation"
	"dubbo.apache.org/dubbo-go/v3/remoting"

	"github.com/dubway-go/dubway/bench/dubbogo"
)

const key = "a.B::.condition-router"

// peer is dubbo-go's service condition router over some providers.
type peer struct {
	*condition.ServiceRouter
	consumer  *common.URL
	providers []base.Invoker
}

func newPeer(t *testing.T, providers ...string) *peer {
	t.Helper()
	dubbogo.Quiet()
	p := &peer{ServiceRouter: condition.NewServiceRouter(), consumer: url(t, "consumer://10.0.0.9/a.B?interface=a.B&application=web")}
	for _, text := range providers {
		p.providers = append(p.providers, base.NewBaseInvoker(url(t, text)))
	}
	return p
}

// regions are 1 in hz and 2 in bj.
func regions(t *testing.T) *peer {
	t.Helper()
	return newPeer(t, "dubbo://10.0.0.1:20880/a.B?interface=a.B&region=hz", "dubbo://10.0.0.2:20880/a.B?interface=a.B&region=bj")
}

func url(t *testing.T, text string) *common.URL {
	t.Helper()
	u, err := common.NewURL(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func (p *peer) put(text string) {
	p.Process(&config_center.ConfigChangeEvent{Key: key, Value: text, ConfigType: remoting.EventTypeUpdate})
}

// left names the providers that a call of method get can go to: "1 2".
func (p *peer) left() string { return names(p.Route(p.providers, p.consumer, call())) }

func call() base.Invocation {
	return invocation.NewRPCInvocationWithOptions(invocation.WithMethodName("get"), invocation.WithArguments([]any{}))
}

func names(list []base.Invoker) string {
	var out []string
	for _, in := range list {
		out = append(out, strings.TrimPrefix(in.GetURL().Ip, "10.0.0."))
	}
	return strings.Join(out, " ")
}

func (p *peer) expect(t *testing.T, what, want string) {
	t.Helper()
	if got := p.left(); got != want {
		t.Errorf("%s: dubbo-go leaves %q, docs/compared.md says %q", what, got, want)
	}
}

func weights(hz, bj int) string {
	return fmt.Sprintf("configVersion: v3.1\nenabled: true\nconditions:\n- from: {match: ''}\n  to:\n  - {match: region=hz, weight: %d}\n  - {match: region=bj, weight: %d}\n", hz, bj)
}

// share is how many of a hundred calls go to provider 1.
func (p *peer) share() float64 {
	const draws = 20_000
	first := 0
	for range draws {
		if p.left() == "1" {
			first++
		}
	}
	return float64(first) / draws * 100
}

func TestM1(t *testing.T) {
	for _, c := range []struct {
		hz, bj int
		want   float64
	}{{1, 1, 100}, {50, 50, 51}, {1, 99, 2}, {99, 1, 100}} {
		p := regions(t)
		p.put(weights(c.hz, c.bj))
		if got := p.share(); math.Abs(got-c.want) > 2 {
			t.Errorf("%d:%d gives %.1f %%, docs/compared.md says %v", c.hz, c.bj, got, c.want)
		}
	}
}

func TestM2(t *testing.T) {
	p := regions(t)
	p.put(weights(0, 100))
	if got := p.share(); math.Abs(got-50) > 3 {
		t.Errorf("0:100 gives %.1f %%, docs/compared.md says about half", got)
	}
}

func TestM3(t *testing.T) {
	for _, text := range []string{"configVersion: v3.0\nenabled: true\nconditions: ['=> region=hz']\n", "configVersion: v3.0\nforce: true\nconditions: ['=> region=hz']\n"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("no panic on %q any more", text)
				}
			}()
			regions(t).put(text)
		}()
	}
}

// classic is a v3.0 document that has both fields, so that it does not panic. v3.3.1 takes one for the other: enabled is what force says, and force what
// enabled says.
func classic(enabled, force bool, condition ...string) string {
	return fmt.Sprintf("configVersion: v3.0\nenabled: %v\nforce: %v\nconditions: ['%s']\n", force, enabled, strings.Join(condition, "', '"))
}

func TestM4(t *testing.T) {
	p := regions(t)
	p.put(classic(true, true, "=> region=hz"))
	p.expect(t, "good", "1")
	p.put("conditions: [\n")
	p.expect(t, "after a bad push", "1 2")
}

func TestM5(t *testing.T) {
	p := regions(t)
	p.put(classic(true, false, "host=10.0.0.9 =>"))
	p.expect(t, "without force", "1 2")
	p.put(classic(true, true, "host=10.0.0.9 =>"))
	p.expect(t, "with force", "")
}

func TestM6(t *testing.T) {
	p := regions(t)
	p.put(classic(true, false, "=> region=none", "=> region=hz"))
	p.expect(t, "A empty, then B", "1 2")
}

func TestM7(t *testing.T) {
	p := regions(t)
	p.put("enabled: true\nforce: true\nconditions: ['=> region=hz']\n")
	p.expect(t, "no configVersion", "1 2")
	p.put("configVersion: 3.1\nenabled: true\nforce: true\nconditions: ['=> region=hz']\n")
	p.expect(t, "unquoted", "1 2")
}

func TestM8(t *testing.T) {
	p := regions(t)
	p.put("configVersion: v3.1\nconditions:\n- from: {match: ''}\n  to: [{match: region=hz}]\n")
	p.expect(t, "without enabled", "1 2")
	p.put("configVersion: v3.1\nenabled: true\nconditions:\n- from: {match: ''}\n  to: [{match: region=hz}]\n")
	p.expect(t, "enabled", "1")
}

func TestM9(t *testing.T) {
	p := regions(t)
	p.put(classic(true, true, "method == get => region=hz"))
	p.expect(t, "== is taken and never holds", "1 2")
	p.put(classic(true, true, "=> region=hz|region=bj"))
	p.expect(t, "|", "2")
	p.put(classic(true, true, "=> region=hz ;; drop table"))
	p.expect(t, ";;", "")
	p.put("configVersion: v3.0\nenabled: true\nforce: true\ncondition: ['=> region=hz']\n")
	p.expect(t, "misspelt key", "1 2")
}

func TestM10(t *testing.T) {
	p := newPeer(t, "dubbo://10.0.0.1:20880/a.B?interface=a.B&level=3", "dubbo://10.0.0.2:20880/a.B?interface=a.B&level=7")
	p.put(classic(true, true, "=> level=5~"))
	p.expect(t, "open range", "2")
}

// ordered is a router that notes when it ran.
type ordered struct {
	name string
	log  *[]string
}

func (o ordered) Route(in []base.Invoker, _ *common.URL, _ base.Invocation) []base.Invoker {
	*o.log = append(*o.log, o.name)
	return in
}
func (o ordered) URL() *common.URL      { return nil }
func (o ordered) Priority() int64       { return 0 }
func (o ordered) Notify([]base.Invoker) {}

type factory func() router.PriorityRouter

func (f factory) NewPriorityRouter(*common.URL) (router.PriorityRouter, error) { return f(), nil }

// TestM11: the tag and the script router have equal numbers, and routers of equal numbers come in the order of a map.
func TestM11(t *testing.T) {
	dubbogo.Quiet()
	tags, err := tag.NewTagPriorityRouter()
	if err != nil {
		t.Fatal(err)
	}
	if tags.Priority() != script.NewScriptRouter().Priority() {
		t.Error("the tag and script routers have numbers of their own now")
	}
	var log []string
	for _, name := range []string{"first", "second", "third"} {
		extension.SetRouterFactory(name, func() router.PriorityRouterFactory {
			return factory(func() router.PriorityRouter { return ordered{name, &log} })
		})
	}
	p := regions(t)
	seen := map[string]bool{}
	for range 500 {
		log = nil
		c, err := chain.NewRouterChain(p.consumer)
		if err != nil {
			t.Fatal(err)
		}
		c.SetInvokers(p.providers)
		c.Route(p.consumer, call())
		seen[strings.Join(log, " ")] = true
	}
	if len(seen) < 2 {
		t.Errorf("one order in 500 chains: %v", seen)
	}
	t.Logf("%d orders in 500 chains", len(seen))
}

func TestM12(t *testing.T) {
	r, err := affinity.NewServiceAffinityRouterFactory().NewPriorityRouter(regions(t).consumer)
	if err != nil {
		t.Fatal(err)
	}
	if r.Priority() != math.MinInt64 {
		t.Errorf("the affinity router has %d", r.Priority())
	}
	if condition.NewServiceRouter().Priority() <= r.Priority() {
		t.Error("affinity comes after the conditions now")
	}
}
