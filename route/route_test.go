package route_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/rule"
	"github.com/dubway-go/dubway/service"
)

func TestRouteDoesNotAllocate(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector allocates")
	}
	wide := make([]string, 30)
	for i := range wide {
		wide[i] = fmt.Sprintf("attachments[k%d]=v* & arguments[%d]!=5 => region=hz", i, i)
	}
	calls := map[string]rpc.Invocation{
		"method":      {Method: "getOrder"},
		"tag":         {Method: "getOrder", Attachments: rpc.Attachments{{Key: "trace", Value: "1"}, {Key: "dubbo.tag", Value: "gray"}}},
		"unknown tag": {Method: "getOrder", Attachments: rpc.Attachments{{Key: "dubbo.tag", Value: "a|b|c"}}},
		"arguments":   {Method: "getOrder", Args: []any{"x", 7, int64(1 << 40), 2.5, true, nil}},
		"attachment":  {Method: "put", Attachments: rpc.Attachments{{Key: "k3", Value: "value"}}},
	}
	docs := map[string]*rule.ConditionDocument{
		"one":      conditions(t, false, "method=get* => region=$region"),
		"hundred":  manyConditions(t, 100),
		"wide":     conditions(t, false, wide...),
		"argument": conditions(t, true, "arguments[1]=7 & arguments[0]=x* => region=hz,bj"),
	}
	for docName, doc := range docs {
		for callName, inv := range calls {
			s := compile(fleet(1000), doc)
			if n := testing.AllocsPerRun(200, func() {
				inv.Seed++
				pick(s, &inv)
			}); n != 0 {
				t.Errorf("%s, %s: %v allocations a call, want 0", docName, callName, n)
			}
		}
	}
}

func TestInvocationStaysOnTheStack(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector allocates")
	}
	s := compile(fleet(100), manyConditions(t, 3))
	total := 0
	if n := testing.AllocsPerRun(200, func() {
		inv := rpc.Invocation{Method: "get01", Seed: uint64(total)}
		total += s.Route(&inv).Len()
	}); n != 0 {
		t.Errorf("a local invocation escapes: %v allocations", n)
	}
}

func TestEqualCandidateSetsShareADecision(t *testing.T) {
	s := compile(fleet(100), conditions(t, false, "method=get* => region=hz", "method=put => region=hz"))
	a := s.Route(&rpc.Invocation{Method: "getOrder"}).Decision()
	b := s.Route(&rpc.Invocation{Method: "put"}).Decision()
	if a != b || !a.Remembered() {
		t.Error("two kinds of call with equal candidates have different decisions")
	}
	var state any = "precomputed"
	a.Slot(0).Store(&state)
	if got := s.Route(&rpc.Invocation{Method: "getStock"}).Decision().Slot(0).Load(); got == nil || *got != "precomputed" {
		t.Error("what a balancer stored is not met again")
	}
}

func TestMemoryIsBounded(t *testing.T) {
	texts := make([]string, 14)
	for i := range texts {
		texts[i] = fmt.Sprintf("attachments[k%d]=1* => zone=z%d", i, i%8)
	}
	s := compile(fleet(64), conditions(t, false, texts...))
	call := func(n int, value string) *rpc.Invocation {
		inv := &rpc.Invocation{Method: "get"}
		for i := range texts {
			if n>>i&1 == 1 {
				inv.Attachments = append(inv.Attachments, rpc.Attachment{Key: fmt.Sprintf("k%d", i), Value: value})
			}
		}
		return inv
	}
	first := indexes(s.Route(call(5, "1")))
	for n := range 1 << len(texts) {
		s.Route(call(n, "1"+strings.Repeat("x", n%40)))
	}
	m := s.Memory()
	if m.Entries > 1024 || m.Decisions > 1024 || m.Unremembered == 0 {
		t.Errorf("memory %+v", m)
	}
	if again := indexes(s.Route(call(5, "1"))); !slices.Equal(first, again) {
		t.Errorf("after the memory filled: %v, before %v", again, first)
	}
	// Beyond the bound calls are still answered as explain says.
	for _, n := range []int{16383, 9999, 12345} {
		if got, want := s.Route(call(n, "1")).Len(), len(s.Explain(call(n, "1")).Left); got != want {
			t.Errorf("call %d: %d candidates, explain %d", n, got, want)
		}
	}
}

