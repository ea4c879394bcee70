package dubbo

import (
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/dubway-go/dubway/hessian"
	"github.com/dubway-go/dubway/rpc"
)

// serverWork is one request, on its way from the reader of its connection to a worker.
type serverWork struct {
	conn    *serverConn
	id      int64
	arrived time.Duration // on the clock of conn
	twoWay  bool

	// call is the request when the reader has decoded it; else body holds it.
	call *ServerCall
	body []byte
	// pooled is what body goes back in, nil when body is not for reuse.
	pooled *[]byte

	// export serves the call; nil for one that is not exported. attach tells that the caller understands attachments of a response.
	export *export
	attach bool
}

// serverCodec is the scratch of reading or writing one message; it is pooled. It serves many requests in turn and is not held while a handler runs, so
// that few of them stay in the processors' caches.
type serverCodec struct {
	coders
	buf         []byte // the response frame
	words       interner
	attachments rpc.Attachments     // of the request being read
	descriptors map[string][]string // parameter types by descriptor
	typeLists   map[string][]string // the same by the list of a generic call
}

func newServerCodec(o *ServerOptions) *serverCodec {
	return &serverCodec{coders: newCoders(o.Types, o.Limits)}
}

func (s *Server) codec() *serverCodec { return s.codecs.Get().(*serverCodec) }

// release gives k back. What it was used for with values that it may still hold is reset.
func (s *Server) release(k *serverCodec) {
	if cap(k.buf) > maxPooled {
		k.buf = nil
	}
	s.codecs.Put(k)
}

// hold makes body the work's own: it is as it is when owned, else a copy.
func (w *serverWork) hold(s *Server, body []byte, owned bool) {
	if owned {
		w.body = body
		return
	}
	w.pooled, _ = s.bodies.Get().(*[]byte)
	if w.pooled == nil {
		w.pooled = new([]byte)
	}
	*w.pooled = append((*w.pooled)[:0], body...)
	w.body = *w.pooled
}

// drop ends the use of the body.
func (w *serverWork) drop() {
	if w.pooled != nil {
		w.conn.server.bodies.Put(w.pooled)
		w.pooled = nil
	}
	w.body = nil
}

// run serves the request and queues its response.
func (w *serverWork) run() {
	c := w.conn
	o := w.serve()
	if w.twoWay && !c.ended.Load() {
		k := c.server.codec()
		c.out.put(w.respond(k, &o), true)
		c.server.release(k)
	}
	// The response is queued before the request stops counting: a connection without requests in flight has nothing left to say.
	c.inFlight.Add(-1)
}

// outcome is what became of a request: a status and a text when it failed before or beside its handler, else what the handler returned.
type outcome struct {
	status Status
	text   string
	result rpc.Result
	err    error
}

func failed(s Status, text string) outcome { return outcome{status: s, text: text} }

func (w *serverWork) serve() outcome {
	if w.call == nil {
		k := w.conn.server.codec()
		missing, err := w.decode(k)
		k.dec.Reset(nil)
		k.flat.Reset(nil)
		w.conn.server.release(k)
		w.drop()
		switch {
		case err != nil:
			return failed(StatusBadRequest, "bad request: "+err.Error())
		case w.call.Method == echoMethod && len(w.call.Args) == 1:
			return outcome{status: StatusOK, result: rpc.Result{Value: w.call.Args[0]}}
		case w.export == nil:
			return failed(StatusServiceNotFound, missing)
		}
	}
	result, err := w.invoke(w.export.handler, w.call)
	return outcome{StatusOK, "", result, err}
}

// errPanic is what a handler's panic becomes.
var errPanic = errors.New("the provider's handler failed unexpectedly (see the provider's log)")

func (w *serverWork) invoke(h Handler, call *ServerCall) (result rpc.Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			w.conn.server.options.Logger.Error("handler panicked", "service", call.Service.Interface, "method", call.Method, "panic", p, "stack", string(debug.Stack()))
			result, err = rpc.Result{}, errPanic
		}
		call.ctx.finish(endCanceled)
	}()
	return h.Invoke(&call.ctx, call)
}

// respond makes the response frame, which is k's until its next use.
func (w *serverWork) respond(k *serverCodec, o *outcome) []byte {
	switch {
	case o.status != StatusOK:
		w.fail(k, o.status, o.text)
	case o.err != nil:
		w.respondError(k, o.result, o.err)
	case o.result.Value == nil:
		w.encode(k, bodyNull, nil, o.result.Attachments)
	default:
		w.encode(k, bodyValue, o.result.Value, o.result.Attachments)
	}
	return k.buf
}

// fail makes the response a status with a text.
func (w *serverWork) fail(k *serverCodec, s Status, text string) {
	k.buf = statusFrame(k.buf[:0], w.id, s, text)
}

func (w *serverWork) respondError(k *serverCodec, result rpc.Result, err error) {
	if errors.Is(err, errPanic) {
		w.fail(k, StatusServerError, err.Error())
		return
	}
	attach := result.Attachments
	_, remote := errors.AsType[*rpc.RemoteException](err)
	if _, java := errors.AsType[*hessian.Throwable](err); !remote && !java {
		code := rpc.CodeOf(err)
		if code == rpc.MethodNotFound && !errors.Is(err, rpc.ErrNotExported) {
			// Status 60 is for services: a consumer may look for those elsewhere. Both kinds of consumer know this text.
			w.fail(k, StatusServiceError, noSuchMethod+w.call.Method+" in "+w.call.Service.String()+": "+err.Error())
			return
		}
		if s, ok := StatusOf(code); ok {
			w.fail(k, s, err.Error())
			return
		}
		if code != rpc.Unknown {
			attach = attach.With(codeAttachment, code.String())
		}
	}
	w.encode(k, bodyException, thrown(err, w.call.Generic), attach)
}

func (w *serverWork) encode(k *serverCodec, kind int32, value any, attachments rpc.Attachments) {
	b := AppendHeader(k.buf[:0], Header{Serialization: serialHessian2, Status: StatusOK, ID: w.id})
	own := w.call.attachments
	attach := w.attach && len(attachments)+len(own) > 0
	if attach {
		kind += bodyExceptionAttachments
	}
	b = hessian.AppendInt(b, kind)
	switch v := value.(type) {
	case nil:
	case string: // the usual answer needs no references
		b = hessian.AppendString(b, v)
	default:
		k.enc.Reset(b)
		err := k.enc.Encode(value)
		b = k.enc.Bytes()
		k.enc.Reset(nil)
		if err != nil {
			k.buf = b
			w.fail(k, StatusBadResponse, "the provider's result cannot be encoded: "+err.Error())
			return
		}
	}
	if attach {
		var err error
		b = append(b, 'H')
		for _, list := range [2]rpc.Attachments{own, attachments} {
			for i := range list {
				b = hessian.AppendString(b, list[i].Key)
				if b, err = encodeAlone(k.enc, b, list[i].Value); err != nil {
					k.buf = b
					w.fail(k, StatusBadResponse, fmt.Sprintf("the provider's response attachment %q cannot be encoded: %v", list[i].Key, err))
					return
				}
			}
		}
		b = append(b, 'Z')
		k.enc.Reset(nil)
	}
	k.buf = b
	if n := len(b) - HeaderLength; n > w.conn.server.options.MaxBody {
		w.fail(k, StatusBadResponse, fmt.Sprintf("the provider's response has %d bytes, over its limit of %d (MaxBody)", n, w.conn.server.options.MaxBody))
		return
	}
	patchLength(b)
}
