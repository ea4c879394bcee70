package zk_test

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dubway-go/dubway/internal/zktest"
	"github.com/dubway-go/dubway/service"
	"github.com/dubway-go/dubway/source"
	"github.com/dubway-go/dubway/source/zk"
)

const patience = 30 * time.Second

// follow watches a service and keeps the events.
type follow struct {
	t      *testing.T
	log    source.Cell[[]source.Event[source.State]]
	cancel context.CancelFunc
}

func watch(t *testing.T, c *zk.Client, iface string) *follow {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	f := &follow{t: t, cancel: cancel}
	done := make(chan error, 1)
	go func() {
		done <- c.Watch(ctx, service.Key{Interface: iface}, func(e source.Event[source.State]) {
			old, _ := f.log.Load()
			f.log.Store(append(slices.Clip(old), e))
		})
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	return f
}

// until waits for an event from position from on, and returns the position behind it.
func (f *follow) until(from int, what string, want func(source.Event[source.State]) bool) int {
	f.t.Helper()
	limit := time.After(patience)
	for {
		all, changed := f.log.Load()
		for i := from; i < len(all); i++ {
			if want(all[i]) {
				return i + 1
			}
		}
		select {
		case <-changed:
		case <-limit:
			f.t.Fatalf("no event with %s; events: %.2000v", what, all)
		}
	}
}

func providers(texts ...string) func(source.Event[source.State]) bool {
	return func(e source.Event[source.State]) bool { return e.Err == nil && slices.Equal(e.Value.Providers, texts) }
}

func isLoss(e source.Event[source.State]) bool { return e.Err != nil }

// nonEmpty checks that no event from position from on, loss or not, brought an empty list.
func (f *follow) nonEmpty(from int) {
	f.t.Helper()
	all, _ := f.log.Load()
	for _, e := range all[from:] {
		if e.Err == nil && len(e.Value.Providers) == 0 {
			f.t.Errorf("an empty list was delivered: %v", all)
		}
	}
}

const (
	iface = "com.example.shop.OrderService"
	one   = "dubbo://10.0.0.1:20880/" + iface + "?application=order&side=provider"
	two   = "dubbo://10.0.0.2:20880/" + iface + "?application=order&side=provider"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestServerRestartKeepsTheListAndTheRegistrations(t *testing.T) {
	t.Parallel()
	server := zktest.Start(t)
	address := "zookeeper://" + server.Address()
	provider := open(t, address, zk.Options{SessionTimeout: 4 * time.Second})
	consumer := open(t, address, zk.Options{SessionTimeout: 4 * time.Second})
	must(t, provider.Register(t.Context(), parse(t, one)))
	must(t, provider.Put(t.Context(), "order.tag-router", "force: true\n"))
	seen := watch(t, consumer, iface)
	n := seen.until(0, "the provider", providers(one))
	for range 2 {
		server.Stop()
		n = seen.until(n, "a loss", isLoss)
		if d, err := consumer.Get(deadline(t, 200*time.Millisecond), "order.tag-router"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Get without a server: %+v, %v", d, err)
		}
		server.Restart(t)
		n = seen.until(n, "the provider again", providers(one))
	}
	seen.nonEmpty(1)
	d, err := consumer.Get(deadline(t, patience), "order.tag-router")
	if err != nil || d.Text != "force: true\n" {
		t.Errorf("Get after the restart: %+v, %v", d, err)
	}
	must(t, provider.Unregister(deadline(t, patience), parse(t, one)))
	seen.until(n, "no provider", providers())
}

func deadline(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

// TestHungServerIsALoss freezes the server for longer than the session lives: nothing is closed, nothing answers.
func TestHungServerIsALoss(t *testing.T) {
	t.Parallel()
	server := zktest.Start(t)
	c := open(t, "zookeeper://"+server.Address(), zk.Options{SessionTimeout: 2 * time.Second, DialTimeout: time.Second})
	must(t, c.Register(t.Context(), parse(t, one)))
	seen := watch(t, c, iface)
	n := seen.until(0, "the provider", providers(one))
	server.Pause(t)
	n = seen.until(n, "a loss", isLoss)
	time.Sleep(2500 * time.Millisecond) // the session must have died
	server.Resume(t)
	seen.until(n, "the provider again", providers(one))
}

// TestReturnOfContactBringsTheNewState: what was read before the loss is not delivered again first.
func TestReturnOfContactBringsTheNewState(t *testing.T) {
	t.Parallel()
	server := zktest.Start(t)
	address := "zookeeper://" + server.Address()
	w := &wire{}
	near, far := open(t, address, zk.Options{Dial: w.dial}), open(t, address, zk.Options{})
	must(t, far.Register(t.Context(), parse(t, one)))
	seen := watch(t, near, iface)
	n := seen.until(0, "the provider", providers(one))
	for i := range 10 {
		w.cut()
		n = seen.until(n, "a loss", isLoss)
		want := providers(one, two)
		if i%2 == 0 {
			must(t, far.Register(t.Context(), parse(t, two)))
		} else {
			must(t, far.Unregister(t.Context(), parse(t, two)))
			want = providers(one)
		}
		w.mend()
		first := seen.until(n, "an event", func(e source.Event[source.State]) bool { return e.Err == nil })
		if n = seen.until(n, "the new state", want); n != first {
			all, _ := seen.log.Load()
			t.Fatalf("an older state was delivered first: %v", all)
		}
	}
}

func TestStartBeforeTheServer(t *testing.T) {
	t.Parallel()
	server := zktest.Start(t)
	server.Stop()
	c := open(t, "zookeeper://"+server.Address(), zk.Options{StartAnyway: true, DialTimeout: 200 * time.Millisecond})
	if c.Connected() {
		t.Fatal("connected to a server that is down")
	}
	seen := watch(t, c, iface)
	n := seen.until(0, "a loss", isLoss)
	if _, err := c.Keys(t.Context()); !errors.Is(err, zk.ErrUnreachable) {
		t.Errorf("Keys: %v, want ErrUnreachable", err)
	}
	registered := make(chan error, 1)
	go func() { registered <- c.Register(t.Context(), parse(t, one)) }()
	server.Restart(t)
	must(t, <-registered)
	seen.until(n, "the provider", providers(one))
}

func TestOpenTriesTheOtherServers(t *testing.T) {
	t.Parallel()
	server := zktest.Start(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	dead := l.Addr().String()
	_ = l.Close()
	c := open(t, "zookeeper://"+dead+"?backup="+server.Address(), zk.Options{})
	if _, err := c.Services(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestNodeOfAnEarlierSessionIsReplaced is a provider that restarts faster than its old session dies: the
// old session's end must not take the new provider out.
func TestNodeOfAnEarlierSessionIsReplaced(t *testing.T) {
	t.Parallel()
	server := zktest.Start(t)
	address := "zookeeper://" + server.Address()
	w := &wire{}
	old := open(t, address, zk.Options{Dial: w.dial})
	must(t, old.Register(t.Context(), parse(t, one)))
	w.cut() // the process is gone, its session is not
	young := open(t, address, zk.Options{})
	must(t, young.Register(t.Context(), parse(t, one)))
	seen := watch(t, young, iface)
	n := seen.until(0, "the provider", providers(one))
	w.endSession(t, server.Address())
	must(t, young.Register(t.Context(), parse(t, two))) // a later event
	seen.until(n, "both", providers(one, two))
	seen.nonEmpty(0)
}

// TestTwoClientsWithOneURL holds that they do not push each other out, and that the one takes over when the other goes.
func TestTwoClientsWithOneURL(t *testing.T) {
	t.Parallel()
	server := zktest.Start(t)
	address := "zookeeper://" + server.Address()
	a, b, c := open(t, address, zk.Options{}), open(t, address, zk.Options{}), open(t, address, zk.Options{})
	must(t, a.Register(t.Context(), parse(t, one)))
	must(t, b.Register(t.Context(), parse(t, one)))
	seen := watch(t, c, iface)
	n := seen.until(0, "the provider", providers(one))
	must(t, c.Register(t.Context(), parse(t, two)))
	n = seen.until(n, "both", providers(one, two))
	revision := func() string {
		all, _ := seen.log.Load()
		return all[len(all)-1].Rev
	}
	before := revision()
	time.Sleep(300 * time.Millisecond) // a fight would show as ever new revisions
	if after := revision(); after != before {
		t.Errorf("revision moved from %s to %s while nobody changed anything", before, after)
	}
	b.Close() // owned the node
	n = seen.until(n, "the second alone or both again", func(e source.Event[source.State]) bool { return e.Err == nil })
	seen.until(n-1, "both again", providers(one, two))
}

func TestClosedClient(t *testing.T) {
	t.Parallel()
	server := zktest.Start(t)
	c := open(t, "zookeeper://"+server.Address(), zk.Options{})
	ended := make(chan error, 1)
	begun := make(chan struct{}, 1)
	go func() {
		ended <- c.Rules().Watch(context.Background(), "a.tag-router", func(source.Event[source.Document]) { begun <- struct{}{} })
	}()
	<-begun
	must(t, c.Register(context.Background(), parse(t, one)))
	c.Close()
	c.Close()
	if err := <-ended; !errors.Is(err, zk.ErrClosed) {
		t.Errorf("Watch returned %v", err)
	}
	if err := c.Register(context.Background(), parse(t, one)); !errors.Is(err, zk.ErrClosed) {
		t.Errorf("Register returned %v", err)
	}
	if _, err := c.Keys(context.Background()); !errors.Is(err, zk.ErrClosed) {
		t.Errorf("Keys returned %v", err)
	}
	other := open(t, "zookeeper://"+server.Address(), zk.Options{})
	watch(t, other, iface).until(0, "nothing: the provider went with its client", providers())
}

// TestHostileServers: whatever answers on the port, Open ends with an error, in time and without a panic.
func TestHostileServers(t *testing.T) {
	t.Parallel()
	handshake := func() []byte {
		b := binary.BigEndian.AppendUint32(nil, 36)
		b = append(b, make([]byte, 4)...)
		b = binary.BigEndian.AppendUint32(b, 4000)
		b = binary.BigEndian.AppendUint64(b, 42)
		b = binary.BigEndian.AppendUint32(b, 16)
		return append(b, make([]byte, 16)...)
	}
	for name, answer := range map[string][]byte{
		"silence":            nil,
		"huge first frame":   {0xff, 0xff, 0xff, 0xff},
		"short first frame":  {0, 0, 0, 1, 0},
		"web server":         []byte("HTTP/1.1 400 Bad Request\r\n\r\n"),
		"password too long":  slices.Concat([]byte{0, 0, 0, 36}, make([]byte, 16), []byte{0x7f, 0xff, 0xff, 0xff}, make([]byte, 16)),
		"short later frame":  slices.Concat(handshake(), []byte{0, 0, 0, 1, 0}),
		"huge later frame":   slices.Concat(handshake(), []byte{0xff, 0xff, 0xff, 0xf0}),
		"unasked later data": slices.Concat(handshake(), []byte{0, 0, 0, 16}, make([]byte, 16)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, err := net.Listen("tcp", "127.0.0.1:0")
			must(t, err)
			defer func() { _ = l.Close() }()
			go func() {
				for {
					c, err := l.Accept()
					if err != nil {
						return
					}
					go func() {
						defer func() { _ = c.Close() }()
						_, _ = c.Write(answer)
						_, _ = io.Copy(io.Discard, c)
					}()
				}
			}()
			c, err := zk.Open(t.Context(), "zookeeper://"+l.Addr().String(), zk.Options{DialTimeout: 300 * time.Millisecond, SessionTimeout: time.Second})
			if err == nil {
				_, err = c.Keys(t.Context())
				c.Close()
			}
			if err == nil || !strings.Contains(err.Error(), l.Addr().String()) {
				t.Errorf("error %v, want one that names the address", err)
			}
		})
	}
}
