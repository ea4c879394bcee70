package durl

import (
	"strings"

	"github.com/dubway-go/dubway/dialect"
)

// slot is a stretch of a form's text in whose stead another URL of the form may have something else.
type slot struct {
	span
	param int32 // addressSlot for the address
}

const addressSlot = -1

// findSlots tells which stretches of the form's text may be exchanged without parsing the result: ParseAs must read it as the form with
// just that address and those values. So everything that ParseAs treats in a way of its own stays outside of them: parts other
// than scheme, simple address and simple path, ";" between parameters, names that come twice, "default." names and what they
// stand for, and the parameter side. address is the address that f was made with.
func (l *layout) findSlots(f *form, address string) {
	raw := f.raw
	body, query, _ := strings.Cut(raw, "?")
	if !simpleWord(f.scheme, "+") || !strings.HasPrefix(raw, f.scheme+"://") || int(l.address.start) != len(f.scheme)+3 {
		return
	}
	if _, _, ok := simpleAddress(address); !ok || int(l.address.end) > len(body) {
		return
	}
	if path := body[l.address.end:]; path != "" && (path[0] != '/' || !simpleWord(path, "/$")) {
		return
	}
	if strings.IndexByte(query, ';') >= 0 || !readsAs(f, address) {
		return
	}
	slots := []slot{{l.address, addressSlot}}
	names := make(map[string]int)
	at := len(body) + 1
	for text := range strings.SplitSeq(query, "&") {
		p := parts{form: f}
		if q, ok := p.splitParam(text); ok {
			names[q.Key]++
		}
		if name, _, ok := strings.Cut(text, "="); ok {
			start := int32(at + len(name) + 1)
			if i, found := p.find(name); found && l.values[i].start == start && name != "side" && !strings.HasPrefix(name, defaultPrefix) {
				slots = append(slots, slot{l.values[i], int32(i)})
			}
		}
		at += len(text) + 1
	}
	l.slots = make([]slot, 0, len(slots))
	for _, one := range slots {
		if one.param == addressSlot || names[f.params[one.param].Key] == 1 {
			l.slots = append(l.slots, one)
		}
	}
}

// readsAs reports whether ParseAs reads the form's text as the form: a URL that was decoded by another reader may look alike.
func readsAs(f *form, address string) bool {
	u, err := ParseAs(f.raw, f.dialect)
	if err != nil || u.p.address != address {
		return false
	}
	n, ok := f.differences(u.p)
	return ok && n == 0
}

// simpleWord reports whether s is one or more letters, digits, ".", "-", "_" and bytes of more.
func simpleWord(s, more string) bool {
	for i := range len(s) {
		if !simple(s[i]) && strings.IndexByte(more, s[i]) < 0 {
			return false
		}
	}
	return s != ""
}

func simple(c byte) bool {
	return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || c == '.' || c == '-' || c == '_'
}

// simpleAddress splits an address that all dialects read alike: a name or an IPv4 address, and a port from 1 to 65535 without
// leading zeros, if any.
func simpleAddress(s string) (hostLen, port int32, ok bool) {
	colon := strings.IndexByte(s, ':')
	if colon < 0 {
		return int32(len(s)), 0, simpleWord(s, "")
	}
	digits := s[colon+1:]
	if len(digits) == 0 || len(digits) > 5 || digits[0] == '0' || !simpleWord(s[:colon], "") {
		return 0, 0, false
	}
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' {
			return 0, 0, false
		}
		port = 10*port + int32(digits[i]-'0')
	}
	return int32(colon), port, port <= 65535
}

// simpleValue reports whether a value that has no "&" is read as it is.
func simpleValue(v string, d dialect.Dialect) bool {
	if v == "" {
		return true
	}
	return v[0] > ' ' && v[len(v)-1] > ' ' && (d == dialect.Dubbo26 || strings.IndexByte(v, ';') < 0)
}

// reading is what a text has in the stead of a form's slots.
type reading struct {
	address       string
	hostLen, port int32
	values        []found // by parameter
}

type found struct {
	param int32
	value string
}

// read compares text with the form's and notes what differs; false when that is more than what slots may have.
func (f *form) read(text string, r *reading) bool {
	r.values = r.values[:0]
	slots, raw := f.layout.slots, f.raw
	r.address = raw[slots[0].start:slots[0].end]
	at, pos := 0, 0 // in raw and in text
	for {
		n := common(raw[at:], text[pos:])
		at, pos = at+n, pos+n
		if at == len(raw) && pos == len(text) {
			break
		}
		for len(slots) > 0 && int(slots[0].end) < at {
			slots = slots[1:]
		}
		if len(slots) == 0 || at < int(slots[0].start) {
			return false
		}
		one := slots[0]
		slots = slots[1:]
		start := pos - (at - int(one.start))
		if one.param == addressSlot {
			for pos < len(text) && text[pos] != '/' && text[pos] != '?' {
				pos++
			}
			r.address = text[start:pos]
		} else {
			if end := strings.IndexByte(text[pos:], '&'); end >= 0 {
				pos += end
			} else {
				pos = len(text)
			}
			if !r.add(one.param, text[start:pos], f.dialect) {
				return false
			}
		}
		at = int(one.end)
	}
	var ok bool
	r.hostLen, r.port, ok = simpleAddress(r.address)
	return ok
}

// add notes a value; there are few.
func (r *reading) add(param int32, value string, d dialect.Dialect) bool {
	if !simpleValue(value, d) {
		return false
	}
	r.values = append(r.values, found{param, value})
	for i := len(r.values) - 1; i > 0 && r.values[i].param < r.values[i-1].param; i-- {
		r.values[i], r.values[i-1] = r.values[i-1], r.values[i]
	}
	return true
}

// common returns how many bytes a and b have in common from their start.
func common(a, b string) int {
	n := min(len(a), len(b))
	i := 0
	for i+8 <= n && word(a[i:]) == word(b[i:]) {
		i += 8
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return i
}
