package durl

import (
	"math"
	"slices"
	"strings"
)

// New returns a URL of the given parts; any of them may be empty. A port outside 0..2147483647 becomes 0.
// Leading slashes of path are cut. Of parameters with the same key the last one counts.
func New(scheme, host string, port int, path string, params ...Param) URL {
	if port < 0 || port > math.MaxInt32 {
		port = 0
	}
	p := newParts()
	p.scheme, p.path, p.hostLen, p.port = scheme, strings.TrimLeft(path, "/"), int32(len(host)), int32(port)
	p.address = joinAddress(host, p.port)
	if len(params) > 0 {
		p.params = sortParams(slices.Clone(params))
	}
	return URL{p}
}

// clone returns a copy that may be changed, except for the elements of params.
func (u URL) clone() *parts {
	if u.p == nil {
		return newParts()
	}
	c := newParts()
	*c.form, *c.place = *u.p.form, *u.p.place
	c.params, c.raw, c.layout, c.shared = u.p.list(), "", nil, false
	c.family = nil
	return c
}

// With returns u with the parameter set, also to an empty value; u itself when it already has it.
func (u URL) With(key, value string) URL {
	if u.p != nil {
		if i, ok := u.p.find(key); ok && u.p.value(i) == value {
			return u
		}
	}
	c := u.clone()
	i, ok := c.find(key)
	if ok {
		c.params = slices.Clone(c.params)
		c.params[i].Value = value
		return URL{c}
	}
	params := make([]Param, 0, len(c.params)+1)
	params = append(params, c.params[:i]...)
	params = append(params, Param{key, value})
	c.params = append(params, c.params[i:]...)
	return URL{c}
}

// WithParams returns u with all the parameters set, the last of each key counting.
func (u URL) WithParams(params ...Param) URL {
	if len(params) == 0 {
		return u
	}
	c := u.clone()
	all := make([]Param, 0, len(c.params)+len(params))
	all = append(all, c.params...)
	c.params = sortParams(append(all, params...))
	if spare := cap(c.params) - len(c.params); spare > 4 {
		c.params = slices.Clone(c.params) // URLs live long
	}
	return URL{c}
}

// Without returns u without the parameters; u itself when it has none of them.
func (u URL) Without(keys ...string) URL {
	if u.p == nil || !slices.ContainsFunc(keys, func(k string) bool { _, ok := u.p.find(k); return ok }) {
		return u
	}
	c := u.clone()
	params := make([]Param, 0, len(c.params))
	for _, q := range c.params {
		if !slices.Contains(keys, q.Key) {
			params = append(params, q)
		}
	}
	c.params = params
	return URL{c}
}

// WithScheme returns u with another protocol.
func (u URL) WithScheme(scheme string) URL {
	c := u.clone()
	c.scheme = scheme
	return URL{c}
}

// WithHost returns u with another host.
func (u URL) WithHost(host string) URL {
	c := u.clone()
	c.address, c.hostLen = joinAddress(host, c.port), int32(len(host))
	return URL{c}
}

// WithPort returns u with another port; one outside 0..2147483647 becomes 0.
func (u URL) WithPort(port int) URL {
	if port < 0 || port > math.MaxInt32 {
		port = 0
	}
	c := u.clone()
	c.port = int32(port)
	c.address = joinAddress(c.address[:c.hostLen], c.port)
	return URL{c}
}

// WithPath returns u with another path, leading slashes cut.
func (u URL) WithPath(path string) URL {
	c := u.clone()
	c.path = strings.TrimLeft(path, "/")
	return URL{c}
}

// WithUser returns u with other user info; both may be empty.
func (u URL) WithUser(user, password string) URL {
	c := u.clone()
	c.user, c.password = user, password
	return URL{c}
}
