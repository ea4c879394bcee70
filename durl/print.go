package durl

import (
	"strconv"
	"strings"
)

// String returns the text that u was parsed from, byte for byte, or Full for a URL that was built.
// It includes user name and password: use Redacted for logs.
func (u URL) String() string {
	if u.p == nil {
		return ""
	}
	if u.p.layout != nil {
		return u.p.written()
	}
	if u.p.raw != "" {
		return u.p.raw
	}
	return u.Full()
}

// Full returns the canonical text: parameters sorted by key, values trimmed, user info included, parameters
// without a name left out (spec §1.1).
func (u URL) Full() string { return u.print(true, false) }

// Plain returns Full without user name and password, as Dubbo's short text form does.
func (u URL) Plain() string { return u.print(false, false) }

// Redacted returns Full with the password replaced by "***".
func (u URL) Redacted() string { return u.print(true, true) }

func (u URL) print(user, hide bool) string {
	if u.p == nil {
		return ""
	}
	p := u.p
	var b strings.Builder
	n := len(p.scheme) + len(p.user) + len(p.password) + len(p.address) + len(p.path) + 8
	c := p.cursor()
	for i := range p.params {
		n += len(p.params[i].Key) + len(c.value(&p.params[i])) + 2
	}
	b.Grow(n)
	if p.scheme != "" {
		b.WriteString(p.scheme)
		b.WriteString("://")
	}
	if user && p.user != "" {
		b.WriteString(p.user)
		if p.password != "" {
			b.WriteByte(':')
			if hide {
				b.WriteString("***")
			} else {
				b.WriteString(p.password)
			}
		}
		b.WriteByte('@')
	}
	if p.hostLen > 0 {
		b.WriteString(p.address)
	}
	if p.path != "" {
		b.WriteByte('/')
		b.WriteString(p.path)
	}
	separator := byte('?')
	c = p.cursor()
	for i := range p.params {
		value := c.value(&p.params[i])
		if p.params[i].Key == "" {
			continue
		}
		b.WriteByte(separator)
		separator = '&'
		b.WriteString(p.params[i].Key)
		b.WriteByte('=')
		b.WriteString(trim(value))
	}
	return b.String()
}

// joinAddress returns the address of a host and a port above 0.
func joinAddress(host string, port int32) string {
	if port <= 0 {
		return host
	}
	return host + ":" + strconv.Itoa(int(port))
}
