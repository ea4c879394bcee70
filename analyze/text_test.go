package analyze_test

import (
	"testing"

	"github.com/dubway-go/dubway/analyze"
	"github.com/dubway-go/dubway/dialect"
)

func TestLooksLikeRule(t *testing.T) {
	for _, c := range []struct {
		name, key, text string
		want            bool
	}{
		{"a.yaml", "", "conditions: []\n", true},
		{"a.yaml", "", "tags: []\n", true},
		{"a.yaml", "", "tags: [\n", true},
		{"a.yaml", "", "services: {web: {}}\n", false},
		{"a.yaml", "", "kind: Deployment\n---\nkind: Service\n", false},
		{"a.yaml", "", "kind: VirtualService\n---\nkind: DestinationRule\n", true},
		{"a.yaml", "order.tag-router", "x: y\n", true},
		{"-", "", "# list\ndubbo://10.0.0.1:1/a.B\n", true},
		{"-", "", "method=get => region=hz\n", true},
	} {
		if got := analyze.LooksLikeRule(analyze.Text{Name: c.name, Key: c.key, Text: c.text}); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// TestReadWorld: registries keep URLs encoded; comments, blank lines and rule URLs are no part of the fleet.
func TestReadWorld(t *testing.T) {
	w := analyze.ReadWorld("# fleet\n\ndubbo%3A%2F%2F10.0.0.1%3A20880%2Fa.B%3Fregion%3Dhz\ntri://10.0.0.2:50051/a.B\r\nconsumer://10.0.0.9/a.B\noverride://0.0.0.0/a.B?x=1\ncondition://0.0.0.0/a.B?rule=x\n", dialect.Standard)
	if len(w.Providers) != 2 || len(w.Consumers) != 1 || len(w.Overrides) != 1 || w.Providers[0].Get("region", "") != "hz" {
		t.Errorf("%+v", w)
	}
}
