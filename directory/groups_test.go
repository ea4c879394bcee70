package directory_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/directory"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/service"
)

// grouped returns what each group leaves of a call, in the order of the groups: "a:1 2|b:", the error code, or "-" for no groups.
func grouped(d *directory.Directory, inv *rpc.Invocation) string {
	list, err := d.Groups(inv)
	if err != nil {
		return rpc.CodeOf(err).String()
	}
	if list == nil {
		return "-"
	}
	var out []string
	for _, g := range list {
		var left []string
		if c, err := g.Route(inv); err == nil {
			for i := range c.Len() {
				left = append(left, short(c.At(i).Address()))
			}
		}
		out = append(out, g.Name()+":"+strings.Join(left, " "))
	}
	return strings.Join(out, "|")
}

func short(address string) string {
	return strings.TrimSuffix(strings.TrimPrefix(address, "10.0.0."), ":20880")
}

func awaitGroups(t *testing.T, d *directory.Directory, inv *rpc.Invocation, want string) {
	t.Helper()
	await(t, d, "the groups are "+want, func() bool { return grouped(d, inv) == want })
}

func groupKey(group string) service.Key { return service.Key{Interface: iface, Group: group} }

func as(v dialect.Dialect) func(*directory.Options) {
	return func(o *directory.Options) { o.Dialect = v }
}

var everyDialect = []dialect.Dialect{dialect.Standard, dialect.Dubbo26, dialect.Dubbo27, dialect.Dubbo31, dialect.Dubbo33}

func TestIsMultiGroup(t *testing.T) {
	for group, want := range map[string]bool{"": false, "a": false, "*": true, "a,b": true, "a , b": true, "a,": false, ",": false, ",a": true, "a,,b": true, "*,a": true} {
		if directory.IsMultiGroup(group) != want {
			t.Errorf("IsMultiGroup(%q) is %v", group, !want)
		}
	}
}

// TestJavaMapOrder has what OpenJDK 17 printed for HashMaps that got their keys in this order.
func TestJavaMapOrder(t *testing.T) {
	for _, c := range [][2]string{
		{"beijing hangzhou shanghai", "hangzhou shanghai beijing"},
		{"g1 g2 gray blue a b aa order stock c1 c2 c3 c4", "aa a b g1 g2 c1 c2 c3 c4 gray blue stock order"},
		{"a/i b/i g1/i:1.0 g2/i:1.0", "g2/i:1.0 a/i b/i g1/i:1.0"},
	} {
		if got := strings.Join(directory.JavaMapOrder(strings.Fields(c[0])), " "); got != c[1] {
			t.Errorf("%s: %s, want %s", c[0], got, c[1])
		}
	}
}

// TestOrderOfGroups: in standard the reference's order, or names; elsewhere that of a HashMap in Java.
func TestOrderOfGroups(t *testing.T) {
	const javaOrder = "hangzhou:2|shanghai:3|beijing:1"
	for _, c := range []struct {
		dialect dialect.Dialect
		group   string
		want    string
	}{
		{dialect.Standard, "*", "beijing:1|hangzhou:2|shanghai:3"},
		{dialect.Standard, "shanghai, beijing", "shanghai:3|beijing:1"},
		{dialect.Dubbo26, "*", javaOrder},
		{dialect.Dubbo27, "*", javaOrder},
		{dialect.Dubbo31, "*", javaOrder},
		{dialect.Dubbo33, "*", javaOrder},
	} {
		w := newWorld(t, provider(1, "group=beijing"), provider(2, "group=hangzhou"), provider(3, "group=shanghai"))
		if got := grouped(w.openKey(groupKey(c.group), as(c.dialect)), call("get")); got != c.want {
			t.Errorf("%v, group %q: %s, want %s", c.dialect, c.group, got, c.want)
		}
	}
}

// TestProvidersWithoutAGroup: such a provider is in a group without a name. Before 3.0 it takes on the group of the reference (spec §1.6); a
// list of groups never has it (§1.8).
func TestProvidersWithoutAGroup(t *testing.T) {
	for _, v := range everyDialect {
		w := newWorld(t, provider(1), provider(2, "group=a"))
		name := ""
		if v == dialect.Dubbo26 || v == dialect.Dubbo27 {
			name = "*"
		}
		d := w.openKey(groupKey("*"), as(v))
		got := strings.Split(grouped(d, call("get")), "|")
		slices.Sort(got)
		if want := []string{name + ":1", "a:2"}; !slices.Equal(got, want) {
			t.Errorf("%v: %q, want %q", v, got, want)
		}
		if d := w.openKey(groupKey("a,b"), as(v)); d.Snapshot().Set().Len() != 1 {
			t.Errorf("%v: a list of groups has the provider without a group", v)
		}
	}
}

