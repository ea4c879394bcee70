package sourcetest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"
	"unsafe"

	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/service"
	"github.com/dubway-go/dubway/source"
)

const iface = "com.example.shop.OrderService"

func provider(n int, params string) durl.URL {
	return parse(fmt.Sprintf("dubbo://10.0.%d.%d:20880/%s?application=order&interface=%s&side=provider%s", n/250, n%250, iface, iface, params))
}

// parse reads a URL that this package wrote itself.
func parse(text string) durl.URL {
	u, err := durl.Parse(text)
	if err != nil {
		panic(fmt.Sprintf("sourcetest: own URL %q: %v", text, err)) // a mistake in this package
	}
	return u
}

func runRegistry(t *testing.T, factory Factory) {
	t.Helper()
	runAll(t, "registry", factory, []check{
		{"EmptyServiceIsAStateToo", registryEmptyFirst},
		{"CurrentStateComesFirst", registryCurrentFirst},
		{"ProvidersComeAndGo", registryComeAndGo},
		{"ReplacedProviderOfTheFirstStateGoes", registryReplaced},
		{"ProviderOnAnotherPortIsAnotherProvider", registryOtherPort},
		{"CategoriesAreApart", registryCategories},
		{"RuleURLIsTakenOutByTheSameURL", registryUnregister},
		{"RegistrationEndsWithItsContext", registryContext},
		{"TwoHoldersOfOneURL", registryTwoHolders},
		{"OutAndInAgain", registryAgain},
		{"DynamicFalseStays", registryPersistent},
		{"StatesNeverGoBack", registryOrder},
		{"TextsSurviveUnchanged", registryTexts},
		{"HeldTextsAreTheSameStrings", registryHeld},
		{"ManyWatchersOneService", registryManyWatchers},
		{"ServicesDoNotMix", registryApart},
		{"SlowWatcherHoldsNobodyUp", registrySlow},
		{"StoppedWatchersLeaveNothing", registryLeak},
		{"NothingToRegister", registryBadURL},
		{"NothingToWatch", registryBadKey},
		{"ServicesAreListed", registryServices},
	})
}

func registryEmptyFirst(t *testing.T, w World) {
	if e := watchService(t, w, iface).first(); !holds(nil, nil, nil)(e) {
		t.Errorf("first event of an unknown service: %+v, want an empty state", e)
	}
}

func registryCurrentFirst(t *testing.T, w World) {
	u := provider(1, "")
	must(t, w.Registrar.Register(t.Context(), u))
	if e := watchService(t, w, iface).first(); !holds([]string{u.String()}, nil, nil)(e) {
		t.Errorf("first event: %+v, want the provider that was there before", e)
	}
}

func registryComeAndGo(t *testing.T, w World) {
	a, b := provider(1, ""), provider(2, "")
	seen := watchService(t, w, iface)
	n := seen.until(0, "no provider", holds(nil, nil, nil))
	must(t, w.Registrar.Register(t.Context(), a))
	n = seen.until(n, "one provider", holds([]string{a.String()}, nil, nil))
	must(t, w.Registrar.Register(t.Context(), b))
	n = seen.until(n, "two providers", holds([]string{a.String(), b.String()}, nil, nil))
	must(t, w.Registrar.Unregister(within(t), a))
	n = seen.until(n, "the other provider", holds([]string{b.String()}, nil, nil))
	must(t, w.Registrar.Unregister(within(t), b))
	seen.until(n, "no provider again", holds(nil, nil, nil))
	must(t, w.Registrar.Unregister(within(t), b)) // once more is no error
}

// registryHeld: a source that says it holds its texts hands out those that stay as the same strings again. Others need not.
func registryHeld(t *testing.T, w World) {
	a, b := provider(1, ""), provider(2, "")
	must(t, w.Registrar.Register(t.Context(), a))
	seen := watchService(t, w, iface)
	one := seen.until(0, "one provider", holds([]string{a.String()}, nil, nil))
	must(t, w.Registrar.Register(t.Context(), b))
	two := seen.until(one, "two providers", holds([]string{a.String(), b.String()}, nil, nil))
	must(t, w.Registrar.Unregister(within(t), a))
	three := seen.until(two, "the other provider", holds([]string{b.String()}, nil, nil))
	states := seen.events()
	had := map[string]*byte{}
	for _, i := range []int{one - 1, two - 1, three - 1} {
		state := states[i].Value
		for _, text := range state.Providers {
			if p := had[text]; p != nil && p != unsafe.StringData(text) && state.Held {
				t.Errorf("%s is another string in event %d, of a source that says it holds it", text, i)
			}
			had[text] = unsafe.StringData(text)
		}
	}
}

