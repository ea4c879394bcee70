package script_test

import (
	"testing"
	"time"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/rule"
	"github.com/dubway-go/dubway/script"
)

// documented is the sample of Dubbo's manual, which publishes rules of this shape.
const documented = `(function route(invokers,invocation,context) {
  var result = new java.util.ArrayList(invokers.size());
  for (i = 0; i < invokers.size(); i ++) {
    if ("north".equals(invokers.get(i).getUrl().getParameter("region"))) {
      result.add(invokers.get(i));
    }
  }
  return result;
} (invokers, invocation, context));`

func BenchmarkFilter(b *testing.B) {
	set := fleet(b, 1000)
	for _, c := range []struct{ name, language, text string }{
		{"documented", javascript, documented},
		{"idiomatic", javascript, `invokers.filter(function (p) { return p.url.getParameter("region") === "north" })`},
		{"all", javascript, `invokers`},
		{"expr", rule.ScriptExpr, `param("region") == "north"`},
	} {
		b.Run(c.name, func(b *testing.B) {
			p, err := script.Compile(c.text, c.language, script.Limits{Time: time.Minute}) // whatever else the machine does
			if err != nil {
				b.Fatal(err)
			}
			defer p.Close()
			e, inv := script.NewEngine(p, consumer(b), set, dialect.Standard), call()
			if r := e.Run(inv, nil); r.Outcome != script.Kept || len(r.Kept) < 500 {
				b.Fatal(show(r))
			}
			b.ReportAllocs()
			for b.Loop() {
				e.Run(inv, nil)
			}
		})
	}
}

func BenchmarkCompile(b *testing.B) {
	for b.Loop() {
		p, err := script.Compile(documented, javascript, script.Limits{})
		if err != nil {
			b.Fatal(err)
		}
		p.Close()
	}
}