// TestOneGroupIsNotRouted: while all providers are of one group, 2.7 and later hand out the plain list and no rule applies; 2.6 routes it as
// ever; standard has one group, routed.
func TestOneGroupIsNotRouted(t *testing.T) {
	for v, want := range map[dialect.Dialect]string{
		dialect.Standard: "g:1", dialect.Dubbo26: "- 1", dialect.Dubbo27: "- 1 2", dialect.Dubbo31: "- 1 2", dialect.Dubbo33: "- 1 2",
	} {
		w := newWorld(t, provider(1, "group=g", "region=hz"), provider(2, "group=g"))
		w.routes(routeURL("=> region=hz", "group=g", "runtime=true"))
		d := w.openKey(groupKey("*"), as(v))
		got := grouped(d, call("get"))
		if got == "-" {
			got += " " + candidates(d, call("get"))
		}
		if got != want {
			t.Errorf("%v: %q, want %q", v, got, want)
		}
	}
}

// TestRulesOfGroups is the table of spec §8.7: which rules reach the groups of a reference to all groups.
func TestRulesOfGroups(t *testing.T) {
	rule := "force: true\nruntime: true\nenabled: true\nkey: x\nconditions:\n- \"%s\"\n"
	all := "a:1 2|b:3 4"
	for _, c := range []struct {
		name string
		do   func(w *world)
		want map[dialect.Dialect]string // all where a dialect is not named
	}{
		{"route URL of a group", func(w *world) { w.routes(routeURL("=> region=hz", "group=a", "runtime=true")) },
			map[dialect.Dialect]string{dialect.Standard: "a:1|b:3 4", dialect.Dubbo26: "a:1 2"}},
		{"route URL without a group", func(w *world) { w.routes(routeURL("=> region=hz", "runtime=true")) },
			map[dialect.Dialect]string{dialect.Dubbo26: "a:1 2"}}, // 2.6 judges each group by its first provider
		{"route URL at the notification", func(w *world) { w.routes(routeURL("=> region=hz")) },
			map[dialect.Dialect]string{dialect.Dubbo26: "- 1"}}, // one group is left of the method's list
		{"document of a group", func(w *world) { w.put(iface+"::a.condition-router", fmt.Sprintf(rule, "=> region=hz")) },
			map[dialect.Dialect]string{dialect.Standard: "a:1|b:3 4", dialect.Dubbo27: "a:1|b:3 4", dialect.Dubbo31: "a:1|b:3 4", dialect.Dubbo33: "a:1|b:3 4"}},
		{"document of the reference", func(w *world) { w.put(iface+"::*.condition-router", fmt.Sprintf(rule, "=> region=hz")) }, nil},
		{"document of the consumer", func(w *world) { w.put("web.condition-router", fmt.Sprintf(rule, "=> region=bj")) },
			map[dialect.Dialect]string{dialect.Standard: "a:2|b:", dialect.Dubbo27: "a:2|b:", dialect.Dubbo31: "a:2|b:", dialect.Dubbo33: "a:2|b:"}},
		// The left side sees the consumer in standard, the first provider elsewhere.
		{"left side, consumer's host", func(w *world) { w.put("web.condition-router", fmt.Sprintf(rule, "host=10.0.0.9 => region=bj")) },
			map[dialect.Dialect]string{dialect.Standard: "a:2|b:"}},
		{"left side, first provider's host", func(w *world) { w.put("web.condition-router", fmt.Sprintf(rule, "host=10.0.0.1 => region=bj")) },
			map[dialect.Dialect]string{dialect.Dubbo27: "a:2|b:3 4", dialect.Dubbo31: "a:2|b:3 4", dialect.Dubbo33: "a:2|b:3 4"}},
		{"left side, application", func(w *world) { w.put("web.condition-router", fmt.Sprintf(rule, "application=web => region=bj")) },
			map[dialect.Dialect]string{dialect.Standard: "a:2|b:", dialect.Dubbo27: "a:2|b:"}}, // merged URL in 2.7, the provider's own in 3.x
		{"tag rule", func(w *world) {
			w.put("shop.tag-router", "force: false\nenabled: true\nkey: shop\ntags:\n- name: gray\n  addresses: [\"10.0.0.2:20880\"]\n")
		}, map[dialect.Dialect]string{dialect.Standard: "a:1|b:3 4", dialect.Dubbo27: "a:1|b:3 4", dialect.Dubbo31: "a:1|b:3 4", dialect.Dubbo33: "a:1|b:3 4"}},
	} {
		for _, v := range everyDialect {
			w := newWorld(t, provider(1, "group=a", "region=hz"), provider(2, "group=a", "region=bj"), provider(3, "group=b"), provider(4, "group=b"))
			c.do(w)
			want := cmp.Or(c.want[v], all)
			d := w.openKey(groupKey("*"), as(v), func(o *directory.Options) { o.Consumer = consumer("methods=get") }) // 2.6 prepares lists of the methods named
			got := grouped(d, call("get"))
			if got == "-" {
				got += " " + candidates(d, call("get"))
			}
			if got != want {
				t.Errorf("%s, %v: %q, want %q", c.name, v, got, want)
			}
		}
	}
}

