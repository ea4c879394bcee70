package diag

import "fmt"

// UnmarshalText implements encoding.TextUnmarshaler, for clients that read diagnostics.
func (s *Severity) UnmarshalText(text []byte) error {
	for _, known := range [...]Severity{Error, Warning, Info} {
		if known.String() == string(text) {
			*s = known
			return nil
		}
	}
	return fmt.Errorf("unknown severity %q: use error, warning or info", text)
}
