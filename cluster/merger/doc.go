// Package merger combines what several groups of one service answered into one result, as Dubbo's mergers do: lists are joined, sets
// united, maps laid over each other, arrays appended, numbers added up. Values are those of package hessian. Everything here is a pure
// function: mergers may be used by any number of goroutines.
package merger