// TestTagsOfGroups: without a tag on the call, 2.7 and later take the tag of the group's first provider for the consumer's.
func TestTagsOfGroups(t *testing.T) {
	for v, want := range map[dialect.Dialect]string{
		dialect.Standard: "a:2|b:3", dialect.Dubbo26: "b:3", dialect.Dubbo27: "a:1|b:3", dialect.Dubbo31: "a:1|b:3", dialect.Dubbo33: "a:1|b:3",
	} {
		w := newWorld(t, provider(1, "group=a", "dubbo.tag=gray"), provider(2, "group=a"), provider(3, "group=b"))
		if got := grouped(w.openKey(groupKey("a,b"), as(v)), call("get")); got != want {
			t.Errorf("%v: %q, want %q", v, got, want)
		}
	}
}

// TestGroupsFollow: groups come and go, rules move, and calls finish on what they have.
func TestGroupsFollow(t *testing.T) {
	for _, v := range []dialect.Dialect{dialect.Standard, dialect.Dubbo33} {
		w := newWorld(t, provider(1, "group=a", "region=hz"), provider(2, "group=b"))
		d := w.openKey(groupKey("*"), as(v))
		awaitGroups(t, d, call("get"), "a:1|b:2")
		list, _ := d.Groups(call("get"))
		a := list[0]
		w.providers(provider(1, "group=a", "region=hz"), provider(2, "group=b"), provider(3, "group=a"), provider(4, "group=c"))
		awaitGroups(t, d, call("get"), "a:1 3|b:2|c:4")
		if list, _ = d.Groups(call("get")); list[0] != a {
			t.Errorf("%v: group a is another value although it never was empty", v)
		}
		w.put(iface+"::a.condition-router", "enabled: true\nconditions: [\"=> region=hz\"]\n")
		awaitGroups(t, d, call("get"), "a:1|b:2|c:4")
		x := d.Explain(call("get"))
		if len(x.Groups) != 3 || x.Groups[0].Candidates != 1 || x.Groups[0].Instances != 2 || x.Trace.Instances != 4 || x.Code != "" {
			t.Errorf("%v: explanation %+v", v, x)
		}
		absence := d.ExplainNot("10.0.0.3:20880", call("get"))
		if absence.Outcome != directory.TakenOut || absence.Step.Group != "a" || !strings.Contains(absence.Message, "group a") {
			t.Errorf("%v: %+v", v, absence)
		}
		w.delete(iface + "::a.condition-router")
		awaitGroups(t, d, call("get"), "a:1 3|b:2|c:4")
		w.overrides(override("10.0.0.2:20880", "disabled=true&group=b"))
		awaitGroups(t, d, call("get"), "a:1 3|c:4")
		if _, err := list[1].Route(call("get")); rpc.CodeOf(err) != rpc.NoProvider {
			t.Errorf("%v: a group that is gone: %v", v, err)
		}
		w.providers()
		awaitGroups(t, d, call("get"), "forbidden")
		if err := d.CheckNow(); rpc.CodeOf(err) != rpc.Forbidden {
			t.Errorf("%v: CheckNow: %v", v, err)
		}
	}
}

func weights(d *directory.Directory) string {
	var out []string
	for _, in := range instances(d) {
		out = append(out, fmt.Sprint(in.Weight("get")))
	}
	return strings.Join(out, " ")
}

