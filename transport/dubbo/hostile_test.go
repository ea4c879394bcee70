package dubbo_test

import (
	"context"
	"encoding/hex"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dubway-go/dubway/hessian"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/transport/dubbo"
)

// talk sends bytes to a server and returns all that it answers until it hangs up.
func talk(t *testing.T, address string, pieces ...string) []byte {
	t.Helper()
	nc, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	for _, p := range pieces {
		if _, err := io.WriteString(nc, p); err != nil {
			t.Fatal(err)
		}
	}
	nc.SetReadDeadline(time.Now().Add(10 * time.Second))
	got, err := io.ReadAll(nc)
	if err != nil && !strings.Contains(err.Error(), "reset by peer") {
		t.Fatalf("the server did not hang up: %v after %x", err, got)
	}
	return got
}

func frame(h dubbo.Header, body []byte) string {
	h.Body = len(body)
	return string(dubbo.AppendHeader(nil, h)) + string(body)
}

func TestServerHangsUpOnBadFrames(t *testing.T) {
	_, address := serve(t, dubbo.ServerOptions{}, echo)
	for _, bad := range []string{
		"GET / HTTP/1.1\r\n\r\n",
		"\xda\xbc",
		"\xda\xbb\xc2\x00\x00\x00\x00\x00\x00\x00\x00\x01\xff\xff\xff\xff",
		"\xda\xbb\xc2\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x80\x00\x01",
	} {
		if got := talk(t, address, bad); len(got) != 0 {
			t.Errorf("%q was answered with %x", bad, got)
		}
	}
	c := newClient(t, dubbo.ClientOptions{})
	if _, err := c.Invoke(t.Context(), instance(t, address, ""), call("hi", "x")); err != nil {
		t.Errorf("a good client afterwards: %v", err)
	}
}

// Bodies that cannot be read are answered, and the connection goes on.
func TestServerAnswersBadBodies(t *testing.T) {
	_, address := serve(t, dubbo.ServerOptions{}, echo)
	nc, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	nc.SetDeadline(time.Now().Add(20 * time.Second))
	nested := append([]byte("\x052.0.2\x10com.example.Echo\x051.0.0\x02hi\x12Ljava/lang/Object;"), strings.Repeat("\x79", 2<<20)...)
	huge, _ := hex.DecodeString("05322e302e32" + "0170" + "0131" + "026869" + "0249" + "49" + "56" + "90" + "497fffffff")
	for i, test := range []struct {
		serialization uint8
		body          []byte
		text          string
	}{
		{2, nil, "protocol version"},
		{2, []byte("\x052.0.2\x01p"), "service version"},
		{2, []byte("\x052.0.2\x01p\x011\x02hi\x01X"), "bad parameter descriptor"},
		{2, []byte("\x052.0.2\x01p\x011\x02hi\x01I"), "argument 0 (int)"},
		{2, nested, "nesting"},
		{2, huge, "bad request"},
		{6, []byte(`"2.0.2"`), "fastjson (serialization 6), which is not supported"},
		{23, []byte("x"), "fastjson2 (serialization 23)"},
	} {
		io.WriteString(nc, frame(dubbo.Header{Request: true, TwoWay: true, Serialization: test.serialization, ID: int64(i)}, test.body))
		h, body := readFrame(t, nc)
		d := hessian.NewDecoder(hessian.DecoderOptions{})
		d.Reset(body)
		text, err := d.DecodeString()
		if err != nil || h.ID != int64(i) || h.Status != dubbo.StatusBadRequest || !strings.Contains(text, test.text) {
			t.Errorf("%d: status %v %q, %v", i, h.Status, text, err)
		}
	}
	// Still good for a real call, even if it dribbles in.
	for _, b := range capture(t, call("$echo", "x")) {
		nc.Write([]byte{b})
	}
	if h, body := readFrame(t, nc); h.Status != dubbo.StatusOK || string(body) != "\x91\x01x" {
		t.Errorf("a call after them: %v %q", h.Status, body)
	}
	// And for a heartbeat.
	io.WriteString(nc, frame(dubbo.Header{Request: true, TwoWay: true, Event: true, Serialization: 2, ID: 99}, []byte("N")))
	if h, body := readFrame(t, nc); h.Request || !h.Event || h.ID != 99 || h.Status != dubbo.StatusOK || string(body) != "N" {
		t.Errorf("heartbeat: %+v %q", h, body)
	}
}

