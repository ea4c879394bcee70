package dubbo_test

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/service"
	"github.com/dubway-go/dubway/transport/dubbo"
)

// hold is a handler that tells that it was called and answers when released, or when its context ends.
type hold struct{ arrived, release chan struct{} }

func newHold() *hold {
	return &hold{arrived: make(chan struct{}, 1<<16), release: make(chan struct{})}
}

func (h *hold) Invoke(ctx context.Context, call *dubbo.ServerCall) (rpc.Result, error) {
	h.arrived <- struct{}{}
	select {
	case <-h.release:
		return rpc.Result{Value: "held"}, nil
	case <-ctx.Done():
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			<-h.release // let the caller's own clock end the call
		}
		return rpc.Result{}, ctx.Err()
	}
}

// warm opens the connection, so that a short timeout that follows is spent on the call alone.
func warm(t *testing.T, c *dubbo.Client, to *service.Instance) {
	t.Helper()
	if _, err := c.Invoke(t.Context(), to, call("$echo", "x")); err != nil {
		t.Fatal(err)
	}
}

func wantCode(t *testing.T, err error, code rpc.Code, text string) {
	t.Helper()
	if e, ok := errors.AsType[*rpc.Error](err); !ok || e.Code != code || !strings.Contains(err.Error(), text) {
		t.Errorf("want %v with %q, got %v", code, text, err)
	}
}

func TestTimeouts(t *testing.T) {
	h := newHold()
	_, address := serve(t, dubbo.ServerOptions{}, h)
	c := newClient(t, dubbo.ClientOptions{Timeout: 30 * time.Millisecond})
	plain, slow := instance(t, address, ""), instance(t, address, "&timeout=60000&hi.timeout=20")
	warm(t, c, slow)
	_, err := c.Invoke(t.Context(), plain, call("hi", "x"))
	wantCode(t, err, rpc.Timeout, "no response in 30ms")
	_, err = c.Invoke(t.Context(), slow, call("hi", "x"))
	wantCode(t, err, rpc.Timeout, "no response in 20ms")
	_, err = c.Invoke(within(t, 100*time.Millisecond), slow, call("other", "x"))
	wantCode(t, err, rpc.Timeout, "deadline")
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("cause of %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	for range 3 { // all were sent, so all arrive
		<-h.arrived
	}
	go func() { <-h.arrived; cancel() }()
	_, err = c.Invoke(ctx, slow, call("other", "x"))
	wantCode(t, err, rpc.Canceled, "canceled while waiting")
	_, err = c.Invoke(ctx, slow, call("other", "x"))
	wantCode(t, err, rpc.Canceled, "not sent")
	// Late answers find nobody, and the connection is as good as before.
	close(h.release)
	if res, err := c.Invoke(t.Context(), slow, call("other", "x")); err != nil || res.Value != "held" {
		t.Errorf("afterwards: %v, %v", res.Value, err)
	}
}

// The server ends a handler's context when the caller's time is up, and when the caller's connection is gone.
func TestServedContextEnds(t *testing.T) {
	ended := make(chan error, 2)
	arrived := make(chan struct{}, 2)
	_, address := serve(t, dubbo.ServerOptions{}, dubbo.HandlerFunc(func(ctx context.Context, call *dubbo.ServerCall) (rpc.Result, error) {
		derived, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		arrived <- struct{}{}
		<-derived.Done()
		ended <- ctx.Err()
		return rpc.Result{}, ctx.Err()
	}))
	c := dubbo.NewClient(dubbo.ClientOptions{})
	warm(t, c, instance(t, address, "&timeout=60000"))
	_, err := c.Invoke(t.Context(), instance(t, address, "&timeout=20"), call("hi"))
	wantCode(t, err, rpc.Timeout, "")
	if err := <-ended; !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("context ended with %v", err)
	}
	<-arrived
	go func() { <-arrived; c.Close() }()
	_, err = c.Invoke(t.Context(), instance(t, address, "&timeout=60000"), call("hi"))
	wantCode(t, err, rpc.Network, "client is closed")
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("context ended with %v", err)
	}
	_, err = c.Invoke(t.Context(), instance(t, address, ""), call("hi"))
	wantCode(t, err, rpc.Network, "client is closed")
}

