package sourcetest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/dubway-go/dubway/source"
)

const ruleKey = "order.tag-router"

// oddKeys are all usable: service keys hold colons, and '*' stands for a slash in old ones (spec §3.1).
func oddKeys() []string {
	return []string{
		"web.condition-router",
		"com.example.shop.OrderService::.condition-router",
		"com.example.shop.OrderService:1.0.0:g.configurators",
		"g*com.example.A:1.0.condition-router",
		"a.B$Inner::.condition-router",
		"with space and + and %3A and %.tag-router",
		"订单.tag-router",
		"Ünï-cödé_~=,;!@#&()[]{}'.tag-router",
		".hidden.tag-router",
		"..two-dots",
		"plain",
		"UPPER.Tag-Router",
		"looks.yaml",
		"looks.yml",
		"ends.in.tilde~",
		strings.Repeat("long.", 30) + "Service:1.0.0:group.condition-router",
	}
}

func badKeys() []string {
	return []string{"", ".", "..", "a/b", "../a", "/etc/passwd", `a\b`, "a\x00b", "a\nb", "\xff\xfe", strings.Repeat("k", source.MaxKey+1)}
}

func runConfig(t *testing.T, factory Factory) {
	t.Helper()
	runAll(t, "config", factory, []check{
		{"AbsentIsAStateToo", configAbsentFirst},
		{"RuleThatExistsBeforeTheListenerIsDelivered", configExistsFirst},
		{"CreateChangeAndDeleteAreAllDelivered", configLife},
		{"EmptyTextIsNotAbsence", configEmpty},
		{"TextsNeverGoBack", configOrder},
		{"OddKeys", configOddKeys},
		{"BadKeysAreRefused", configBadKeys},
		{"ManyWatchersOneKey", configManyWatchers},
		{"SlowWatcherHoldsNobodyUp", configSlow},
		{"StoppedWatchersLeaveNothing", configLeak},
	})
}

func configAbsentFirst(t *testing.T, w World) {
	if e := watchRule(t, w, ruleKey).first(); !isAbsent(e) {
		t.Errorf("first event of an unknown key: %+v, want a document that does not exist", e)
	}
}

// configExistsFirst guards against apache/dubbo-go#1322.
func configExistsFirst(t *testing.T, w World) {
	must(t, w.Rules.Put(within(t), ruleKey, "force: true\n"))
	if e := watchRule(t, w, ruleKey).first(); !isText("force: true\n")(e) {
		t.Errorf("first event: %+v, want the rule that was there before", e)
	}
}

// configLife guards against apache/dubbo#9239 (new keys were ignored), apache/dubbo#3533 (delete crashed the
// listener), apache/dubbo-go#1517 (no change without restart) and apache/dubbo-go#2233 (no delete).
func configLife(t *testing.T, w World) {
	seen := watchRule(t, w, ruleKey)
	n := seen.until(0, "absence", isAbsent)
	for round := range 3 {
		one, two := fmt.Sprintf("force: true # %d\n", round), fmt.Sprintf("force: false # %d\n名前", round)
		must(t, w.Rules.Put(within(t), ruleKey, one))
		n = seen.until(n, "creation", isText(one))
		must(t, w.Rules.Put(within(t), ruleKey, two))
		n = seen.until(n, "change", isText(two))
		must(t, w.Rules.Delete(within(t), ruleKey))
		n = seen.until(n, "deletion", isAbsent)
	}
	must(t, w.Rules.Delete(within(t), ruleKey)) // once more is no error
}

func configEmpty(t *testing.T, w World) {
	seen := watchRule(t, w, ruleKey)
	n := seen.until(0, "absence", isAbsent)
	must(t, w.Rules.Put(within(t), ruleKey, ""))
	n = seen.until(n, "an empty document", isText(""))
	must(t, w.Rules.Put(within(t), ruleKey, "x: 1\n"))
	n = seen.until(n, "a text", isText("x: 1\n"))
	must(t, w.Rules.Put(within(t), ruleKey, ""))
	n = seen.until(n, "an empty document again", isText(""))
	must(t, w.Rules.Delete(within(t), ruleKey))
	seen.until(n, "absence again", isAbsent)
}

func configOrder(t *testing.T, w World) {
	const n = 100
	seen := watchRule(t, w, ruleKey)
	for i := range n {
		must(t, w.Rules.Put(within(t), ruleKey, fmt.Sprintf("%06d", i)))
	}
	seen.until(0, "the last text", isText(fmt.Sprintf("%06d", n-1)))
	last := ""
	for _, e := range seen.events() {
		if e.Value.Text < last {
			t.Fatalf("text %q came after %q", e.Value.Text, last)
		}
		last = e.Value.Text
	}
}

func configOddKeys(t *testing.T, w World) {
	keys := oddKeys()
	watchers := make([]*watcher[source.Document], len(keys))
	for i, key := range keys {
		watchers[i] = watchRule(t, w, key)
		watchers[i].until(0, "absence of "+key, isAbsent)
	}
	for _, key := range keys {
		must(t, w.Rules.Put(within(t), key, "text of "+key))
	}
	for i, key := range keys {
		watchers[i].until(0, "the text of "+key, isText("text of "+key))
		for _, e := range watchers[i].events() {
			if e.Value.Exists && e.Value.Text != "text of "+key {
				t.Errorf("watcher of %q got another key's text %q", key, e.Value.Text)
			}
		}
	}
	got, err := w.Rules.Keys(within(t))
	must(t, err)
	if !equal(got, keys) {
		t.Errorf("Keys: %q, want %q sorted", got, keys)
	}
}

