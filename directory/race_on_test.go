//go:build race

package directory_test

// raceEnabled: the race detector allocates on its own, so allocations are not counted under it.
const raceEnabled = true
