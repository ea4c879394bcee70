package mem_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/service"
	"github.com/dubway-go/dubway/source"
	"github.com/dubway-go/dubway/source/mem"
	"github.com/dubway-go/dubway/source/sourcetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestContract(t *testing.T) {
	sourcetest.Run(t, func(*testing.T) sourcetest.World {
		s := mem.New()
		return sourcetest.World{
			Registry: s, Registrar: s, Lister: s, Config: s.Rules(), Rules: s,
			Break:   func() { s.Fail(errors.New("cable cut")) },
			Restore: func() { s.Fail(nil) },
			Far:     s, FarRegistrar: s,
		}
	})
}

// record collects the events of one Watch inside a synctest bubble.
func record(t *testing.T, s *mem.Store, iface string) func() []source.Event[source.State] {
	t.Helper()
	var mu sync.Mutex
	var log []source.Event[source.State]
	go func() {
		_ = s.Watch(t.Context(), service.Key{Interface: iface}, func(e source.Event[source.State]) {
			mu.Lock()
			defer mu.Unlock()
			log = append(log, e)
		})
	}()
	return func() []source.Event[source.State] {
		synctest.Wait()
		mu.Lock()
		defer mu.Unlock()
		return log
	}
}

func TestHoldKeepsEventsBackAndDeliversTheNewest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := mem.New()
		got := record(t, s, "a.B")
		got()
		s.Hold()
		s.Replace("a.B", source.State{Providers: []string{"dubbo://h:1/a.B"}})
		s.Replace("a.B", source.State{Providers: []string{"dubbo://h:2/a.B"}})
		if len(got()) != 1 {
			t.Fatalf("held: %d events, want only the first", len(got()))
		}
		s.Release()
		if len(got()) != 2 || !slices.Equal(got()[1].Value.Providers, []string{"dubbo://h:2/a.B"}) {
			t.Fatalf("released: %+v", got())
		}
	})
}

func TestDelayMakesEventsLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := mem.New()
		got := record(t, s, "a.B")
		got()
		s.Delay(time.Minute)
		s.Replace("a.B", source.State{Providers: []string{"x"}})
		time.Sleep(59 * time.Second)
		if len(got()) != 1 {
			t.Fatalf("after 59 s: %d events", len(got()))
		}
		time.Sleep(2 * time.Minute)
		if len(got()) != 2 {
			t.Fatalf("after the delay: %d events", len(got()))
		}
	})
}

func TestEachLossIsToldOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := mem.New()
		got := record(t, s, "a.B")
		got()
		first, second := errors.New("first"), errors.New("second")
		s.Fail(first)
		got()
		s.Replace("a.B", source.State{Providers: []string{"x"}})
		got()
		s.Fail(second)
		got()
		s.Fail(nil)
		if len(got()) != 4 || !errors.Is(got()[1].Err, first) || !errors.Is(got()[2].Err, second) || got()[3].Err != nil {
			t.Fatalf("events %+v, want state, first, second, state", got())
		}
		if got()[0].Rev == got()[3].Rev {
			t.Errorf("two different states share revision %q", got()[3].Rev)
		}
	})
}

func TestReplaceTakesWhatIsNoURL(t *testing.T) {
	s := mem.New()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	u, err := durl.Parse("dubbo://10.0.0.1:20880/a.B")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Register(ctx, u); err != nil {
		t.Fatal(err)
	}
	in := []string{"zzz", "not a url", "zzz"}
	s.Replace("a.B", source.State{Providers: in, Routers: []string{"r"}, Configurators: []string{"c"}})
	cancel() // the forgotten registration must not take anything out later
	synchronously(t, s, "a.B", func(st source.State) {
		if !slices.Equal(st.Providers, []string{"not a url", "zzz"}) || !slices.Equal(st.Routers, []string{"r"}) || !slices.Equal(st.Configurators, []string{"c"}) {
			t.Errorf("state %+v", st)
		}
	})
	if in[0] != "zzz" {
		t.Error("Replace sorted the caller's slice")
	}
	s.Replace("a.B", source.State{})
	if names, _ := s.Services(t.Context()); len(names) != 0 {
		t.Errorf("services after everything went: %q", names)
	}
}

