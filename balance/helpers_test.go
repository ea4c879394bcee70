package balance

import (
	"fmt"
	"math"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/service"
)

func sqrt(x float64) float64 { return math.Sqrt(x) }

var testService = service.Key{Interface: "demo.shop.OrderService"}

const testConsumer = "consumer://10.9.9.9/demo.shop.OrderService?side=consumer&application=front"

func newInvocation(method string, args ...any) *rpc.Invocation {
	return &rpc.Invocation{Service: testService, Method: method, Args: args}
}

// instances parses provider URLs.
func instances(t testing.TB, d dialect.Dialect, urls ...string) []*service.Instance {
	t.Helper()
	out := make([]*service.Instance, len(urls))
	for i, text := range urls {
		u, err := durl.ParseAs(text, d)
		if err != nil {
			t.Fatalf("provider %q: %v", text, err)
		}
		out[i] = service.NewInstance(u, u, u)
	}
	return out
}

var revisions atomic.Uint64

// candidates routes over the instances without any rule.
func candidates(t testing.TB, d dialect.Dialect, list []*service.Instance) route.Candidates {
	t.Helper()
	consumer, err := durl.Parse(testConsumer)
	if err != nil {
		t.Fatal(err)
	}
	set := service.NewSet(revisions.Add(1), list)
	snapshot, _ := route.Compile(route.Input{Dialect: d, Consumer: service.Consumer{URL: consumer}, Set: set})
	c := snapshot.Route(newInvocation("getOrder"))
	if c.Len() != len(list) {
		t.Fatalf("%d candidates of %d instances", c.Len(), len(list))
	}
	return c
}

// simple returns candidates 10.0.x.y:20880 with the given queries.
func simple(t testing.TB, d dialect.Dialect, queries ...string) route.Candidates {
	t.Helper()
	return candidates(t, d, instances(t, d, providerURLs(queries...)...))
}

func providerURLs(queries ...string) []string {
	urls := make([]string, len(queries))
	for i, q := range queries {
		urls[i] = fmt.Sprintf("dubbo://10.%d.%d.%d:20880/demo.shop.OrderService?interface=demo.shop.OrderService&%s", i/62500, i/250%250, i%250+1, q)
	}
	return urls
}

// repeat returns n times the same query.
func repeat(query string, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = query
	}
	return out
}

// clock is a settable time.
type clock struct{ millis atomic.Int64 }

func newClock(millis int64) *clock {
	c := new(clock)
	c.millis.Store(millis)
	return c
}

func (c *clock) now() time.Time                    { return time.UnixMilli(c.millis.Load()) }
func (c *clock) add(d time.Duration)               { c.millis.Add(d.Milliseconds()) }
func (c *clock) options(d dialect.Dialect) Options { return Options{Dialect: d, Now: c.now} }
