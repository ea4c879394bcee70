package dubway

import (
	"context"
	"fmt"

	"github.com/dubway-go/dubway/hessian"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/service"
)

// Request is a call as a provider gets it.
type Request struct {
	// Service is the service called.
	Service service.Key
	// Method is the method's real name; generic calls are resolved already.
	Method string
	// ParamTypes are the Java names of the parameter types, nil when the consumer did not tell.
	ParamTypes []string
	// Args are the arguments as Go values.
	Args []any
	// Attachments came with the call. The context given to the handler has them too. Calls of one connection may share its
	// elements: do not change them. Whoever appends gets a list of their own.
	Attachments rpc.Attachments
	// Remote is the consumer's host:port.
	Remote string
}

// Handler serves the calls of one service. The result is sent as Call's value: basic types, lists, maps, times, byte slices,
// structs (as maps, unless hessian.Types names their class). An *Error keeps its code; a *RemoteException reaches a Java
// consumer as that exception; any other error reaches it as a RuntimeException with the error's text.
// A Handler must be safe for concurrent use.
type Handler interface {
	Serve(ctx context.Context, request *Request) (any, error)
}

// HandlerFunc is a function as a Handler.
type HandlerFunc func(ctx context.Context, request *Request) (any, error)

// Serve implements Handler.
func (f HandlerFunc) Serve(ctx context.Context, request *Request) (any, error) {
	return f(ctx, request)
}

// handlerOf returns v itself when it is a Handler or a function of that shape, else its exported methods as one.
func handlerOf(v any, types *hessian.Types) (Handler, []string, error) {
	switch h := v.(type) {
	case nil:
		return nil, nil, fmt.Errorf("the handler is nil: give a dubway.Handler or a value with exported methods")
	case Handler:
		return h, nil, nil
	case func(ctx context.Context, request *Request) (any, error):
		return HandlerFunc(h), nil, nil
	}
	m, err := methodsOf(v, types)
	if err != nil {
		return nil, nil, err
	}
	return m, m.names, nil
}
