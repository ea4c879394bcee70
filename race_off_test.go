//go:build !race

package dubway_test

const raceEnabled = false
