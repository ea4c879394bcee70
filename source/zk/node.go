package zk

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	zklib "github.com/go-zookeeper/zk"

	"github.com/dubway-go/dubway/source"
)

// reading is what was read from one node, and when.
type reading[T any] struct {
	value T
	rev   string
	// gen is the count of contacts at which it was read; 0 means that nothing was read yet.
	gen uint64
	// err is a refusal that repeating has not mended so far; value is the last good one.
	err error
}

// node is one path that is watched, by any number of watchers. One goroutine reads it whenever it changed.
type node[T any] struct {
	path   string
	users  int
	cancel context.CancelFunc
	cell   source.Cell[reading[T]]
}

// table holds the nodes of one kind that are being watched.
type table[T any] struct {
	c    *Client
	read func(ctx context.Context, path string, last reading[T]) (reading[T], <-chan zklib.Event, error)

	mu sync.Mutex
	m  map[string]*node[T]
}

// acquire returns the node of path; release it as often.
func (t *table[T]) acquire(path string) *node[T] {
	t.mu.Lock()
	defer t.mu.Unlock()
	n, ok := t.m[path]
	if !ok {
		ctx, cancel := context.WithCancel(t.c.ctx)
		n = &node[T]{path: path, cancel: cancel}
		if t.m == nil {
			t.m = make(map[string]*node[T])
		}
		t.m[path] = n
		t.c.work.Go(func() { t.follow(ctx, n) })
	}
	n.users++
	return n
}

func (t *table[T]) release(n *node[T]) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n.users--; n.users == 0 {
		n.cancel()
		delete(t.m, n.path)
	}
}

const (
	maxSettle = 500 * time.Millisecond
	maxRetry  = 30 * time.Second
)

// follow reads n after each change and after each new contact until ctx ends. After a change it waits for
// twice the time that the last read took, so that a burst of changes to a long list costs a few reads.
func (t *table[T]) follow(ctx context.Context, n *node[T]) {
	retry := time.Second
	for {
		l, relinked := t.c.contact.state.Load()
		if !l.up {
			select {
			case <-relinked:
				continue
			case <-ctx.Done():
				return
			}
		}
		begin := time.Now()
		last, _ := n.cell.Load()
		next, fired, err := t.read(ctx, n.path, last)
		switch {
		case ctx.Err() != nil:
			return
		case transient(err):
			if !sleep(ctx, relinked, 100*time.Millisecond) {
				return
			}
			continue
		case err != nil:
			last.err, last.gen = fmt.Errorf("read %s: %w", n.path, explain(err)), l.gen
			n.cell.Store(last)
			if !sleep(ctx, relinked, retry) {
				return
			}
			retry = min(2*retry, maxRetry)
			continue
		}
		retry = time.Second
		next.gen = l.gen
		if last.gen != next.gen || last.rev != next.rev || last.err != nil {
			n.cell.Store(next)
		}
		settle := min(2*time.Since(begin), maxSettle)
		select {
		case <-fired:
			if !sleep(ctx, nil, settle) {
				return
			}
		case <-relinked:
		case <-ctx.Done():
			return
		}
	}
}

// explain adds the next step to errors that a person has to mend.
func explain(err error) error {
	if errors.Is(err, zklib.ErrNoAuth) {
		return fmt.Errorf("%w: the node's ACL does not let us; give username and password in the address", err)
	}
	return err
}

// armed remembers watches that are set and did not fire. The library cannot take a watch back, so one
// that is left over when the last watcher of a path leaves is used again by the next: there is never more than one of a
// kind on a path, however often watchers come and go.
type armed struct {
	mu    sync.Mutex
	m     map[watchKey]<-chan zklib.Event
	sweep int // size at which fired ones are swept out
}

type watchKey struct {
	kind watchKind
	path string
}

type watchKind uint8

const (
	watchChildren watchKind = iota
	watchData
	watchCreation
)

// get returns the watch on path that waits to fire, or nil.
func (a *armed) get(kind watchKind, path string) <-chan zklib.Event {
	a.mu.Lock()
	defer a.mu.Unlock()
	k := watchKey{kind, path}
	ch := a.m[k]
	if ch != nil && hasFired(ch) {
		delete(a.m, k)
		return nil
	}
	return ch
}

func (a *armed) set(kind watchKind, path string, ch <-chan zklib.Event) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.m == nil {
		a.m = make(map[watchKey]<-chan zklib.Event)
	}
	a.m[watchKey{kind, path}] = ch
	if len(a.m) > a.sweep {
		for k, ch := range a.m {
			if hasFired(ch) {
				delete(a.m, k)
			}
		}
		a.sweep = 2*len(a.m) + 64
	}
}

// hasFired works for any number of readers: the library sends one event and closes the channel.
func hasFired(ch <-chan zklib.Event) bool {
	select {
	case <-ch:
		return true
	default:
		return false
	}
}

// absent watches for the creation of path. It returns exists when the node is there after all.
func (c *Client) absent(ctx context.Context, path string) (exists bool, fired <-chan zklib.Event, err error) {
	if ch := c.armed.get(watchCreation, path); ch != nil {
		exists, err = call(ctx, c, func() (bool, error) {
			ok, _, err := c.conn.Exists(path)
			return ok, err
		})
		return exists, ch, err
	}
	type found struct {
		ok bool
		ch <-chan zklib.Event
	}
	f, err := call(ctx, c, func() (found, error) {
		ok, _, ch, err := c.conn.ExistsW(path)
		if err == nil && !ok {
			c.armed.set(watchCreation, path, ch)
		}
		return found{ok, ch}, err
	})
	return f.ok, f.ch, err
}

// ensure creates a persistent node and what is missing above it. Nothing above an existing node is
// touched, as we may have no right there.
func (c *Client) ensure(path string) error {
	_, err := c.conn.Create(path, []byte{}, zklib.FlagPersistent, c.acl)
	if errors.Is(err, zklib.ErrNodeExists) {
		return nil
	}
	if !errors.Is(err, zklib.ErrNoNode) {
		return err
	}
	up := strings.LastIndexByte(path, '/')
	if up <= 0 {
		return err
	}
	if err := c.ensure(path[:up]); err != nil {
		return err
	}
	_, err = c.conn.Create(path, []byte{}, zklib.FlagPersistent, c.acl)
	if errors.Is(err, zklib.ErrNodeExists) {
		return nil
	}
	return err
}
