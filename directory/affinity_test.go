package directory_test

import (
	"testing"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/directory"
)

const (
	serviceAffinity = iface + "::.affinity-router"
	shopAffinity    = "shop.affinity-router"
	shopMesh        = "shop.MESHAPPRULE"
)

const toHZ = "kind: DestinationRule\nmetadata: {name: shop}\nspec: {subsets: [{name: hz, labels: {region: hz}}]}\n---\n" +
	"kind: VirtualService\nmetadata: {name: shop}\nspec: {dubbo: [{routedetail: [{route: [{destination: {subset: hz}}]}]}]}\n"

// TestAffinityAndMeshAreWatched: which dialect reads which key; a refused text changes nothing and a deletion ends the rule.
func TestAffinityAndMeshAreWatched(t *testing.T) {
	affinity := "configVersion: v3.1\naffinityAware: {key: region, ratio: 20}\n"
	for _, c := range []struct {
		key, scope, text string
		router           string
		read             map[dialect.Dialect]bool
	}{
		{serviceAffinity, "affinity", affinity, "", map[dialect.Dialect]bool{dialect.Standard: true}},
		{serviceAffinity, "affinity", affinity, "affinity-service,default", map[dialect.Dialect]bool{dialect.Standard: true, dialect.Dubbo33: true}},
		{shopAffinity, "affinity-application", affinity, "", map[dialect.Dialect]bool{dialect.Standard: true}},
		{shopMesh, "mesh", toHZ, "", map[dialect.Dialect]bool{dialect.Standard: true, dialect.Dubbo31: true, dialect.Dubbo33: true}},
		{"other.MESHAPPRULE", "", toHZ, "", nil},
	} {
		for _, dl := range dialect.All() {
			w := newWorld(t, twoRegions()...)
			w.put(c.key, c.text)
			d := w.open(func(o *directory.Options) {
				o.Dialect = dl
				o.Consumer = o.Consumer.With("region", "hz")
				if c.router != "" {
					o.Consumer = o.Consumer.With("router", c.router)
				}
			})
			if !c.read[dl] {
				if got := candidates(d, call("get")); got != "1 2" {
					t.Errorf("%s in %s: %q", c.key, dl, got)
				}
				continue
			}
			awaitCandidates(t, d, "1")
			w.put(c.key, "[")
			await(t, d, "the refusal", func() bool { return ruleStatus(d, c.scope).Rejected != nil })
			if got := candidates(d, call("get")); got != "1" || !ruleStatus(d, c.scope).InForce {
				t.Errorf("%s in %s after a bad text: %q", c.key, dl, got)
			}
			w.delete(c.key)
			awaitCandidates(t, d, "1 2")
		}
	}
}
