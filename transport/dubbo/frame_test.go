package dubbo

import (
	"bytes"
	"context"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/dubway-go/dubway/rpc"
)

func answerAll(_ context.Context, call *ServerCall) (rpc.Result, error) {
	return rpc.Result{Value: call.Args, Attachments: rpc.Attachments{{Key: "method", Value: call.Method}}}, nil
}

func TestHeaderRoundTrip(t *testing.T) {
	for _, h := range []Header{
		{Request: true, TwoWay: true, Serialization: 2, ID: 1, Body: 5},
		{Request: true, Event: true, Serialization: 31, ID: -1},
		{Status: StatusExhausted, Serialization: 2, ID: 1 << 62, Body: DefaultMaxBody},
	} {
		got, err := ParseHeader(AppendHeader(nil, h), 0)
		if err != nil || got != h {
			t.Errorf("%+v came back as %+v, %v", h, got, err)
		}
	}
}

func TestBadFramesAreRefused(t *testing.T) {
	good := AppendHeader(nil, Header{Request: true, Body: 4})
	for name, test := range map[string]struct {
		in   string
		text string
		eof  bool
	}{
		"six bytes":         {"\xda\xbb\xc2\x00\xff\xff", "header has 6 of 16 bytes", true},
		"one byte":          {"\xda", "header has 1 of 16", true},
		"wrong first byte":  {"H", "magic is 48, want da bb", false},
		"wrong second byte": {"\xda\xba", "magic is da ba", false},
		"another protocol":  {"GET / HTTP/1.1\r\n\r\n", "does not speak the Dubbo protocol", false},
		"body over limit":   {"\xda\xbb\x02\x14\x00\x00\x00\x00\x00\x00\x00\x07\x00\x80\x00\x01", "8388609 bytes is over the limit of 8388608", false},
		"negative body":     {"\xda\xbb\x02\x14\x00\x00\x00\x00\x00\x00\x00\x07\xff\xff\xff\xff", "over the limit", false},
		"body cut off":      {string(good) + "abc", "body has 3 of 4 bytes", true},
		"second is bad":     {string(good) + "abcdXX", "magic is 58 58", false},
		"long body cut off": {"\xda\xbb\x02\x14\x00\x00\x00\x00\x00\x00\x00\x07\x00\x7f\xff\xff" + strings.Repeat("z", 300_000), "body has 300000 of 8388607 bytes", true},
	} {
		fr := newFrameReader(strings.NewReader(test.in), 0)
		var err error
		for err == nil {
			_, _, _, err = fr.next()
		}
		if !errors.Is(err, ErrFrame) || !strings.Contains(err.Error(), test.text) || errors.Is(err, io.ErrUnexpectedEOF) != test.eof {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A header that announces much must not make the reader take much: memory follows the bytes that come.
func TestAnnouncedBodyCostsNothing(t *testing.T) {
	in := AppendHeader(nil, Header{Body: DefaultMaxBody})
	in = append(in, "only this"...)
	fr := newFrameReader(bytes.NewReader(in), 0)
	got := testing.Benchmark(func(b *testing.B) {
		for range b.N {
			fr.r, fr.start, fr.end = bytes.NewReader(in), 0, 0
			if _, _, _, err := fr.next(); err == nil {
				b.Fatal("no error")
			}
		}
	})
	if n := got.AllocedBytesPerOp(); n > 4*readBuffer {
		t.Errorf("%d bytes were allocated for a frame of %d", n, len(in))
	}
}

func TestLargeBodies(t *testing.T) {
	for _, n := range []int{0, 1, readBuffer - HeaderLength, readBuffer, readBuffer + 1, 5*readBuffer + 3} {
		body := bytes.Repeat([]byte("0123456789abcdef"), n/16+1)[:n]
		in := append(AppendHeader(nil, Header{ID: 5, Body: n}), body...)
		in = append(in, statusFrame(nil, 6, StatusOK, "next")...)
		fr := newFrameReader(bytes.NewReader(in), 0)
		h, got, _, err := fr.next()
		if err != nil || h.ID != 5 || !bytes.Equal(got, body) {
			t.Fatalf("%d bytes: %+v, %v", n, h, err)
		}
		if h, _, _, err = fr.next(); err != nil || h.ID != 6 {
			t.Fatalf("after %d bytes: %+v, %v", n, h, err)
		}
		if _, _, _, err = fr.next(); !errors.Is(err, io.EOF) {
			t.Fatalf("end: %v", err)
		}
	}
}

func TestDescriptors(t *testing.T) {
	for _, test := range []struct {
		types, canonical []string
		descriptor       string
	}{
		{[]string{}, []string{}, ""},
		{[]string{"int", "long", "boolean", "byte", "char", "short", "float", "double"}, nil, "IJZBCSFD"},
		{[]string{"java.lang.String", "byte[]", "java.lang.String[][]"}, nil, "Ljava/lang/String;[B[[Ljava/lang/String;"},
		{[]string{"[I", "[Ljava.lang.String;", " int [] "}, []string{"int[]", "java.lang.String[]", "int[]"}, "[I[Ljava/lang/String;[I"},
		{[]string{"com.example.Order$Item", "Löwe"}, nil, "Lcom/example/Order$Item;LLöwe;"},
	} {
		got, err := appendDescriptor(nil, test.types)
		if err != nil || string(got) != test.descriptor {
			t.Errorf("%q: %q, %v", test.types, got, err)
		}
		want := test.canonical
		if want == nil {
			want = test.types
		}
		if back, err := parseDescriptor(test.descriptor); err != nil || !reflect.DeepEqual(back, want) {
			t.Errorf("%q: %q, %v", test.descriptor, back, err)
		}
	}
	for _, bad := range []string{"", "[]", "a b", "List<String>", "x;", "["} {
		if got, err := appendDescriptor(nil, []string{"int", bad}); err == nil {
			t.Errorf("type %q became %q", bad, got)
		}
	}
	for _, bad := range []string{"X", "[", "L", "L;", "Ljava/lang/String", "II[", strings.Repeat("I", 256), strings.Repeat("[", 300) + "I"} {
		if got, err := parseDescriptor(bad); err == nil {
			t.Errorf("descriptor %.20q became %.60q", bad, got)
		}
	}
}

func TestProtocolNumbers(t *testing.T) {
	for text, want := range map[string]bool{"2.0.2": true, "2.0.99": true, "2.6.12": true, "2.7.23": true, "3.3.6": true, "2.0.1": false, "2.0.0": false, "2.8.4": false, "": false, "x": false, "2.0.2.1": false, "999999999999.1": false} {
		if got := protocolNumber([]byte(text)) >= firstWithAttachments; got != want {
			t.Errorf("%q: attachments %v", text, got)
		}
	}
}

func TestStatusAndCodes(t *testing.T) {
	for s, want := range map[Status]rpc.Code{
		StatusSerializationError: rpc.Serialization, StatusClientTimeout: rpc.Timeout, StatusServerTimeout: rpc.Timeout,
		StatusChannelInactive: rpc.Network, StatusBadRequest: rpc.Serialization, StatusBadResponse: rpc.Serialization,
		StatusServiceNotFound: rpc.MethodNotFound, StatusServiceError: rpc.Unknown, StatusServerError: rpc.Unknown,
		StatusClientError: rpc.Unknown, StatusExhausted: rpc.Limit, 99: rpc.Unknown,
	} {
		if got := s.Code(); got != want {
			t.Errorf("%v: %v, want %v", s, got, want)
		}
		if back, ok := StatusOf(want); ok && back.Code() != want {
			t.Errorf("%v goes out as %v", want, back)
		}
	}
	for text, want := range map[string]rpc.Code{
		"org.apache.dubbo.remoting.RemotingException: Not found exported service: x": rpc.MethodNotFound,
		"org.apache.dubbo.rpc.RpcException: No such method hi in class x":            rpc.MethodNotFound,
		"java.lang.IllegalStateException: Not unique method for method name(hi)":     rpc.Validation,
		"something else": rpc.Unknown,
	} {
		if got := codeOfText(StatusServiceError, text); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
		if got := causeOfText(StatusServiceError, text) != nil; got != strings.Contains(text, "exported") {
			t.Errorf("%q: not exported %v", text, got)
		}
	}
}

// TestAvailableTakesNoLock: it is asked on every call, so it must not wait for one that connects or closes.
func TestAvailableTakesNoLock(t *testing.T) {
	c := NewClient(ClientOptions{})
	defer func() { _ = c.Close() }()
	p, err := c.peer("127.0.0.1:1")
	if err != nil {
		t.Fatal(err)
	}
	c.mu.Lock()
	p.mu.Lock()
	if !c.Available("127.0.0.1:1") || !c.Available("127.0.0.1:2") {
		t.Error("a provider that was never down is not available")
	}
	p.failedLocked(1)
	if c.Available("127.0.0.1:1") {
		t.Error("a provider that is down is available")
	}
	if n := testing.AllocsPerRun(100, func() { c.Available("127.0.0.1:1") }); n > 0 {
		t.Errorf("%v allocations", n)
	}
	p.mu.Unlock()
	c.mu.Unlock()
}
