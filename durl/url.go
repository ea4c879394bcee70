// Package durl parses and prints Dubbo URLs byte-exactly and gives typed access to their
// parameters (spec: URL model, §1).
package durl

import "errors"

// URL is a parsed Dubbo URL. It is immutable, cheap to copy (one pointer) and safe for use by many
// goroutines. The zero URL is empty: it has no scheme, no host and no parameters.
type URL struct{ p *parts }

// Param is one parameter of a URL.
type Param struct{ Key, Value string }

type parts struct {
	scheme, user, password, host, path string
	port                               int
	params                             []Param // sorted by key, no key twice
	raw                                string
}

var errTODO = errors.New("durl: not built yet")

// Parse reads a Dubbo URL by the rules of the Standard dialect. The error is a diag.Diagnostic.
func Parse(s string) (URL, error) { return URL{}, errTODO }
