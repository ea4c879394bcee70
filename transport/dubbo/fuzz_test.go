package dubbo

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/dubway-go/dubway/hessian"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/service"
)

const fuzzLimit = 1 << 20

// FuzzFrame: whatever comes, frames are cut the same way in one piece and byte by byte, a frame prints as it was read, and the end is io.EOF
// or an error about the frame.
func FuzzFrame(f *testing.F) {
	f.Add([]byte("\xda\xbb\xc2\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x01N"))
	f.Add([]byte("\xda\xbb\xc2\x00\xff\xff"))
	f.Add([]byte("GET / HTTP/1.1\r\n\r\n"))
	f.Add([]byte("\xda\xbb\x02\x14\x00\x00\x00\x00\x00\x00\x00\x07\x7f\xff\xff\xffabc"))
	f.Add(append(statusFrame(nil, 9, StatusOK, "x"), statusFrame(nil, 10, StatusExhausted, "busy")...))
	f.Fuzz(func(t *testing.T, in []byte) {
		whole, wholeErr := frames(t, bytes.NewReader(in))
		pieces, piecesErr := frames(t, iotest.OneByteReader(bytes.NewReader(in)))
		if !bytes.Equal(whole, pieces) || errors.Is(wholeErr, io.EOF) != errors.Is(piecesErr, io.EOF) {
			t.Fatalf("in one read: %x, %v; by bytes: %x, %v", whole, wholeErr, pieces, piecesErr)
		}
		if !bytes.HasPrefix(in, whole) {
			t.Fatalf("frames print as %x", whole)
		}
		if errors.Is(wholeErr, io.EOF) && len(whole) != len(in) {
			t.Fatalf("%d bytes were dropped without an error", len(in)-len(whole))
		}
		if !errors.Is(wholeErr, io.EOF) && !errors.Is(wholeErr, ErrFrame) {
			t.Fatalf("error %v", wholeErr)
		}
	})
}

func frames(t *testing.T, r io.Reader) ([]byte, error) {
	fr := newFrameReader(r, fuzzLimit)
	var out []byte
	for {
		h, body, _, err := fr.next()
		if err != nil {
			return out, err
		}
		if len(body) != h.Body || h.Body > fuzzLimit {
			t.Fatalf("body of %d bytes for %+v", len(body), h)
		}
		out = append(AppendHeader(out, h), body...)
	}
}

// FuzzRequestBody: whatever comes is answered with a frame that can be read, and a request that the reader of a connection decodes itself is the
// call that the general way makes of it.
func FuzzRequestBody(f *testing.F) {
	inv := &rpc.Invocation{Method: "hi", ParamTypes: []string{"java.lang.String", "int[]"}, Args: []any{"x", []int32{1}},
		Attachments: rpc.Attachments{{Key: rpc.TagKey, Value: "gray"}}}
	for _, isDirect := range []bool{false, true} {
		inv.Direct = isDirect
		f.Add(requestBody(f, inv))
	}
	f.Add(requestBody(f, &rpc.Invocation{Method: echoMethod, Args: []any{map[string]any{"a": int64(1)}}}))
	f.Add(requestBody(f, &rpc.Invocation{Method: "hé", Args: []any{"a", int64(1), nil, true}}))
	f.Add([]byte("\x052.0.2\x01p\x00\x01m\x04[[[["))
	f.Add([]byte("\x052.0.2\x01p\x00\x01m\x00H\x01aH\x01bQ\x90ZZ"))
	f.Add([]byte("\x052.0.2\x01p\x00\x01m\x12Ljava/lang/String;\x01xH\x07timeout\x0210Z"))
	f.Fuzz(func(t *testing.T, in []byte) {
		s := NewServer(ServerOptions{MaxBody: fuzzLimit})
		s.Handle(service.Key{Interface: "p"}, HandlerFunc(answerAll))
		c := &serverConn{server: s, heads: newRecurring[requestHead](), tails: newRecurring[requestTail]()}
		work := serverWork{conn: c, id: 77, twoWay: true, arrived: 5}
		if w := work; w.decodePlain(s.codec(), in) {
			t.Fatal("decoded before anything was remembered")
		}
		var general serverWork
		var missing string
		var err error
		for range 3 { // the third finds what the first two left
			general = work
			general.body = in
			missing, err = general.decode(s.codec())
		}
		plain := work
		if plain.decodePlain(s.codec(), in) {
			if err != nil || missing != "" {
				t.Fatalf("decoded by the reader, but not by the general way: %q %v", missing, err)
			}
			if plain.export != general.export || plain.attach != general.attach || !same(plain.call, general.call) {
				t.Fatalf("the reader decoded %+v, the general way %+v", plain.call, general.call)
			}
		}
		general = work
		general.body = in
		o := general.serve()
		k := s.codec()
		frame := general.respond(k, &o)
		h, err := ParseHeader(frame, fuzzLimit)
		if err != nil || h.ID != 77 || h.Request || h.Body != len(frame)-HeaderLength {
			t.Fatalf("response %+v, %v", h, err)
		}
		if h.Status == StatusOK {
			dec, flat := hessian.NewDecoder(hessian.DecoderOptions{}), hessian.NewDecoder(hessian.DecoderOptions{})
			body := frame[HeaderLength:]
			dec.Reset(body)
			if _, _, err := decodeResponse(dec, flat, body); err != nil {
				t.Fatalf("own response %x cannot be read: %v", body, err)
			}
		}
	})
}

