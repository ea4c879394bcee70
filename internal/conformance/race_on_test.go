//go:build race

package conformance

// raceEnabled: the race detector is on.
const raceEnabled = true
