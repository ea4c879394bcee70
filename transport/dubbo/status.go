package dubbo

import (
	"fmt"

	"github.com/dubway-go/dubway/rpc"
)

// Status is the status byte of a response frame. Any status but OK has a text as its body.
type Status uint8

// The statuses that Dubbo peers send (spec "components" §4).
const (
	StatusOK                 Status = 20
	StatusSerializationError Status = 25
	StatusClientTimeout      Status = 30
	StatusServerTimeout      Status = 31
	StatusChannelInactive    Status = 35
	StatusBadRequest         Status = 40
	StatusBadResponse        Status = 50
	StatusServiceNotFound    Status = 60
	StatusServiceError       Status = 70
	StatusServerError        Status = 80
	StatusClientError        Status = 90
	StatusExhausted          Status = 100
)

// String returns the status in words.
func (s Status) String() string {
	switch s {
	case StatusOK:
		return "ok"
	case StatusSerializationError:
		return "serialization error"
	case StatusClientTimeout:
		return "client timeout"
	case StatusServerTimeout:
		return "server timeout"
	case StatusChannelInactive:
		return "channel inactive"
	case StatusBadRequest:
		return "bad request"
	case StatusBadResponse:
		return "bad response"
	case StatusServiceNotFound:
		return "service not found"
	case StatusServiceError:
		return "service error"
	case StatusServerError:
		return "server error"
	case StatusClientError:
		return "client error"
	case StatusExhausted:
		return "thread pool exhausted"
	}
	return fmt.Sprintf("status %d", uint8(s))
}

// Code returns the error code that a caller gets for s. OK and statuses that say only "it failed" are Unknown.
func (s Status) Code() rpc.Code {
	switch s {
	case StatusSerializationError, StatusBadRequest, StatusBadResponse:
		return rpc.Serialization
	case StatusClientTimeout, StatusServerTimeout:
		return rpc.Timeout
	case StatusChannelInactive:
		return rpc.Network
	case StatusServiceNotFound:
		return rpc.MethodNotFound
	case StatusExhausted:
		return rpc.Limit
	}
	return rpc.Unknown
}

// StatusOf returns the status with which a server answers a call that failed with c, and false for codes that
// have none: those travel as an exception object that holds the code.
func StatusOf(c rpc.Code) (Status, bool) {
	switch c {
	case rpc.Serialization:
		return StatusBadRequest, true
	case rpc.Timeout:
		return StatusServerTimeout, true
	case rpc.MethodNotFound:
		return StatusServiceNotFound, true
	case rpc.Limit:
		return StatusExhausted, true
	}
	return 0, false
}
