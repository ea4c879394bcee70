package directory_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/directory"
)

// meshTo sends every call of an application's providers to those of one region.
func meshTo(application, region string) string {
	return strings.ReplaceAll(strings.ReplaceAll("kind: DestinationRule\nmetadata: {name: APP}\nspec: {subsets: [{name: r, labels: {region: REGION}}]}\n---\n"+
		"kind: VirtualService\nmetadata: {name: APP}\nspec: {dubbo: [{routedetail: [{route: [{destination: {subset: r}}]}]}]}\n", "APP", application), "REGION", region)
}

// of makes provider n one of an application and a region.
func of(application string, n int, region string) string {
	return strings.Replace(provider(n, "region="+region), "application=shop", "application="+application, 1)
}

func meshDialects() []dialect.Dialect {
	return []dialect.Dialect{dialect.Dubbo31, dialect.Dubbo33, dialect.Standard}
}

// TestMeshOfSeveralApplications: the rules of each application are for its own providers, and the answers are united (spec §6.5).
func TestMeshOfSeveralApplications(t *testing.T) {
	for _, dl := range meshDialects() {
		w := newWorld(t, of("depot", 1, "hz"), of("depot", 2, "bj"), of("shop", 3, "hz"), of("shop", 4, "bj"), of("yard", 5, "hz"))
		w.put("depot.MESHAPPRULE", meshTo("depot", "hz"))
		d := w.open(func(o *directory.Options) { o.Dialect = dl })
		awaitCandidates(t, d, "1") // no rule of the others matched: their providers are left out
		w.put("shop.MESHAPPRULE", meshTo("shop", "bj"))
		awaitCandidates(t, d, "1 4")
		w.put("yard.MESHAPPRULE", meshTo("yard", "none"))
		awaitCandidates(t, d, "1 4")
		w.put("yard.MESHAPPRULE", meshTo("yard", "hz"))
		awaitCandidates(t, d, "1 4 5")
		if got := meshStatus(d); got != "depot.MESHAPPRULE shop.MESHAPPRULE yard.MESHAPPRULE" {
			t.Errorf("%s: state shows %s", dl, got)
		}
		if list := d.State().Remarks; len(list) > 0 {
			t.Errorf("%s: nothing is odd about mesh rules of several applications: %v", dl, list)
		}
		w.put("shop.MESHAPPRULE", "[")
		await(t, d, "the refusal", func() bool {
			for _, r := range d.State().Rules {
				if r.Key == "shop.MESHAPPRULE" && r.Rejected != nil {
					return true
				}
			}
			return false
		})
		awaitCandidates(t, d, "1 4 5")
		w.delete("depot.MESHAPPRULE")
		awaitCandidates(t, d, "4 5")
	}
}

func meshStatus(d *directory.Directory) string {
	var out []string
	for _, r := range d.State().Rules {
		if r.Scope == "mesh" && r.InForce {
			out = append(out, r.Key)
		}
	}
	return strings.Join(out, " ")
}

// TestMeshApplicationsComeAndGo is row D22 of docs/dialects.md: an application leaves, its document is deleted, and it comes back. Dubbo goes on with the old rule.
func TestMeshApplicationsComeAndGo(t *testing.T) {
	for _, dl := range meshDialects() {
		w := newWorld(t, of("depot", 1, "hz"), of("shop", 3, "hz"), of("shop", 4, "bj"))
		w.put("shop.MESHAPPRULE", meshTo("shop", "bj"))
		d := w.open(func(o *directory.Options) { o.Dialect = dl })
		awaitCandidates(t, d, "4")
		w.providers(of("depot", 1, "hz"))
		awaitCandidates(t, d, "1")
		w.delete("shop.MESHAPPRULE")
		w.providers(of("depot", 1, "hz"), of("shop", 3, "hz"), of("shop", 4, "bj"))
		want := "4"
		if dl == dialect.Standard {
			want = "1 3 4"
		}
		awaitCandidates(t, d, want)
		w.settleByRule(d)
		awaitCandidates(t, d, want)
		w.put("shop.MESHAPPRULE", meshTo("shop", "hz"))
		awaitCandidates(t, d, "3")
	}
}

