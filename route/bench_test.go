package route_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/rule"
	"github.com/dubway-go/dubway/service"
)

// fleet returns n providers over four regions, eight zones and a few applications; one in ten is tagged gray.
func fleet(n int) *service.Set {
	regions := []string{"hz", "bj", "sh", "gz"}
	list := make([]*service.Instance, n)
	for i := range list {
		params := []durl.Param{{Key: "application", Value: fmt.Sprintf("shop%d", i%5)}, {Key: "remote.application", Value: "shop"},
			{Key: "region", Value: regions[i%4]}, {Key: "zone", Value: fmt.Sprintf("z%d", i%8)}, {Key: "timestamp", Value: "1700000000000"}}
		if i%10 == 0 {
			params = append(params, durl.Param{Key: "dubbo.tag", Value: "gray"})
		}
		u := durl.New("dubbo", fmt.Sprintf("10.%d.%d.%d", i>>16&255, i>>8&255, i&255), 20880, "com.example.OrderService", params...)
		list[i] = service.NewInstance(u, u, u)
	}
	return service.NewSet(1, list)
}

func consumer() service.Consumer {
	return service.Consumer{URL: durl.New("consumer", "10.9.9.9", 0, "com.example.OrderService",
		durl.Param{Key: "application", Value: "web"}, durl.Param{Key: "region", Value: "hz"})}
}

// conditions returns a document with the given conditions.
func conditions(tb testing.TB, force bool, texts ...string) *rule.ConditionDocument {
	tb.Helper()
	doc := &rule.ConditionDocument{Origin: rule.Origin{Source: "code", Name: "com.example.OrderService::.condition-router"},
		Enabled: true, Valid: true, Force: force}
	for _, text := range texts {
		c, findings := rule.ParseCondition(text, dialect.Standard)
		if err := findings.Err(); err != nil {
			tb.Fatal(err)
		}
		doc.Conditions = append(doc.Conditions, c)
	}
	return doc
}

func manyConditions(tb testing.TB, n int) *rule.ConditionDocument {
	texts := make([]string, n)
	for i := range texts {
		texts[i] = fmt.Sprintf("method=get%02d* => zone=z%d,z%d", i, i%8, (i+3)%8)
	}
	return conditions(tb, false, texts...)
}

func compile(set *service.Set, doc *rule.ConditionDocument) *route.Snapshot {
	s, _ := route.Compile(route.Input{Consumer: consumer(), Set: set, Rules: route.Rules{Service: doc}})
	return s
}

// pick routes and draws uniformly among the candidates, as the simplest balancer does.
func pick(s *route.Snapshot, inv *rpc.Invocation) *service.Instance {
	c := s.Route(inv)
	n := c.Len()
	if n == 0 {
		return nil
	}
	z := inv.Seed + 0x9E3779B97F4A7C15
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return c.At(int((z ^ z>>31) >> 33 * uint64(n) >> 31))
}

func BenchmarkPick(b *testing.B) {
	for _, n := range []int{10, 1000, 100_000} {
		b.Run(fmt.Sprintf("condition/n=%d", n), func(b *testing.B) {
			s := compile(fleet(n), conditions(b, false, "method=get* => region=$region"))
			inv := rpc.Invocation{Method: "getOrder", Args: []any{"42"}}
			pick(s, &inv)
			b.ReportAllocs()
			b.ResetTimer()
			for i := range b.N {
				inv.Seed = uint64(i)
				if pick(s, &inv) == nil {
					b.Fatal("no provider")
				}
			}
		})
		b.Run(fmt.Sprintf("tagged/n=%d", n), func(b *testing.B) {
			s := compile(fleet(n), conditions(b, false, "method=get* => region=$region"))
			inv := rpc.Invocation{Method: "getOrder", Attachments: rpc.Attachments{{Key: "dubbo.tag", Value: "gray"}, {Key: "trace", Value: "x"}}}
			pick(s, &inv)
			b.ReportAllocs()
			b.ResetTimer()
			for i := range b.N {
				inv.Seed = uint64(i)
				if pick(s, &inv) == nil {
					b.Fatal("no provider")
				}
			}
		})
		b.Run(fmt.Sprintf("conditions=100/n=%d", n), func(b *testing.B) {
			s := compile(fleet(n), manyConditions(b, 100))
			inv := rpc.Invocation{Method: "get42Order"}
			pick(s, &inv)
			b.ReportAllocs()
			b.ResetTimer()
			for i := range b.N {
				inv.Seed = uint64(i)
				if pick(s, &inv) == nil {
					b.Fatal("no provider")
				}
			}
		})
	}
}

