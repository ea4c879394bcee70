package dubbo

import (
	"errors"
	"fmt"
	"reflect"
)

const (
	// firstWithAttachments is protocol version 2.0.2, from which on consumers understand attachments of a response.
	firstWithAttachments = 2000200
	maxDescriptors       = 512
)

var errNotGeneric = errors.New("only generic=true is supported: the consumer asked for another form of generic call")

// plainBody is the largest body, in bytes, that the reader of a connection decodes itself; see decodePlain.
const plainBody = 4 << 10

// decodePlain reads a request whose head is remembered and whose arguments and attachments are scalars, the usual case. The reader of the connection
// does it, which has the bytes at hand, so that neither they nor a decoder move to another processor. It is false for anything else, wrong bytes
// included, and decode then does the whole and says what is wrong: both give the same call.
func (w *serverWork) decodePlain(k *serverCodec, body []byte) bool {
	if len(body) > plainBody {
		return false
	}
	end := frontEnd(body)
	if end == 0 {
		return false
	}
	h := w.conn.heads.peek(body[:end])
	if h == nil || h.general.Load() || h.method == echoMethod {
		return false
	}
	var space [maxPlainArguments]any
	args, rest, ok := k.plainArguments(space[:0], h, body[end:])
	if !ok {
		h.general.Store(true)
		return false
	}
	tail, ok := k.tail(w.conn, rest)
	if !ok {
		return false
	}
	e := h.export(w.conn.server, tail.iface, tail.group)
	if e == nil || h.generic && !tail.plainGeneric() {
		return false
	}
	w.call = newServerCall(h, tail)
	w.call.Args = append(w.call.argsSpace[:0:len(w.call.argsSpace)], args...)
	w.accept(h, tail, e)
	return true
}

// accept notes what decoding found beside the call's own parts.
func (w *serverWork) accept(h *requestHead, t *requestTail, e *export) {
	w.export, w.attach = e, h.protocol >= firstWithAttachments
	w.call.OneWay = !w.twoWay
	w.call.Remote = w.conn.remote
	w.call.ctx.conn = w.conn
	if t.timeout > 0 {
		w.call.ctx.deadline = w.arrived + t.timeout
	}
	if e != nil {
		w.call.Service = e.key
	}
}

// newServerCall returns a call without its arguments.
func newServerCall(h *requestHead, t *requestTail) *ServerCall {
	return &ServerCall{Method: h.method, ParamTypes: h.types, Generic: h.generic, Attachments: t.attachments}
}

// decode reads the request in w.body, whatever it holds. Without an error w.export is nil when the service is not exported; missing then says so.
func (w *serverWork) decode(k *serverCodec) (missing string, err error) {
	h, rest, err := k.head(w.conn, w.body)
	if err != nil {
		return "", err
	}
	w.attach = h.protocol >= firstWithAttachments
	call := &ServerCall{}
	if h.generic {
		err = k.genericArguments(call, h, rest)
	} else {
		err = k.directArguments(call, h)
	}
	if err != nil {
		return "", err
	}
	tail, ok := k.tail(w.conn, rest[k.dec.Offset():])
	if !ok {
		tail = &requestTail{}
		if tail.attachments, err = decodeAttachments(nil, k.dec, k.flat, rest, &k.words); err != nil {
			return "", fmt.Errorf("attachments: %w", err)
		}
		tail.settle()
	}
	if h.generic && !tail.plainGeneric() {
		return "", fmt.Errorf("%w (%.40q)", errNotGeneric, tail.form)
	}
	call.Method, call.ParamTypes, call.Generic, call.Attachments = h.method, h.types, h.generic, tail.attachments
	w.call = call
	e := h.export(w.conn.server, tail.iface, tail.group)
	w.accept(h, tail, e)
	if e == nil {
		missing = w.conn.server.notFound(h.path, tail.group, h.version)
	}
	return missing, nil
}

func (k *serverCodec) directArguments(call *ServerCall, h *requestHead) error {
	call.Args = call.argsSpace[:0:len(call.argsSpace)]
	for i := range h.types {
		v, err := k.dec.Decode()
		if err != nil {
			return fmt.Errorf("argument %d (%s): %w", i, h.types[i], noEOF(err))
		}
		call.Args = append(call.Args, v)
	}
	return nil
}