// TestMeshOfGroups: in a reference to several groups each group has the mesh rules of its own providers' applications.
func TestMeshOfGroups(t *testing.T) {
	w := newWorld(t, of("depot", 1, "hz")+"&group=g1", of("depot", 2, "bj")+"&group=g1", of("shop", 3, "hz")+"&group=g2", of("shop", 4, "bj")+"&group=g2")
	w.put("depot.MESHAPPRULE", meshTo("depot", "bj"))
	w.put("shop.MESHAPPRULE", meshTo("shop", "hz"))
	key := orders
	key.Group = "*"
	d := w.openKey(key)
	awaitCandidates(t, d, "2")
	if got := meshStatus(d); got != "depot.MESHAPPRULE shop.MESHAPPRULE" {
		t.Errorf("state shows %q", got)
	}
	w.providers(of("shop", 3, "hz")+"&group=g2", of("shop", 4, "bj")+"&group=g2")
	awaitCandidates(t, d, "3")
}

// TestMeshReplay: the same without goroutines.
func TestMeshReplay(t *testing.T) {
	r, err := directory.NewReplay(orders, consumer(""), directory.Options{})
	if err != nil {
		t.Fatal(err)
	}
	left := func() string {
		c, err := r.Route(call("get"))
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for i := range c.Len() {
			out = append(out, strings.TrimPrefix(c.At(i).Host(), "10.0.0."))
		}
		return strings.Join(out, " ")
	}
	r.SetDocument("shop.MESHAPPRULE", meshTo("shop", "bj"))
	r.Notify([]string{of("depot", 1, "hz"), of("shop", 3, "hz"), of("shop", 4, "bj")})
	if got := left(); got != "4" {
		t.Errorf("one application with rules: %s", got)
	}
	r.SetDocument("depot.MESHAPPRULE", meshTo("depot", "hz"))
	if got := left(); got != "1 4" {
		t.Errorf("two: %s", got)
	}
	r.DeleteDocument("shop.MESHAPPRULE")
	if got := left(); got != "1" {
		t.Errorf("one deleted: %s", got)
	}
}

// TestApplicationsAreCounted: the applications that have providers follow the list through changes, repeats and overrides.
func TestApplicationsAreCounted(t *testing.T) {
	w := newWorld(t, of("a", 1, "hz"), of("b", 2, "hz"))
	d := w.open()
	keys := func() string {
		var out []string
		for _, r := range d.State().Rules {
			if r.Scope == "mesh" {
				out = append(out, strings.TrimSuffix(r.Key, ".MESHAPPRULE"))
			}
		}
		return fmt.Sprint(out)
	}
	for _, c := range []struct {
		list []string
		want string
	}{
		{[]string{of("a", 1, "bj"), of("b", 2, "hz")}, "[a b]"},
		{[]string{of("a", 1, "bj"), of("a", 1, "bj"), of("a", 3, "bj")}, "[a]"},
		{[]string{of("c", 1, "bj"), of("a", 3, "bj")}, "[a c]"},
		{[]string{of("c", 1, "bj")}, "[c]"},
		{nil, "[c]"}, // without providers the keys stay
		{[]string{of("unknown", 1, "bj"), of("d", 2, "bj")}, "[d]"},
	} {
		w.providers(c.list...)
		await(t, d, "the keys are "+c.want, func() bool { return keys() == c.want })
	}
	w.overrides(override("0.0.0.0", "timeout=9"))
	await(t, d, "the override applies", func() bool { return param(d, "timeout") == "9 9" })
	if keys() != "[d]" {
		t.Error(keys())
	}
}
