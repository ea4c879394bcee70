package dubway

import (
	"context"
	"sync"

	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/transport/dubbo"
)

// servedCall is a call that is being served: the context its handler gets, the request, and the answer's attachments, in one
// piece because there is one for every call.
type servedCall struct {
	context.Context // the transport's

	request Request
	known   request
	answer  answer
	passed  [2]rpc.Attachment // room for what is passed on
}

// newServedCall returns the context of the handler for call.
func newServedCall(ctx context.Context, call *dubbo.ServerCall, p Propagation) *servedCall {
	c := &servedCall{Context: ctx, request: Request{Service: call.Service, Method: call.Method, ParamTypes: call.ParamTypes, Args: call.Args,
		Attachments: call.Attachments, Remote: call.RemoteAddress()}}
	c.known.incoming, c.known.answer = call.Attachments, &c.answer
	if p != PropagateTag {
		return c
	}
	passed := c.passed[:0:len(c.passed)]
	for _, a := range call.Attachments {
		if text, ok := a.Value.(string); len(passed) < len(c.passed) && ok && (a.Key == rpc.TagKey && text != "" || a.Key == rpc.ForceTagKey) {
			passed = append(passed, a)
		}
	}
	c.known.outgoing = passed
	return c
}

// Value implements context.Context.
func (c *servedCall) Value(key any) any {
	if _, ok := key.(requestKey); ok {
		return &c.known
	}
	return c.Context.Value(key)
}

// AfterFunc lets package context derive contexts from this one without a goroutine each, as it can from the transport's.
func (c *servedCall) AfterFunc(f func()) (stop func() bool) { return context.AfterFunc(c.Context, f) }

// answer collects the attachments of a response.
type answer struct {
	mu          sync.Mutex
	attachments rpc.Attachments
	sent        bool
}

// take returns the attachments; from then on none is taken in.
func (a *answer) take() rpc.Attachments {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.sent = true
	return a.attachments
}

// SetResponseAttachment adds an attachment to the answer of the call that ctx serves; ctx is the handler's or one made from it. A key set twice
// has its last value. The consumer finds it in Record.ResponseAttachments and in the Result of Service.Invoke, also when the
// handler returns an error that is sent as an exception; Dubbo Java has it in the RpcContext. Consumers of a protocol before 2.0.2 get none.
//
// It reports whether the attachment goes out: false outside a served call, and after its handler has returned. It is
// safe for concurrent use.
func SetResponseAttachment(ctx context.Context, key, value string) bool {
	a := requestOf(ctx).answer
	if a == nil {
		return false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.sent {
		return false
	}
	a.attachments = a.attachments.With(key, value)
	return true
}
