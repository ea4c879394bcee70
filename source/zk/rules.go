package zk

import (
	"context"
	"errors"
	"fmt"
	"slices"

	zklib "github.com/go-zookeeper/zk"

	"github.com/dubway-go/dubway/source"
)

// Rules is the config centre of a Client: a source.ConfigCenter and source.RuleStore. It is a view; copies are equal.
type Rules struct{ c *Client }

// Rules returns the config centre that lives in the same ensemble, as Dubbo uses a ZooKeeper registry for
// its rules unless told otherwise (spec §10.5).
func (c *Client) Rules() Rules { return Rules{c} }

// Watch implements source.ConfigCenter. It runs in the calling goroutine, beside one goroutine that all watches of the key share.
func (r Rules) Watch(ctx context.Context, key string, yield func(source.Event[source.Document])) error {
	path, err := r.c.rulePath(key)
	if err != nil {
		return err
	}
	n := r.c.docs.acquire(path)
	defer r.c.docs.release(n)
	return deliver(ctx, r.c, []*node[source.Document]{n}, func(d []reading[source.Document]) source.Event[source.Document] {
		return source.Event[source.Document]{Value: d[0].value, Rev: d[0].rev}
	}, yield)
}

// Get implements source.RuleStore.
func (r Rules) Get(ctx context.Context, key string) (source.Document, error) {
	return r.c.Get(ctx, key)
}

// Put implements source.RuleStore.
func (r Rules) Put(ctx context.Context, key, text string) error { return r.c.Put(ctx, key, text) }

// Delete implements source.RuleStore.
func (r Rules) Delete(ctx context.Context, key string) error { return r.c.Delete(ctx, key) }

// Keys implements source.RuleStore.
func (r Rules) Keys(ctx context.Context) ([]string, error) { return r.c.Keys(ctx) }

func (c *Client) ruleFolder() string { return c.addr.ConfigRoot + "/" + ruleGroup }

func (c *Client) rulePath(key string) (string, error) {
	if err := source.CheckKey(key); err != nil {
		return "", err
	}
	if badForNode(key) {
		return "", fmt.Errorf("%w %q: it holds a character that ZooKeeper does not allow", source.ErrKey, key)
	}
	return c.ruleFolder() + "/" + key, nil
}

// readDocument reads a rule and sees to it that a watch is set, on the document or on its creation.
func (c *Client) readDocument(ctx context.Context, path string, last reading[source.Document]) (reading[source.Document], <-chan zklib.Event, error) {
	type content struct {
		data  []byte
		rev   string
		fired <-chan zklib.Event
	}
	for {
		ch := c.armed.get(watchData, path)
		got, err := call(ctx, c, func() (content, error) {
			if ch != nil {
				data, stat, err := c.conn.Get(path)
				if err != nil {
					return content{}, err
				}
				return content{data, zxid(stat.Mzxid), ch}, nil
			}
			data, stat, fired, err := c.conn.GetW(path)
			if err != nil {
				return content{}, err
			}
			c.armed.set(watchData, path, fired)
			return content{data, zxid(stat.Mzxid), fired}, nil
		})
		if err == nil {
			return reading[source.Document]{value: source.Document{Text: string(got.data), Exists: true}, rev: got.rev}, got.fired, nil
		}
		if !errors.Is(err, zklib.ErrNoNode) {
			return last, nil, err
		}
		exists, fired, err := c.absent(ctx, path)
		if err != nil {
			return last, nil, err
		}
		if !exists {
			return reading[source.Document]{}, fired, nil
		}
	}
}

// Get implements source.RuleStore.
func (c *Client) Get(ctx context.Context, key string) (source.Document, error) {
	path, err := c.rulePath(key)
	if err != nil {
		return source.Document{}, err
	}
	data, err := request(ctx, c, func() ([]byte, error) {
		data, _, err := c.conn.Get(path)
		return data, err
	})
	if errors.Is(err, zklib.ErrNoNode) {
		return source.Document{}, nil
	}
	if err != nil {
		return source.Document{}, fmt.Errorf("get rule %s: %w", key, explain(err))
	}
	return source.Document{Text: string(data), Exists: true}, nil
}

// Put implements source.RuleStore. When contact breaks at the wrong moment the write may be made although
// an error is returned.
func (c *Client) Put(ctx context.Context, key, text string) error {
	path, err := c.rulePath(key)
	if err != nil {
		return err
	}
	if err := source.CheckText(text); err != nil {
		return err
	}
	_, err = request(ctx, c, func() (struct{}, error) { return struct{}{}, c.write(path, []byte(text)) })
	if err != nil {
		return fmt.Errorf("put rule %s: %w", key, explain(err))
	}
	return nil
}

// write sets a node or creates it, whoever else does the same at the same time.
func (c *Client) write(path string, data []byte) error {
	var err error
	for range 5 {
		if _, err = c.conn.Set(path, data, -1); !errors.Is(err, zklib.ErrNoNode) {
			return err
		}
		if err = c.ensure(c.ruleFolder()); err != nil {
			return err
		}
		if _, err = c.conn.Create(path, data, zklib.FlagPersistent, c.acl); !errors.Is(err, zklib.ErrNodeExists) {
			return err
		}
	}
	return err
}

// Delete implements source.RuleStore.
func (c *Client) Delete(ctx context.Context, key string) error {
	path, err := c.rulePath(key)
	if err != nil {
		return err
	}
	_, err = request(ctx, c, func() (struct{}, error) { return struct{}{}, c.conn.Delete(path, -1) })
	if err != nil && !errors.Is(err, zklib.ErrNoNode) {
		return fmt.Errorf("delete rule %s: %w", key, explain(err))
	}
	return nil
}

// Keys implements source.RuleStore.
func (c *Client) Keys(ctx context.Context) ([]string, error) {
	names, err := request(ctx, c, func() ([]string, error) {
		names, _, err := c.conn.Children(c.ruleFolder())
		return names, err
	})
	if errors.Is(err, zklib.ErrNoNode) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list rules of %s: %w", c.ruleFolder(), explain(err))
	}
	slices.Sort(names)
	return names, nil
}
