package zk

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	zklib "github.com/go-zookeeper/zk"

	"github.com/dubway-go/dubway/source"
)

// link is contact with the ensemble as the rest of the package sees it.
type link struct {
	up bool
	// gen counts how often contact was made; what was read at an older count may be out of date.
	gen uint64
	// loss counts how often contact was lost, the time before the first contact included.
	loss uint64
	// session is the id of the session, which owns our ephemeral nodes.
	session int64
	// err says why contact is lost; nil when up.
	err error
}

// contact turns the client library's state events into link values.
type contact struct {
	mu    sync.Mutex // makes event one step
	raw   source.Cell[rawState]
	state source.Cell[link]
	note  atomic.Pointer[string] // the library's last complaint
	log   *slog.Logger
}

type rawState struct {
	up   bool
	ups  uint64
	down uint64
}

// event is called by the library's own goroutines and does not block.
func (k *contact) event(e zklib.Event) {
	if e.Type != zklib.EventSession {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	r, _ := k.raw.Load()
	switch e.State {
	case zklib.StateHasSession:
		r.up = true
		r.ups++
	case zklib.StateDisconnected, zklib.StateExpired:
		if !r.up {
			return
		}
		r.up = false
		r.down++
	default:
		return
	}
	k.raw.Store(r)
}

// Printf implements the library's logger: with information messages switched off it tells of failures only.
func (k *contact) Printf(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	k.note.Store(&text)
	k.log.Debug("zookeeper client", "message", text)
}

// reason adds the library's last complaint to an error.
func (k *contact) reason(err error) error {
	if note := k.note.Load(); note != nil {
		return fmt.Errorf("%w (%s)", err, *note)
	}
	return err
}

// follow publishes link values until ctx ends. greet runs on each new connection before it is published.
func (k *contact) follow(ctx context.Context, greet func(context.Context) error, session func() int64, lost error) {
	var seen rawState // what has been published
	now, _ := k.state.Load()
	for {
		r, changed := k.raw.Load()
		if r.down != seen.down {
			now.up, now.err, now.session = false, k.reason(lost), 0
			now.loss++
			k.state.Store(now)
			k.log.Warn("contact with ZooKeeper lost; the last state keeps serving", "error", now.err)
		}
		seen.down = r.down
		if r.up && r.ups != seen.ups {
			if err := greet(ctx); err == nil {
				seen.ups = r.ups
				now.up, now.err, now.session = true, nil, session()
				now.gen++
				k.note.Store(nil)
				k.state.Store(now)
				k.log.Info("contact with ZooKeeper", "session", fmt.Sprintf("%#x", now.session))
			} else {
				k.log.Warn("ZooKeeper refuses the greeting; trying again", "error", err)
				if !sleep(ctx, changed, time.Second) {
					return
				}
				continue
			}
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// sleep waits for d, or less when wake closes; it is false when ctx ended.
func sleep(ctx context.Context, wake <-chan struct{}, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-wake:
		return true
	case <-ctx.Done():
		return false
	}
}

// transient reports errors that come from a connection or session that ended: doing the same again on the
// next connection may work.
func transient(err error) bool {
	for _, e := range []error{zklib.ErrConnectionClosed, zklib.ErrNoServer, zklib.ErrSessionExpired, zklib.ErrSessionMoved, zklib.ErrClosing} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}
