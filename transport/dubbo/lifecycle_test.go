package dubbo_test

import (
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/transport/dubbo"
)

func TestShutdownFinishesCalls(t *testing.T) {
	h := newHold()
	s, address := serve(t, dubbo.ServerOptions{}, h)
	c := newClient(t, dubbo.ClientOptions{})
	to := instance(t, address, "&timeout=60000")
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			if res, err := c.Invoke(t.Context(), to, call("hi", "x")); err != nil || res.Value != "held" {
				t.Errorf("%v, %v", res.Value, err)
			}
		})
		<-h.arrived
	}
	done := make(chan error, 1)
	go func() { done <- s.Shutdown(t.Context()) }()
	// The client learns that the provider goes away before it does.
	waitFor(t, func() bool { return !c.Available(address) })
	if _, err := net.Dial("tcp", address); err == nil {
		t.Error("still accepts connections")
	}
	close(h.release)
	wg.Wait()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestShutdownGivesUp(t *testing.T) {
	h := newHold()
	s, address := serve(t, dubbo.ServerOptions{}, h)
	c := newClient(t, dubbo.ClientOptions{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, err := c.Invoke(context.Background(), instance(t, address, "&timeout=60000"), call("hi", "x"))
		wantCode(t, err, rpc.Network, "")
	}()
	<-h.arrived
	if err := s.Shutdown(within(t, 50*time.Millisecond)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Shutdown returned %v", err)
	}
	<-done
}

// Clients that keep calling through a shutdown either get an answer or a Network error that lets a cluster go elsewhere.
func TestShutdownUnderLoad(t *testing.T) {
	s, address := serve(t, dubbo.ServerOptions{}, echo)
	c := newClient(t, dubbo.ClientOptions{})
	to := instance(t, address, "&timeout=10000")
	var stop atomic.Bool
	var answered, ended atomic.Int64
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for !stop.Load() && c.Available(address) { // as a directory does: not to one that goes away
				if _, err := c.Invoke(t.Context(), to, call("hi", "x")); err != nil {
					ended.Add(1)
					t.Errorf("%v", err)
					return
				}
				answered.Add(1)
			}
		})
	}
	for answered.Load() < 1000 {
		time.Sleep(time.Millisecond)
	}
	if err := s.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	stop.Store(true)
	wg.Wait()
}

func TestCloseAddressDrains(t *testing.T) {
	h := newHold()
	_, address := serve(t, dubbo.ServerOptions{}, h)
	c := newClient(t, dubbo.ClientOptions{})
	to := instance(t, address, "&timeout=60000")
	done := make(chan error, 1)
	go func() {
		_, err := c.Invoke(context.Background(), to, call("hi", "x"))
		done <- err
	}()
	<-h.arrived
	c.CloseAddress(address)
	close(h.release)
	if err := <-done; err != nil {
		t.Errorf("the call under way: %v", err)
	}
	if res, err := c.Invoke(t.Context(), to, call("hi", "x")); err != nil || res.Value != "held" {
		t.Errorf("a later call connects again: %v, %v", res.Value, err)
	}
	c.CloseAddress("192.0.2.1:1") // unknown: nothing
}

func TestDrainTimeout(t *testing.T) {
	h := newHold()
	_, address := serve(t, dubbo.ServerOptions{}, h)
	c := newClient(t, dubbo.ClientOptions{DrainTimeout: 20 * time.Millisecond})
	done := make(chan error, 1)
	go func() {
		_, err := c.Invoke(context.Background(), instance(t, address, "&timeout=60000"), call("hi", "x"))
		done <- err
	}()
	<-h.arrived
	c.CloseAddress(address)
	wantCode(t, <-done, rpc.Network, "did not end within 20ms")
}