func configBadKeys(t *testing.T, w World) {
	for _, key := range badKeys() {
		err := w.Config.Watch(within(t), key, func(e source.Event[source.Document]) { t.Errorf("key %q: event %+v", key, e) })
		if !errors.Is(err, source.ErrKey) {
			t.Errorf("Watch(%q): %v, want source.ErrKey", key, err)
		}
	}
}

func configManyWatchers(t *testing.T, w World) {
	var all []*watcher[source.Document]
	for range 8 {
		all = append(all, watchRule(t, w, ruleKey))
	}
	must(t, w.Rules.Put(within(t), ruleKey, "one"))
	all[0].cancel(context.Canceled)
	all = append(all, watchRule(t, w, ruleKey))
	for _, seen := range all[1:] {
		seen.until(0, "the text", isText("one"))
	}
}

func configSlow(t *testing.T, w World) {
	gate := make(chan struct{})
	slow := start(t, func() { <-gate }, func(ctx context.Context, yield func(source.Event[source.Document])) error {
		return w.Config.Watch(ctx, ruleKey, yield)
	})
	slow.first()
	quick := watchRule(t, w, ruleKey)
	for i := range 40 {
		must(t, w.Rules.Put(within(t), ruleKey, fmt.Sprint(i)))
	}
	quick.until(0, "the last text", isText("39"))
	n := len(slow.events())
	close(gate)
	if n != 1 {
		t.Errorf("the blocked watcher got %d events", n)
	}
	slow.until(1, "the last text", isText("39"))
}

// configLeak guards against apache/dubbo#9509: a listener that is done stays referenced by nothing.
func configLeak(t *testing.T, w World) {
	watchRule(t, w, ruleKey).first()
	before := runtime.NumGoroutine()
	for range 5 {
		var all []*watcher[source.Document]
		for i := range 10 {
			all = append(all, watchRule(t, w, fmt.Sprintf("passing%d.tag-router", i)))
		}
		for _, seen := range all {
			seen.first()
			seen.cancel(context.Canceled)
		}
		for _, seen := range all {
			if err := <-seen.done; !errors.Is(err, context.Canceled) {
				t.Fatalf("Watch returned %v, want context.Canceled", err)
			}
		}
	}
	settles(t, before)
}

func runStore(t *testing.T, factory Factory) {
	t.Helper()
	runAll(t, "store", factory, []check{
		{"PutGetDelete", storeLife},
		{"KeysAreListed", storeKeys},
		{"BadKeysAreRefused", storeBadKeys},
		{"SizeIsLimited", storeSize},
		{"EndedContext", storeContext},
	})
}

func storeLife(t *testing.T, w World) {
	ctx := within(t)
	expect := func(want source.Document) {
		t.Helper()
		if got, err := w.Rules.Get(ctx, ruleKey); err != nil || got != want {
			t.Errorf("Get: %+v, %v, want %+v", got, err, want)
		}
	}
	expect(source.Document{})
	for _, text := range []string{"a: 1\n", "", "b: 2", "крышка\r\n\ttab \U0001F600"} {
		must(t, w.Rules.Put(ctx, ruleKey, text))
		expect(source.Document{Text: text, Exists: true})
	}
	must(t, w.Rules.Delete(ctx, ruleKey))
	expect(source.Document{})
	must(t, w.Rules.Delete(ctx, ruleKey))
}

func storeKeys(t *testing.T, w World) {
	ctx := within(t)
	expect := func(want ...string) {
		t.Helper()
		got, err := w.Rules.Keys(ctx)
		must(t, err)
		if !slices.Equal(got, want) {
			t.Errorf("Keys: %q, want %q", got, want)
		}
	}
	expect()
	must(t, w.Rules.Put(ctx, "b.tag-router", "x"))
	must(t, w.Rules.Put(ctx, "a.B:1.0:g.condition-router", ""))
	must(t, w.Rules.Put(ctx, "b.tag-router", "y"))
	expect("a.B:1.0:g.condition-router", "b.tag-router")
	must(t, w.Rules.Delete(ctx, "b.tag-router"))
	expect("a.B:1.0:g.condition-router")
}

func storeBadKeys(t *testing.T, w World) {
	ctx := within(t)
	for _, key := range badKeys() {
		if err := w.Rules.Put(ctx, key, "x"); !errors.Is(err, source.ErrKey) {
			t.Errorf("Put(%q): %v, want source.ErrKey", key, err)
		}
		if err := w.Rules.Delete(ctx, key); !errors.Is(err, source.ErrKey) {
			t.Errorf("Delete(%q): %v, want source.ErrKey", key, err)
		}
		if _, err := w.Rules.Get(ctx, key); !errors.Is(err, source.ErrKey) {
			t.Errorf("Get(%q): %v, want source.ErrKey", key, err)
		}
	}
}

func storeSize(t *testing.T, w World) {
	ctx := within(t)
	largest := strings.Repeat("x", source.MaxDocument)
	must(t, w.Rules.Put(ctx, ruleKey, largest))
	if err := w.Rules.Put(ctx, ruleKey, largest+"x"); !errors.Is(err, source.ErrTooLarge) {
		t.Errorf("Put of %d bytes: %v, want source.ErrTooLarge", len(largest)+1, err)
	}
	if got, err := w.Rules.Get(ctx, ruleKey); err != nil || got.Text != largest {
		t.Errorf("Get after the refused Put: %d bytes, %v, want the %d bytes of before", len(got.Text), err, len(largest))
	}
}

func storeContext(t *testing.T, w World) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, errGet := w.Rules.Get(ctx, ruleKey)
	_, errKeys := w.Rules.Keys(ctx)
	for name, err := range map[string]error{
		"Get": errGet, "Keys": errKeys, "Put": w.Rules.Put(ctx, ruleKey, "x"), "Delete": w.Rules.Delete(ctx, ruleKey),
	} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s with an ended context: %v, want context.Canceled", name, err)
		}
	}
}
