package route_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/rule"
	"github.com/dubway-go/dubway/service"
)

const meshSubsets = "kind: DestinationRule\nmetadata: {name: shop}\nspec: {subsets: [{name: hz, labels: {region: hz}}, {name: bj, labels: {region: bj}}, {name: none, labels: {region: x}}]}\n" +
	"---\nkind: VirtualService\nmetadata: {name: shop}\nspec:\n  dubbo:\n"

func meshSnapshot(t *testing.T, text string, d dialect.Dialect) *route.Snapshot {
	t.Helper()
	doc, _ := rule.ParseMeshDocument(rule.Origin{Name: "shop.MESHAPPRULE"}, text, d)
	if doc == nil {
		return nil
	}
	var list []*service.Instance
	for _, p := range []string{hz, bj} {
		u, err := durl.ParseAs(p+"&application=shop", d)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, service.NewInstance(u, u, u))
	}
	u, err := durl.ParseAs(web, d)
	if err != nil {
		t.Fatal(err)
	}
	s, _ := route.Compile(route.Input{Dialect: d, Consumer: service.Consumer{URL: u}, Set: service.NewSet(1, list), Rules: route.Rules{Mesh: map[string]*rule.MeshDocument{"shop": doc}}})
	return s
}

// TestMeshDifferences runs the rows H of docs/dialects.md.
func TestMeshDifferences(t *testing.T) {
	to := func(subset string, weight int) string {
		return fmt.Sprintf("{destination: {subset: %s}, weight: %d}", subset, weight)
	}
	match := func(m, route string) string {
		return "  - routedetail: [{match: [" + m + "], route: [" + route + "]}]\n"
	}
	direct := rpc.Invocation{Method: "get", Direct: true, Args: []any{int64(7)}, ParamTypes: []string{"long"}}
	generic := rpc.Invocation{Method: "get", Args: []any{int64(7)}}
	for _, c := range []struct {
		id, text string
		call     rpc.Invocation
		keep     [3]string // dubbo-3.1, dubbo-3.3, standard
	}{
		{"H1", meshSubsets + "  - routedetail: [{route: [" + to("hz", 1) + ", " + to("bj", 1) + "]}]\n", direct, [3]string{"[0]", "[0]", "50%"}},
		{"H2", meshSubsets + "  - services: [{exact: a.B}]\n    routedetail: [{route: [" + to("hz", 1) + "]}]\n", generic, [3]string{"[0 1]", "[0 1]", "[0]"}},
		{"H3", meshSubsets + match("{method: {args: [{index: 5, str_value: {oneof: [{exact: x}]}}]}}", to("hz", 1)), direct, [3]string{"[]", "[]", "[0 1]"}},
		{"H4", meshSubsets + match("{method: {args: [{index: 0, num_value: {oneof: [{exact: 7}]}}]}}", to("hz", 1)), direct, [3]string{"[0 1]", "[0 1]", "[0]"}},
		{"H5", "just text", direct, [3]string{"[0 1]", "[0 1]", "refused"}},
		{"H6", meshSubsets + "  - routedetail: [{route: [" + to("hz", 100) + ", " + to("none", 100) + ", " + to("bj", 100) + "]}]\n", direct, [3]string{"33%", "33%", "50%"}},
		{"H7", meshSubsets + "  - routedetail: [{route: []}]\n", direct, [3]string{"[]", "[]", "refused"}},
		{"H8", meshSubsets + match("{method: {name_match: {wildcard: \"*\"}}}", to("hz", 1)), direct, [3]string{"[0 1]", "[0]", "[0]"}},
		{"H9", meshSubsets + match("{method: {name_match: {exact: get}}}", to("hz", 1)), generic, [3]string{"[0 1]", "[0]", "[0]"}},
		{"alike", meshSubsets + match("{method: {name_match: {exact: get}, argc: 1, argp: [{exact: long}]}}", to("bj", 1)), direct, [3]string{"[1]", "[1]", "[1]"}},
		{"fallback", meshSubsets + "  - routedetail: [{route: [{destination: {subset: none, fallback: {destination: {subset: bj}}}}]}]\n", direct, [3]string{"[1]", "[1]", "[1]"}},
		{"nobody there", meshSubsets + "  - routedetail: [{route: [" + to("none", 1) + "]}]\n", direct, [3]string{"[0 1]", "[0 1]", "[0 1]"}},
	} {
		for i, d := range []dialect.Dialect{dialect.Dubbo31, dialect.Dubbo33, dialect.Standard} {
			got := "refused"
			if s := meshSnapshot(t, c.text, d); s != nil {
				got = meshShare(s, c.call)
			}
			if got != c.keep[i] {
				t.Errorf("%s, %v: %s, documented %s", c.id, d, got, c.keep[i])
			}
		}
	}
}

