package dubbo

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/dubway-go/dubway/hessian"
	"github.com/dubway-go/dubway/rpc"
)

// maxPooled is the largest buffer that goes back to a pool.
const maxPooled = 64 << 10

// clientCall is one call that runs; it is pooled.
type clientCall struct{ pendingCall }

func newClientCall() *clientCall {
	return &clientCall{pendingCall{done: make(chan struct{}, 1)}}
}

// release drops what refers to the call's values.
func (w *clientCall) release() {
	w.err, w.answer = nil, rpc.Result{}
	if cap(w.body) > maxPooled {
		w.body = nil
	}
}

// clientCodec is the scratch of writing one request or reading one response; it is pooled. It serves many calls in turn and is not held while a call
// waits, so that few of them stay in the processors' caches.
type clientCodec struct {
	coders
	buf    []byte // the request frame
	scribe []byte
}

func newClientCodec(o *ClientOptions) *clientCodec {
	return &clientCodec{coders: newCoders(o.Types, o.Limits)}
}

func (c *Client) codec() *clientCodec { return c.codecs.Get().(*clientCodec) }

// release gives k back without the values that it was used for.
func (c *Client) release(k *clientCodec) {
	k.enc.Reset(nil)
	k.dec.Reset(nil)
	k.flat.Reset(nil)
	if cap(k.buf) > maxPooled {
		k.buf = nil
	}
	c.codecs.Put(k)
}

// encode writes the request frame, with id 0, into k.buf.
func (t *target) encode(k *clientCodec, inv *rpc.Invocation, timeout time.Duration, maxBody int) error {
	if inv.Method == "" {
		return fmt.Errorf("the invocation has no method")
	}
	generic := !inv.Direct && inv.Method != echoMethod
	p := t.form.call(inv, generic)
	b, err := k.request(t.form, p, inv, generic)
	if inv.OneWay {
		b[2] &^= flagTwoWay
	}
	if err == nil {
		b = t.form.attachments(p, b, timeout, generic)
		b, err = k.attachments(b, inv)
	}
	k.buf = b
	if err != nil {
		return err
	}
	if n := len(b) - HeaderLength; n > maxBody {
		return fmt.Errorf("the request has %d bytes, over the limit of %d (MaxBody)", n, maxBody)
	}
	patchLength(b)
	return nil
}

// request writes the request up to the last argument. Where p is not nil it begins as p does; what is prepared leaves no trace in the encoder, so a
// generic call, which has lists in front of its arguments, can use it only when its arguments refer to nothing.
func (k *clientCodec) request(f *form, p *preparedCall, inv *rpc.Invocation, generic bool) ([]byte, error) {
	if p != nil && (!generic || scalars(inv.Args)) {
		k.enc.Reset(append(k.buf[:0], p.front...))
		return encodeArguments(k.enc, inv)
	}
	b, err := k.front(append(k.buf[:0], f.head...), inv, generic)
	if err != nil {
		return b, err
	}
	return encodeArguments(k.enc, inv)
}

// scalars tells whether no argument is a list, a map or an object.
func scalars(args []any) bool {
	for _, a := range args {
		switch a.(type) {
		case nil, bool, string, int, int8, int16, int32, int64, uint8, uint16, uint32, float32, float64, []byte:
		default:
			return false
		}
	}
	return true
}

// front appends what comes in front of the arguments to head. The encoder goes on behind it.
func (k *clientCodec) front(head []byte, inv *rpc.Invocation, generic bool) ([]byte, error) {
	if generic {
		return k.genericFront(head, inv)
	}
	return k.directFront(head, inv)
}

// genericFront writes $invoke(method, types, arguments): the provider finds the method itself, and when types is
// null takes the only one of that name.
func (k *clientCodec) genericFront(b []byte, inv *rpc.Invocation) ([]byte, error) {
	if inv.ParamTypes != nil && len(inv.ParamTypes) != len(inv.Args) {
		return b, fmt.Errorf("%d arguments for %d parameter types", len(inv.Args), len(inv.ParamTypes))
	}
	b = hessian.AppendString(b, genericMethod)
	b = hessian.AppendString(b, genericDescriptor)
	e := k.enc
	e.Reset(b)
	e.EncodeString(inv.Method)
	if inv.ParamTypes == nil {
		e.EncodeNull()
	} else {
		e.EncodeListBegin("[string", len(inv.ParamTypes))
		for _, t := range inv.ParamTypes {
			e.EncodeString(t)
		}
	}
	e.EncodeListBegin("[object", len(inv.Args))
	return e.Bytes(), nil
}

func (k *clientCodec) directFront(b []byte, inv *rpc.Invocation) ([]byte, error) {
	types := inv.ParamTypes
	b = hessian.AppendString(b, inv.Method)
	if inv.Method == echoMethod {
		b = hessian.AppendString(b, echoDescriptor)
		if len(inv.Args) != 1 {
			return b, fmt.Errorf("$echo takes one argument, not %d", len(inv.Args))
		}
	} else {
		if types == nil || len(types) != len(inv.Args) {
			return b, fmt.Errorf("a direct call needs one parameter type for each argument: have %d types and %d arguments", len(types), len(inv.Args))
		}
		d, err := appendDescriptor(k.scribe[:0], types)
		if err != nil {
			return b, err
		}
		k.scribe = d
		b = hessian.AppendStringBytes(b, d)
	}
	k.enc.Reset(b)
	return b, nil
}

func encodeArguments(e *hessian.Encoder, inv *rpc.Invocation) ([]byte, error) {
	for i, a := range inv.Args {
		if err := e.Encode(a); err != nil {
			return e.Bytes(), fmt.Errorf("argument %d: %w", i, err)
		}
	}
	return e.Bytes(), nil
}

// attachments appends those of the invocation and ends the body.
func (k *clientCodec) attachments(b []byte, inv *rpc.Invocation) ([]byte, error) {
	const mapEnd = 'Z'
	for i := range inv.Attachments {
		a := &inv.Attachments[i]
		if reserved(a.Key) {
			continue
		}
		if _, pinned := a.Value.(netip.AddrPort); pinned && a.Key == rpc.AddressKey {
			continue // it was for the address router; Dubbo takes it out as well
		}
		b = hessian.AppendString(b, a.Key)
		switch v := a.Value.(type) {
		case string:
			b = hessian.AppendString(b, v)
		case nil:
			b = hessian.AppendNull(b)
		default:
			var err error
			if b, err = encodeAlone(k.enc, b, v); err != nil {
				return b, fmt.Errorf("attachment %q: %w", a.Key, err)
			}
		}
	}
	return append(b, mapEnd), nil
}
