package route_test

import (
	"net/netip"
	"testing"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/service"
)

// TestAddressDifferences runs the rows R of docs/dialects.md: calls that ask for an address (spec §6.1).
func TestAddressDifferences(t *testing.T) {
	at := func(text string) any { return netip.MustParseAddrPort(text) }
	all, none := "[0 1 2 3]", "[]"
	providers := []string{hz, bj, "tri://10.0.0.1:20880/a.B?region=sh", "dubbo://somewhere:20880/a.B"} // the third is at the first one's address
	for _, c := range []struct {
		id, consumer string
		value        any
		keep         [5]string
	}{
		{"R1", web + "&address=true", at("10.0.0.1:20880"), [5]string{all, "[0 2]", all, all, "[0 2]"}},
		{"R1 by router", web + "&router=address", at("10.0.0.2:20881"), [5]string{all, "[1]", all, all, "[1]"}},
		{"R1 for a method", web + "&get.address=x", at("10.0.0.2:20881"), [5]string{all, "[1]", all, all, "[1]"}},
		{"R1 nobody there", web + "&address=true", at("10.0.0.2:20880"), [5]string{all, none, all, all, none}},
		{"R1 switched off", web + "&address=true&router=-address", at("10.0.0.1:20880"), [5]string{all, all, all, all, all}},
		{"R1 not on", web, at("10.0.0.1:20880"), [5]string{all, all, all, all, all}},
		{"R1 says nothing", web + "&address=false", at("10.0.0.1:20880"), [5]string{all, all, all, all, all}},
		{"R1 nothing wanted", web + "&address=true", nil, [5]string{all, all, all, all, all}},
		{"R2", web + "&address=true", "10.0.0.1:20880", [5]string{all, none, all, all, "[0 2]"}},
		{"R2 no address", web + "&address=true", "x", [5]string{all, none, all, all, none}},
		{"R2 a number", web + "&address=true", 5, [5]string{all, none, all, all, none}},
	} {
		for i, d := range dialectOrder() {
			call := rpc.Invocation{Method: "get", Direct: true, Attachments: rpc.Attachments{{Key: rpc.AddressKey, Value: c.value}}}
			if got := answer(t, route.Input{Dialect: d}, c.consumer, providers, call); got != c.keep[i] {
				t.Errorf("%s, %v: %s, documented %s", c.id, d, got, c.keep[i])
			}
		}
	}
}

// TestAddressExplained: the trace says which address was wanted and which one a provider has, and a warm call allocates nothing.
func TestAddressExplained(t *testing.T) {
	var list []*service.Instance
	for _, p := range []string{hz, bj} {
		u, err := durl.Parse(p)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, service.NewInstance(u, u, u))
	}
	u, err := durl.Parse(web + "&address=true")
	if err != nil {
		t.Fatal(err)
	}
	s, _ := route.Compile(route.Input{Dialect: dialect.Dubbo27, Consumer: service.Consumer{URL: u}, Set: service.NewSet(1, list)})
	inv := &rpc.Invocation{Method: "get", Attachments: rpc.Attachments{{Key: rpc.AddressKey, Value: netip.MustParseAddrPort("10.0.0.2:20881")}}}
	tr := s.Explain(inv)
	last := tr.Steps[len(tr.Steps)-1]
	if last.Router != route.RouterAddress || last.Reason != route.ReasonKept || last.Detail != "10.0.0.2:20881" || len(last.Dropped) != 1 ||
		last.Dropped[0].Reason != "address wanted by the call" || last.Dropped[0].Value != "10.0.0.1:20880" {
		t.Errorf("%+v", last)
	}
	inv.Attachments[0].Value = netip.MustParseAddrPort("10.0.0.3:20881")
	if tr = s.Explain(inv); tr.Verdict != route.Forced || len(tr.Left) != 0 {
		t.Errorf("%+v", tr)
	}
	s.Route(inv)
	if raceDetector {
		return
	}
	if n := testing.AllocsPerRun(100, func() { s.Route(inv) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