// meshShare returns the answer for a call; when it is drawn, the share of the first provider.
func meshShare(s *route.Snapshot, inv rpc.Invocation) string {
	const draws = 20_000
	first, last := 0, ""
	for inv.Seed = range uint64(draws) {
		if last = fmt.Sprint(indexes(s.Route(&inv))); last == "[0]" {
			first++
		}
	}
	if first == 0 || first == draws {
		return last
	}
	return fmt.Sprintf("%.0f%%", float64(first)/draws*100)
}

// TestMeshWarmCalls: judging a call by mesh rules allocates nothing, and Explain agrees with Route.
func TestMeshWarmCalls(t *testing.T) {
	text := meshSubsets + `  - services: [{prefix: a.}]
    routedetail:
    - match: [{method: {name_match: {regex: "g.t"}, args: [{index: 0, num_value: {oneof: [{range: {start: 1.0, end: 9.0}}]}}]}, attachments: {dubboContext: {env: {wildcard: gray}}}, sourceLabels: {application: web}}]
      route: [{destination: {subset: hz}, weight: 30}, {destination: {subset: bj}, weight: 70}]
    - route: [{destination: {subset: bj}}]
`
	s := meshSnapshot(t, text, dialect.Standard)
	if s == nil {
		t.Fatal("refused")
	}
	gray := &rpc.Invocation{Method: "get", Direct: true, Args: []any{"7"}, Attachments: rpc.Attachments{{Key: "env", Value: "gray"}}}
	plain := &rpc.Invocation{Method: "put", Direct: true, Args: []any{"7"}}
	if got := meshShare(s, *gray); got != "30%" && got != "29%" && got != "31%" {
		t.Errorf("drawn %s", got)
	}
	if got := meshShare(s, *plain); got != "[1]" {
		t.Errorf("plain %s", got)
	}
	for _, inv := range []*rpc.Invocation{gray, plain} {
		if tr := s.Explain(inv); len(tr.Left) != s.Route(inv).Len() || tr.Verdict != route.Routed {
			t.Errorf("explain %v", tr)
		}
		if raceDetector {
			continue
		}
		if n := testing.AllocsPerRun(100, func() { s.Route(inv) }); n != 0 {
			t.Errorf("%s allocates %v times", inv.Method, n)
		}
	}
}

// TestMeshNumbersAreJavas: arguments that are texts are read as Double.parseDouble does; what that fails on makes the call fail in Dubbo.
func TestMeshNumbersAreJavas(t *testing.T) {
	for text, want := range map[string]float64{"7": 7, " 7.5\t": 7.5, "7f": 7, "7.D": 7, "-.5e1d": -5, "+3": 3, "1e400": math.Inf(1), "-Infinity": math.Inf(-1), "0x1p3": 8, "0x1.8p1f": 3, "1e-400": 0} {
		if got, ok := route.JavaDouble(text); !ok || got != want {
			t.Errorf("%q: %v %v, want %v", text, got, ok, want)
		}
	}
	if got, ok := route.JavaDouble("+NaN"); !ok || !math.IsNaN(got) {
		t.Errorf("+NaN: %v %v", got, ok)
	}
	for _, text := range []string{"", " ", "f", "d", "-", "+-1", "inf", "nan", "infinity", "1_0", "0x_1p0", "0x1f", "7fd", "seven", "+"} {
		if got, ok := route.JavaDouble(text); ok {
			t.Errorf("%q is no number to Java, here %v", text, got)
		}
	}
}
