package dubbo

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/service"
)

// Client sends calls to Dubbo providers. It is safe for use by many goroutines; make it with NewClient.
type Client struct {
	options ClientOptions
	life    context.Context
	end     context.CancelFunc
	running sync.WaitGroup
	calls   sync.Pool // *clientCall
	codecs  sync.Pool // *clientCodec

	// targets remembers, for each instance called, its peer and the parts of a request that never change.
	targets sync.Map // *service.Instance → *target

	// peers is read without a lock, because Available is asked on every call; it is written under mu.
	peers sync.Map // address → *peer

	mu       sync.Mutex
	conns    map[*conn]struct{} // all that live, also those that drain
	forms    map[string]*form
	whenIdle func()
	closed   bool
}

var _ rpc.Invoker = (*Client)(nil)

// NewClient returns a client. It connects to nothing until a call needs it.
func NewClient(o ClientOptions) *Client {
	c := &Client{options: o.withDefaults(), conns: make(map[*conn]struct{}), forms: make(map[string]*form)}
	c.life, c.end = context.WithCancel(context.Background())
	c.calls.New = func() any { return newClientCall() }
	c.codecs.New = func() any { return newClientCodec(&c.options) }
	return c
}

// Invoke sends inv to the provider to and waits for its answer, for at most the first of: the context's deadline, the
// "timeout" parameter (method-scoped or plain, milliseconds) of to.URL, and, where both are absent, ClientOptions.Timeout.
// A one-way call returns when it is queued. Errors are *rpc.Error:
//
//   - Network: the provider cannot be reached, or the connection ended before the answer came;
//   - Timeout, Canceled: the time was up, or the context was canceled (the provider may still run the call);
//   - Limit: too many calls or bytes wait on the connection, or the provider said that it is exhausted;
//   - Serialization: an argument or the answer could not be encoded or decoded;
//   - Business: the provider's method raised an exception, which is the *rpc.RemoteException in the chain;
//   - any other code: the provider said so.
func (c *Client) Invoke(ctx context.Context, to *service.Instance, inv *rpc.Invocation) (rpc.Result, error) {
	w := c.calls.Get().(*clientCall)
	result, err := c.invoke(ctx, to, inv, w)
	w.release()
	c.calls.Put(w)
	return result, err
}

func (c *Client) invoke(ctx context.Context, to *service.Instance, inv *rpc.Invocation, w *clientCall) (rpc.Result, error) {
	if err := ctx.Err(); err != nil {
		return rpc.Result{}, callError(rpc.CodeOf(err), to, inv, "not sent", context.Cause(ctx))
	}
	for attempt := 1; ; attempt++ {
		t, err := c.target(to, inv)
		if err != nil {
			return rpc.Result{}, callError(rpc.Network, to, inv, "", err)
		}
		own, limit := t.timeouts(ctx, inv, c.options.Timeout)
		cn := t.peer.conn.Load()
		if cn == nil {
			if cn, err = connectWithin(ctx, t.peer, limit); errors.Is(err, errPeerClosed) && attempt < 3 {
				continue
			} else if err != nil {
				return rpc.Result{}, callError(connectCode(ctx), to, inv, "", err)
			}
		}
		k := c.codec()
		if err := t.encode(k, inv, limit, c.options.MaxBody); err != nil {
			c.release(k)
			return rpc.Result{}, callError(rpc.Serialization, to, inv, "", err)
		}
		sent, err := cn.send(w, k.buf, inv.OneWay, own)
		c.release(k)
		if err != nil {
			if errors.Is(err, errConnEnded) && attempt < 3 {
				continue // nothing was sent: another connection may take it
			}
			code := rpc.Limit
			if errors.Is(err, errConnEnded) {
				code = rpc.Network
			}
			return rpc.Result{}, callError(code, to, inv, "", err)
		}
		if inv.OneWay {
			return rpc.Result{}, nil
		}
		return c.wait(ctx, to, inv, w, cn, sent, limit)
	}
}

