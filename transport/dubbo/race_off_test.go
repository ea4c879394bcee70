//go:build !race

package dubbo_test

const raceEnabled = false
