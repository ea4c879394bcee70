package script_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/rule"
	"github.com/dubway-go/dubway/script"
	"github.com/dubway-go/dubway/service"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func parse(tb testing.TB, s string, d dialect.Dialect) durl.URL {
	tb.Helper()
	u, err := durl.ParseAs(s, d)
	if err != nil {
		tb.Fatal(err)
	}
	return u
}

func setOf(tb testing.TB, d dialect.Dialect, urls ...string) *service.Set {
	tb.Helper()
	list := make([]*service.Instance, len(urls))
	for i, s := range urls {
		u := parse(tb, s, d)
		list[i] = service.NewInstance(u, u, u)
	}
	return service.NewSet(1, list)
}

// fleet makes n providers; every second one is in region north.
func fleet(tb testing.TB, n int) *service.Set {
	tb.Helper()
	urls := make([]string, n)
	for i := range urls {
		urls[i] = fmt.Sprintf("dubbo://10.0.%d.%d:%d/demo.shop.OrderService?application=shop&k=%d&region=%s", i/250, i%250+1, 20880+i%2, i, []string{"north", "south"}[i%2])
	}
	return setOf(tb, dialect.Standard, urls...)
}

func consumer(tb testing.TB) service.Consumer {
	tb.Helper()
	return service.Consumer{URL: parse(tb, "consumer://10.0.0.9/demo.shop.OrderService?application=web&region=north", dialect.Standard)}
}

// engine runs a text without haste: the race detector and busy machines slow the engine down.
func engine(tb testing.TB, text, language string, d dialect.Dialect, set *service.Set) *script.Engine {
	tb.Helper()
	return engineWith(tb, text, language, d, set, script.Limits{Time: time.Minute})
}

func engineWith(tb testing.TB, text, language string, d dialect.Dialect, set *service.Set, l script.Limits) *script.Engine {
	tb.Helper()
	p, err := script.Compile(text, language, l)
	if err != nil {
		tb.Fatalf("%s: %v", text, err)
	}
	tb.Cleanup(p.Close)
	return script.NewEngine(p, consumer(tb), set, d)
}

func call() *rpc.Invocation {
	return &rpc.Invocation{Method: "getOrder", Direct: true, ParamTypes: []string{"java.lang.String"}, Args: []any{"7"},
		Attachments: rpc.Attachments{{Key: "env", Value: "gray"}}}
}

func show(r script.Result) string {
	if r.Outcome != script.Kept {
		return r.Outcome.String() + ": " + r.Err.Error()
	}
	return strings.Trim(fmt.Sprint(r.Kept), "[]")
}

const javascript = rule.ScriptJavaScript
