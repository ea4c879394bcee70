package gateway

import (
	"encoding/json"
	"errors"
	"net/http"

	"github.com/dubway-go/dubway/rpc"
)

// Problem is the body of an error response: RFC 9457 (application/problem+json) with members of our own.
type Problem struct {
	// Type is "urn:dubway:error:" and the code.
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	// Detail says what happened; for no-provider it is the short explain.
	Detail string `json:"detail,omitempty"`
	// Code is the name of the rpc.Code, or bad-request and the like for requests that were no call.
	Code    string `json:"code"`
	Service string `json:"service,omitempty"`
	Method  string `json:"method,omitempty"`
	// Provider is the host:port that was called, empty when none was.
	Provider string `json:"provider,omitempty"`
	// Exception is what the provider's method raised.
	Exception *Exception `json:"exception,omitempty"`
}

// Exception is a provider's exception.
type Exception struct {
	Class   string `json:"class"`
	Message string `json:"message"`
}

// ProblemOf describes a failed call.
func ProblemOf(err error) Problem {
	code := rpc.CodeOf(err)
	p := Problem{Type: "urn:dubway:error:" + code.String(), Title: title(code), Status: Status(code), Code: code.String(), Detail: err.Error()}
	if e, ok := errors.AsType[*rpc.Error](err); ok {
		p.Service, p.Method, p.Provider = e.Service.String(), e.Method, e.Instance
		switch {
		case e.Message != "":
			p.Detail = e.Message
		case e.Cause != nil:
			p.Detail = e.Cause.Error()
		}
	}
	if e, ok := errors.AsType[*rpc.RemoteException](err); ok {
		p.Exception = &Exception{e.Class, e.Message}
	}
	return p
}

// Status returns the HTTP status of a code. A provider's own exception is 500: the request was fine and the method failed.
func Status(code rpc.Code) int {
	switch code {
	case rpc.Network:
		return http.StatusBadGateway
	case rpc.Timeout:
		return http.StatusGatewayTimeout
	case rpc.Business:
		return http.StatusInternalServerError
	case rpc.Forbidden:
		return http.StatusForbidden
	case rpc.Serialization:
		return http.StatusBadGateway
	case rpc.NoProvider, rpc.Registry:
		return http.StatusServiceUnavailable
	case rpc.Limit:
		return http.StatusTooManyRequests
	case rpc.MethodNotFound:
		return http.StatusNotFound
	case rpc.Validation:
		return http.StatusBadRequest
	case rpc.Unauthenticated:
		return http.StatusUnauthorized
	case rpc.Canceled:
		return 499 // the client went away; nobody reads it, but logs do
	}
	return http.StatusInternalServerError
}

func title(code rpc.Code) string {
	switch code {
	case rpc.Network:
		return "The provider could not be reached"
	case rpc.Timeout:
		return "The provider did not answer in time"
	case rpc.Business:
		return "The provider's method raised an exception"
	case rpc.Forbidden:
		return "The service has no provider for this consumer"
	case rpc.Serialization:
		return "The arguments or the answer could not be encoded"
	case rpc.NoProvider:
		return "No provider is left for this call"
	case rpc.Limit:
		return "Too many calls"
	case rpc.Registry:
		return "The registry cannot be used"
	case rpc.MethodNotFound:
		return "The provider has no such method"
	case rpc.Validation:
		return "The request is not valid"
	case rpc.Unauthenticated:
		return "The call is not authenticated"
	case rpc.Canceled:
		return "The call was canceled"
	}
	return "The call failed"
}

// bad describes a request that is no call.
func bad(status int, code, title, detail string) Problem {
	return Problem{Type: "urn:dubway:error:" + code, Title: title, Status: status, Code: code, Detail: detail}
}

// Write sends p.
func (p Problem) Write(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(p.Status)
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false) // conditions have arrows: => stays readable
	_ = e.Encode(p)
}
