package sourcetest

import (
	"context"
	"errors"
	"testing"

	"github.com/dubway-go/dubway/source"
)

func runFaults(t *testing.T, factory Factory) {
	t.Helper()
	runAll(t, "faults", factory, []check{
		{"LossIsToldOnceAndReturnIsAnEvent", faultsTold},
		{"ChangesDuringALossArriveAfterIt", faultsMissed},
		{"WatchThatBeginsDuringALoss", faultsBegin},
		{"CancelDuringALoss", faultsCancel},
		{"RegistrationsComeBack", faultsRegistrations},
		{"RegistrationEndedDuringALossStaysAway", faultsEnded},
	})
}

func faultsTold(t *testing.T, w World) {
	var services *watcher[source.State]
	var rules *watcher[source.Document]
	u := provider(1, "")
	here, there := holds([]string{u.String()}, nil, nil), isText("x")
	var nServices, nRules int
	if w.Registry != nil {
		must(t, w.Registrar.Register(t.Context(), u))
		services = watchService(t, w, iface)
		nServices = services.until(0, "the provider", here)
	}
	if w.Config != nil {
		must(t, w.Rules.Put(within(t), ruleKey, "x"))
		rules = watchRule(t, w, ruleKey)
		nRules = rules.until(0, "the rule", there)
	}
	w.Break()
	if services != nil {
		nServices = services.until(nServices, "a loss", isLoss)
	}
	if rules != nil {
		nRules = rules.until(nRules, "a loss", isLoss)
	}
	w.Restore()
	if services != nil {
		told(t, services, services.until(nServices, "the same provider", here))
		for _, e := range services.events()[1:] {
			if e.Err == nil && len(e.Value.Providers) == 0 {
				t.Error("an empty list was delivered around the loss")
			}
		}
	}
	if rules != nil {
		told(t, rules, rules.until(nRules, "the same rule", there))
	}
}

// told checks that one loss was told among the first n events.
func told[T any](t *testing.T, w *watcher[T], n int) {
	t.Helper()
	losses := 0
	for _, e := range w.events()[:n] {
		if e.Err != nil {
			losses++
		}
	}
	if losses != 1 {
		t.Errorf("one loss was told %d times:\n%s", losses, w.dump(w.events()))
	}
}

func faultsMissed(t *testing.T, w World) {
	if w.Far == nil || w.Config == nil {
		t.Skip("no second way to the rules")
	}
	must(t, w.Rules.Put(within(t), ruleKey, "before"))
	seen := watchRule(t, w, ruleKey)
	n := seen.until(0, "the rule", isText("before"))
	var services *watcher[source.State]
	if w.FarRegistrar != nil {
		services = watchService(t, w, iface)
		services.until(0, "nothing", holds(nil, nil, nil))
	}
	w.Break()
	n = seen.until(n, "a loss", isLoss)
	must(t, w.Far.Put(within(t), ruleKey, "during"))
	must(t, w.Far.Delete(within(t), ruleKey))
	must(t, w.Far.Put(within(t), ruleKey, "after"))
	if w.FarRegistrar != nil {
		must(t, w.FarRegistrar.Register(t.Context(), provider(1, "")))
	}
	w.Restore()
	n = seen.until(n, "the newest text", isText("after"))
	if services != nil {
		services.until(0, "the provider", holds([]string{provider(1, "").String()}, nil, nil))
	}
	// The watches work as before.
	must(t, w.Far.Put(within(t), ruleKey, "later"))
	seen.until(n, "a later text", isText("later"))
}

// faultsBegin guards against apache/dubbo-go#1274: a watch that could not be set the first time is tried again.
func faultsBegin(t *testing.T, w World) {
	if w.Config == nil {
		t.Skip("no config centre")
	}
	must(t, w.Rules.Put(within(t), ruleKey, "x"))
	w.Break()
	seen := watchRule(t, w, ruleKey)
	n := seen.until(0, "a loss", isLoss)
	w.Restore()
	seen.until(n, "the rule", isText("x"))
}

func faultsCancel(t *testing.T, w World) {
	if w.Config == nil {
		t.Skip("no config centre")
	}
	w.Break()
	defer w.Restore()
	seen := watchRule(t, w, ruleKey)
	seen.until(0, "a loss", isLoss)
	seen.cancel(context.Canceled)
	if err := <-seen.done; !errors.Is(err, context.Canceled) {
		t.Errorf("Watch returned %v, want context.Canceled", err)
	}
}

// faultsRegistrations guards against apache/dubbo-go#3366 and apache/dubbo#7665: what was registered
// is there again after the far side dropped it.
func faultsRegistrations(t *testing.T, w World) {
	if w.Registrar == nil || w.Expire == nil {
		t.Skip("the far side drops nothing")
	}
	dynamic, persistent := provider(1, ""), provider(2, "&dynamic=false")
	must(t, w.Registrar.Register(t.Context(), dynamic))
	must(t, w.Registrar.Register(t.Context(), persistent))
	seen := watchService(t, w, iface)
	n := seen.until(0, "both", holds([]string{dynamic.String(), persistent.String()}, nil, nil))
	for range 2 {
		w.Expire()
		n = seen.until(n, "a loss", isLoss)
		n = seen.until(n, "both again", holds([]string{dynamic.String(), persistent.String()}, nil, nil))
	}
	must(t, w.Registrar.Unregister(within(t), dynamic))
	must(t, w.Registrar.Unregister(within(t), persistent))
	seen.until(n, "nothing", holds(nil, nil, nil))
}

func faultsEnded(t *testing.T, w World) {
	if w.Registrar == nil {
		t.Skip("nothing can be registered")
	}
	u, mark := provider(1, ""), provider(2, "")
	ctx, cancel := context.WithCancel(t.Context())
	must(t, w.Registrar.Register(ctx, u))
	must(t, w.Registrar.Register(t.Context(), mark))
	seen := watchService(t, w, iface)
	n := seen.until(0, "both", holds([]string{u.String(), mark.String()}, nil, nil))
	w.Break()
	n = seen.until(n, "a loss", isLoss)
	cancel()
	w.Restore()
	seen.until(n, "only the one that is still wanted", holds([]string{mark.String()}, nil, nil))
}