// registryReplaced guards against apache/dubbo-go#3468 and #1946: providers that were there at the start
// must leave the list like any other.
func registryReplaced(t *testing.T, w World) {
	old, young := provider(1, "&timestamp=1"), provider(1, "&timestamp=2")
	must(t, w.Registrar.Register(t.Context(), old))
	seen := watchService(t, w, iface)
	n := seen.until(0, "the old one", holds([]string{old.String()}, nil, nil))
	must(t, w.Registrar.Register(t.Context(), young))
	must(t, w.Registrar.Unregister(within(t), old))
	seen.until(n, "only the new one", holds([]string{young.String()}, nil, nil))
}

// registryOtherPort guards against apache/dubbo#8344 and #10659.
func registryOtherPort(t *testing.T, w World) {
	a := provider(1, "")
	b := a.WithPort(20881)
	must(t, w.Registrar.Register(t.Context(), a))
	seen := watchService(t, w, iface)
	n := seen.until(0, "first port", holds([]string{a.String()}, nil, nil))
	must(t, w.Registrar.Register(t.Context(), b))
	n = seen.until(n, "both ports", holds([]string{a.String(), b.String()}, nil, nil))
	must(t, w.Registrar.Unregister(within(t), a))
	seen.until(n, "second port", holds([]string{b.String()}, nil, nil))
}

func registryCategories(t *testing.T, w World) {
	p := provider(1, "")
	o := parse("override://0.0.0.0/" + iface + "?category=configurators&dynamic=false&timeout=900")
	r := parse("condition://0.0.0.0/" + iface + "?category=routers&dynamic=false&rule=" + durl.Encode("host = 10.0.0.1 => host != 10.0.0.2"))
	c := parse("consumer://10.0.0.9/" + iface + "?application=web&category=consumers&check=false&side=consumer")
	seen := watchService(t, w, iface)
	for _, u := range []durl.URL{c, r, o, p} {
		must(t, w.Registrar.Register(t.Context(), u))
	}
	n := seen.until(0, "one URL in each category, no consumer",
		holds([]string{p.String()}, []string{o.String()}, []string{r.String()}))
	// A change of one category leaves the others as they are (apache/dubbo#7976).
	must(t, w.Registrar.Unregister(within(t), o))
	n = seen.until(n, "no override", holds([]string{p.String()}, nil, []string{r.String()}))
	for _, e := range seen.events()[n-1:] {
		if len(e.Value.Providers) != 1 || len(e.Value.Routers) != 1 {
			t.Errorf("taking out an override touched another category: %+v", e.Value)
		}
	}
	must(t, w.Registrar.Unregister(within(t), c))
}

// registryUnregister guards against apache/dubbo#816 and apache/dubbo-admin#861: what was put in by a URL
// goes by the same URL, also for rules without a version.
func registryUnregister(t *testing.T, w World) {
	r := parse("route://0.0.0.0/" + iface + "?category=routers&router=condition&dynamic=false&force=true&rule=" + durl.Encode(" => host = 10.0.0.1"))
	must(t, w.Registrar.Register(t.Context(), r))
	seen := watchService(t, w, iface)
	n := seen.until(0, "the rule", holds(nil, nil, []string{r.String()}))
	again, err := durl.Parse(seen.first().Value.Routers[0])
	must(t, err)
	must(t, w.Registrar.Unregister(within(t), again))
	seen.until(n, "no rule", holds(nil, nil, nil))
}

func registryContext(t *testing.T, w World) {
	u := provider(1, "")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	must(t, w.Registrar.Register(ctx, u))
	seen := watchService(t, w, iface)
	n := seen.until(0, "the provider", holds([]string{u.String()}, nil, nil))
	cancel()
	seen.until(n, "no provider", holds(nil, nil, nil))
	if err := w.Registrar.Register(ctx, u); !errors.Is(err, context.Canceled) {
		t.Errorf("Register with an ended context: %v, want context.Canceled", err)
	}
}