func TestManySubjects(t *testing.T) {
	texts := make([]string, 200)
	for i := range texts {
		texts[i] = fmt.Sprintf("attachments[k%d]=1 => zone=z%d", i, i%8)
	}
	s := compile(fleet(64), conditions(t, true, texts...))
	c := s.Route(&rpc.Invocation{Method: "get", Attachments: rpc.Attachments{{Key: "k13", Value: "1"}}})
	for i := range c.Len() {
		if zone := c.At(i).URL.Get("zone", ""); zone != "z5" {
			t.Fatalf("zone %s", zone)
		}
	}
	if c.Len() != 8 { // every eighth of 64; none of them is tagged
		t.Errorf("%d candidates", c.Len())
	}
}

func TestShortTrace(t *testing.T) {
	doc := conditions(t, true, "method=get* => region=nowhere")
	doc.Conditions[0].Span = diag.Span{Line: 2, Col: 5}
	s := compile(fleet(12), doc)
	got := s.Explain(&rpc.Invocation{Method: "getOrder"}).Short()
	want := `12 providers; tag router left 10 (untagged); service rule com.example.OrderService::.condition-router:2:5 "method=get* => region=nowhere" left 0 (forced)`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestExplainNamesTheDropped(t *testing.T) {
	set := fleet(4)
	tag := &rule.TagDocument{Enabled: true, Valid: true, Origin: rule.Origin{Name: "shop.tag-router"}, Tags: []rule.Tag{{Name: "blue",
		HasAddresses: true, Addresses: []rule.Value{{Text: "10.0.0.1:20880"}, {Text: "10.0.0.2"}}, Span: diag.Span{Line: 3, Col: 3}}}}
	s, notes := route.Compile(route.Input{Consumer: consumer(), Set: set, Rules: route.Rules{Tag: tag, Service: conditions(t, false, "application=other => false", "=> region=sh & zone=z2")}})
	if len(notes) != 0 {
		t.Errorf("notes %v", notes)
	}
	trace := s.Explain(&rpc.Invocation{Method: "get", Attachments: rpc.Attachments{{Key: "dubbo.tag", Value: "blue"}}})
	text, err := json.Marshal(trace)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"revision":1,"instances":4,"method":"get","tag":"blue","steps":[` +
		`{"router":"mock","reason":"passed","in":4,"out":4},` +
		`{"router":"tag","rule":"shop.tag-router","line":3,"col":3,"reason":"tag-listed","detail":"tag blue","in":4,"out":2,` +
		`"dropped":[{"address":"10.0.0.0:20880","reason":"tag blue","value":"gray"},{"address":"10.0.0.3:20880","reason":"tag blue"}]},` +
		`{"router":"service","source":"code","rule":"com.example.OrderService::.condition-router","line":1,"col":1,"text":"application=other =\u003e false","reason":"not-matched","detail":"application=other","in":2,"out":2},` +
		`{"router":"service","source":"code","rule":"com.example.OrderService::.condition-router","line":1,"col":1,"text":"=\u003e region=sh \u0026 zone=z2","reason":"kept","in":2,"out":1,` +
		`"dropped":[{"address":"10.0.0.1:20880","reason":"region=sh","value":"bj"}]}],"left":["10.0.0.2:20880"],"verdict":"routed"}`
	if string(text) != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
}

func TestVerdicts(t *testing.T) {
	mock := durl.New("mock", "10.0.0.1", 1, "a.B")
	tagged := durl.New("dubbo", "10.0.0.1", 1, "a.B", durl.Param{Key: "dubbo.tag", Value: "gray"})
	plain := durl.New("dubbo", "10.0.0.1", 1, "a.B")
	for name, c := range map[string]struct {
		provider durl.URL
		force    bool
		rule     string
		want     route.Verdict
	}{
		"routed":    {plain, true, "=> host=10.0.0.1", route.Routed},
		"none":      {durl.URL{}, true, "=> host=10.0.0.1", route.NoInstances},
		"blacklist": {plain, false, "=> false", route.Blocked},
		"forced":    {plain, true, "=> host=1.1.1.1", route.Forced},
		"fell back": {plain, false, "=> host=1.1.1.1", route.Routed},
		"tag":       {tagged, false, "=> host=1.1.1.1", route.NoTag},
		"mock":      {mock, false, "=> host=1.1.1.1", route.NoMock},
	} {
		var list []*service.Instance
		if !c.provider.IsZero() {
			list = append(list, service.NewInstance(c.provider, c.provider, c.provider))
		}
		s := compile(service.NewSet(1, list), conditions(t, c.force, c.rule))
		got := s.Route(&rpc.Invocation{Method: "get"})
		if got.Why() != c.want || (got.Len() == 1) != (c.want == route.Routed) {
			t.Errorf("%s: %v with %d candidates, want %v", name, got.Why(), got.Len(), c.want)
		}
	}
}

func TestUnreadDocumentsAreReported(t *testing.T) {
	doc := conditions(t, true, "=> region=nowhere")
	for d, want := range map[dialect.Dialect]int{dialect.Standard: 0, dialect.Dubbo26: 4, dialect.Dubbo27: 1, dialect.Dubbo31: 2, dialect.Dubbo33: 1} {
		s, notes := route.Compile(route.Input{Dialect: d, Consumer: consumer(), Set: fleet(3), Rules: route.Rules{
			URL: []*rule.ConditionDocument{doc}, Service: doc, ProviderApplication: doc, Application: doc,
			Tag: &rule.TagDocument{Enabled: true, Valid: true}}})
		if len(notes) != want || len(s.Diagnostics()) != want {
			t.Errorf("%v: %d notes, want %d: %v", d, len(notes), want, notes)
		}
	}
}

func TestMalformedKeyIsReported(t *testing.T) {
	c, _ := rule.ParseCondition("arguments[x]=1 => arguments[0]=1", dialect.Dubbo33)
	doc := &rule.ConditionDocument{Enabled: true, Valid: true, Conditions: []rule.Condition{c}}
	_, notes := route.Compile(route.Input{Consumer: consumer(), Set: fleet(1), Rules: route.Rules{Service: doc}})
	if len(notes) != 1 || notes[0].Code != diag.BadArgumentKey || notes[0].Severity != diag.Error {
		t.Errorf("standard: %v", notes)
	}
	_, notes = route.Compile(route.Input{Dialect: dialect.Dubbo33, Consumer: consumer(), Set: fleet(1), Rules: route.Rules{Service: doc}})
	if len(notes) != 1 || notes[0].Severity != diag.Warning {
		t.Errorf("dubbo-3.3: %v", notes)
	}
}

// TestCallersWhileSnapshotsSwap: each call sees one generation whole. In generation g the rule keeps
// zone g%8 and the set has 64+g%8 providers.
func TestCallersWhileSnapshotsSwap(t *testing.T) {
	build := func(g int) *route.Snapshot {
		list := make([]*service.Instance, 64+g%8)
		for i := range list {
			u := durl.New("dubbo", fmt.Sprintf("10.0.0.%d", i), 20880, "a.B", durl.Param{Key: "zone", Value: fmt.Sprintf("z%d", i%8)},
				durl.Param{Key: "generation", Value: fmt.Sprint(g)})
			list[i] = service.NewInstance(u, u, u)
		}
		s, _ := route.Compile(route.Input{Consumer: consumer(), Set: service.NewSet(uint64(g), list),
			Rules: route.Rules{Service: conditions(t, true, fmt.Sprintf("method=get* => zone=z%d", g%8))}})
		return s
	}
	var current atomic.Pointer[route.Snapshot]
	current.Store(build(0))
	var stop atomic.Bool
	var calls atomic.Int64
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for i := 0; !stop.Load() || i < 100; i++ {
				inv := rpc.Invocation{Method: fmt.Sprintf("get%d", (i+w)%300), Seed: uint64(i)}
				c := current.Load().Route(&inv)
				g := int(c.Set().Revision())
				in := pickFrom(c, inv.Seed)
				if in == nil || in.URL.Get("zone", "") != fmt.Sprintf("z%d", g%8) || in.URL.Get("generation", "") != fmt.Sprint(g) || c.Set().Len() != 64+g%8 {
					t.Errorf("generation %d gave %v", g, in)
					return
				}
				calls.Add(1)
			}
		})
	}
	for g := 1; g < 200; g++ {
		current.Store(build(g))
	}
	stop.Store(true)
	wg.Wait()
	if calls.Load() < 800 {
		t.Errorf("only %d calls", calls.Load())
	}
}

func pickFrom(c route.Candidates, seed uint64) *service.Instance {
	if c.Len() == 0 {
		return nil
	}
	return c.At(int(seed % uint64(c.Len())))
}

func TestJavaText(t *testing.T) {
	for want, v := range map[string]any{
		"null": nil, "true": true, "42": int32(42), "-7": int64(-7), "1.0": 1.0, "0.5": float32(0.5), "1.0E10": 1e10, "1.234E-5": 1.234e-5,
		"NaN": nan(), "x": "x", "[1, a]": []any{1, "a"}, "{k=[null]}": map[string]any{"k": []any{nil}}, "[B": []byte{1}, "100.0": 100.0, "0.001": 0.001, "9999999.0": 9999999.0, "1.0E7": 1e7,
	} {
		if got := route.JavaText(v); got != want {
			t.Errorf("%v: %q, want %q", v, got, want)
		}
	}
}

func nan() float64 { z := 0.0; return z / z }
