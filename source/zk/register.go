package zk

import (
	"context"
	"errors"
	"fmt"
	"time"

	zklib "github.com/go-zookeeper/zk"

	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/source"
)

// registration is one ephemeral node that is kept in place as long as a context wants it.
type registration struct {
	path    string
	ctx     context.Context // ends when it is no longer kept
	cancel  context.CancelCauseFunc
	holders map[*holder]struct{} // guarded by Client.mu
	first   chan struct{}        // closed when the node was placed, or failed for good
	failed  error                // why not; read after first is closed
	done    chan struct{}        // closed when the keeper is gone
	owner   int64                // session that owned the node when we saw it last; the keeper's
}

// holder is one context that keeps a registration.
type holder struct{ stop func() bool }

// Why a keeper stops.
var (
	errReleased = errors.New("released")  // the last context ended: the node goes
	errTakenOut = errors.New("taken out") // Unregister: whoever called it deletes the node
)

func (c *Client) urlPath(u durl.URL) (source.Place, string, error) {
	p, err := source.PlaceOf(u)
	if err != nil {
		return p, "", err
	}
	return p, c.categoryPath(p.Interface, p.Category) + "/" + durl.Encode(u.String()), nil
}

// Register implements source.Registrar. Without contact it waits, until ctx ends. A node of the same name
// that an earlier session left, ours of before a quick restart say, is replaced.
func (c *Client) Register(ctx context.Context, u durl.URL) error {
	place, path, err := c.urlPath(u)
	if err != nil {
		return err
	}
	if err := c.ended(ctx); err != nil {
		return err
	}
	if place.Persistent {
		return c.registerPersistent(ctx, path, u)
	}
	r := c.hold(ctx, path)
	select {
	case <-r.first:
		if r.failed != nil {
			if err := c.ended(ctx); err != nil {
				return err
			}
			return fmt.Errorf("register %s: %w", u.Redacted(), explain(r.failed))
		}
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-c.ctx.Done():
		return ErrClosed
	}
}

func (c *Client) registerPersistent(ctx context.Context, path string, u durl.URL) error {
	for {
		l, relinked := c.contact.state.Load()
		if l.up {
			_, err := call(ctx, c, func() (struct{}, error) {
				_, err := c.place(path, zklib.FlagPersistent, true)
				return struct{}{}, err
			})
			if err == nil {
				return nil
			}
			if !transient(err) {
				return fmt.Errorf("register %s: %w", u.Redacted(), explain(err))
			}
		}
		if !sleep(ctx, relinked, time.Second) {
			return context.Cause(ctx)
		}
		if err := c.ended(ctx); err != nil {
			return err
		}
	}
}

// hold adds ctx to those that keep path, and starts its keeper when it is the first.
func (c *Client) hold(ctx context.Context, path string) *registration {
	c.mu.Lock()
	defer c.mu.Unlock()
	r, ok := c.regs[path]
	if !ok {
		r = &registration{path: path, holders: make(map[*holder]struct{}), first: make(chan struct{}), done: make(chan struct{})}
		r.ctx, r.cancel = context.WithCancelCause(c.ctx)
		previous := c.leaving[path]
		c.regs[path] = r
		c.work.Go(func() {
			if previous != nil {
				<-previous.done // its delete must not hit our node
			}
			c.keep(r)
		})
	}
	h := &holder{}
	h.stop = context.AfterFunc(ctx, func() { c.release(r, h) })
	r.holders[h] = struct{}{}
	return r
}

// release ends one context's claim; the keeper takes the node out with the last.
func (c *Client) release(r *registration, h *holder) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(r.holders, h)
	if len(r.holders) == 0 && c.regs[r.path] == r {
		c.drop(r, errReleased)
	}
}

// drop ends r's keeper; the caller holds mu.
func (c *Client) drop(r *registration, why error) {
	delete(c.regs, r.path)
	c.leaving[r.path] = r
	for h := range r.holders {
		h.stop()
	}
	clear(r.holders)
	r.cancel(why)
}

// Unregister implements source.Registrar.
func (c *Client) Unregister(ctx context.Context, u durl.URL) error {
	_, path, err := c.urlPath(u)
	if err != nil {
		return err
	}
	c.mu.Lock()
	r, ok := c.regs[path]
	if ok {
		c.drop(r, errTakenOut)
	} else {
		r = c.leaving[path]
	}
	c.mu.Unlock()
	if r != nil {
		select {
		case <-r.done: // else a create of the keeper's could come after our delete
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-c.ctx.Done():
			return ErrClosed
		}
	}
	_, err = request(ctx, c, func() (struct{}, error) { return struct{}{}, c.conn.Delete(path, -1) })
	if err != nil && !errors.Is(err, zklib.ErrNoNode) {
		return fmt.Errorf("unregister %s: %w", u.Redacted(), explain(err))
	}
	return nil
}

// abandon lets go of all contexts when the client is closed; the nodes went with the session.
func (c *Client) abandon() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.regs {
		for h := range r.holders {
			h.stop()
		}
		clear(r.holders)
	}
}

