package mem

import (
	"context"
	"strconv"
	"time"

	"github.com/dubway-go/dubway/source"
)

// link is the pretended way between the store and its watchers.
type link struct {
	err   error
	loss  uint64 // counts calls of Fail with an error
	held  bool
	delay time.Duration
}

// Fail pretends that contact between the store and its watchers is lost: each watcher gets one event
// with err and nothing more. Fail(nil) restores contact: each watcher gets the current value, also when it did not
// change. Writers are on the far side of the lost link, so changes meanwhile are made and delivered at the end.
func (s *Store) Fail(err error) {
	s.control(func(l *link) {
		if l.err = err; err != nil {
			l.loss++
		}
	})
}

// Hold keeps all events back until Release, as a registry that hangs does. A watcher then gets the newest
// value only.
func (s *Store) Hold() { s.control(func(l *link) { l.held = true }) }

// Release ends Hold.
func (s *Store) Release() { s.control(func(l *link) { l.held = false }) }

// Delay makes every event wait for d first, as a slow registry does; 0 ends it.
func (s *Store) Delay(d time.Duration) { s.control(func(l *link) { l.delay = d }) }

func (s *Store) control(change func(*link)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l, _ := s.link.Load()
	change(&l)
	s.link.Store(l)
}

// watch delivers what read returns, whenever it changed, over the pretended link.
func watch[T any](ctx context.Context, s *Store, read func() (T, uint64, <-chan struct{}), yield func(source.Event[T])) error {
	const never = ^uint64(0)
	sent := never // revision of the last normal event
	var told uint64
	for {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		l, relinked := s.link.Load()
		if l.delay > 0 && !pause(ctx, l.delay) {
			return context.Cause(ctx)
		}
		var changed <-chan struct{} // nil: only the link matters
		switch {
		case l.held:
		case l.err != nil:
			if told != l.loss {
				told, sent = l.loss, never
				yield(source.Event[T]{Err: l.err})
			}
		default:
			value, rev, ch := read()
			changed = ch
			if rev != sent {
				sent = rev
				yield(source.Event[T]{Value: value, Rev: strconv.FormatUint(rev, 10)})
			}
		}
		select {
		case <-changed:
		case <-relinked:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