// TestOverridesOfGroups: the document of the reference's own key applies to all groups in every dialect, that of a group's key in standard only, where a
// group is what a reference to it alone would have.
func TestOverridesOfGroups(t *testing.T) {
	document := func(key string, weight int) string {
		return fmt.Sprintf("configVersion: v2.7\nscope: service\nkey: %q\nenabled: true\nconfigs:\n- side: consumer\n  addresses: [\"0.0.0.0\"]\n  parameters: {weight: %d}\n", key, weight)
	}
	for _, v := range []dialect.Dialect{dialect.Standard, dialect.Dubbo27, dialect.Dubbo31, dialect.Dubbo33} {
		w := newWorld(t, provider(1, "group=a"), provider(2, "group=b"), provider(3, "group=a"))
		w.put(iface+"::*.configurators", document("*/"+iface, 7))
		d := w.openKey(groupKey("*"), as(v))
		want := "7 7 7"
		if v == dialect.Dubbo33 {
			want = "100 100 100" // since 3.2 the group of an override must be the provider's own, to the letter
		}
		await(t, d, "the reference's document is in force", func() bool { return weights(d) == want && d.State().Rules[1].InForce })
		w.put(iface+"::a.configurators", document("a/"+iface, 9))
		if v != dialect.Standard {
			for _, r := range d.State().Rules {
				if r.Key == iface+"::a.configurators" {
					t.Errorf("%v follows the document of a group", v)
				}
			}
			continue
		}
		await(t, d, "the group's document is in force", func() bool { return weights(d) == "9 7 9" })
		w.providers(provider(1, "group=a"), provider(2, "group=b"), provider(4, "group=a"))
		await(t, d, "a new provider has it too", func() bool { return weights(d) == "9 7 9" && grouped(d, call("get")) == "a:1 4|b:2" })
		w.delete(iface + "::a.configurators")
		await(t, d, "it is gone", func() bool { return weights(d) == "7 7 7" })
		// A group that comes back reads its document again.
		w.put(iface+"::b.configurators", document("b/"+iface, 5))
		await(t, d, "another group's document is in force", func() bool { return weights(d) == "7 5 7" })
		w.providers(provider(1, "group=a"))
		await(t, d, "the group is gone", func() bool { return weights(d) == "7" })
		w.delete(iface + "::b.configurators")
		w.providers(provider(1, "group=a"), provider(2, "group=b"))
		await(t, d, "it is back without its document", func() bool { return weights(d) == "7 7" })
	}
}

// TestRefusedRulesOfGroups: a document that cannot be read leaves the last one of its group in force, and is told once.
func TestRefusedRulesOfGroups(t *testing.T) {
	w := newWorld(t, provider(1, "group=a", "region=hz"), provider(2, "group=a"), provider(3, "group=b"))
	w.put(iface+"::a.condition-router", "enabled: true\nconditions: [\"=> region=hz\"]\n")
	d := w.openKey(groupKey("*"))
	awaitGroups(t, d, call("get"), "a:1|b:3")
	w.put(iface+"::a.condition-router", "conditions: {")
	await(t, d, "the document is refused", func() bool {
		x := d.Explain(call("get"))
		return len(x.Rejected) == 1 && x.Rejected[0].Origin.Name == iface+"::a.condition-router"
	})
	awaitGroups(t, d, call("get"), "a:1|b:3")
	st := d.State()
	if len(st.Groups) != 2 || st.Groups[0].Name != "a" || st.Groups[0].Instances != 2 {
		t.Errorf("state %+v", st.Groups)
	}
}

// TestGroupsNeverMixGenerations changes a group's providers and rules together while calls run: no call may see a provider that its
// generation does not have, and Begin never refuses one for good.
func TestGroupsNeverMixGenerations(t *testing.T) {
	w := newWorld(t, provider(1, "group=a"), provider(2, "group=b"))
	d := w.openKey(groupKey("a,b"))
	ctx, cancel := context.WithCancel(context.Background())
	var work sync.WaitGroup
	for range 4 {
		work.Go(func() {
			for ctx.Err() == nil {
				list, err := d.Groups(call("get"))
				if err != nil || len(list) != 2 {
					t.Errorf("groups %v, %v", list, err)
					return
				}
				for i, g := range list {
					c, err := g.Route(call("get"))
					if err != nil {
						t.Error(err)
						return
					}
					if in := c.At(0); in.Provider.Get("group", "") != []string{"a", "b"}[i] {
						t.Errorf("group %s has %s", g.Name(), in.Provider)
						return
					} else if g.Begin(in) {
						g.End(in)
					}
				}
			}
		})
	}
	for i := range 100 {
		w.providers(provider(1, "group=a", fmt.Sprintf("n=%d", i)), provider(2+i%7, "group=b"))
	}
	cancel()
	work.Wait()
}
