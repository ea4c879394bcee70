package directory_test

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/directory"
	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/rpc"
)

// The tests M1 to M12 are the rows of docs/compared.md: where Dubbo Java and dubbo-go part, what dubway answers and why. The side of dubbo-go is
// tested in bench/compared, against the release that it names. Answers are in the order of documentDialects.

// documentDialects are the dialects that read rule documents; dubbo-2.6 reads none, so that every row there is "everybody".
func documentDialects() []dialect.Dialect {
	return []dialect.Dialect{dialect.Dubbo27, dialect.Dubbo31, dialect.Dubbo33, dialect.Standard}
}

// in opens a directory over two regions (1 is hz, 2 is bj) with one document, in one dialect.
func in(t *testing.T, d dialect.Dialect, key, text string, change ...func(*directory.Options)) (*world, *directory.Directory) {
	t.Helper()
	w := newWorld(t, twoRegions()...)
	w.put(key, text)
	return w, w.open(append([]func(*directory.Options){func(o *directory.Options) { o.Dialect = d }}, change...)...)
}

// same opens the document in every dialect and compares the candidates of a call.
func same(t *testing.T, what, text string, want ...string) {
	t.Helper()
	for i, d := range documentDialects() {
		_, dir := in(t, d, serviceRule, text)
		if got := candidates(dir, call("get")); got != want[i] {
			t.Errorf("%s, %s: %q, documented %q", what, d, got, want[i])
		}
	}
	_, old := in(t, dialect.Dubbo26, serviceRule, text)
	if got := candidates(old, call("get")); got != "1 2" {
		t.Errorf("%s, dubbo-2.6 reads no documents: %q", what, got)
	}
}

// share returns what part of the calls, in per cent, can go to provider 1 only.
func share(d *directory.Directory) float64 {
	const draws = 20_000
	first := 0
	for seed := range uint64(draws) {
		inv := call("get")
		inv.Seed = seed
		if candidates(d, inv) == "1" {
			first++
		}
	}
	return float64(first) / draws * 100
}

func weighted(hz, bj string) string {
	return "configVersion: v3.1\nconditions:\n- to:\n  - {match: region=hz, weight: " + hz + "}\n  - {match: region=bj, weight: " + bj + "}\n"
}

// TestM1WeightsAreExact: both rivals draw r in [0, sum) and stop where r minus the weights is 0 or less, which gives the first destination one part too
// many. dubbo-3.3 must give the shares that the fleet has; standard gives those that the document asks for.
func TestM1WeightsAreExact(t *testing.T) {
	mesh := func(hz, bj string) string {
		return "kind: DestinationRule\nmetadata: {name: shop}\nspec: {subsets: [{name: hz, labels: {region: hz}}, {name: bj, labels: {region: bj}}]}\n---\n" +
			"kind: VirtualService\nmetadata: {name: shop}\nspec: {dubbo: [{routedetail: [{route: [{destination: {subset: hz}, weight: " + hz +
			"}, {destination: {subset: bj}, weight: " + bj + "}]}]}]}\n"
	}
	for _, c := range []struct {
		hz, bj       string
		dubbo, meant float64
	}{{"1", "1", 100, 50}, {"50", "50", 51, 50}, {"1", "99", 2, 1}, {"99", "1", 100, 99}} {
		for _, x := range []struct {
			key, text string
			d         dialect.Dialect
			want      float64
		}{
			{serviceRule, weighted(c.hz, c.bj), dialect.Dubbo33, c.dubbo},
			{serviceRule, weighted(c.hz, c.bj), dialect.Standard, c.meant},
			{shopMesh, mesh(c.hz, c.bj), dialect.Dubbo31, c.dubbo},
			{shopMesh, mesh(c.hz, c.bj), dialect.Dubbo33, c.dubbo},
			{shopMesh, mesh(c.hz, c.bj), dialect.Standard, c.meant},
		} {
			_, d := in(t, x.d, x.key, x.text)
			got := share(d)
			if err := d.Close(); err != nil {
				t.Fatal(err)
			}
			if math.Abs(got-x.want) > 1 {
				t.Errorf("%s:%s in %s, %s: %.1f %%, documented %v", c.hz, c.bj, x.d, x.key, got, x.want)
			}
		}
	}
}