func BenchmarkPickParallel(b *testing.B) {
	s := compile(fleet(1000), conditions(b, false, "method=get* => region=$region"))
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		inv := rpc.Invocation{Method: "getOrder"}
		for pb.Next() {
			inv.Seed++
			pick(s, &inv)
		}
	})
}

// BenchmarkCold measures the first call on a new snapshot.
func BenchmarkCold(b *testing.B) {
	set, doc := fleet(100_000), manyConditions(b, 100)
	compile(set, doc)
	inv := rpc.Invocation{Method: "get42Order"}
	for range b.N {
		b.StopTimer()
		s := compile(set, doc)
		b.StartTimer()
		s.Route(&inv)
	}
}

func BenchmarkCompile(b *testing.B) {
	for _, n := range []int{100, 10_000, 100_000} {
		set, doc := fleet(n), manyConditions(b, 100)
		compile(set, doc)
		b.Run(fmt.Sprintf("conditions=100/n=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				compile(set, doc)
			}
		})
	}
}

func BenchmarkExplain(b *testing.B) {
	s := compile(fleet(1000), manyConditions(b, 10))
	inv := rpc.Invocation{Method: "get02Order"}
	b.ReportAllocs()
	for range b.N {
		s.Explain(&inv)
	}
}

// BenchmarkCompileNewSet measures a compile whose set has no index yet, as after a change among the providers.
func BenchmarkCompileNewSet(b *testing.B) {
	for _, n := range []int{1000, 100_000} {
		set, doc := fleet(n), conditions(b, false, "method=get* => region=$region")
		list := make([]*service.Instance, n)
		for i := range list {
			list[i] = set.At(i)
		}
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for i := range b.N {
				compile(service.NewSet(uint64(i), list), doc)
			}
		})
		b.Run(fmt.Sprintf("one-removed/n=%d", n), func(b *testing.B) {
			first := compile(service.NewSet(0, list), doc)
			b.ReportAllocs()
			for i := range b.N {
				at := i % n
				less := append(append(make([]*service.Instance, 0, n), list[:at]...), list[at+1:]...)
				s, _ := route.Compile(route.Input{Consumer: consumer(), Set: service.NewSet(uint64(i), less), Rules: route.Rules{Service: doc}, Previous: first})
				s.Route(&rpc.Invocation{Method: "getOrder"})
			}
		})
	}
}

// BenchmarkCompileHuge guards against rules that cost more than their length: one list of 20,000 methods, and
// 20,000 conditions with a method each.
func BenchmarkCompileHuge(b *testing.B) {
	methods := make([]string, 20_000)
	texts := make([]string, len(methods))
	for i := range methods {
		methods[i] = fmt.Sprintf("m%d", i)
		texts[i] = methods[i] + "x"
		texts[i] = "method=" + texts[i] + "* & method!=" + methods[i] + " => zone=z1"
	}
	half := strings.Join(methods[:3500], ",")
	set := fleet(1000)
	for name, doc := range map[string]*rule.ConditionDocument{
		"list":       conditions(b, false, "method="+half+" => zone=z1", "method!="+half+" => zone!="+half),
		"conditions": conditions(b, false, texts...),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				s := compile(set, doc)
				s.Route(&rpc.Invocation{Method: "m77x"})
			}
		})
	}
}