func registryTwoHolders(t *testing.T, w World) {
	u, mark := provider(1, ""), provider(2, "")
	one, cancelOne := context.WithCancel(t.Context())
	two, cancelTwo := context.WithCancel(t.Context())
	defer cancelTwo()
	must(t, w.Registrar.Register(one, u))
	must(t, w.Registrar.Register(two, u))
	seen := watchService(t, w, iface)
	n := seen.until(0, "the provider", holds([]string{u.String()}, nil, nil))
	begin := n
	cancelOne()
	for range 20 { // whatever the end of one context sets going has happened meanwhile
		must(t, w.Registrar.Register(t.Context(), mark))
		n = seen.until(n, "the provider and the mark", holds([]string{u.String(), mark.String()}, nil, nil))
		must(t, w.Registrar.Unregister(within(t), mark))
		n = seen.until(n, "the provider", holds([]string{u.String()}, nil, nil))
	}
	for _, e := range seen.events()[begin:] {
		if !slices.Contains(e.Value.Providers, u.String()) {
			t.Fatal("the URL went with the first of its two contexts")
		}
	}
	cancelTwo()
	seen.until(n, "nothing", holds(nil, nil, nil))
}

// registryAgain takes a URL out and puts it in again at once: the end of the first must not take the second with it.
func registryAgain(t *testing.T, w World) {
	u := provider(1, "")
	for range 30 {
		ctx, cancel := context.WithCancel(t.Context())
		must(t, w.Registrar.Register(ctx, u))
		cancel()
	}
	must(t, w.Registrar.Register(t.Context(), u))
	seen := watchService(t, w, iface)
	n := seen.until(0, "the provider", holds([]string{u.String()}, nil, nil))
	must(t, w.Registrar.Unregister(within(t), u))
	seen.until(n, "nothing", holds(nil, nil, nil))
	must(t, w.Registrar.Register(t.Context(), u))
	seen.until(n, "the provider again", holds([]string{u.String()}, nil, nil))
}

func registryPersistent(t *testing.T, w World) {
	stays, goes := provider(1, "&dynamic=false"), provider(2, "")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	must(t, w.Registrar.Register(ctx, stays))
	must(t, w.Registrar.Register(ctx, stays)) // twice is once
	must(t, w.Registrar.Register(ctx, goes))
	seen := watchService(t, w, iface)
	n := seen.until(0, "both", holds([]string{stays.String(), goes.String()}, nil, nil))
	cancel()
	n = seen.until(n, "only dynamic=false", holds([]string{stays.String()}, nil, nil))
	must(t, w.Registrar.Unregister(within(t), stays))
	seen.until(n, "nothing", holds(nil, nil, nil))
}

// registryOrder guards against apache/dubbo-go#2430, #2328 and apache/dubbo#13719, #15107: an older list
// never comes after a newer one, and the last change is not lost.
func registryOrder(t *testing.T, w World) {
	const n = 60
	seen := watchService(t, w, iface)
	var all []string
	for i := range n {
		u := provider(i, "")
		all = append(all, u.String())
		must(t, w.Registrar.Register(t.Context(), u))
	}
	seen.until(0, "all providers", holds(all, nil, nil))
	last := -1
	for _, e := range seen.events() {
		if len(e.Value.Providers) < last {
			t.Fatalf("a list of %d providers came after one of %d while providers were only added", len(e.Value.Providers), last)
		}
		last = len(e.Value.Providers)
		if !slices.IsSorted(e.Value.Providers) {
			t.Fatalf("providers are not sorted: %q", e.Value.Providers)
		}
	}
}

func registryTexts(t *testing.T, w World) {
	var want []string
	for _, tail := range []string{
		"?application=order&interface=" + iface + "&side=provider",
		"?z=1&a=2&application=" + durl.Encode("订单 & café"),
		"?methods=get,put&get.timeout=10&note=" + durl.Encode("50% off + free/shipping?"),
		"?group=g/1&version=1.0.0&x=" + durl.Encode(durl.Encode("twice=encoded&")),
	} {
		u := parse(fmt.Sprintf("dubbo://user:secret@[fd00::%d]:20880/%s%s", len(want)+1, iface, tail))
		want = append(want, u.String())
		must(t, w.Registrar.Register(t.Context(), u))
	}
	watchService(t, w, iface).until(0, "the same texts", holds(want, nil, nil))
}

func registryManyWatchers(t *testing.T, w World) {
	var all []*watcher[source.State]
	for range 8 {
		all = append(all, watchService(t, w, iface))
	}
	u := provider(1, "")
	must(t, w.Registrar.Register(t.Context(), u))
	all[0].cancel(context.Canceled) // one leaving disturbs nobody
	all = append(all, watchService(t, w, iface))
	for _, seen := range all[1:] {
		seen.until(0, "the provider", holds([]string{u.String()}, nil, nil))
	}
}