// TestM2WeightZero: both rivals put 100 in the place of a weight of 0 or less, so that "none" becomes "half". dubbo-3.3 follows, with a finding;
// standard refuses the document rather than guess whether nothing or the default was meant.
func TestM2WeightZero(t *testing.T) {
	_, d := in(t, dialect.Dubbo33, serviceRule, weighted("0", "100"))
	if got := share(d); math.Abs(got-50.5) > 1 {
		t.Errorf("dubbo-3.3: %.1f %%", got)
	}
	_, d = in(t, dialect.Standard, serviceRule, weighted("0", "100"))
	if bad := ruleStatus(d, "service").Rejected; bad == nil || !hasCode(bad.Findings, diag.BadWeight) || candidates(d, call("get")) != "1 2" {
		t.Errorf("standard: %+v, %s", bad, candidates(d, call("get")))
	}
}

// TestM3NoForceNoEnabled: dubbo-go panics on a v3.0 document without force and enabled. Java's defaults are enabled and no force, and so are dubway's.
func TestM3NoForceNoEnabled(t *testing.T) {
	same(t, "v3.0", "configVersion: v3.0\nconditions: ['=> region=hz']\n", "1", "1", "1", "1")
	same(t, "no force", "configVersion: v3.0\nconditions: ['=> region=none']\n", "1 2", "1 2", "1 2", "1 2")
}

// TestM4BadPushKeepsTheGoodRule: dubbo-go drops the rule in force when the next text cannot be read, so that a typing error opens what was closed. Java
// keeps it, and so does dubway in every dialect, and says so. A readable text without conditions keeps it silently in Java; dubway reports that as well.
func TestM4BadPushKeepsTheGoodRule(t *testing.T) {
	for _, dl := range documentDialects() {
		w, d := in(t, dl, serviceRule, "conditions: ['=> region=hz']\n")
		w.put(serviceRule, "conditions: [\n")
		await(t, d, "the refusal", func() bool { return ruleStatus(d, "service").Rejected != nil })
		if got := candidates(d, call("get")); got != "1" {
			t.Errorf("%s after a bad push: %q", dl, got)
		}
		w.put(serviceRule, "conditions: ['=> region=hz']\n")
		await(t, d, "the good text", func() bool { return ruleStatus(d, "service").Rejected == nil })
		w.put(serviceRule, "conditions: []\n")
		await(t, d, "the refusal of an empty list", func() bool { return ruleStatus(d, "service").Rejected != nil })
		if bad := ruleStatus(d, "service").Rejected; candidates(d, call("get")) != "1" || !hasCode(bad.Findings, diag.NoConditions) {
			t.Errorf("%s after an empty list: %q, %v", dl, candidates(d, call("get")), bad.Findings)
		}
	}
}

// TestM5BlacklistNeedsNoForce: in Java, and here, a right side that is empty blocks whatever force says; dubbo-go gives the providers back without force,
// so that its blacklist blocks nobody.
func TestM5BlacklistNeedsNoForce(t *testing.T) {
	same(t, "blacklist", "force: false\nconditions: ['host=10.0.0.9 =>']\n", "no-provider", "no-provider", "no-provider", "no-provider")
	same(t, "another host", "force: false\nconditions: ['host=10.0.0.8 =>']\n", "1 2", "1 2", "1 2", "1 2")
}

// TestM6EachConditionFallsBackByItself: without force a condition that would leave nobody passes on its own input, and the next one still counts. dubbo-go gives
// up the whole document there.
func TestM6EachConditionFallsBackByItself(t *testing.T) {
	same(t, "A empty, then B", "force: false\nconditions: ['=> region=none', '=> region=hz']\n", "1", "1", "1", "1")
	same(t, "A, then B empty", "force: false\nconditions: ['=> region=hz', '=> region=none']\n", "1", "1", "1", "1")
}

