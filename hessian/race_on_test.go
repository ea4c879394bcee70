//go:build race

package hessian_test

const raceEnabled = true