func TestProviderDeathFailsWaitingCalls(t *testing.T) {
	h := newHold()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := serveOn(t, l, dubbo.ServerOptions{}, h)
	address := l.Addr().String()
	c := newClient(t, dubbo.ClientOptions{ReconnectMin: time.Millisecond, ReconnectMax: 20 * time.Millisecond})
	to := instance(t, address, "&timeout=60000")
	var wg sync.WaitGroup
	for range 100 {
		wg.Go(func() {
			_, err := c.Invoke(t.Context(), to, call("hi", "x"))
			wantCode(t, err, rpc.Network, "")
		})
	}
	for range 100 {
		<-h.arrived
	}
	s.Close()
	wg.Wait()

	// While it is down calls fail at once, and say what is known.
	waitFor(t, func() bool { return !c.Available(address) })
	_, err = c.Invoke(t.Context(), to, call("hi", "x"))
	wantCode(t, err, rpc.Network, "not connected")
	if e, ok := errors.AsType[*rpc.Error](err); !ok || e.Instance != address {
		t.Errorf("instance of %v", err)
	}

	// It comes back by itself, without a call that asks for it.
	l, err = net.Listen("tcp", address)
	if err != nil {
		t.Skip("the port was taken meanwhile:", err)
	}
	serveOn(t, l, dubbo.ServerOptions{}, echo)
	waitFor(t, func() bool { return c.Available(address) })
	if res, err := c.Invoke(t.Context(), to, call("hi", "again")); err != nil || res.Value != "again" {
		t.Errorf("after the restart: %v, %v", res.Value, err)
	}
}