// TestM7ConfigVersion: without configVersion a document is a classic one (dubbo-go drops it). Unquoted 3.1 is a number to YAML: Java up to 3.1 does not look at
// the field, 3.3 fails on it and drops the document, and standard refuses it and says what to write.
func TestM7ConfigVersion(t *testing.T) {
	same(t, "none", "conditions: ['=> region=hz']\n", "1", "1", "1", "1")
	same(t, "number", "configVersion: 3.1\nconditions: ['=> region=hz']\n", "1", "1", "1 2", "1 2")
	for _, dl := range []dialect.Dialect{dialect.Dubbo33, dialect.Standard} {
		_, d := in(t, dl, serviceRule, "configVersion: 3.1\nconditions: ['=> region=hz']\n")
		if bad := ruleStatus(d, "service").Rejected; bad == nil || !hasCode(bad.Findings, diag.BadConfigVersion) {
			t.Errorf("%s: %+v", dl, bad)
		}
	}
}

// TestM8EnabledByDefault: a v3.1 document that does not say enabled is on; in dubbo-go its zero value switches it off.
func TestM8EnabledByDefault(t *testing.T) {
	for _, dl := range []dialect.Dialect{dialect.Dubbo33, dialect.Standard} {
		_, d := in(t, dl, serviceRule, "configVersion: v3.1\nconditions:\n- to: [{match: region=hz}]\n")
		if got := candidates(d, call("get")); got != "1" {
			t.Errorf("%s: %q", dl, got)
		}
		_, d = in(t, dl, serviceRule, "configVersion: v3.1\nenabled: false\nconditions:\n- to: [{match: region=hz}]\n")
		if got := candidates(d, call("get")); got != "1 2" {
			t.Errorf("%s, off: %q", dl, got)
		}
	}
}

// TestM9GarbageIsNamed: dubbo-go's grammar takes texts that cannot mean anything, and the rule then does nothing or blocks. dubway refuses what Java refuses,
// names the place, and where a Dubbo dialect must take the text, says what it means there.
func TestM9GarbageIsNamed(t *testing.T) {
	for _, c := range []struct {
		text, code string
		refused    string    // in which dialects
		left       [4]string // without an older rule
	}{
		{"conditions: ['method == get => region=hz']\n", diag.BadSeparator, "dubbo-2.7 dubbo-3.1 dubbo-3.3 standard", [4]string{"1 2", "1 2", "1 2", "1 2"}},
		// The values are "hz|region" and "bj" in every version.
		{"conditions: ['=> region=hz|region=bj']\n", diag.PipeIsText, "", [4]string{"2", "2", "2", "2"}},
		// Keys without values: no test before 3.2, a test that nobody passes from then on.
		{"force: true\nconditions: ['=> region=hz ;; drop table']\n", diag.KeyWithoutValue, "standard", [4]string{"1", "1", "no-provider", "1 2"}},
		{"condition: ['=> region=hz']\n", diag.UnknownField, "dubbo-2.7 dubbo-3.1 dubbo-3.3 standard", [4]string{"1 2", "1 2", "1 2", "1 2"}},
	} {
		for i, dl := range documentDialects() {
			_, d := in(t, dl, serviceRule, c.text)
			st := ruleStatus(d, "service")
			findings := st.Remarks
			if st.Rejected != nil {
				findings = st.Rejected.Findings
			}
			if refused := strings.Contains(c.refused, dl.String()); refused != (st.Rejected != nil) || !hasCode(findings, c.code) || candidates(d, call("get")) != c.left[i] {
				t.Errorf("%s, %s: refused %v, %s, left %q; documented refused %v, %s, left %q",
					c.text, dl, st.Rejected != nil, codes(findings), candidates(d, call("get")), refused, c.code, c.left[i])
			}
			for _, f := range findings {
				if f.Span.Line == 0 {
					t.Errorf("%s, %s: %v has no place", c.text, dl, f)
				}
			}
		}
	}
}

// TestM10OpenRange: "level=5~" is documented as "5 and above". Java splits it into one piece and gives up, which lets everybody pass on the right side; before 3.2
// it is plain text; dubbo-go and standard do what is documented.
func TestM10OpenRange(t *testing.T) {
	for i, dl := range documentDialects() {
		w := newWorld(t, provider(1, "level=3"), provider(2, "level=7"), provider(3))
		w.put(serviceRule, "force: true\nconditions: ['=> level=5~']\n")
		d := w.open(func(o *directory.Options) { o.Dialect = dl })
		if got, want := candidates(d, call("get")), [4]string{"no-provider", "no-provider", "1 2", "2"}[i]; got != want {
			t.Errorf("%s: %q, documented %q", dl, got, want)
		}
	}
}