// keep places r's node, watches it, and places it again when it is gone, until r's context ends. Its requests are
// not abandoned half-way, so that after done no create of ours is under way.
func (c *Client) keep(r *registration) {
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.leaving[r.path] == r {
			delete(c.leaving, r.path)
		}
		close(r.done)
	}()
	placed := c.holdInPlace(r)
	if !placed {
		if r.failed == nil {
			r.failed = context.Cause(r.ctx)
		}
		close(r.first)
	}
	if errors.Is(context.Cause(r.ctx), errReleased) {
		c.takeOut(r)
	}
}

// holdInPlace returns whether first was closed, when r's context ended or the node was refused for good.
func (c *Client) holdInPlace(r *registration) (placed bool) {
	var session int64 // the session in which we placed the node or found it in order
	retry := time.Second
	for r.ctx.Err() == nil {
		l, relinked := c.contact.state.Load()
		if !l.up {
			if !sleep(r.ctx, relinked, time.Hour) {
				return placed
			}
			continue
		}
		// In a new session a node of that name is left over from an earlier one; later it is someone
		// else's who lives, and replacing it would be a fight.
		owner, err := c.place(r.path, zklib.FlagEphemeral, session != l.session)
		var fired <-chan zklib.Event
		if err == nil {
			session, r.owner = l.session, owner
			var exists bool
			if exists, _, fired, err = c.conn.ExistsW(r.path); err == nil && !exists {
				continue // deleted in between
			}
		}
		if err != nil {
			wait := 100 * time.Millisecond
			if !transient(err) {
				if !placed {
					r.failed = err
					c.mu.Lock()
					if c.regs[r.path] == r {
						c.drop(r, errTakenOut)
					}
					c.mu.Unlock()
					return false
				}
				c.o.Logger.Warn("cannot register again; trying on", "path", r.path, "error", err)
				wait, retry = retry, min(2*retry, maxRetry)
			}
			if !sleep(r.ctx, relinked, wait) {
				return placed
			}
			continue
		}
		retry = time.Second
		if !placed {
			placed = true
			close(r.first)
		}
		if !c.undisturbed(r, l.session, fired) {
			return placed
		}
	}
	return placed
}

// undisturbed waits until the node changed or the session is another; it is false when r's context ended.
func (c *Client) undisturbed(r *registration, session int64, fired <-chan zklib.Event) bool {
	for {
		l, relinked := c.contact.state.Load()
		if l.up && l.session != session {
			return true
		}
		select {
		case <-fired:
			return true
		case <-relinked:
		case <-r.ctx.Done():
			return false
		}
	}
}

// place creates a node, or takes over the one that has its name, and returns its owner. With replace a node that another
// session owns gives way, in one step, so that watchers see no gap.
func (c *Client) place(path string, flag int32, replace bool) (owner int64, err error) {
	for range 10 {
		if _, err = c.conn.Create(path, []byte{}, flag, c.acl); err == nil {
			if flag == zklib.FlagPersistent {
				return 0, nil
			}
			return c.conn.SessionID(), nil
		}
		if errors.Is(err, zklib.ErrNoNode) {
			if err = c.ensure(path[:lastSlash(path)]); err != nil {
				return 0, err
			}
			continue
		}
		if !errors.Is(err, zklib.ErrNodeExists) {
			return 0, err
		}
		exists, stat, err := c.conn.Exists(path)
		if err != nil {
			return 0, err
		}
		if !exists {
			continue
		}
		wanted := int64(0)
		if flag == zklib.FlagEphemeral {
			wanted = c.conn.SessionID()
		}
		if stat.EphemeralOwner == wanted || !replace {
			return stat.EphemeralOwner, nil
		}
		_, err = c.conn.Multi(&zklib.DeleteRequest{Path: path, Version: stat.Version},
			&zklib.CreateRequest{Path: path, Data: []byte{}, Acl: c.acl, Flags: flag})
		if err == nil {
			return wanted, nil
		}
		if transient(err) || errors.Is(err, zklib.ErrNoAuth) {
			return 0, err
		}
	}
	return 0, fmt.Errorf("%s is created and deleted by others all the time: %w", path, err)
}

// takeOut deletes the node if it is still ours. Without contact it waits, as the node would stay while
// the session lives.
func (c *Client) takeOut(r *registration) {
	for c.ctx.Err() == nil {
		l, relinked := c.contact.state.Load()
		if l.up {
			err := c.deleteOwned(r.path, r.owner, l.session)
			if !transient(err) {
				if err != nil {
					c.o.Logger.Warn("cannot unregister", "path", r.path, "error", explain(err))
				}
				return
			}
		}
		if !sleep(c.ctx, relinked, time.Second) {
			return
		}
	}
}

func (c *Client) deleteOwned(path string, owners ...int64) error {
	exists, stat, err := c.conn.Exists(path)
	if err != nil || !exists {
		return err
	}
	for _, owner := range owners {
		if owner != 0 && stat.EphemeralOwner == owner {
			if err := c.conn.Delete(path, stat.Version); !errors.Is(err, zklib.ErrNoNode) {
				return err
			}
		}
	}
	return nil
}

func lastSlash(path string) int {
	for i := len(path) - 1; i > 0; i-- {
		if path[i] == '/' {
			return i
		}
	}
	return 0
}
