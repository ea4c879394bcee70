package dubbo

import (
	"errors"
	"fmt"
	"strings"

	"github.com/dubway-go/dubway/hessian"
	"github.com/dubway-go/dubway/rpc"
)

const (
	classRPC        = "org.apache.dubbo.rpc.RpcException"
	classGeneric    = "org.apache.dubbo.rpc.service.GenericException"
	classRuntime    = "java.lang.RuntimeException"
	oldRPC          = "com.alibaba.dubbo.rpc.RpcException"
	oldGeneric      = "com.alibaba.dubbo.rpc.service.GenericException"
	classNoMethod   = "java.lang.NoSuchMethodException"
	codeAttachment  = "dubway.code"
	fieldMessage    = "detailMessage"
	fieldStackTrace = "stackTrace"
)

// exceptionOf reads a decoded exception object. A GenericException, which is what generic callers get, is unwrapped to
// the exception that it stands for.
func exceptionOf(v any) *rpc.RemoteException {
	o, ok := v.(*hessian.Object)
	if !ok {
		if t, ok := hessian.AsThrowable(v); ok { // a map with a class, say
			return &rpc.RemoteException{Class: t.Class, Message: t.Message, Value: v}
		}
		if s, ok := v.(string); ok {
			return &rpc.RemoteException{Class: "java.lang.String", Message: s, Value: v}
		}
		return &rpc.RemoteException{Class: fmt.Sprintf("%T", v), Message: "the provider sent an exception that is no object", Value: v}
	}
	e := &rpc.RemoteException{Class: o.Name(), Message: o.Text(fieldMessage), Value: v}
	if e.Class == classGeneric || e.Class == oldGeneric {
		if class := o.Text("exceptionClass"); class != "" {
			e.Class = class
		}
		if m := o.Text("exceptionMessage"); m != "" {
			e.Message = m
		}
	}
	return e
}

// codeOfException is Business, but for exceptions by which a Dubbo provider itself says that a call cannot be done.
func codeOfException(e *rpc.RemoteException, attachments rpc.Attachments) rpc.Code {
	if text, ok := attachments.Get(codeAttachment); ok {
		for c := rpc.Unknown; c <= rpc.Canceled; c++ {
			if c.String() == text {
				return c
			}
		}
	}
	switch e.Class {
	case classNoMethod:
		return rpc.MethodNotFound
	case classRPC, oldRPC:
		if o, ok := e.Value.(*hessian.Object); ok {
			if code, ok := o.Get("code"); ok {
				if n, ok := code.(int32); ok && n != 0 {
					return codeOfNumber(n)
				}
			}
		}
		if strings.Contains(e.Message, "NoSuchMethodException") || strings.Contains(e.Message, "No such method ") {
			return rpc.MethodNotFound
		}
		return rpc.Unknown
	}
	return rpc.Business
}

// codeOfNumber maps the code of Dubbo's RpcException (spec §8.5).
func codeOfNumber(n int32) rpc.Code {
	switch n {
	case 8: // time was up before the call was sent
		return rpc.Timeout
	case 10: // the routers have no list yet
		return rpc.NoProvider
	case 1, 2, 3, 4, 5, 6, 7, 9, 11, 12, 13:
		return rpc.Code(n)
	}
	return rpc.Unknown
}

// thrown returns the exception object for a handler's error: the class that a RemoteException or Throwable names;
// RpcException with its code for the engine's errors; RuntimeException for others. Generic callers get a GenericException
// around it.
func thrown(err error, generic bool) any {
	class, message, code := classRuntime, err.Error(), int32(0)
	if e, ok := errors.AsType[*rpc.RemoteException](err); ok {
		class, message = e.Class, e.Message
		if o, ok := e.Value.(*hessian.Object); ok && !generic && o.Name() == e.Class {
			return o // passed through as it came
		}
	} else if t, ok := errors.AsType[*hessian.Throwable](err); ok {
		if class, message = t.Class, t.Message; !generic {
			return t
		}
	} else if e, ok := errors.AsType[*rpc.Error](err); ok {
		class, code = classRPC, int32(e.Code)
	}
	if generic {
		return hessian.NewObject(classGeneric, hessian.Field{Name: "exceptionClass", Value: class},
			hessian.Field{Name: "exceptionMessage", Value: message},
			hessian.Field{Name: fieldMessage, Value: class + ": " + message},
			hessian.Field{Name: fieldStackTrace, Value: noStackTrace()})
	}
	if class == classRPC {
		return hessian.NewObject(class, hessian.Field{Name: "code", Value: code}, hessian.Field{Name: fieldMessage, Value: message},
			hessian.Field{Name: fieldStackTrace, Value: noStackTrace()})
	}
	return &hessian.Throwable{Class: class, Message: message}
}

// noStackTrace is an empty one: Java code that prints an exception does not expect null.
func noStackTrace() *hessian.List { return &hessian.List{Type: "[java.lang.StackTraceElement"} }
