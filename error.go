package dubway

import "github.com/dubway-go/dubway/rpc"

// Error is how calls fail: a code of a closed set, what was called, where, and the cause. Use errors.As, or CodeOf.
type Error = rpc.Error

// RemoteException is an exception that the provider's method raised; it is in the chain of an Error with code Business.
type RemoteException = rpc.RemoteException

// Code says why a call failed.
type Code = rpc.Code

// The codes (spec §8.5).
const (
	Unknown         = rpc.Unknown
	Network         = rpc.Network
	Timeout         = rpc.Timeout
	Business        = rpc.Business
	Forbidden       = rpc.Forbidden
	Serialization   = rpc.Serialization
	NoProvider      = rpc.NoProvider
	Limit           = rpc.Limit
	Registry        = rpc.Registry
	MethodNotFound  = rpc.MethodNotFound
	Validation      = rpc.Validation
	Unauthenticated = rpc.Unauthenticated
	Canceled        = rpc.Canceled
)

// CodeOf returns the code of err: that of an Error in its chain, Canceled or Timeout for errors of a context, else Unknown.
func CodeOf(err error) Code { return rpc.CodeOf(err) }
