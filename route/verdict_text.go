package route

import "fmt"

// UnmarshalText implements encoding.TextUnmarshaler, for clients that read traces.
func (v *Verdict) UnmarshalText(text []byte) error {
	for _, known := range [...]Verdict{Routed, NoInstances, Blocked, Forced, NoTag, NoMock} {
		if known.String() == string(text) {
			*v = known
			return nil
		}
	}
	return fmt.Errorf("unknown verdict %q", text)
}
