package durl

import (
	"slices"
	"strings"

	"github.com/dubway-go/dubway/dialect"
)

// maxShapes bounds what a Sharer remembers; when more distinct URLs come it starts anew.
const maxShapes = 1024

// Sharer lets URLs that differ in nothing but their address share all the rest: parameters, path and text. A fleet's provider
// URLs mostly do, up to a few parameters; what is not shared costs what it cost before. The zero value is usable. It is not safe
// for concurrent use; the URLs are, as ever.
type Sharer struct {
	parsed  map[texts]*shape
	derived map[*shape]*shape
}

// texts is a URL's text around its address.
type texts struct {
	before, after string
	dialect       dialect.Dialect
}

// Share returns a URL that equals u, prints the same text and shares what it can with those shared before. A URL that was
// built, or whose text does not have its address as it is, comes back as it is.
func (s *Sharer) Share(u URL) URL {
	if u.p == nil || u.p.shared || u.p.raw == "" || u.p.address == "" {
		return u
	}
	at := strings.Index(u.p.raw, u.p.address) // where it stands first does not matter: the text comes out the same
	if at < 0 {
		return u
	}
	key := texts{u.p.raw[:at], u.p.raw[at+len(u.p.address):], u.p.dialect}
	known := s.parsed[key]
	if known == nil {
		if s.parsed == nil || len(s.parsed) >= maxShapes {
			s.parsed, s.derived = make(map[texts]*shape), make(map[*shape]*shape)
		}
		own := *u.p.shape
		own.raw, own.tail, own.shared = key.before, key.after, true
		known = &own
		s.parsed[key] = known
	} else if !known.same(u.p.shape) {
		return u
	}
	return URL{&parts{shape: known, address: strings.Clone(u.p.address), hostLen: u.p.hostLen, port: u.p.port}}
}

// Derive returns change(u). It calls change once for each set of URLs that share, and so change must be a function of all but
// the address, and keep that.
func (s *Sharer) Derive(u URL, change func(URL) URL) URL {
	if u.p == nil || !u.p.shared {
		return change(u)
	}
	if known := s.derived[u.p.shape]; known != nil {
		return URL{&parts{shape: known, address: u.p.address, hostLen: u.p.hostLen, port: u.p.port}}
	}
	out := change(u)
	if s.derived != nil && out.p != nil && out.p.address == u.p.address && len(s.derived) < maxShapes {
		s.derived[u.p.shape] = out.p.shape
	}
	return out
}

// same reports whether two shapes say the same, whatever their texts.
func (a *shape) same(b *shape) bool {
	return a.scheme == b.scheme && a.user == b.user && a.password == b.password && a.path == b.path && slices.Equal(a.params, b.params)
}

// WrittenAs reports whether String would return text. It does not allocate.
func (u URL) WrittenAs(text string) bool {
	if u.p == nil {
		return text == ""
	}
	p := u.p
	if !p.shared || p.raw == "" {
		return u.String() == text
	}
	before, after := len(p.raw), len(p.raw)+len(p.address)
	return len(text) == after+len(p.tail) && text[before:after] == p.address && text[after:] == p.tail && text[:before] == p.raw
}
