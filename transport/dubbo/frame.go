package dubbo

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// HeaderLength is the size of a frame header in bytes.
const HeaderLength = 16

// DefaultMaxBody is the default limit of a frame's body in bytes: 8 MiB, which is also Dubbo's ("payload").
const DefaultMaxBody = 8 << 20

const (
	magicHigh = 0xda
	magicLow  = 0xbb

	flagRequest = 0x80
	flagTwoWay  = 0x40
	flagEvent   = 0x20
	maskSerial  = 0x1f

	serialHessian2 = 2
)

// ErrFrame is in the chain of every error about bytes that are not a Dubbo frame, or not one that is accepted.
// The connection they came from is closed: what follows them has no known boundary.
var ErrFrame = errors.New("bad Dubbo frame")

// Header is the header of a frame.
type Header struct {
	// Request tells a request from a response.
	Request bool
	// TwoWay is set on requests that want a response.
	TwoWay bool
	// Event is set on heartbeats and on the notice that a server goes away.
	Event bool
	// Serialization is the id of the body's format, 0 to 31; 2 is Hessian 2.
	Serialization uint8
	// Status is that of a response; requests have 0.
	Status Status
	// ID joins a response to its request.
	ID int64
	// Body is the length of the body in bytes.
	Body int
}

// ParseHeader reads a frame header from the front of b. It fails on a wrong magic as soon as the first
// byte shows it, on a body longer than limit (limit <= 0 means DefaultMaxBody) or negative, and with
// io.ErrUnexpectedEOF in the chain when b is shorter than HeaderLength.
func ParseHeader(b []byte, limit int) (Header, error) {
	if len(b) > 0 && b[0] != magicHigh || len(b) > 1 && b[1] != magicLow {
		return Header{}, fmt.Errorf("%w: magic is % x, want da bb: the peer does not speak the Dubbo protocol", ErrFrame, b[:min(len(b), 2)])
	}
	if len(b) < HeaderLength {
		return Header{}, fmt.Errorf("%w: header has %d of %d bytes: %w", ErrFrame, len(b), HeaderLength, io.ErrUnexpectedEOF)
	}
	if limit <= 0 {
		limit = DefaultMaxBody
	}
	n := binary.BigEndian.Uint32(b[12:])
	if n > uint32(min(limit, 1<<31-1)) {
		return Header{}, fmt.Errorf("%w: body of %d bytes is over the limit of %d bytes (raise MaxBody on both sides if this is meant)", ErrFrame, n, limit)
	}
	flags := b[2]
	return Header{
		Request:       flags&flagRequest != 0,
		TwoWay:        flags&flagTwoWay != 0,
		Event:         flags&flagEvent != 0,
		Serialization: flags & maskSerial,
		Status:        Status(b[3]),
		ID:            int64(binary.BigEndian.Uint64(b[4:])),
		Body:          int(n),
	}, nil
}

// AppendHeader appends h in wire form. Body must fit 32 bits.
func AppendHeader(dst []byte, h Header) []byte {
	flags := h.Serialization & maskSerial
	if h.Request {
		flags |= flagRequest
	}
	if h.TwoWay {
		flags |= flagTwoWay
	}
	if h.Event {
		flags |= flagEvent
	}
	dst = append(dst, magicHigh, magicLow, flags, byte(h.Status))
	dst = binary.BigEndian.AppendUint64(dst, uint64(h.ID))
	return binary.BigEndian.AppendUint32(dst, uint32(h.Body))
}

// patchID sets the request id in a header that is already in wire form.
func patchID(frame []byte, id int64) { binary.BigEndian.PutUint64(frame[4:], uint64(id)) }

// patchLength sets the body length of a frame whose body is complete.
func patchLength(frame []byte) {
	binary.BigEndian.PutUint32(frame[12:], uint32(len(frame)-HeaderLength))
}
