package dubbo

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/dubway-go/dubway/hessian"
	"github.com/dubway-go/dubway/rpc"
)

// serverWork is the scratch of one request on the server; it is pooled. What the handler sees is made anew.
type serverWork struct {
	server *Server
	conn   *serverConn
	header Header
	body   []byte
	buf    []byte // the response frame

	enc         *hessian.Encoder
	dec, flat   *hessian.Decoder
	words       interner
	descriptors map[string][]string // parameter types by descriptor
	typeLists   map[string][]string // the same by the list of a generic call

	// Of the request being read:
	path, version, group, iface string
	protocol                    int // dubbo protocol version as a number, 2.0.2 is 2000200
}

func newServerWork(o *ServerOptions) *serverWork {
	return &serverWork{
		enc:  hessian.NewEncoder(hessian.EncoderOptions{Types: o.Types, Limits: o.Limits}),
		dec:  hessian.NewDecoder(hessian.DecoderOptions{Types: o.Types, Limits: o.Limits}),
		flat: hessian.NewDecoder(hessian.DecoderOptions{Limits: o.Limits}),
	}
}

func (w *serverWork) release() {
	pool := &w.conn.server.work
	w.conn, w.server = nil, nil
	w.enc.Reset(nil)
	w.dec.Reset(nil)
	w.flat.Reset(nil)
	if cap(w.buf) > maxPooled {
		w.buf = nil
	}
	if cap(w.body) > maxPooled {
		w.body = nil
	}
	pool.Put(w)
}

// run serves the request and queues its response.
func (w *serverWork) run() {
	c := w.conn
	w.server = c.server
	w.serve()
	if w.header.TwoWay {
		c.out.put(w.buf, true)
	}
	// The response is queued before the request stops counting: a connection without requests in flight has nothing left to say.
	c.inFlight.Add(-1)
	w.release()
}

func (w *serverWork) serve() {
	call, err := w.decode()
	if err != nil {
		w.fail(StatusBadRequest, "bad request: "+err.Error())
		return
	}
	if call.Method == echoMethod && len(call.Args) == 1 {
		w.respond(call, rpc.Result{Value: call.Args[0]})
		return
	}
	e := w.server.lookup(w.path, w.iface, w.group, w.version)
	if e == nil {
		w.fail(StatusServiceNotFound, w.server.notFound(w.path, w.group, w.version))
		return
	}
	call.Service = e.key
	call.OneWay = !w.header.TwoWay
	result, err := w.invoke(e.handler, call)
	if w.header.TwoWay {
		if err != nil {
			w.respondError(call, result, err)
		} else {
			w.respond(call, result)
		}
	}
}

// errPanic is what a handler's panic becomes.
var errPanic = errors.New("the provider's handler failed unexpectedly (see the provider's log)")

func (w *serverWork) invoke(h Handler, call *ServerCall) (result rpc.Result, err error) {
	call.Remote = w.conn.remote
	call.ctx.conn = w.conn
	if text, ok := call.Attachments.Get(keyTimeout); ok {
		if n, err := strconv.ParseInt(text, 10, 32); err == nil && n > 0 {
			call.ctx.deadline = time.Now().Add(time.Duration(n) * time.Millisecond)
		}
	}
	defer func() {
		if p := recover(); p != nil {
			w.server.options.Logger.Error("handler panicked", "service", call.Service.Interface, "method", call.Method, "panic", p, "stack", string(debug.Stack()))
			result, err = rpc.Result{}, errPanic
		}
		call.ctx.finish(context.Canceled)
	}()
	return h.Invoke(&call.ctx, call)
}

// fail makes the response a status with a text.
func (w *serverWork) fail(s Status, text string) {
	w.buf = statusFrame(w.buf[:0], w.header.ID, s, text)
}

func (w *serverWork) respondError(call *ServerCall, result rpc.Result, err error) {
	if errors.Is(err, errPanic) {
		w.fail(StatusServerError, err.Error())
		return
	}
	attach := result.Attachments
	_, remote := errors.AsType[*rpc.RemoteException](err)
	if _, java := errors.AsType[*hessian.Throwable](err); !remote && !java {
		code := rpc.CodeOf(err)
		if code == rpc.MethodNotFound && !errors.Is(err, rpc.ErrNotExported) {
			// Status 60 is for services: a consumer may look for those elsewhere. Both kinds of consumer know this text.
			w.fail(StatusServiceError, noSuchMethod+call.Method+" in "+call.Service.String()+": "+err.Error())
			return
		}
		if s, ok := StatusOf(code); ok {
			w.fail(s, err.Error())
			return
		}
		if code != rpc.Unknown {
			attach = attach.With(codeAttachment, code.String())
		}
	}
	w.encode(call, bodyException, thrown(err, call.Generic), attach)
}

func (w *serverWork) respond(call *ServerCall, result rpc.Result) {
	if result.Value == nil {
		w.encode(call, bodyNull, nil, result.Attachments)
		return
	}
	w.encode(call, bodyValue, result.Value, result.Attachments)
}

func (w *serverWork) encode(call *ServerCall, kind int32, value any, attachments rpc.Attachments) {
	b := AppendHeader(w.buf[:0], Header{Serialization: serialHessian2, Status: StatusOK, ID: w.header.ID})
	attach := w.protocol >= firstWithAttachments && len(attachments)+len(call.attachments) > 0
	if attach {
		kind += bodyExceptionAttachments
	}
	b = hessian.AppendInt(b, kind)
	if value != nil {
		w.enc.Reset(b)
		err := w.enc.Encode(value)
		b = w.enc.Bytes()
		if err != nil {
			w.buf = b
			w.fail(StatusBadResponse, "the provider's result cannot be encoded: "+err.Error())
			return
		}
	}
	if attach {
		var err error
		b = append(b, 'H')
		for _, list := range [2]rpc.Attachments{call.attachments, attachments} {
			for i := range list {
				b = hessian.AppendString(b, list[i].Key)
				if b, err = encodeAlone(w.enc, b, list[i].Value); err != nil {
					w.buf = b
					w.fail(StatusBadResponse, fmt.Sprintf("the provider's response attachment %q cannot be encoded: %v", list[i].Key, err))
					return
				}
			}
		}
		b = append(b, 'Z')
	}
	w.buf = b
	if n := len(b) - HeaderLength; n > w.server.options.MaxBody {
		w.fail(StatusBadResponse, fmt.Sprintf("the provider's response has %d bytes, over its limit of %d (MaxBody)", n, w.server.options.MaxBody))
		return
	}
	patchLength(b)
}
