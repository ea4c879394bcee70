package rpc

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/dubway-go/dubway/service"
)

// Error is how a call fails. It works with errors.Is and errors.As: Unwrap gives the cause.
type Error struct {
	// Code is the reason, from the closed set.
	Code Code
	// Service and Method are what was called.
	Service service.Key
	Method  string
	// Instance is the host:port that was called, empty when none was chosen.
	Instance string
	// Message says what happened; for NoProvider it carries the short explain.
	Message string
	// Cause is the underlying error, or nil. A provider's exception is a *RemoteException.
	Cause error
}

// Error returns "code: service.method [at instance]: message".
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Code.String())
	if e.Service.Interface != "" {
		b.WriteString(": ")
		b.WriteString(e.Service.Interface)
		if e.Method != "" {
			b.WriteByte('.')
			b.WriteString(e.Method)
		}
	}
	if e.Instance != "" {
		b.WriteString(" at ")
		b.WriteString(e.Instance)
	}
	if e.Message != "" {
		b.WriteString(": ")
		b.WriteString(e.Message)
	} else if e.Cause != nil {
		b.WriteString(": ")
		b.WriteString(e.Cause.Error())
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// ErrNotExported is in the chain of a MethodNotFound error whose provider does not have the service at all, as opposed to one that has the
// service and not the method: another provider may have it, for example while a deployment is under way.
var ErrNotExported = errors.New("the provider does not export the service")

// RemoteException is an exception that the provider's method raised.
type RemoteException struct {
	// Class is the exception's Java class name.
	Class string
	// Message is its detail message.
	Message string
	// Value is the decoded exception object, or nil.
	Value any
}

// Error returns "class: message".
func (e *RemoteException) Error() string { return fmt.Sprintf("%s: %s", e.Class, e.Message) }

// CodeOf returns the code of err: that of an *Error in its chain, Canceled and Timeout for context errors,
// else Unknown.
func CodeOf(err error) Code {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	switch {
	case errors.Is(err, context.Canceled):
		return Canceled
	case errors.Is(err, context.DeadlineExceeded):
		return Timeout
	}
	return Unknown
}