// TestM11RouterOrderIsFixed: dubbo-go takes its routers out of a map and sorts them by priorities that are equal for three of them, so that the order, and with
// it the answer, differs from start to start. Here the order is written down once for each dialect, and the same call has the same way every time.
func TestM11RouterOrderIsFixed(t *testing.T) {
	for _, dl := range documentDialects() {
		first := ""
		for range 50 {
			w := newWorld(t, provider(1, "region=hz", "dubbo.tag=gray"), provider(2, "region=bj", "dubbo.tag=gray"), provider(3, "region=hz"))
			w.put(serviceRule, "conditions: ['=> region=hz']\n")
			w.put(shopTags, "tags: [{name: gray, addresses: ['10.0.0.1:20880', '10.0.0.2:20880']}]\n")
			d := w.open(func(o *directory.Options) { o.Dialect = dl })
			x := d.Explain(call("get", rpc.TagKey, "gray"))
			if err := d.Close(); err != nil {
				t.Fatal(err)
			}
			var way []string
			for _, s := range x.Trace.Steps {
				way = append(way, fmt.Sprintf("%s %d>%d", s.Router, s.In, s.Out))
			}
			text := strings.Join(way, ", ")
			if first == "" {
				first = text
			}
			if text != first || !strings.Contains(text, "tag 3>2, service 2>1") {
				t.Fatalf("%s: %s, before %s", dl, text, first)
			}
		}
	}
}

// TestM12AffinityAfterTagBeforeConditions: in dubbo-go the affinity routers have the smallest number and run first, against their own comment. In Java they come
// after the tag router and before the conditions, and so they do here, where they are in the chain.
func TestM12AffinityAfterTagBeforeConditions(t *testing.T) {
	for _, dl := range []dialect.Dialect{dialect.Dubbo33, dialect.Standard} {
		w := newWorld(t, provider(1, "region=hz", "dubbo.tag=gray"), provider(2, "region=bj", "dubbo.tag=gray"),
			provider(3, "region=bj"), provider(4, "region=bj"), provider(5, "region=bj"))
		w.put(serviceAffinity, "configVersion: v3.1\naffinityAware: {key: region, ratio: 40}\n")
		w.put(serviceRule, "force: false\nconditions: ['=> region=bj']\n")
		d := w.open(func(o *directory.Options) {
			o.Dialect = dl
			o.Consumer = o.Consumer.With("region", "hz")
			if dl == dialect.Dubbo33 { // no release registers the routers
				o.Consumer = o.Consumer.With("router", "affinity-service")
			}
		})
		// Affinity before the tag router would see 1 of 5, which is too few; after the conditions it would see none in hz.
		if got := candidates(d, call("get", rpc.TagKey, "gray")); got != "1" {
			t.Errorf("%s: %q", dl, got)
		}
		chain := d.Snapshot().Chain()
		place := func(router string) int {
			for i := range chain {
				if chain[i].Router == router {
					return i
				}
			}
			return -1
		}
		if tag, affinity, service := place(route.RouterTag), place(route.RouterAffinityService), place(route.RouterService); tag >= affinity || affinity >= service {
			t.Errorf("%s: %v", dl, chain)
		}
	}
}

// TestComparedPageHasEveryRow: docs/compared.md has a row for each of the tests.
func TestComparedPageHasEveryRow(t *testing.T) {
	page, err := os.ReadFile("../docs/compared.md")
	if err != nil {
		t.Fatal(err)
	}
	for i := 1; i <= 12; i++ {
		if n := strings.Count(string(page), fmt.Sprintf("\n| M%d | ", i)); n != 1 {
			t.Errorf("M%d has %d rows", i, n)
		}
	}
}

func hasCode(list diag.List, code string) bool { return strings.Contains(codes(list), code) }

func codes(list diag.List) string {
	var out []string
	for _, d := range list {
		out = append(out, d.Code)
	}
	return strings.Join(out, " ")
}
