package sourcetest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dubway-go/dubway/service"
	"github.com/dubway-go/dubway/source"
)

// watcher runs one Watch and keeps what it delivered.
type watcher[T any] struct {
	t      *testing.T
	cancel context.CancelCauseFunc
	log    source.Cell[[]source.Event[T]]
	done   chan error
	inside atomic.Int32 // yields that run now
	ended  atomic.Bool
	block  func() // called inside each yield, when set
}

func start[T any](t *testing.T, block func(), run func(context.Context, func(source.Event[T])) error) *watcher[T] {
	t.Helper()
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(t.Context()))
	w := &watcher[T]{t: t, cancel: cancel, done: make(chan error, 1), block: block}
	go func() {
		err := run(ctx, w.yield)
		w.ended.Store(true)
		w.done <- err
		close(w.done)
	}()
	t.Cleanup(func() {
		cancel(context.Canceled)
		select {
		case err, unread := <-w.done:
			if unread && err == nil {
				t.Error("Watch returned nil: it must say why it ended")
			}
		case <-time.After(Wait):
			t.Errorf("Watch did not return after its context ended")
		}
	})
	return w
}

func (w *watcher[T]) yield(e source.Event[T]) {
	if w.inside.Add(1) != 1 {
		w.t.Error("two yields ran at the same time")
	}
	defer w.inside.Add(-1)
	if w.ended.Load() {
		w.t.Error("yield was called after Watch returned")
	}
	old, _ := w.log.Load()
	w.log.Store(append(slices.Clip(old), e))
	if w.block != nil {
		w.block()
	}
}

// until waits until an event after the first from ones is as wanted, and returns its position plus one.
func (w *watcher[T]) until(from int, what string, want func(source.Event[T]) bool) int {
	w.t.Helper()
	deadline := time.NewTimer(Wait)
	defer deadline.Stop()
	for {
		all, changed := w.log.Load()
		for i := from; i < len(all); i++ {
			if want(all[i]) {
				return i + 1
			}
		}
		select {
		case <-changed:
		case err := <-w.done:
			w.t.Fatalf("Watch returned %v while the test waited for %s; events:\n%s", err, what, w.dump(all))
		case <-deadline.C:
			w.t.Fatalf("no event with %s within %v; events:\n%s", what, Wait, w.dump(all))
		}
	}
}

// first waits for the first event.
func (w *watcher[T]) first() source.Event[T] {
	w.t.Helper()
	w.until(0, "anything", func(source.Event[T]) bool { return true })
	all, _ := w.log.Load()
	return all[0]
}

func (w *watcher[T]) events() []source.Event[T] {
	all, _ := w.log.Load()
	return all
}

func (w *watcher[T]) dump(all []source.Event[T]) string {
	var b strings.Builder
	for i, e := range all {
		fmt.Fprintf(&b, "  %d: %.300s rev=%q err=%v\n", i, fmt.Sprintf("%+v", e.Value), e.Rev, e.Err)
	}
	return b.String()
}

func watchService(t *testing.T, w World, iface string) *watcher[source.State] {
	t.Helper()
	return start(t, nil, func(ctx context.Context, yield func(source.Event[source.State])) error {
		return w.Registry.Watch(ctx, service.Key{Interface: iface}, yield)
	})
}

func watchRule(t *testing.T, w World, key string) *watcher[source.Document] {
	t.Helper()
	return start(t, nil, func(ctx context.Context, yield func(source.Event[source.Document])) error {
		return w.Config.Watch(ctx, key, yield)
	})
}

// holds returns a condition: the state has exactly these texts.
func holds(providers, configurators, routers []string) func(source.Event[source.State]) bool {
	return func(e source.Event[source.State]) bool {
		return e.Err == nil && equal(e.Value.Providers, providers) && equal(e.Value.Configurators, configurators) && equal(e.Value.Routers, routers)
	}
}

func equal(got, want []string) bool {
	want = slices.Clone(want)
	slices.Sort(want)
	return slices.Equal(got, want)
}

func isText(text string) func(source.Event[source.Document]) bool {
	return func(e source.Event[source.Document]) bool {
		return e.Err == nil && e.Value == source.Document{Text: text, Exists: true}
	}
}

func isAbsent(e source.Event[source.Document]) bool {
	return e.Err == nil && e.Value == source.Document{}
}

func isLoss[T any](e source.Event[T]) bool { return e.Err != nil }
