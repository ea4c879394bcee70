package dubbo

import (
	"testing"
	"time"

	"github.com/dubway-go/dubway/hessian"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/service"
)

// The usual requests are recognised by their bytes from the third on, and decoded by the reader; attachments that are new in each call do not keep it from that.
func TestUsualRequestsArePlain(t *testing.T) {
	s := NewServer(ServerOptions{})
	s.Handle(service.Key{Interface: "p", Group: "g", Version: "1"}, HandlerFunc(answerAll))
	c := &serverConn{server: s, heads: newRecurring[requestHead](), tails: newRecurring[requestTail]()}
	types := []string{"java.lang.String", "long"}
	for _, isDirect := range []bool{false, true} {
		inv := &rpc.Invocation{Method: "hi", ParamTypes: types, Args: []any{"x", int64(5)}, Direct: isDirect, Attachments: rpc.Attachments{{Key: rpc.TagKey, Value: "gray"}}}
		for i := range 4 {
			inv.Attachments = inv.Attachments.With("trace", string(rune('a'+i)))
			body := requestBody(t, inv)
			w := serverWork{conn: c, twoWay: true}
			if plain := w.decodePlain(s.codec(), body); plain != (i >= 2) {
				t.Errorf("direct %v, request %d: plain is %v", isDirect, i, plain)
			} else if plain {
				if v, _ := w.call.Attachments.Get("trace"); v != string(rune('a'+i)) || w.call.Args[1] != int64(5) || w.call.Service.Group != "g" || w.call.Generic == isDirect {
					t.Errorf("call %+v", w.call)
				}
				continue
			}
			w.body = body
			if missing, err := w.decode(s.codec()); err != nil || missing != "" {
				t.Fatal(missing, err)
			}
		}
		// A list among the arguments, and the others of that method go the general way from then on.
		inv.Args = []any{"x", []int64{5}}
		for range 2 {
			w := serverWork{conn: c}
			if w.decodePlain(s.codec(), requestBody(t, inv)) {
				t.Error("a list was decoded by the reader")
			}
		}
	}
	// A service that is taken out is not found by what is remembered, and one that comes instead is.
	inv := &rpc.Invocation{Method: "ho", ParamTypes: types, Args: []any{"x", int64(5)}, Direct: true}
	decode := func() *export {
		w := serverWork{conn: c, body: requestBody(t, inv)}
		if w.decodePlain(s.codec(), w.body) {
			return w.export
		}
		if _, err := w.decode(s.codec()); err != nil {
			t.Fatal(err)
		}
		return w.export
	}
	first := decode()
	for range 3 {
		decode()
	}
	s.Handle(service.Key{Interface: "p", Group: "g", Version: "1"}, nil)
	if decode() != nil {
		t.Error("still found")
	}
	s.Handle(service.Key{Interface: "p", Group: "g", Version: "1"}, HandlerFunc(answerAll))
	if e := decode(); e == nil || e == first {
		t.Error("the new one was not found")
	}
}

// What recurs is kept when it comes a second time, what does not is not, and nothing long is.
func TestRecurring(t *testing.T) {
	r := newRecurring[int]()
	note := func(text string, v int) bool {
		found, place, again := r.find([]byte(text))
		if again {
			r.keep(place, []byte(text), &keptBytes[int]{value: v})
		}
		return found != nil && *found == v
	}
	if note("a", 1) || note("a", 1) || !note("a", 1) || !note("a", 1) {
		t.Error("not kept from the second time on")
	}
	for i := range 1000 {
		note(string(rune(i)), i)
	}
	if r.peek([]byte("a")) == nil {
		t.Error("texts that came once drove out one that recurs")
	}
	long := string(make([]byte, maxRecurring+1))
	for range 3 {
		if note(long, 1) || r.peek([]byte(long)) != nil {
			t.Error("a long one was kept")
		}
	}
}

// What is prepared for a method does not show: each request has the bytes that it has when nothing is prepared.
func TestPreparedRequests(t *testing.T) {
	o := ClientOptions{}.withDefaults()
	k := newClientCodec(&o)
	fresh := func() *target {
		return newTarget(nil, &service.Instance{}, service.Key{Interface: "p"}, "app")
	}
	tg := fresh()
	list := []any{"a"}
	calls := []rpc.Invocation{
		{Method: "m", ParamTypes: []string{"int"}, Args: []any{int32(1)}, Direct: true},
		{Method: "m", ParamTypes: []string{"long"}, Args: []any{int32(1)}, Direct: true},
		{Method: "m", ParamTypes: []string{"int"}, Args: []any{int32(1)}},
		{Method: "m", Args: []any{int32(1)}},
		{Method: "m", Args: []any{list, list}},
		{Method: "m", Args: []any{list, map[string]any{"a": list}}, OneWay: true},
		{Method: "m", ParamTypes: []string{}},
		{Method: "m"},
		{Method: "$echo", Args: []any{"x"}},
		{Method: "other", ParamTypes: []string{"a.B"}, Args: []any{nil}, Attachments: rpc.Attachments{{Key: "k", Value: "v"}}},
	}
	timeouts := []time.Duration{time.Second, time.Second, time.Second, 7 * time.Millisecond, time.Second}
	for range 3 {
		for i := range calls {
			for _, timeout := range timeouts {
				if err := fresh().encode(k, &calls[i], timeout, 1<<20); err != nil {
					t.Fatal(err)
				}
				want := string(k.buf)
				if err := tg.encode(k, &calls[i], timeout, 1<<20); err != nil || string(k.buf) != want {
					t.Fatalf("call %d in %v: %x, want %x (%v)", i, timeout, k.buf, want, err)
				}
			}
		}
	}
	bad := rpc.Invocation{Method: "m", ParamTypes: []string{"int"}, Direct: true}
	for range 2 {
		if err := tg.encode(k, &bad, time.Second, 1<<20); err == nil {
			t.Error("a call without its argument was encoded")
		}
	}
}

// The usual answers are read by the reader of the connection, others are left to the caller.
func TestUsualAnswersArePlain(t *testing.T) {
	o := ClientOptions{}.withDefaults()
	a := newAnswerReader(&o)
	ok := Header{Status: StatusOK, Serialization: serialHessian2}
	attached := "H\x05dubbo\x052.0.2Z"
	for body, want := range map[string]any{
		"\x91\x02hi": "hi", "\x91\x90": int32(0), "\x92": nil, "\x94T" + attached: true, "\x95" + attached: nil, "\x91N": nil,
	} {
		for range 3 {
			got, plain := a.plain(ok, []byte(body))
			if !plain || got.Value != want {
				t.Errorf("%q: %v %v", body, got, plain)
			}
			if v, _ := got.Attachments.Get("dubbo"); len(body) > len(attached) && v != "2.0.2" {
				t.Errorf("%q: attachments %v", body, got.Attachments)
			} else if v != "" {
				got.Attachments[0].Value = "changed" // the caller's own
			}
		}
	}
	for _, body := range []string{"", "\x90C", "\x91", "\x91\x05hi", "\x91\x79\x90", "\x91H\x01aNZ", "\x94\x02hiH\x01aH\x01bNZZ", "\x96", "\x91" + string(hessian.AppendString(nil, string(make([]byte, plainBody))))} {
		if got, plain := a.plain(ok, []byte(body)); plain {
			t.Errorf("%.20q was read as %v", body, got)
		}
	}
	if _, plain := a.plain(Header{Status: StatusServiceError, Serialization: serialHessian2}, []byte("\x02no")); plain {
		t.Error("a failure was read as an answer")
	}
}
