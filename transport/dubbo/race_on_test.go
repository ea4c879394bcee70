//go:build race

package dubbo_test

// raceEnabled tells tests that count allocations to stand aside.
const raceEnabled = true
