package script_test

import (
	"testing"

	"github.com/dubway-go/dubway/dialect"
)

func wrap(body string) string {
	return "(function route(invokers, invocation, context) { " + body + " })(invokers, invocation, context)"
}

func filter(condition string) string {
	return wrap("var r = new java.util.ArrayList(); for (var i = 0; i < invokers.size(); i++) { var p = invokers.get(i); if (" + condition + ") r.add(p); } return r;")
}

// TestSurface tries what published scripts use, each over six providers of which 0, 2 and 4 are in region north.
func TestSurface(t *testing.T) {
	set := fleet(t, 6)
	for _, c := range []struct{ text, want string }{
		{filter("p.getUrl().getParameter('region') == 'north'"), "0 2 4"},
	} {
		if got := show(engine(t, c.text, javascript, dialect.Standard, set).Run(call(), nil)); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.text, got, c.want)
		}
	}
}