func (c *Client) wait(ctx context.Context, to *service.Instance, inv *rpc.Invocation, w *clientCall, cn *conn, id int64, limit time.Duration) (rpc.Result, error) {
	if done := ctx.Done(); done == nil {
		<-w.done
	} else {
		select {
		case <-w.done:
		case <-done:
			if cn.pending.take(id) != nil {
				return rpc.Result{}, contextError(ctx, to, inv)
			}
			<-w.done // the answer came first
		}
	}
	if w.err == nil {
		if w.answered {
			return w.answer, nil
		}
		k := c.codec()
		result, err := k.result(w, to, inv)
		c.release(k)
		return result, err
	}
	if errors.Is(w.err, errTimeout) {
		return rpc.Result{}, callError(rpc.Timeout, to, inv, fmt.Sprintf("no response in %v", limit.Round(time.Millisecond)), errTimeout)
	}
	return rpc.Result{}, callError(rpc.Network, to, inv, "", w.err)
}

func contextError(ctx context.Context, to *service.Instance, inv *rpc.Invocation) error {
	message := "canceled while waiting for the response"
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		message = "no response before the context's deadline"
	}
	return callError(rpc.CodeOf(ctx.Err()), to, inv, message, context.Cause(ctx))
}

func connectWithin(ctx context.Context, p *peer, limit time.Duration) (*conn, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return p.connect(ctx)
}

// connectCode is Network unless the caller's own context ended.
func connectCode(ctx context.Context) rpc.Code {
	if err := ctx.Err(); err != nil {
		return rpc.CodeOf(err)
	}
	return rpc.Network
}

func callError(code rpc.Code, to *service.Instance, inv *rpc.Invocation, message string, cause error) error {
	return &rpc.Error{
		Code: code, Service: inv.Service, Method: inv.Method, Instance: to.URL.Address(),
		Message: message, Cause: cause,
	}
}

// Available tells whether calls to address are worth a try: true for a provider never called, for one that is connected,
// false for one that is down or announced that it goes away. It takes no lock and allocates nothing.
func (c *Client) Available(address string) bool {
	p, ok := c.peers.Load(address)
	return !ok || p.(*peer).available()
}

// CloseAddress takes a provider out of use: calls under way have ClientOptions.DrainTimeout to end, then its connection
// closes. It returns at once. A later call to the address connects again.
func (c *Client) CloseAddress(address string) {
	c.mu.Lock()
	p, ok := c.peers.LoadAndDelete(address)
	c.mu.Unlock()
	if ok {
		p.(*peer).close(c.options.DrainTimeout, errDrained)
	}
}

// Close ends all connections; calls under way fail with rpc.Network. It returns when every goroutine has ended.
func (c *Client) Close() error {
	c.closePeers(0)
	c.end()
	c.mu.Lock()
	left := make([]*conn, 0, len(c.conns))
	for cn := range c.conns { // those of addresses closed before, still draining
		left = append(left, cn)
	}
	c.mu.Unlock()
	for _, cn := range left {
		cn.fail(errClientClose)
	}
	c.running.Wait()
	return nil
}

// Shutdown refuses new calls, lets those under way end, then closes. When ctx ends first they fail, and ctx's cause is
// returned.
func (c *Client) Shutdown(ctx context.Context) error {
	c.closePeers(24 * time.Hour)
	var cause error
	select {
	case <-c.idle():
	case <-ctx.Done():
		cause = context.Cause(ctx)
	}
	return errors.Join(cause, c.Close())
}

func (c *Client) closePeers(drain time.Duration) {
	c.mu.Lock()
	c.closed = true
	var peers []*peer
	c.peers.Range(func(_, p any) bool {
		peers = append(peers, p.(*peer))
		return true
	})
	c.peers.Clear()
	c.mu.Unlock()
	for _, p := range peers {
		p.close(drain, errClientClose)
	}
}

// idle returns a channel that closes when no connection is left.
func (c *Client) idle() <-chan struct{} {
	done := make(chan struct{})
	c.mu.Lock()
	defer c.mu.Unlock()
	c.whenIdle = func() { close(done) }
	if len(c.conns) == 0 {
		c.whenIdle()
		c.whenIdle = nil
	}
	return done
}

func (c *Client) connStarted(cn *conn) {
	c.mu.Lock()
	c.conns[cn] = struct{}{}
	c.mu.Unlock()
}

func (c *Client) connEnded(cn *conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.conns, cn)
	if len(c.conns) == 0 && c.whenIdle != nil {
		c.whenIdle()
		c.whenIdle = nil
	}
}

// peer returns the peer of address, making it when it is new.
func (c *Client) peer(address string) (*peer, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, errClientClose
	}
	if p, ok := c.peers.Load(address); ok {
		return p.(*peer), nil
	}
	p := &peer{client: c, address: address}
	c.peers.Store(address, p)
	return p, nil
}
