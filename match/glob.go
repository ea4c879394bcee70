// Package match compiles the value patterns of Dubbo rules: literal text, one wildcard, number
// ranges, "$name" taken from the consumer, and address expressions.
package match

import "strings"

// Glob reports whether value matches pattern as Dubbo's globs do in every version (spec §1.9): "*" is
// everything; otherwise only the last star is special, and the text before and after it may overlap in value. Letter case
// counts and there is no escape. An empty pattern matches an empty value only, and an empty value only an empty pattern or "*".
func Glob(pattern, value string) bool {
	switch {
	case pattern == "*":
		return true
	case pattern == "" || value == "":
		return pattern == value
	}
	i := strings.LastIndexByte(pattern, '*')
	if i < 0 {
		return pattern == value
	}
	return strings.HasPrefix(value, pattern[:i]) && strings.HasSuffix(value, pattern[i+1:])
}
