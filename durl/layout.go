package durl

import (
	"strings"
)

// layout tells where in the text of a form its address and its parameters' values stand, so that the text of every other
// URL of the form follows from it.
type layout struct {
	address span
	// values are the places of the values, by parameter; the zero span for one that has no place of its own in the text.
	values []span
	// slots are the address and the values that a text of the same form may have otherwise without being parsed, in the order of the text; none
	// when every text must be parsed.
	slots []slot
}

// span is a stretch of a text, from start to before end.
type span struct{ start, end int32 }

// piece is a stretch of a form's text and what a URL has in its stead.
type piece struct {
	span
	text string
}

// fewPieces is how many pieces fit on the stack.
const fewPieces = 12

// readLayout finds the places in p's text, and appends to key what all texts of the form have in common: what is left when they are taken
// out. ok is false when the text does not have its address as it is. A name that comes twice, or whose value was not taken as
// written, has no place: its value is in the key.
func (p *parts) readLayout(values []span, key []byte) (l layout, _ []byte, ok bool) {
	raw := p.raw
	at := strings.Index(raw, p.address) // where it stands first does not matter: the text comes out the same
	if at < 0 {
		return l, key, false
	}
	end := at + len(p.address)
	l.address = span{int32(at), int32(end)}
	key = append(append(append(key, byte(p.dialect)), raw[:at]...), 0)
	l.values = values[:0]
	for range p.params {
		l.values = append(l.values, span{})
	}
	query := strings.IndexByte(raw[end:], '?')
	if query < 0 {
		return l, append(key, raw[end:]...), true
	}
	query += end + 1
	key = append(key, raw[end:query]...)
	for start := query; start < len(raw); {
		stop := len(raw)
		if i := strings.IndexByte(raw[start:], '&'); i >= 0 {
			stop = start + i + 1
		}
		text := strings.TrimSuffix(raw[start:stop], "&")
		if eq := strings.IndexByte(text, '='); eq > 0 {
			if i, found := p.find(text[:eq]); found && l.values[i].start == 0 && p.params[i].Value == text[eq+1:] {
				l.values[i] = span{int32(start + eq + 1), int32(start + len(text))}
				key = append(key, text[:eq+1]...)
				text = ""
			}
		}
		key = append(append(key, text...), '&')
		start = stop
	}
	return l, key, true
}

// pieces returns what p has in the stead of the form's text, in order. buf should have room for fewPieces.
func (p *parts) pieces(buf []piece) []piece {
	out := append(buf[:0], piece{p.layout.address, p.address})
	for _, q := range p.cursor().rest {
		if i, ok := p.find(q.Key); ok && p.layout.values[i].start > 0 {
			out = append(out, piece{p.layout.values[i], q.Value})
		}
	}
	for i := 1; i < len(out); i++ { // a handful
		for j := i; j > 0 && out[j].start < out[j-1].start; j-- {
			out[j], out[j-1] = out[j-1], out[j]
		}
	}
	return out
}

// written returns the text that p was parsed from.
func (p *parts) written() string {
	var buf [fewPieces]piece
	pieces := p.pieces(buf[:])
	n := len(p.raw)
	for i := range pieces {
		n += len(pieces[i].text) - int(pieces[i].end-pieces[i].start)
	}
	var b strings.Builder
	b.Grow(n)
	at := int32(0)
	for i := range pieces {
		b.WriteString(p.raw[at:pieces[i].start])
		b.WriteString(pieces[i].text)
		at = pieces[i].end
	}
	b.WriteString(p.raw[at:])
	return b.String()
}

// writtenAs reports whether written would return text.
func (p *parts) writtenAs(text string) bool {
	var buf [fewPieces]piece
	at := int32(0)
	for _, c := range p.pieces(buf[:]) {
		same := int(c.start - at)
		if len(text) < same+len(c.text) || text[same:same+len(c.text)] != c.text || text[:same] != p.raw[at:c.start] {
			return false
		}
		text, at = text[same+len(c.text):], c.end
	}
	return text == p.raw[at:]
}

// WrittenAs reports whether String would return text. It does not allocate, unless u was built or differs in very many values from
// those it shares with.
func (u URL) WrittenAs(text string) bool {
	if u.p == nil {
		return text == ""
	}
	if u.p.layout != nil {
		return u.p.writtenAs(text)
	}
	return u.String() == text
}