func readFrame(t *testing.T, r io.Reader) (dubbo.Header, []byte) {
	t.Helper()
	head := make([]byte, dubbo.HeaderLength)
	if _, err := io.ReadFull(r, head); err != nil {
		t.Fatal(err)
	}
	h, err := dubbo.ParseHeader(head, 0)
	if err != nil {
		t.Fatal(err)
	}
	body := make([]byte, h.Body)
	if _, err := io.ReadFull(r, body); err != nil {
		t.Fatal(err)
	}
	return h, body
}

// fake is a provider that answers each request with whatever answer returns.
func fake(t *testing.T, answer func(h dubbo.Header) string) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	var current atomic.Pointer[net.Conn]
	go func() {
		defer close(done)
		for {
			nc, err := l.Accept()
			if err != nil {
				return
			}
			current.Store(&nc)
			head := make([]byte, dubbo.HeaderLength)
			for {
				if _, err := io.ReadFull(nc, head); err != nil {
					break
				}
				h, err := dubbo.ParseHeader(head, 0)
				if err != nil {
					t.Error(err)
					break
				}
				if _, err := io.CopyN(io.Discard, nc, int64(h.Body)); err != nil {
					break
				}
				a := answer(h)
				if a == "" {
					break
				}
				io.WriteString(nc, a)
			}
			nc.Close()
		}
	}()
	t.Cleanup(func() {
		l.Close()
		if nc := current.Load(); nc != nil {
			(*nc).Close()
		}
		<-done
	})
	return l.Addr().String()
}

func TestHostileProviders(t *testing.T) {
	answerTo := func(status dubbo.Status, serialization uint8, body string) func(dubbo.Header) string {
		return func(h dubbo.Header) string {
			return frame(dubbo.Header{Status: status, Serialization: serialization, ID: h.ID}, []byte(body))
		}
	}
	for name, test := range map[string]struct {
		answer func(dubbo.Header) string
		code   rpc.Code
		text   string
	}{
		"hangs up":         {func(dubbo.Header) string { return "" }, rpc.Network, "closed the connection"},
		"six bytes":        {func(dubbo.Header) string { return "\xda\xbb\x02\x14\xff\xff" }, rpc.Timeout, "no response"},
		"another protocol": {func(dubbo.Header) string { return "HTTP/1.1 400 Bad Request\r\n\r\n" }, rpc.Network, "does not speak the Dubbo protocol"},
		"body of 4 GB":     {func(dubbo.Header) string { return "\xda\xbb\x02\x14\x00\x00\x00\x00\x00\x00\x00\x07\xff\xff\xff\xff" }, rpc.Network, "over the limit"},
		"other ids": {func(dubbo.Header) string {
			return frame(dubbo.Header{Status: 20, Serialization: 2, ID: 12345}, []byte("\x92"))
		}, rpc.Timeout, "no response"},
		"negative id": {func(dubbo.Header) string {
			return frame(dubbo.Header{Status: 20, Serialization: 2, ID: -1}, []byte("\x92"))
		}, rpc.Timeout, "no response"},
		"no body":               {answerTo(20, 2, ""), rpc.Serialization, "its kind"},
		"unknown kind":          {answerTo(20, 2, "\x9f"), rpc.Serialization, "kind 15"},
		"no value":              {answerTo(20, 2, "\x91"), rpc.Serialization, "its value"},
		"hostile value":         {answerTo(20, 2, "\x91H"), rpc.Serialization, "bad response"},
		"deep value":            {answerTo(20, 2, "\x91"+strings.Repeat("\x79", 2<<20)), rpc.Serialization, "nesting"},
		"bad attachments":       {answerTo(20, 2, "\x94\x01xH\x01a"), rpc.Serialization, "its attachments"},
		"attachments of a text": {answerTo(20, 2, "\x95\x01x"), rpc.Serialization, "want a map"},
		"fastjson2":             {answerTo(20, 23, "{}"), rpc.Serialization, "fastjson2"},
		"unknown status":        {answerTo(77, 2, "\x04oops"), rpc.Unknown, "provider answered 77 (status 77): oops"},
		"no text":               {answerTo(100, 2, "\xff"), rpc.Limit, "exhausted"},
		"long text":             {answerTo(70, 2, "S\xff\xff"+strings.Repeat("t", 65535)), rpc.Unknown, "ttt…"},
		"exception of no class": {answerTo(20, 2, "\x90\x91"), rpc.Business, "no object"},
		"old generic exception": {answerTo(20, 2, "\x90C\x30\x2ecom.alibaba.dubbo.rpc.service.GenericException\x92\x0eexceptionClass\x10exceptionMessage\x60\x05a.B.C\x02no"), rpc.Business, "a.B.C: no"},
		"RpcException":          {answerTo(20, 2, "\x90C\x24org.apache.dubbo.rpc.RpcException"), rpc.Serialization, "its exception"},
		"a call": {func(h dubbo.Header) string {
			return frame(dubbo.Header{Request: true, TwoWay: true, Serialization: 2, ID: 1}, []byte("N"))
		}, rpc.Timeout, "no response"},
	} {
		t.Run(name, func(t *testing.T) {
			c := newClient(t, dubbo.ClientOptions{})
			timeout := "&timeout=20000"
			if test.code == rpc.Timeout {
				timeout = "&timeout=150"
			}
			_, err := c.Invoke(t.Context(), instance(t, fake(t, test.answer), timeout), call("hi", "x"))
			wantCode(t, err, test.code, test.text)
			if err != nil && len(err.Error()) > 8<<10 {
				t.Errorf("an error of %d bytes", len(err.Error()))
			}
		})
	}
}

