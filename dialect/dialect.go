// Package dialect names the Dubbo generations whose behaviour dubway can reproduce.
//
// A dialect is an input of parsing and of compiling, never a branch taken per call
// (docs/adr/0002). Standard is the documented meaning of Dubbo 3.3 with its slips
// repaired; each Dubbo dialect answers exactly as that generation answers.
package dialect

import "fmt"

// Dialect selects the Dubbo generation to agree with. The zero value is Standard.
type Dialect uint8

// The closed set of dialects.
const (
	// Standard is the documented meaning of Dubbo 3.3 with its slips repaired.
	Standard Dialect = iota
	// Dubbo26 agrees with 2.5 to 2.6.12.
	Dubbo26
	// Dubbo27 agrees with 2.7.11 to 2.7.23.
	Dubbo27
	// Dubbo31 agrees with 3.0.5 to 3.1.11.
	Dubbo31
	// Dubbo33 agrees with 3.2.0 to 3.3.6.
	Dubbo33
)

// All returns the dialects in order of age, Standard first. The slice is the caller's.
func All() []Dialect { return []Dialect{Standard, Dubbo26, Dubbo27, Dubbo31, Dubbo33} }

// String returns the name used in configuration, on the command line and in documents.
func (d Dialect) String() string {
	switch d {
	case Standard:
		return "standard"
	case Dubbo26:
		return "dubbo-2.6"
	case Dubbo27:
		return "dubbo-2.7"
	case Dubbo31:
		return "dubbo-3.1"
	case Dubbo33:
		return "dubbo-3.3"
	}
	return fmt.Sprintf("dialect(%d)", uint8(d))
}

// Parse returns the dialect with the given name; the empty name is Standard.
// The error lists the known names.
func Parse(name string) (Dialect, error) {
	if name == "" {
		return Standard, nil
	}
	for _, d := range All() {
		if d.String() == name {
			return d, nil
		}
	}
	return Standard, fmt.Errorf("unknown dialect %q: use standard, dubbo-2.6, dubbo-2.7, dubbo-3.1 or dubbo-3.3", name)
}

// MarshalText implements encoding.TextMarshaler.
func (d Dialect) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler with Parse.
func (d *Dialect) UnmarshalText(b []byte) error {
	v, err := Parse(string(b))
	if err != nil {
		return err
	}
	*d = v
	return nil
}
