package dubbo

import (
	"fmt"
	"net/netip"
	"strconv"
	"time"

	"github.com/dubway-go/dubway/hessian"
	"github.com/dubway-go/dubway/rpc"
)

// maxPooled is the largest buffer that goes back to a pool.
const maxPooled = 64 << 10

// clientCall is the scratch of one call; it is pooled.
type clientCall struct {
	pendingCall
	buf    []byte // the request frame
	enc    *hessian.Encoder
	dec    *hessian.Decoder
	flat   *hessian.Decoder
	scribe []byte
}

func newClientCall(o *ClientOptions) *clientCall {
	return &clientCall{
		pendingCall: pendingCall{done: make(chan struct{}, 1)},
		enc:         hessian.NewEncoder(hessian.EncoderOptions{Types: o.Types, Limits: o.Limits}),
		dec:         hessian.NewDecoder(hessian.DecoderOptions{Types: o.Types, Limits: o.Limits}),
		flat:        hessian.NewDecoder(hessian.DecoderOptions{Limits: o.Limits}),
	}
}

// release drops what refers to the call's values.
func (w *clientCall) release() {
	w.enc.Reset(nil)
	w.dec.Reset(nil)
	w.flat.Reset(nil)
	w.err = nil
	if cap(w.buf) > maxPooled {
		w.buf = nil
	}
	if cap(w.body) > maxPooled {
		w.body = nil
	}
}

// encode writes the request frame, with id 0, into w.buf.
func (t *target) encode(w *clientCall, inv *rpc.Invocation, timeout time.Duration, maxBody int) error {
	if inv.Method == "" {
		return fmt.Errorf("the invocation has no method")
	}
	b := append(w.buf[:0], t.head...)
	if inv.OneWay {
		b[2] &^= flagTwoWay
	}
	generic := !inv.Direct && inv.Method != echoMethod
	var err error
	if generic {
		b, err = encodeGeneric(w, b, inv)
	} else {
		b, err = encodeDirect(w, b, inv)
	}
	if err != nil {
		w.buf = b[:0]
		return err
	}
	b, err = t.encodeAttachments(w, b, inv, timeout, generic)
	w.buf = b
	if err != nil {
		return err
	}
	if n := len(b) - HeaderLength; n > maxBody {
		return fmt.Errorf("the request has %d bytes, over the limit of %d (MaxBody)", n, maxBody)
	}
	patchLength(b)
	return nil
}

// encodeGeneric writes $invoke(method, types, arguments): the provider finds the method itself, and when types is
// null takes the only one of that name.
func encodeGeneric(w *clientCall, b []byte, inv *rpc.Invocation) ([]byte, error) {
	if inv.ParamTypes != nil && len(inv.ParamTypes) != len(inv.Args) {
		return b, fmt.Errorf("%d arguments for %d parameter types", len(inv.Args), len(inv.ParamTypes))
	}
	b = hessian.AppendString(b, genericMethod)
	b = hessian.AppendString(b, genericDescriptor)
	e := w.enc
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
	return encodeArguments(e, inv)
}

func encodeDirect(w *clientCall, b []byte, inv *rpc.Invocation) ([]byte, error) {
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
		d, err := appendDescriptor(w.scribe[:0], types)
		if err != nil {
			return b, err
		}
		w.scribe = d
		b = appendASCII(b, d)
	}
	w.enc.Reset(b)
	return encodeArguments(w.enc, inv)
}

// appendASCII is hessian.AppendString for bytes; only other text than ASCII costs an allocation.
func appendASCII(dst, s []byte) []byte {
	if len(s) < 1024 {
		ascii := true
		for _, c := range s {
			if c >= 0x80 {
				ascii = false
				break
			}
		}
		if ascii && len(s) < 32 {
			return append(append(dst, byte(len(s))), s...)
		} else if ascii {
			return append(append(dst, 0x30+byte(len(s)>>8), byte(len(s))), s...)
		}
	}
	return hessian.AppendString(dst, string(s))
}

func encodeArguments(e *hessian.Encoder, inv *rpc.Invocation) ([]byte, error) {
	for i, a := range inv.Args {
		if err := e.Encode(a); err != nil {
			return e.Bytes(), fmt.Errorf("argument %d: %w", i, err)
		}
	}
	return e.Bytes(), nil
}

// encodeAttachments ends the body. The constant ones are copied as encoded once; the map needs no reference
// number because nothing but scalars follows, except where an attachment is a container.
func (t *target) encodeAttachments(w *clientCall, b []byte, inv *rpc.Invocation, timeout time.Duration, generic bool) ([]byte, error) {
	const mapUntyped, mapEnd = 'H', 'Z'
	b = append(append(b, mapUntyped), t.constant...)
	b = hessian.AppendString(b, keyTimeout)
	var digits [20]byte
	b = appendASCII(b, strconv.AppendInt(digits[:0], max(int64(timeout/time.Millisecond), 1), 10))
	if generic {
		b = hessian.AppendString(b, keyGeneric)
		b = hessian.AppendString(b, "true")
	}
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
			if b, err = encodeAlone(w.enc, b, v); err != nil {
				return b, fmt.Errorf("attachment %q: %w", a.Key, err)
			}
		}
	}
	return append(b, mapEnd), nil
}