func registryApart(t *testing.T, w World) {
	const other = "com.example.shop.OrderServiceTwo"
	a := provider(1, "")
	b := parse("dubbo://10.0.0.1:20880/" + other + "?application=order")
	must(t, w.Registrar.Register(t.Context(), a))
	must(t, w.Registrar.Register(t.Context(), b))
	watchService(t, w, iface).until(0, "its own provider", holds([]string{a.String()}, nil, nil))
	watchService(t, w, other).until(0, "its own provider", holds([]string{b.String()}, nil, nil))
}

// registrySlow guards against apache/dubbo#7608: a receiver that takes its time delays only itself, and then
// sees the newest list.
func registrySlow(t *testing.T, w World) {
	gate := make(chan struct{})
	slow := start(t, func() { <-gate }, func(ctx context.Context, yield func(source.Event[source.State])) error {
		return w.Registry.Watch(ctx, service.Key{Interface: iface}, yield)
	})
	opened := false
	open := func() {
		if !opened {
			opened = true
			close(gate)
		}
	}
	defer open()
	slow.first()
	quick := watchService(t, w, iface)
	var all []string
	for i := range 40 {
		u := provider(i, "")
		all = append(all, u.String())
		must(t, w.Registrar.Register(within(t), u))
	}
	quick.until(0, "all providers", holds(all, nil, nil))
	if n := len(slow.events()); n != 1 {
		t.Errorf("the blocked watcher got %d events", n)
	}
	open()
	slow.until(1, "all providers", holds(all, nil, nil))
}

// registryLeak guards against apache/dubbo-go#3532 and apache/dubbo-go#2104: who stops watching leaves nothing behind.
func registryLeak(t *testing.T, w World) {
	watchService(t, w, iface).first() // what the client keeps for good is there from now on
	before := runtime.NumGoroutine()
	cause := errors.New("enough")
	for round := range 5 {
		var all []*watcher[source.State]
		for i := range 10 {
			all = append(all, watchService(t, w, fmt.Sprintf("com.example.Passing%d", i)))
		}
		for i, seen := range all {
			if round%2 == 0 || i%2 == 0 {
				seen.first()
			}
			seen.cancel(cause)
		}
		for _, seen := range all {
			if err := <-seen.done; !errors.Is(err, cause) {
				t.Fatalf("Watch returned %v, want the cause of its context", err)
			}
		}
	}
	settles(t, before)
}

// settles fails when more goroutines than before stay.
func settles(t *testing.T, before int) {
	t.Helper()
	for deadline := time.Now().Add(Wait); ; time.Sleep(5 * time.Millisecond) {
		n := runtime.NumGoroutine()
		if n <= before {
			return
		}
		if time.Now().After(deadline) {
			buf := make([]byte, 1<<16)
			t.Fatalf("%d goroutines stay, %d were there before:\n%s", n, before, buf[:runtime.Stack(buf, true)])
		}
	}
}

func registryBadURL(t *testing.T, w World) {
	for _, u := range []durl.URL{
		{},
		durl.New("dubbo", "10.0.0.1", 20880, ""),
		parse("dubbo://10.0.0.1:20880/a.B?category=nonsense"),
		parse("consumer://10.0.0.1/a.B?category=providers,routers"),
	} {
		if err := w.Registrar.Register(t.Context(), u); !errors.Is(err, source.ErrPlace) {
			t.Errorf("Register(%q): %v, want source.ErrPlace", u, err)
		}
		if err := w.Registrar.Unregister(t.Context(), u); !errors.Is(err, source.ErrPlace) {
			t.Errorf("Unregister(%q): %v, want source.ErrPlace", u, err)
		}
	}
}

func registryBadKey(t *testing.T, w World) {
	err := w.Registry.Watch(within(t), service.Key{}, func(e source.Event[source.State]) { t.Errorf("event %+v", e) })
	if err == nil || errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Watch without an interface: %v, want an error at once", err)
	}
}

func registryServices(t *testing.T, w World) {
	if w.Lister == nil {
		t.Skip("the adapter lists no services")
	}
	names, err := w.Lister.Services(within(t))
	if err != nil || len(names) != 0 {
		t.Fatalf("services of an empty registry: %q, %v", names, err)
	}
	for _, name := range []string{"b.C", iface, "a.B$Inner"} {
		must(t, w.Registrar.Register(t.Context(), parse("dubbo://10.0.0.1:20880/"+name+"?application=x")))
	}
	if w.Rules != nil { // rules may live beside the services, and are none
		must(t, w.Rules.Put(within(t), "x.tag-router", "force: true\n"))
	}
	names, err = w.Lister.Services(within(t))
	must(t, err)
	if want := []string{"a.B$Inner", "b.C", iface}; !slices.Equal(names, want) {
		t.Errorf("services: %q, want %q", names, want)
	}
}
