//go:build race

package dubway_test

// raceEnabled: the race detector allocates.
const raceEnabled = true
