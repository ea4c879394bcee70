// Package rpc holds what every layer that carries a call agrees on: the invocation, its attachments,
// its result, and the closed set of error codes.
package rpc

import (
	"context"
	"fmt"

	"github.com/dubway-go/dubway/service"
)

// Attachment is one key and value that rides on a call beside its arguments.
type Attachment struct {
	Key   string
	Value any
}

// Attachments is a small list of attachments; a key is expected once. The zero value is empty.
type Attachments []Attachment

// Get returns the value of key when it is present and text. It does not allocate.
func (a Attachments) Get(key string) (string, bool) {
	for i := range a {
		if a[i].Key == key {
			s, ok := a[i].Value.(string)
			return s, ok
		}
	}
	return "", false
}

// With returns a list in which key has value; a is unchanged.
func (a Attachments) With(key string, value any) Attachments {
	out := make(Attachments, 0, len(a)+1)
	done := false
	for _, e := range a {
		if e.Key == key {
			if done {
				continue
			}
			e.Value, done = value, true
		}
		out = append(out, e)
	}
	if !done {
		out = append(out, Attachment{key, value})
	}
	return out
}

// Well-known attachment keys of Dubbo.
const (
	// TagKey carries the request tag (spec §4.1).
	TagKey = "dubbo.tag"
	// AddressKey holds the address that a call must go to, as a netip.AddrPort (spec §6.1, address router of 2.7). It counts only
	// where the consumer has that router, and such a value never leaves the process.
	AddressKey = "address"
	// ForceTagKey carries "force use tag" (spec §4.1).
	ForceTagKey = "dubbo.force.tag"
)

// Invocation is one call, before it has an address. A caller owns it and must not change it while a
// call that received it runs; the engine never changes it.
type Invocation struct {
	// Service is the service called.
	Service service.Key
	// Method is the real method name, also for generic calls.
	Method string
	// ParamTypes are the Java names of the parameter types ("long", "java.lang.String",
	// "com.example.Order", "byte[]"); nil means "unknown: let the provider find the only method of that name".
	ParamTypes []string
	// Args are the arguments as Go values (see package hessian for the mapping).
	Args []any
	// Attachments ride with the call.
	Attachments Attachments
	// Direct sends the call under its own method name and descriptor instead of as a generic $invoke.
	// It needs ParamTypes.
	Direct bool
	// OneWay asks for no response.
	OneWay bool
	// Seed is the randomness of this call: splits and balancers derive their draws from it.
	Seed uint64
}

// Result is what a provider answered.
type Result struct {
	// Value is the returned value, nil for void and null.
	Value any
	// Attachments came back with the response.
	Attachments Attachments
}

// Invoker sends one invocation to one provider instance. Implementations are safe for concurrent use.
// Errors are *Error.
type Invoker interface {
	Invoke(ctx context.Context, to *service.Instance, inv *Invocation) (Result, error)
}

// Code is the reason why a call failed: a closed set (spec §8.5). The zero value is Unknown.
type Code uint8

// The codes; the numbers are those of Dubbo's RpcException where it has one.
const (
	Unknown         Code = 0
	Network         Code = 1
	Timeout         Code = 2
	Business        Code = 3
	Forbidden       Code = 4
	Serialization   Code = 5
	NoProvider      Code = 6
	Limit           Code = 7
	Registry        Code = 9
	MethodNotFound  Code = 11
	Validation      Code = 12
	Unauthenticated Code = 13
	Canceled        Code = 100
)

// String returns the name of the code as used in JSON, metrics and logs ("no-provider").
func (c Code) String() string {
	switch c {
	case Unknown:
		return "unknown"
	case Network:
		return "network"
	case Timeout:
		return "timeout"
	case Business:
		return "business"
	case Forbidden:
		return "forbidden"
	case Serialization:
		return "serialization"
	case NoProvider:
		return "no-provider"
	case Limit:
		return "limit"
	case Registry:
		return "registry"
	case MethodNotFound:
		return "method-not-found"
	case Validation:
		return "validation"
	case Unauthenticated:
		return "unauthenticated"
	case Canceled:
		return "canceled"
	}
	return fmt.Sprintf("code(%d)", uint8(c))
}

// MarshalText implements encoding.TextMarshaler.
func (c Code) MarshalText() ([]byte, error) { return []byte(c.String()), nil }
