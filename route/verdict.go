package route

// Verdict says how routing ended. The zero value is Routed.
type Verdict uint8

// The closed set of verdicts.
const (
	// Routed: at least one candidate is left.
	Routed Verdict = iota
	// NoInstances: the set was empty before any rule.
	NoInstances
	// Blocked: a blacklist condition took every candidate.
	Blocked
	// Forced: a condition with force kept none of its input, or nobody is at the address that the call asks for.
	Forced
	// NoTag: the tag router left none.
	NoTag
	// NoMock: the call asked for mock providers, or only mock providers exist (spec §6.1).
	NoMock
	// NoScript: a script kept nobody, or failed.
	NoScript
)

// String returns the name used in JSON and messages.
func (v Verdict) String() string {
	switch v {
	case Routed:
		return "routed"
	case NoInstances:
		return "no-instances"
	case Blocked:
		return "blocked"
	case Forced:
		return "forced-empty"
	case NoTag:
		return "no-tag"
	case NoMock:
		return "no-mock"
	case NoScript:
		return "no-script"
	}
	return "unknown"
}

// MarshalText implements encoding.TextMarshaler.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }
