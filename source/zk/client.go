// Package zk is the ZooKeeper adapter: the interface-level registry of spec §10.1 and the config centre of
// spec §10.5, in the layout that Dubbo Java and dubbo-go read and write.
package zk

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"time"

	zklib "github.com/go-zookeeper/zk"

	"github.com/dubway-go/dubway/source"
)

// Errors that callers may want to tell apart.
var (
	// ErrUnreachable: no server of the ensemble answered.
	ErrUnreachable = errors.New("no contact with ZooKeeper")
	// ErrClosed: the client was closed.
	ErrClosed = errors.New("ZooKeeper client is closed")
)

// Options tune a Client. The zero value is good.
type Options struct {
	// DialTimeout is how long Open waits for a server, how long one connection attempt may take, and how long
	// reads and writes of rules wait for contact. 0 takes the address's timeout parameter, else 5 s.
	DialTimeout time.Duration
	// SessionTimeout is how long the servers keep our ephemeral nodes after contact is lost; servers bound
	// it, usually to 4–40 s. 0 takes the address's session parameter, else 30 s.
	SessionTimeout time.Duration
	// StartAnyway makes Open succeed while no server answers; watches then begin with a loss.
	StartAnyway bool
	// ReadOnly keeps watches from creating the category folders that Dubbo creates when it subscribes.
	ReadOnly bool
	// MaxAnswer is the largest answer accepted from a server, in bytes; 0 is 256 MiB, enough for 500,000 providers.
	MaxAnswer int
	// Logger gets losses and returns of contact; nil discards.
	Logger *slog.Logger
	// Dial opens connections, for proxies and tests; nil is a plain TCP dial.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

const defaultMaxAnswer = 256 << 20

func (o Options) filled(a Address) Options {
	pick := func(d *time.Duration, fromAddress, def time.Duration) {
		if *d <= 0 {
			if *d = fromAddress; *d <= 0 {
				*d = def
			}
		}
	}
	pick(&o.DialTimeout, a.Dial, defaultDial)
	pick(&o.SessionTimeout, a.Session, defaultSession)
	if o.MaxAnswer <= 0 {
		o.MaxAnswer = defaultMaxAnswer
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Dial == nil {
		o.Dial = (&net.Dialer{}).DialContext
	}
	return o
}

// Client is one session with an ensemble: a source.Registry, source.Registrar, source.Lister and
// source.RuleStore, and, through Rules, a source.ConfigCenter. All methods are safe for use by many goroutines.
type Client struct {
	addr    Address
	o       Options
	acl     []zklib.ACL
	conn    *zklib.Conn
	dialer  *dialer
	contact *contact

	ctx    context.Context // ends with ErrClosed as its cause
	cancel context.CancelCauseFunc
	events <-chan zklib.Event // closed by the library when its goroutines are done
	work   sync.WaitGroup
	once   sync.Once

	armed armed
	lists table[listing]
	docs  table[source.Document]

	mu   sync.Mutex // guards regs and leaving
	regs map[string]*registration
	// leaving are registrations whose keeper has not ended yet.
	leaving map[string]*registration
}

var (
	_ source.Registry     = (*Client)(nil)
	_ source.Registrar    = (*Client)(nil)
	_ source.Lister       = (*Client)(nil)
	_ source.RuleStore    = (*Client)(nil)
	_ source.ConfigCenter = Rules{}
	_ source.RuleStore    = Rules{}
)

// Open connects to the ensemble of address (see ParseAddress) and waits until a server answers, ctx ends,
// or the dial timeout passes; the error then wraps ErrUnreachable and says what was tried. The caller closes the client.
func Open(ctx context.Context, address string, o Options) (*Client, error) {
	a, err := ParseAddress(address)
	if err != nil {
		return nil, err
	}
	o = o.filled(a)
	c := &Client{addr: a, o: o, acl: zklib.WorldACL(zklib.PermAll), regs: make(map[string]*registration), leaving: make(map[string]*registration)}
	if a.User != "" {
		c.acl = zklib.AuthACL(zklib.PermAll)
	}
	c.ctx, c.cancel = context.WithCancelCause(context.Background())
	servers := &hosts{ctx: c.ctx}
	c.dialer = &dialer{ctx: c.ctx, hosts: servers, handshake: o.DialTimeout, limit: o.MaxAnswer, dial: o.Dial}
	c.contact = &contact{log: o.Logger}
	lost := fmt.Errorf("%w at %s", ErrUnreachable, a.servers())
	c.contact.state.Store(link{loss: 1, err: lost})
	c.lists = table[listing]{c: c, read: c.readList}
	c.docs = table[source.Document]{c: c, read: c.readDocument}
	c.conn, c.events, err = zklib.Connect(a.Servers, o.SessionTimeout,
		zklib.WithDialer(c.dialer.open), zklib.WithHostProvider(servers), zklib.WithEventCallback(c.contact.event),
		zklib.WithLogger(c.contact), zklib.WithLogInfo(false), zklib.WithMaxBufferSize(o.MaxAnswer))
	if err != nil {
		c.cancel(ErrClosed)
		return nil, fmt.Errorf("open ZooKeeper %s: %w", a.servers(), err)
	}
	c.work.Go(func() { c.contact.follow(c.ctx, c.greet, c.conn.SessionID, lost) })
	if o.StartAnyway {
		return c, nil
	}
	if err := c.wait(ctx); err != nil {
		c.Close()
		return nil, fmt.Errorf("open ZooKeeper: %w; check that a server runs there and that nothing blocks the way", err)
	}
	return c, nil
}

// greet prepares a new connection before anyone uses it: the first time it presents the credentials, which
// the library repeats by itself later; then it lets the library renew its watches first. The library notes
// the newest change that an answer mentions, and asks for changes since then when it renews watches, from
// another goroutine: a request of ours in between would be a data race.
func (c *Client) greet(ctx context.Context) error {
	if l, _ := c.contact.state.Load(); l.gen > 0 {
		sleep(ctx, c.dialer.rewatched(), rewatchTime)
		return nil
	}
	if c.addr.User == "" {
		return nil
	}
	_, err := call(ctx, c, func() (struct{}, error) {
		return struct{}{}, c.conn.AddAuth("digest", []byte(c.addr.User+":"+c.addr.Password))
	})
	return err
}

// rewatchTime is how long greet waits for the library; it sends nothing when there is nothing to renew.
const rewatchTime = 50 * time.Millisecond

// Close ends all watches with ErrClosed and the session, so that ephemeral nodes go at once when a server can
// be reached. It takes about a second when none can. Closing twice is fine.
func (c *Client) Close() {
	c.once.Do(func() {
		c.cancel(ErrClosed)
		c.conn.Close()
		c.dialer.hangUp()
		for range c.events { // until the library closed it
		}
		c.abandon()
	})
	c.work.Wait()
}

// Connected reports whether there is contact at the moment.
func (c *Client) Connected() bool {
	l, _ := c.contact.state.Load()
	return l.up
}

// Address returns the parsed address.
func (c *Client) Address() Address { return c.addr }

// wait returns when there is contact, or says why not after the dial timeout.
func (c *Client) wait(ctx context.Context) error {
	limit, cancel := context.WithTimeout(ctx, c.o.DialTimeout)
	defer cancel()
	for {
		l, changed := c.contact.state.Load()
		if l.up {
			return nil
		}
		select {
		case <-changed:
		case <-c.ctx.Done():
			return ErrClosed
		case <-limit.Done():
			if err := context.Cause(ctx); err != nil {
				return err
			}
			return fmt.Errorf("%w within %v", c.contact.reason(l.err), c.o.DialTimeout)
		}
	}
}

// call runs one blocking request of the library and gives up waiting for it when ctx ends; the request
// itself ends with its answer or its connection.
func call[T any](ctx context.Context, c *Client, f func() (T, error)) (T, error) {
	type answer struct {
		value T
		err   error
	}
	var none T
	if c.ctx.Err() != nil {
		return none, ErrClosed
	}
	if r, _ := c.contact.raw.Load(); !r.up { // else the library would keep it for the next connection
		return none, zklib.ErrConnectionClosed
	}
	ch := make(chan answer, 1)
	go func() {
		v, err := f()
		ch <- answer{v, err}
	}()
	select {
	case a := <-ch:
		if a.err != nil && c.ctx.Err() != nil {
			return none, ErrClosed
		}
		return a.value, a.err
	case <-ctx.Done():
		return none, context.Cause(ctx)
	}
}

// request is call for operations that may be repeated: it waits for contact first, and tries again on the
// next connection when one broke, but does not begin again once the dial timeout is over.
func request[T any](ctx context.Context, c *Client, f func() (T, error)) (T, error) {
	var none T
	begin := time.Now()
	for tries := 0; ; tries++ {
		if err := context.Cause(ctx); err != nil {
			return none, err
		}
		if err := c.wait(ctx); err != nil {
			return none, err
		}
		v, err := call(ctx, c, f)
		if !transient(err) {
			return v, err
		}
		if time.Since(begin) > c.o.DialTimeout {
			return none, c.contact.reason(fmt.Errorf("%w at %s: %w", ErrUnreachable, c.addr.servers(), err))
		}
		if !sleep(ctx, c.ctx.Done(), 20*time.Millisecond<<min(tries, 5)) {
			return none, context.Cause(ctx)
		}
	}
}
