package hessian

import (
	"errors"
	"fmt"
)

// The kinds of failure; every error of this package has one of them in its chain.
var (
	// ErrMalformed: the bytes are not Hessian 2, or they end early.
	ErrMalformed = errors.New("malformed Hessian")
	// ErrLimit: a limit of Limits was reached.
	ErrLimit = errors.New("limit of Hessian values exceeded")
	// ErrType: a Go value has no Java counterpart, or a decoded value does not fit the Go variable.
	ErrType = errors.New("no Hessian mapping")
)

func (d *Decoder) malformed(format string, args ...any) error {
	return fmt.Errorf("%w at byte %d: %s", ErrMalformed, d.pos, fmt.Sprintf(format, args...))
}

func (d *Decoder) truncated(what string) error {
	return fmt.Errorf("%w at byte %d: %s is cut off after %d bytes", ErrMalformed, d.pos, what, len(d.in))
}

func limitError(what string, limit int) error {
	return fmt.Errorf("%w: %s is over the limit of %d: raise it in hessian.Limits if this is meant", ErrLimit, what, limit)
}
