//go:build !race

package directory_test

const raceEnabled = false
