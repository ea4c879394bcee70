package zk

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	zklib "github.com/go-zookeeper/zk"

	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/service"
	"github.com/dubway-go/dubway/source"
)

// categoryPath is the folder of one category of a service interface (spec §10.1).
func (c *Client) categoryPath(iface string, category source.Category) string {
	return strings.TrimSuffix(c.addr.Root, "/") + "/" + durl.Encode(iface) + "/" + string(category)
}

// watched are the categories that make up a State, in its order.
func watched() []source.Category {
	return []source.Category{source.Providers, source.Configurators, source.Routers}
}

// Watch implements source.Registry. It runs in the calling goroutine, beside one goroutine a category that all
// watches of the interface share.
func (c *Client) Watch(ctx context.Context, key service.Key, yield func(source.Event[source.State])) error {
	if key.Interface == "" {
		return fmt.Errorf("watch a service: the key %+v has no interface", key)
	}
	var nodes []*node[listing]
	for _, category := range watched() {
		n := c.lists.acquire(c.categoryPath(key.Interface, category))
		defer c.lists.release(n)
		nodes = append(nodes, n)
	}
	return deliver(ctx, c, nodes, func(r []reading[listing]) source.Event[source.State] {
		return source.Event[source.State]{
			Value: source.State{Providers: r[0].value.texts, Configurators: r[1].value.texts, Routers: r[2].value.texts, Held: true},
			Rev:   r[0].rev + "." + r[1].rev + "." + r[2].rev,
		}
	}, yield)
}

// deliver yields an event whenever any of the nodes has news, all of them were read since contact was made
// last, and the event is another than the last; and one for each loss and each lasting refusal.
func deliver[N, T any](ctx context.Context, c *Client, nodes []*node[N], join func([]reading[N]) source.Event[T], yield func(source.Event[T])) error {
	var (
		sentRev string
		sentGen uint64 // 0: nothing sent since the last bad news
		loss    uint64
		refusal string
	)
	readings := make([]reading[N], len(nodes))
	wake := make([]<-chan struct{}, 3)
	for {
		if err := c.ended(ctx); err != nil {
			return err
		}
		l, relinked := c.contact.state.Load()
		current := true
		var refused error
		for i, n := range nodes {
			readings[i], wake[i] = n.cell.Load()
			current = current && readings[i].gen >= l.gen
			if readings[i].gen >= l.gen && refused == nil {
				refused = readings[i].err
			}
		}
		switch {
		case !l.up:
			if loss != l.loss {
				loss, sentGen = l.loss, 0
				yield(source.Event[T]{Err: l.err})
			}
		case refused != nil:
			if refusal != refused.Error() {
				refusal, sentGen = refused.Error(), 0
				yield(source.Event[T]{Err: refused})
			}
		case current:
			refusal = ""
			if e := join(readings); sentGen == 0 || e.Rev != sentRev {
				sentGen, sentRev = l.gen, e.Rev
				yield(e)
			}
		}
		select {
		case <-wake[0]:
		case <-wake[1]:
		case <-wake[2]:
		case <-relinked:
		case <-ctx.Done():
		case <-c.ctx.Done():
		}
	}
}

// ended says why work for ctx must stop, or nil.
func (c *Client) ended(ctx context.Context) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if c.ctx.Err() != nil {
		return ErrClosed
	}
	return nil
}

type children struct {
	names []string
	rev   string
	fired <-chan zklib.Event
}

// readList reads the URLs in a category folder and sees to it that a watch is set. A folder that is
// missing is created the first time, as Dubbo does when it subscribes.
func (c *Client) readList(ctx context.Context, path string, last reading[listing]) (reading[listing], <-chan zklib.Event, error) {
	for {
		list, err := c.children(ctx, path)
		if err == nil {
			if list.rev == last.rev && last.gen > 0 {
				return reading[listing]{value: last.value, rev: last.rev}, list.fired, nil
			}
			return reading[listing]{value: decode(list.names, last.value), rev: list.rev}, list.fired, nil
		}
		if !errors.Is(err, zklib.ErrNoNode) {
			return last, nil, err
		}
		if last.gen == 0 && !c.o.ReadOnly {
			_, err := call(ctx, c, func() (struct{}, error) { return struct{}{}, c.ensure(path) })
			if err == nil {
				continue
			}
			if transient(err) || ctx.Err() != nil {
				return last, nil, err
			}
			// We may not create it: wait until somebody does.
		}
		exists, fired, err := c.absent(ctx, path)
		if err != nil {
			return last, nil, err
		}
		if !exists {
			return reading[listing]{}, fired, nil
		}
	}
}

// children lists a folder, with the watch that is still armed or a new one.
func (c *Client) children(ctx context.Context, path string) (children, error) {
	ch := c.armed.get(watchChildren, path)
	return call(ctx, c, func() (children, error) {
		if ch != nil {
			names, stat, err := c.conn.Children(path)
			if err != nil {
				return children{}, err
			}
			return children{names, zxid(stat.Pzxid), ch}, nil
		}
		names, stat, fired, err := c.conn.ChildrenW(path)
		if err != nil {
			return children{}, err
		}
		c.armed.set(watchChildren, path, fired)
		return children{names, zxid(stat.Pzxid), fired}, nil
	})
}

func zxid(z int64) string { return strconv.FormatInt(z, 16) }

// Services implements source.Lister: the folders below the root, without those that Dubbo keeps there for
// other ends. A service stays listed when its last provider went, because its folder stays.
func (c *Client) Services(ctx context.Context) ([]string, error) {
	names, err := request(ctx, c, func() ([]string, error) {
		names, _, err := c.conn.Children(c.addr.Root)
		return names, err
	})
	if errors.Is(err, zklib.ErrNoNode) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list services of %s: %w", c.addr.Root, explain(err))
	}
	out := make([]string, 0, len(names))
	for _, name := range names {
		text, err := durl.Decode(name)
		if err != nil || slices.Contains([]string{"config", "mapping", "metadata"}, text) {
			continue
		}
		out = append(out, text)
	}
	slices.Sort(out)
	return out, nil
}
