package script

import (
	"errors"

	"github.com/dubway-go/dubway/dialect"
)

// Outcome is how a run ended.
type Outcome uint8

// The outcomes. The zero value is Kept.
const (
	// Kept means that the script gave a list: Result.Kept.
	Kept Outcome = iota
	// Ignored means that the script threw, hit a limit or never compiled: the call goes on with the providers that it had.
	Ignored
	// Failed means that the script gave something that is no list of providers. Dubbo 2.6 skips the rule then; later versions
	// fail the whole chain, and the call finds no provider (spec §8.6).
	Failed
)

// String returns "kept", "ignored" or "failed".
func (o Outcome) String() string {
	switch o {
	case Kept:
		return "kept"
	case Ignored:
		return "ignored"
	}
	return "failed"
}

// MarshalText implements encoding.TextMarshaler.
func (o Outcome) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// The reasons why a run was not Kept, for errors.Is.
var (
	// ErrTime: the script took longer than Limits.Time.
	ErrTime = errors.New("script took too long")
	// ErrMemory: the script wanted more memory than Limits.Memory.
	ErrMemory = errors.New("script wanted too much memory")
	// ErrStack: the script's calls were nested too deep.
	ErrStack = errors.New("script nested its calls too deep")
	// ErrBusy: no machine came free within Limits.Time.
	ErrBusy = errors.New("all script machines are busy")
	// ErrThrown: the script threw an exception.
	ErrThrown = errors.New("script threw")
	// ErrNotAList: the script gave something else than a list of providers.
	ErrNotAList = errors.New("script gave no list of providers")
	// ErrDeleted: the rule was deleted under dubbo-3.3, which fails every call until a new document comes (spec §5.3).
	ErrDeleted = errors.New("script rule was deleted: Dubbo 3.2 and later fail every call now")
	// ErrNotCompiled: the script has errors, and the dialect's version passes everything then.
	ErrNotCompiled = errors.New("script does not compile")

	errEngine = errors.New("script engine failed")
)

// Result is what a run gave.
type Result struct {
	Outcome Outcome
	// Kept are indices into the engine's set when Outcome is Kept. In the 2.x dialects they are in the script's order and an
	// index may be there twice; else they ascend. The slice is the caller's.
	Kept []uint32
	// Err says why Outcome is not Kept, or why an empty Kept is one: a null list of a 2.x dialect. It wraps one of the errors of this package.
	Err error
	// Same says that every call with the same in gets the same answer from this engine: the script looked at no part of the call, at no clock and at
	// nothing random. It is false unless Outcome is Kept.
	Same bool
	// Line is the line of the script at which it threw, counted from 1; 0 when there is none.
	Line int
}

// Left applies the dialect's rule for failures (spec §8.6): it returns the indices that the call goes on with. all means
// that those are the ones that went in.
func (r Result) Left(d dialect.Dialect) (kept []uint32, all bool) {
	switch r.Outcome {
	case Kept:
		return r.Kept, false
	case Failed:
		return nil, d == dialect.Dubbo26
	}
	return nil, true
}
