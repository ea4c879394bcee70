// Package durl parses and prints Dubbo URLs byte-exactly and gives typed access to their
// parameters (spec: URL model, §1).
package durl

import (
	"iter"
	"slices"
	"strings"

	"github.com/dubway-go/dubway/dialect"
)

// URL is a parsed Dubbo URL. It is immutable, cheap to copy (one pointer) and safe for use by many
// goroutines. The zero URL is empty: it has no scheme, no host and no parameters.
//
// A URL remembers the dialect it was parsed by: Dubbo 2.6 falls back from a key to "default." + key
// on every read (spec §1.1 U14), and does not show the key "address" to rules.
//
// Compare URLs with Equal: == tells only whether two handles came from the same parse.
type URL struct{ p *parts }

// Param is one parameter of a URL.
type Param struct{ Key, Value string }

// parts is the only representation behind the handle; nothing outside this package may depend on it.
type parts struct {
	*form
	*place
	// values are the parameters that differ from the form's; nil when none does, as in every URL that no Sharer made.
	values *values
}

// place is a URL's address.
type place struct {
	// address is "host:port", or the host alone when the port is 0; host is its first hostLen bytes.
	address string
	hostLen int32
	port    int32
}

// form is everything but the address: what the providers of a fleet have in common up to a few values, so that a Sharer can
// let them share it.
type form struct {
	scheme, user, password, path string
	params                       []Param // sorted by key, no key twice
	// raw is the text as parsed, empty for built URLs. That of a shared form is the text of the first URL that had it.
	raw string
	// layout tells what other URLs have in the stead of parts of raw; nil when the form is not shared, or not parsed.
	layout  *layout
	shared  bool
	dialect dialect.Dialect
	// family are the forms that the same texts may be expressed by, hash is that of all but the address; set when shared.
	family *family
	hash   uint64
}

// newParts allocates all at once.
func newParts() *parts {
	all := new(struct {
		parts
		form  form
		place place
	})
	all.parts = parts{form: &all.form, place: &all.place}
	return &all.parts
}

// cursor walks the values of a URL beside the parameters of its form.
type cursor struct{ rest []Param }

func (p *parts) cursor() cursor {
	if p.values == nil {
		return cursor{}
	}
	return cursor{p.values.params}
}

// value returns the value of the form's next parameter.
func (c *cursor) value(q *Param) string {
	if len(c.rest) > 0 && c.rest[0].Key == q.Key {
		v := c.rest[0].Value
		c.rest = c.rest[1:]
		return v
	}
	return q.Value
}

// value returns the value of the form's i-th parameter.
func (p *parts) value(i int) string {
	if p.values != nil {
		key := p.params[i].Key
		for j := range p.values.params {
			if p.values.params[j].Key == key {
				return p.values.params[j].Value
			}
		}
	}
	return p.params[i].Value
}

// list returns all parameters. It must not be changed.
func (p *parts) list() []Param {
	if p.values == nil {
		return p.params
	}
	out, c := make([]Param, len(p.params)), p.cursor()
	for i := range p.params {
		out[i] = Param{p.params[i].Key, c.value(&p.params[i])}
	}
	return out
}

// IsZero reports whether u is the zero URL.
func (u URL) IsZero() bool { return u.p == nil }

// Scheme returns the protocol, or "" when the text had none.
func (u URL) Scheme() string {
	if u.p == nil {
		return ""
	}
	return u.p.scheme
}

// User returns the user name, or "".
func (u URL) User() string {
	if u.p == nil {
		return ""
	}
	return u.p.user
}

// Password returns the password, or "". Never log it: Redacted prints a URL without it.
func (u URL) Password() string {
	if u.p == nil {
		return ""
	}
	return u.p.password
}

// Host returns the host as written (an IPv6 host with its brackets), or "".
func (u URL) Host() string {
	if u.p == nil {
		return ""
	}
	return u.p.address[:u.p.hostLen]
}

// Port returns the port, 0 when there is none (spec §1.1 U11).
func (u URL) Port() int {
	if u.p == nil {
		return 0
	}
	return int(u.p.port)
}

// Path returns the path without leading slashes, or "".
func (u URL) Path() string {
	if u.p == nil {
		return ""
	}
	return u.p.path
}

// Address returns "host:port", or the host alone when the port is 0.
func (u URL) Address() string {
	if u.p == nil {
		return ""
	}
	return u.p.address
}

// Dialect returns the dialect that u was parsed by; Standard for the zero URL and for New.
func (u URL) Dialect() dialect.Dialect {
	if u.p == nil {
		return dialect.Standard
	}
	return u.p.dialect
}