// genericArguments reads the list of arguments of $invoke.
func (k *serverCodec) genericArguments(call *ServerCall, h *requestHead, rest []byte) error {
	args, _, ok := k.plainArguments(call.argsSpace[:0:len(call.argsSpace)], h, rest[k.dec.Offset():])
	if ok {
		call.Args = args
		if err := k.dec.Skip(); err != nil {
			return fmt.Errorf("arguments of a generic call: %w", noEOF(err))
		}
		return nil
	}
	v, err := k.dec.Decode()
	if err == nil {
		call.Args, err = asList(v)
	}
	if err != nil {
		return fmt.Errorf("arguments of a generic call: %w", noEOF(err))
	}
	if h.types != nil && len(h.types) != len(call.Args) {
		return fmt.Errorf("a generic call of %.100q has %d arguments for %d parameter types", h.method, len(call.Args), len(h.types))
	}
	return nil
}

// plainArguments reads the arguments in front of rest if they are few and scalars, and returns what follows them. ok is false for anything else, wrong
// bytes included: the general way finds out what they are. Scalars need no references, so a decoder that knows nothing of what came before can read them.
func (k *serverCodec) plainArguments(dst []any, h *requestHead, in []byte) (args []any, rest []byte, ok bool) {
	n := len(h.types)
	if h.generic {
		const shortList, objects = 0x70, "\x07[object" // a typed list of 0 to 7 elements, and the type
		if len(in) < 1+len(objects) || in[0] < shortList || in[0] > shortList+7 || string(in[1:1+len(objects)]) != objects {
			return nil, nil, false
		}
		if n = int(in[0] - shortList); h.types != nil && n != len(h.types) {
			return nil, nil, false
		}
		in = in[1+len(objects):]
	}
	if n > cap(dst) {
		return nil, nil, false
	}
	d := k.flat
	d.Reset(in)
	for range n {
		if at := d.Offset(); at >= len(in) || isContainer(in[at]) {
			return nil, nil, false
		}
		v, err := d.Decode()
		if err != nil {
			return nil, nil, false
		}
		dst = append(dst, v)
	}
	return dst, in[d.Offset():], true
}

func asStrings(v any) ([]string, error) {
	switch v := v.(type) {
	case nil:
		return nil, nil
	case []string:
		return v, nil
	case []any:
		out := make([]string, len(v))
		for i := range v {
			s, ok := v[i].(string)
			if !ok {
				return nil, fmt.Errorf("element %d is %T, want a string", i, v[i])
			}
			out[i] = s
		}
		return out, nil
	}
	return nil, fmt.Errorf("want a list of strings, have %T", v)
}

func asList(v any) ([]any, error) {
	switch v := v.(type) {
	case nil:
		return nil, nil
	case []any:
		return v, nil
	}
	r := reflect.ValueOf(v)
	if r.Kind() != reflect.Slice || r.Type().Elem().Kind() == reflect.Uint8 {
		return nil, fmt.Errorf("want a list, have %T", v)
	}
	out := make([]any, r.Len())
	for i := range out {
		out[i] = r.Index(i).Interface()
	}
	return out, nil
}

// protocolNumber reads "2.0.2" as 2000200 (two digits a part, as Dubbo compares versions); what cannot be read is 0. Versions
// 2.8.x are those of dubbox, which never sent attachments back, and count as 0 as well.
func protocolNumber(v []byte) int {
	if string(v) == protocolVersion {
		return firstWithAttachments
	}
	n, part, parts := 0, 0, 1
	for _, c := range v {
		switch {
		case c >= '0' && c <= '9' && part < 100:
			part = part*10 + int(c-'0')
		case c == '.' && parts < 3:
			n, part = n*100+part, 0
			parts++
		default:
			return 0
		}
	}
	n = n*100 + part
	for ; parts < 3; parts++ {
		n *= 100
	}
	n *= 100
	if n >= 2080000 && n < 2090000 {
		return 0
	}
	return n
}
