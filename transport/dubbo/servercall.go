package dubbo

import (
	"context"
	"net"

	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/service"
)

// Handler serves the calls to one service. Invoke runs on a goroutine of the server's pool, many at a time. Its context ends when
// the caller's timeout is up, when the connection is lost, when Shutdown gives up waiting, and when Invoke returns.
//
// How an error reaches the caller: a *rpc.RemoteException or *hessian.Throwable as the Java exception of its class; a *rpc.Error as its code
// (a response status where Dubbo has one, else an RpcException); any other as a java.lang.RuntimeException with the error's text.
// A panic is recovered, logged with its stack, and answered as a server error without details.
type Handler interface {
	Invoke(ctx context.Context, call *ServerCall) (rpc.Result, error)
}

// HandlerFunc is a function as a Handler.
type HandlerFunc func(ctx context.Context, call *ServerCall) (rpc.Result, error)

// Invoke calls f.
func (f HandlerFunc) Invoke(ctx context.Context, call *ServerCall) (rpc.Result, error) {
	return f(ctx, call)
}

// ServerCall is one request as its handler sees it. It is the handler's, also after Invoke has returned.
type ServerCall struct {
	// Service is the key under which the handler was registered.
	Service service.Key
	// Method is the real method name, also for generic calls.
	Method string
	// ParamTypes are the Java names of the parameter types; nil when a generic caller did not say.
	// The slice is shared with other calls: do not change it.
	ParamTypes []string
	// Args are the arguments as Go values (see package hessian).
	Args []any
	// Attachments came with the call. They include Dubbo's own (path, interface, version, group, timeout, …). The slice may be shared
	// with other calls: do not change its elements (append and With make a new one).
	Attachments rpc.Attachments
	// Generic tells that the caller used $invoke.
	Generic bool
	// OneWay tells that the caller does not wait for a response.
	OneWay bool
	// Remote is the address of the caller.
	Remote net.Addr

	attachments rpc.Attachments // of the response

	ctx       callContext
	argsSpace [maxPlainArguments]any
}

// maxPlainArguments is how many arguments a call has room for itself.
const maxPlainArguments = 4

// Tag returns the request tag (attachment dubbo.tag), "" when the call has none.
func (c *ServerCall) Tag() string {
	t, _ := c.Attachments.Get(rpc.TagKey)
	return t
}

// RemoteAddress returns Remote as text, which is made once a connection; "" when there is none.
func (c *ServerCall) RemoteAddress() string {
	switch {
	case c.ctx.conn != nil:
		return c.ctx.conn.from
	case c.Remote != nil:
		return c.Remote.String()
	}
	return ""
}

// SetAttachment adds an attachment to the response, before those of the Result. Text, numbers, booleans, dates and bytes
// are allowed. It is for use before Invoke returns, by one goroutine at a time.
func (c *ServerCall) SetAttachment(key string, value any) {
	c.attachments = append(c.attachments, rpc.Attachment{Key: key, Value: value})
}