func waitFor(t *testing.T, ok func() bool) {
	t.Helper()
	for range 2000 {
		if ok() {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatal("waited too long")
}

func TestUnreachable(t *testing.T) {
	var dials atomic.Int32
	refused := errors.New("connection refused")
	c := newClient(t, dubbo.ClientOptions{
		ReconnectMin: time.Hour, ReconnectMax: time.Hour,
		Dial: func(context.Context, string) (net.Conn, error) { dials.Add(1); return nil, refused },
	})
	to := instance(t, "192.0.2.1:20880", "")
	if !c.Available("192.0.2.1:20880") {
		t.Error("an address that was never called counts as down")
	}
	for range 3 {
		_, err := c.Invoke(t.Context(), to, call("hi"))
		wantCode(t, err, rpc.Network, "next try in")
		if !errors.Is(err, refused) || !strings.Contains(err.Error(), "192.0.2.1:20880") {
			t.Errorf("reason of %v", err)
		}
	}
	if c.Available("192.0.2.1:20880") || dials.Load() != 1 {
		t.Errorf("available %v after %d dials", c.Available("192.0.2.1:20880"), dials.Load())
	}
}

// A dial that hangs ends with the call's time, not with the dial's.
func TestSlowDial(t *testing.T) {
	c := newClient(t, dubbo.ClientOptions{
		DialTimeout: 5 * time.Second,
		Dial:        func(ctx context.Context, _ string) (net.Conn, error) { <-ctx.Done(); return nil, ctx.Err() },
	})
	_, err := c.Invoke(t.Context(), instance(t, "192.0.2.1:20880", "&timeout=20"), call("hi"))
	wantCode(t, err, rpc.Network, "while connecting")
	_, err = c.Invoke(within(t, 10*time.Millisecond), instance(t, "192.0.2.1:20880", ""), call("hi"))
	wantCode(t, err, rpc.Timeout, "while connecting")
}

func TestInFlightLimits(t *testing.T) {
	h := newHold()
	_, address := serve(t, dubbo.ServerOptions{MaxInFlight: 2}, h)
	c := newClient(t, dubbo.ClientOptions{MaxInFlight: 3})
	to := instance(t, address, "&timeout=60000")
	var wg sync.WaitGroup
	defer wg.Wait()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for range 2 {
		wg.Go(func() { c.Invoke(ctx, to, call("hi", "x")) })
		<-h.arrived
	}
	_, err := c.Invoke(ctx, to, call("hi", "x"))
	wantCode(t, err, rpc.Limit, "2 requests of this connection are in flight")

	_, address = serve(t, dubbo.ServerOptions{MaxConcurrent: 3}, h)
	to = instance(t, address, "&timeout=60000")
	for range 3 {
		wg.Go(func() { c.Invoke(ctx, to, call("hi", "x")) })
		<-h.arrived
	}
	_, err = c.Invoke(ctx, to, call("hi", "x"))
	wantCode(t, err, rpc.Limit, "3 calls wait on the connection, the limit (MaxInFlight)")
	other := newClient(t, dubbo.ClientOptions{})
	_, err = other.Invoke(ctx, to, call("hi", "x"))
	wantCode(t, err, rpc.Limit, "the limit (MaxConcurrent)")
}

// deaf accepts connections and reads nothing from them.
func deaf(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	var all []net.Conn
	wg.Go(func() {
		for {
			nc, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			all = append(all, nc)
			mu.Unlock()
		}
	})
	t.Cleanup(func() {
		l.Close()
		wg.Wait()
		for _, nc := range all {
			nc.Close()
		}
	})
	return l.Addr().String()
}

func TestProviderThatDoesNotRead(t *testing.T) {
	c := newClient(t, dubbo.ClientOptions{MaxQueued: 1 << 20, WriteTimeout: 200 * time.Millisecond, ReconnectMin: time.Hour, ReconnectMax: time.Hour})
	to := instance(t, deaf(t), "&timeout=60000")
	lost := make(chan error, 1)
	go func() {
		_, err := c.Invoke(t.Context(), to, call("hi", "x"))
		lost <- err
	}()
	inv := call("hi", strings.Repeat("x", 1<<20))
	inv.OneWay = true
	var limit error
	for { // until the buffers of both kernels are full and the write makes no progress
		select {
		case err := <-lost:
			wantCode(t, err, rpc.Network, "write")
			wantCode(t, limit, rpc.Limit, "the provider does not read fast enough")
			return
		default:
			if _, err := c.Invoke(t.Context(), to, inv); rpc.CodeOf(err) == rpc.Limit {
				limit = err
				time.Sleep(time.Millisecond)
			}
		}
	}
}

// A client that asks and does not read is disconnected; others are served.
func TestClientThatDoesNotRead(t *testing.T) {
	big := strings.Repeat("y", 1<<20)
	_, address := serve(t, dubbo.ServerOptions{MaxQueued: 1 << 20, WriteTimeout: 100 * time.Millisecond}, dubbo.HandlerFunc(func(context.Context, *dubbo.ServerCall) (rpc.Result, error) {
		return rpc.Result{Value: big}, nil
	}))
	nc, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	frame := capture(t, call("hi", "x"))
	go func() {
		for range 100 {
			if _, err := nc.Write(frame); err != nil {
				return
			}
		}
	}()
	c := newClient(t, dubbo.ClientOptions{})
	if res, err := c.Invoke(t.Context(), instance(t, address, "&timeout=20000"), call("hi", "x")); err != nil || res.Value != big {
		t.Errorf("another client: %v", err)
	}
	time.Sleep(300 * time.Millisecond) // past the write timeout; a read only ends when the server has hung up
	nc.SetReadDeadline(time.Now().Add(20 * time.Second))
	if n, err := io.Copy(io.Discard, nc); errors.Is(err, context.DeadlineExceeded) || n >= 100<<20 {
		t.Errorf("still connected after %d bytes: %v", n, err)
	}
}

// capture returns the bytes of inv as the client sends them.
func capture(t *testing.T, inv *rpc.Invocation) []byte {
	ours, theirs := net.Pipe()
	defer theirs.Close()
	c := newClient(t, dubbo.ClientOptions{Dial: func(context.Context, string) (net.Conn, error) { return ours, nil }})
	done := make(chan struct{})
	go func() {
		defer close(done)
		c.Invoke(context.Background(), instance(t, "192.0.2.1:1", ""), inv)
	}()
	buf := make([]byte, 1<<20)
	n, err := theirs.Read(buf)
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	<-done
	return buf[:n]
}
