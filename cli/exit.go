package cli

import (
	"errors"
	"fmt"
	"io"

	"github.com/dubway-go/dubway/admin"
)

// The exit codes of every command.
const (
	ExitOK          = 0 // the command did what it was asked
	ExitNegative    = 1 // it ran, and the answer is no: the call failed, no provider is left, a rule was refused
	ExitUsage       = 2 // the command line or a file it names is not right
	ExitUnreachable = 3 // no daemon or registry answers
)

// exit is an error that knows its exit code and what to try next.
type exit struct {
	code int
	err  error
	hint string
	// shown is set when the command has printed the answer already.
	shown bool
}

func (e *exit) Error() string { return e.err.Error() }
func (e *exit) Unwrap() error { return e.err }

func usage(hint, format string, args ...any) error {
	return &exit{code: ExitUsage, err: fmt.Errorf(format, args...), hint: hint}
}

func negative() error {
	return &exit{code: ExitNegative, err: errors.New("the answer is no"), shown: true}
}

// asked turns an error of the admin client into one with an exit code and a next step.
func asked(err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, admin.ErrUnreachable) {
		return &exit{code: ExitUnreachable, err: err,
			hint: "start one with `dubway demo` or `dubway serve`, or say where it is with --admin HOST:PORT or DUBWAY_ADMIN"}
	}
	if p, ok := errors.AsType[*admin.Problem](err); ok {
		code := ExitNegative
		switch {
		case p.Code == "registry":
			code = ExitUnreachable
		case p.Status == 400 || p.Status == 401 || p.Status == 413 || p.Status == 415:
			code = ExitUsage
		}
		return &exit{code: code, err: err, hint: p.Hint}
	}
	return err
}

// finish prints err and returns the exit code of the process.
func finish(w io.Writer, err error) int {
	if err == nil {
		return ExitOK
	}
	e, ok := errors.AsType[*exit](err)
	if !ok {
		e = &exit{code: ExitNegative, err: err}
	}
	if !e.shown {
		fmt.Fprintln(w, "dubway:", e.err)
		if e.hint != "" {
			fmt.Fprintln(w, "  next:", e.hint)
		}
	}
	return e.code
}