// synchronously calls f with the present state.
func synchronously(t *testing.T, s *mem.Store, iface string, f func(source.State)) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err := s.Watch(ctx, service.Key{Interface: iface}, func(e source.Event[source.State]) {
		f(e.Value)
		cancel()
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
}

// TestLargeListsAreMerged holds the sorted list against the obvious way to make it, through many changes.
func TestLargeListsAreMerged(t *testing.T) {
	const n = 100_000
	s := mem.New()
	set := map[string]bool{}
	var texts []string
	for i := range n {
		text := fmt.Sprintf("dubbo://10.%d.%d.%d:20880/a.B?application=order&i=%d", i>>16, i>>8&255, i&255, i*7919%n)
		texts = append(texts, text)
		set[text] = true
	}
	s.Replace("a.B", source.State{Providers: texts})
	url := func(i int) durl.URL {
		return durl.New("dubbo", fmt.Sprintf("192.0.2.%d", i), 20880, "a.B")
	}
	for round := range 20 {
		for i := range 3 {
			u := url(round*3 + i)
			if err := s.Register(t.Context(), u); err != nil {
				t.Fatal(err)
			}
			set[u.String()] = true
		}
		gone := url(round)
		if err := s.Unregister(t.Context(), gone); err != nil {
			t.Fatal(err)
		}
		delete(set, gone.String())
		if round%2 == 0 { // out and in again between two reads
			if err := s.Register(t.Context(), gone); err != nil {
				t.Fatal(err)
			}
			set[gone.String()] = true
		}
		synchronously(t, s, "a.B", func(st source.State) {
			if len(st.Providers) != len(set) || !slices.IsSorted(st.Providers) {
				t.Fatalf("round %d: %d providers (sorted %v), want %d", round, len(st.Providers), slices.IsSorted(st.Providers), len(set))
			}
			for _, text := range st.Providers {
				if !set[text] {
					t.Fatalf("round %d: %q should be gone", round, text)
				}
			}
		})
	}
}

// TestChurnWithoutWatchersKeepsNothing: URLs that came and went leave no memory behind.
func TestChurnWithoutWatchersKeepsNothing(t *testing.T) {
	s := mem.New()
	stay := durl.New("dubbo", "192.0.2.1", 20880, "a.B")
	if err := s.Register(t.Context(), stay); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range 100_000 {
		u := durl.New("dubbo", "192.0.2.2", 20880, "a.B", durl.Param{Key: "timestamp", Value: fmt.Sprint(i)})
		if err := s.Register(context.Background(), u); err != nil {
			t.Fatal(err)
		}
		if err := s.Unregister(context.Background(), u); err != nil {
			t.Fatal(err)
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 2<<20 {
		t.Errorf("100,000 URLs that came and went left %d bytes", grown)
	}
	synchronously(t, s, "a.B", func(st source.State) {
		if !slices.Equal(st.Providers, []string{stay.String()}) {
			t.Errorf("providers %q", st.Providers)
		}
	})
}

func ExampleStore() {
	store := mem.New()
	ctx, cancel := context.WithCancel(context.Background())
	provider, _ := durl.Parse("dubbo://10.0.0.7:20880/com.example.OrderService?application=order")
	_ = store.Register(ctx, provider)
	_ = store.Put(ctx, "order.tag-router", "force: true\n")

	_ = store.Watch(ctx, service.Key{Interface: "com.example.OrderService"}, func(e source.Event[source.State]) {
		fmt.Println(e.Value.Providers)
		cancel() // a real watcher goes on
	})
	rule, _ := store.Get(context.Background(), "order.tag-router")
	fmt.Print(rule.Text)
	// Output:
	// [dubbo://10.0.0.7:20880/com.example.OrderService?application=order]
	// force: true
}