func TestClientShutdown(t *testing.T) {
	h := newHold()
	_, address := serve(t, dubbo.ServerOptions{}, h)
	c := newClient(t, dubbo.ClientOptions{})
	to := instance(t, address, "&timeout=60000")
	done := make(chan error, 1)
	go func() {
		_, err := c.Invoke(context.Background(), to, call("hi", "x"))
		done <- err
	}()
	<-h.arrived
	if err := c.Shutdown(within(t, 20*time.Millisecond)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("with a call that hangs: %v", err)
	}
	wantCode(t, <-done, rpc.Network, "client is closed")

	c = newClient(t, dubbo.ClientOptions{})
	go func() {
		_, err := c.Invoke(context.Background(), to, call("hi", "x"))
		done <- err
	}()
	<-h.arrived
	time.AfterFunc(20*time.Millisecond, func() { close(h.release) })
	if err := c.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	if err := <-done; err != nil {
		t.Errorf("the call under way: %v", err)
	}
}

func TestMaxConnections(t *testing.T) {
	_, address := serve(t, dubbo.ServerOptions{MaxConnections: 1}, echo)
	first, second := newClient(t, dubbo.ClientOptions{}), newClient(t, dubbo.ClientOptions{})
	to := instance(t, address, "")
	if _, err := first.Invoke(t.Context(), to, call("hi", "x")); err != nil {
		t.Fatal(err)
	}
	_, err := second.Invoke(t.Context(), to, call("hi", "x"))
	wantCode(t, err, rpc.Network, "")
	// A provider that accepts and hangs up is not dialled in a loop.
	_, err = second.Invoke(t.Context(), to, call("hi", "x"))
	wantCode(t, err, rpc.Network, "not connected")
}

// pipes is a network inside a synctest bubble.
type pipes struct {
	accept chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newPipes() *pipes {
	return &pipes{accept: make(chan net.Conn), closed: make(chan struct{})}
}

func (p *pipes) dial(ctx context.Context, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case p.accept <- theirs:
		return ours, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.accept:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}
func (p *pipes) Close() error   { p.once.Do(func() { close(p.closed) }); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

// Over an idle hour both sides keep the connection alive by heartbeats.
func TestHeartbeatsKeepAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPipes()
		s := dubbo.NewServer(dubbo.ServerOptions{})
		s.Handle(echoKey, echo)
		go s.Serve(p)
		dials := 0
		c := dubbo.NewClient(dubbo.ClientOptions{Dial: func(ctx context.Context, a string) (net.Conn, error) {
			dials++
			return p.dial(ctx, a)
		}})
		to := instance(t, "192.0.2.1:20880", "")
		for range 2 {
			if _, err := c.Invoke(t.Context(), to, call("hi", "x")); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Hour)
		}
		if dials != 1 {
			t.Errorf("%d connections", dials)
		}
		c.Close()
		s.Close()
	})
}

// A provider that hangs is given up after three missed heartbeats, and waiting calls fail.
func TestHeartbeatsFindDeadProvider(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var theirs []net.Conn
		c := dubbo.NewClient(dubbo.ClientOptions{Dial: func(context.Context, string) (net.Conn, error) {
			ours, other := net.Pipe()
			theirs = append(theirs, other)
			go func() { // reads, never answers
				buf := make([]byte, 4096)
				for {
					if _, err := other.Read(buf); err != nil {
						return
					}
				}
			}()
			return ours, nil
		}})
		start := time.Now()
		_, err := c.Invoke(t.Context(), instance(t, "192.0.2.1:20880", "&timeout=3600000"), call("hi", "x"))
		wantCode(t, err, rpc.Network, "3 heartbeats went unanswered")
		if took := time.Since(start); took < 3*time.Minute || took > 4*time.Minute {
			t.Errorf("took %v", took)
		}
		c.Close()
		for _, nc := range theirs {
			nc.Close()
		}
	})
}

// A client that sends half a frame and then nothing is disconnected.
func TestServerDropsSilentClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPipes()
		s := dubbo.NewServer(dubbo.ServerOptions{})
		go s.Serve(p)
		nc, _ := p.dial(t.Context(), "")
		start := time.Now()
		go func() {
			for {
				if _, err := nc.Write([]byte("\xda")); err != nil {
					return
				}
				nc.Write([]byte("\xbb"))
				return
			}
		}()
		buf := make([]byte, 4096)
		for {
			if _, err := nc.Read(buf); err != nil {
				break
			}
		}
		if took := time.Since(start); took < 3*time.Minute || took > 4*time.Minute {
			t.Errorf("took %v", took)
		}
		s.Close()
	})
}