func TestBadInvocations(t *testing.T) {
	_, address := serve(t, dubbo.ServerOptions{MaxBody: 2 << 20}, dubbo.HandlerFunc(func(_ context.Context, call *dubbo.ServerCall) (rpc.Result, error) {
		switch call.Method {
		case "big":
			return rpc.Result{Value: strings.Repeat("x", 2<<20)}, nil
		case "channel":
			return rpc.Result{Value: make(chan int)}, nil
		case "attachment":
			return rpc.Result{Attachments: rpc.Attachments{{Key: "a", Value: []any{1}}}}, nil
		}
		return rpc.Result{}, nil
	}))
	c := newClient(t, dubbo.ClientOptions{MaxBody: 4 << 20})
	to := instance(t, address, "&timeout=5000")
	for _, test := range []struct {
		inv  *rpc.Invocation
		code rpc.Code
		text string
	}{
		{call(""), rpc.Serialization, "has no method"},
		{call("hi", make(chan int)), rpc.Serialization, "argument 0"},
		{call("hi", strings.Repeat("x", 5<<20)), rpc.Serialization, "over the limit of 4194304"},
		{direct("hi", nil, "x"), rpc.Serialization, "one parameter type for each argument"},
		{direct("hi", []string{"no type"}, "x"), rpc.Serialization, "not a Java type name"},
		{&rpc.Invocation{Service: echoKey, Method: "hi", ParamTypes: []string{"int"}}, rpc.Serialization, "0 arguments for 1"},
		{call("$echo"), rpc.Serialization, "one argument"},
		{&rpc.Invocation{Service: echoKey, Method: "hi", Attachments: rpc.Attachments{{Key: "k", Value: map[string]any{}}}}, rpc.Serialization, `attachment "k"`},
		{call("big"), rpc.Serialization, "over its limit of 2097152"},
		{call("channel"), rpc.Serialization, "result cannot be encoded"},
		{call("attachment"), rpc.Serialization, `attachment "a" cannot be encoded`},
		{call("hi", strings.Repeat("x", 3<<20)), rpc.Network, ""}, // over the server's limit: it hangs up
	} {
		_, err := c.Invoke(t.Context(), to, test.inv)
		wantCode(t, err, test.code, test.text)
	}
}
