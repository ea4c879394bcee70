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
	status, title := meaning(code)
	p := Problem{Type: "urn:dubway:error:" + code.String(), Title: title, Status: status, Code: code.String(), Detail: err.Error()}
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
	status, _ := meaning(code)
	return status
}

// meaning returns the HTTP status and the title of a code.
func meaning(code rpc.Code) (status int, title string) {
	switch code {
	case rpc.Network:
		return http.StatusBadGateway, "The provider could not be reached"
	case rpc.Timeout:
		return http.StatusGatewayTimeout, "The provider did not answer in time"
	case rpc.Business:
		return http.StatusInternalServerError, "The provider's method raised an exception"
	case rpc.Forbidden:
		return http.StatusForbidden, "The service has no provider for this consumer"
	case rpc.Serialization:
		return http.StatusBadGateway, "The arguments or the answer could not be encoded"
	case rpc.NoProvider:
		return http.StatusServiceUnavailable, "No provider is left for this call"
	case rpc.Limit:
		return http.StatusTooManyRequests, "Too many calls"
	case rpc.Registry:
		return http.StatusServiceUnavailable, "The registry cannot be used"
	case rpc.MethodNotFound:
		return http.StatusNotFound, "The provider has no such method"
	case rpc.Validation:
		return http.StatusBadRequest, "The request is not valid"
	case rpc.Unauthenticated:
		return http.StatusUnauthorized, "The call is not authenticated"
	case rpc.Canceled: // the client went away; nobody reads the status, but logs do
		return 499, "The call was canceled"
	}
	return http.StatusInternalServerError, "The call failed"
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