// find returns the index of key among the parameters, without any fallback.
func (p *parts) find(key string) (int, bool) {
	lo, hi := 0, len(p.params)
	for lo < hi {
		m := int(uint(lo+hi) >> 1)
		if p.params[m].Key < key {
			lo = m + 1
		} else {
			hi = m
		}
	}
	return lo, lo < len(p.params) && p.params[lo].Key == key
}

const defaultPrefix = "default."

// Param returns the parameter key and whether it is present. A flag ("?generic") is present; its
// value is empty, or its own name in dubbo-2.6 and dubbo-2.7. It does not allocate.
func (u URL) Param(key string) (string, bool) {
	if u.p == nil {
		return "", false
	}
	i, ok := u.p.find(key)
	if ok {
		if v := u.p.value(i); v != "" || u.p.dialect != dialect.Dubbo26 {
			return v, true
		}
	}
	if u.p.dialect == dialect.Dubbo26 {
		for j := range u.p.params {
			k := u.p.params[j].Key
			if len(k) == len(defaultPrefix)+len(key) && strings.HasPrefix(k, defaultPrefix) && k[len(defaultPrefix):] == key {
				return u.p.value(j), true
			}
		}
	}
	return "", ok
}

// Get returns the parameter key, or def when it is absent or empty.
func (u URL) Get(key, def string) string {
	if v, _ := u.Param(key); v != "" {
		return v
	}
	return def
}

// Bool returns whether the parameter key is the word "true" in any letter case, as Dubbo does: every
// other text is false. Absent or empty gives def.
func (u URL) Bool(key string, def bool) bool {
	v, _ := u.Param(key)
	if v == "" {
		return def
	}
	return strings.EqualFold(v, "true")
}

// Int returns the parameter key as a decimal 32-bit number; absent or empty gives def. The error
// tells the key and the text.
func (u URL) Int(key string, def int) (int, error) {
	v, _ := u.Param(key)
	if v == "" {
		return def, nil
	}
	n, err := parseInt(v, u.p.dialect)
	if err != nil {
		return def, numberError(key, v, err)
	}
	return int(n), nil
}

// MethodParam returns the parameter key as scoped to a method ("getOrder.timeout"), or the plain
// parameter when there is no scoped one or it is empty. From 2.7 to 3.3 a URL that lists its methods has scoped parameters of those
// only, and one that does not has none of a method with a dot in its name. It does not allocate.
func (u URL) MethodParam(method, key string) (string, bool) {
	if u.p == nil {
		return "", false
	}
	n := len(method)
	for i := range u.p.params {
		k := u.p.params[i].Key
		if len(k) == n+1+len(key) && k[n] == '.' && k[:n] == method && k[n+1:] == key {
			if v := u.p.value(i); v != "" && u.scopes(method) {
				return v, true
			}
			break
		}
	}
	return u.Param(key)
}

// scopes reports whether the URL's dialect looks for parameters of the method.
func (u URL) scopes(method string) bool {
	if d := u.p.dialect; d == dialect.Dubbo26 || d == dialect.Standard {
		return true
	}
	methods := u.Get("methods", "")
	if methods == "" {
		return method != "" && strings.IndexByte(method, '.') < 0
	}
	for rest, more := methods, true; more; {
		var name string
		if name, rest, more = strings.Cut(rest, ","); name == method {
			return true
		}
	}
	return false
}

// All yields the parameters sorted by key.
func (u URL) All() iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		if u.p == nil {
			return
		}
		c := u.p.cursor()
		for i := range u.p.params {
			if !yield(u.p.params[i].Key, c.value(&u.p.params[i])) {
				return
			}
		}
	}
}

// Len returns the number of parameters.
func (u URL) Len() int {
	if u.p == nil {
		return 0
	}
	return len(u.p.params)
}

// Equal reports whether u and v have the same parts and parameters; the order in which the parameters were written
// and the dialect do not matter (spec §1.1).
func (u URL) Equal(v URL) bool {
	if u.p == v.p {
		return true
	}
	if u.p == nil || v.p == nil {
		return false
	}
	a, b := u.p, v.p
	if a.port != b.port || a.address != b.address {
		return false
	}
	if a.form == b.form {
		return a.values == b.values || slices.Equal(a.cursor().rest, b.cursor().rest)
	}
	if a.layout == nil && b.layout == nil && a.raw != "" && a.raw == b.raw && a.dialect == b.dialect {
		return true
	}
	return a.sameParts(b.form) && a.sameParams(b)
}

func (f *form) sameParts(g *form) bool {
	return f.scheme == g.scheme && f.user == g.user && f.password == g.password && f.path == g.path
}

func (p *parts) sameParams(q *parts) bool {
	if len(p.params) != len(q.params) {
		return false
	}
	c, d := p.cursor(), q.cursor()
	for i := range p.params {
		if p.params[i].Key != q.params[i].Key || c.value(&p.params[i]) != d.value(&q.params[i]) {
			return false
		}
	}
	return true
}
