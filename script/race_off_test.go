//go:build !race

package script_test

// raceEnabled is set when the race detector runs, under which the engine is many times slower: the long tests take samples then.
const raceEnabled = false