// same compares two calls. They print the same when they are, also NaN, which differs from itself.
func same(a, b *ServerCall) bool {
	text := func(c *ServerCall) string {
		return fmt.Sprintf("%v %q %#v %#v %#v %v %v %v", c.Service, c.Method, c.ParamTypes, c.Args, c.Attachments, c.Generic, c.OneWay, c.ctx.deadline)
	}
	return text(a) == text(b)
}

func requestBody(t testing.TB, inv *rpc.Invocation) []byte {
	o := ClientOptions{}.withDefaults()
	k := newClientCodec(&o)
	tg := newTarget(nil, &service.Instance{}, service.Key{Interface: "p", Group: "g", Version: "1"}, "app")
	if err := tg.encode(k, inv, 1, fuzzLimit); err != nil {
		t.Fatal(err)
	}
	return k.buf[HeaderLength:]
}

func FuzzResponseBody(f *testing.F) {
	f.Add([]byte("\x91\x02hi"), uint8(20))
	f.Add([]byte("\x94\x02hiH\x01a\x01bZ"), uint8(20))
	f.Add([]byte("\x95H\x01aH\x01bQ\x90ZZ"), uint8(20))
	f.Add([]byte("\x90C\x14java.lang.BadNews\x91\x0ddetailMessage`\x03bad"), uint8(20))
	f.Add([]byte("\x04busy"), uint8(100))
	f.Add([]byte("\xff\xfe"), uint8(70))
	f.Fuzz(func(t *testing.T, in []byte, status uint8) {
		o := ClientOptions{}.withDefaults()
		w, k := newClientCall(), newClientCodec(&o)
		w.header = Header{Serialization: serialHessian2, Status: Status(status)}
		w.body = in
		res, err := k.result(w, &service.Instance{}, &rpc.Invocation{Method: "m"})
		if err != nil {
			if e, ok := errors.AsType[*rpc.Error](err); !ok || res.Value != nil || len(e.Error()) > 4*maxStatusText+4*len(in)+4096 {
				t.Fatalf("value %v and error %v", res.Value, err)
			}
		}
		answers := newAnswerReader(&o)
		for range 3 { // the third finds what the first two left
			if plain, ok := answers.plain(w.header, in); ok && (err != nil || fmt.Sprintf("%#v %v", plain.Value, sorted(plain)) != fmt.Sprintf("%#v %v", res.Value, sorted(res))) {
				t.Fatalf("the reader read %v, the caller %v, %v", plain, res, err)
			}
		}
	})
}

// sorted is the attachments of r by key.
func sorted(r rpc.Result) rpc.Attachments {
	list := slices.Clone(r.Attachments)
	slices.SortStableFunc(list, func(a, b rpc.Attachment) int { return strings.Compare(a.Key, b.Key) })
	return list
}
