package durl

import "strings"

// pieceOf is for how many URLs a piece of memory is at most. A URL that is still in use keeps its piece, so this also bounds how much of
// URLs that are gone stays with it. Blocks of more than 512 bytes with pointers would have a header and less fitting sizes.
const pieceOf = 16

// room is memory for URLs that are read one after another: several of them share a piece. A nil room gives each its own.
type room struct {
	// more is how many URLs are still to come; it sizes the next piece.
	more   int
	parts  []parts
	places []place
	// addresses are texts, one behind another.
	addresses strings.Builder
	// sets are room for values, and texts their texts; sized is how many the last piece had: few URLs need new ones, or most do.
	sets   []values
	params []Param
	texts  strings.Builder
	sized  int
}

// newRoom returns room for n URLs that are to come; nil when they would share nothing.
func newRoom(n int) *room {
	if n <= 1 {
		return nil
	}
	return &room{more: n}
}

func (r *room) piece() int { return max(1, min(r.more, pieceOf)) }

// newPlace returns a place with a copy of the address.
func (r *room) newPlace(address string, hostLen, port int32) *place {
	if r == nil {
		return &place{strings.Clone(address), hostLen, port}
	}
	if len(r.places) == 0 {
		r.places = make([]place, r.piece())
	}
	b := spare(&r.addresses, len(address), len(r.places))
	start := b.Len()
	b.WriteString(address)
	p := &r.places[0]
	r.places = r.places[1:]
	*p = place{b.String()[start:], hostLen, port}
	return p
}

// newURL returns a URL of the given pieces.
func (r *room) newURL(f *form, p *place, v *values) URL {
	if r == nil {
		return URL{&parts{f, p, v}}
	}
	if len(r.parts) == 0 {
		r.parts = make([]parts, r.piece())
	}
	out := &r.parts[0]
	r.parts = r.parts[1:]
	if *out = (parts{f, p, v}); r.more > 0 {
		r.more--
	}
	return URL{out}
}

// newValues returns a set of n values to be filled in.
func (r *room) newValues(n int) *values {
	if r == nil {
		return &values{make([]Param, n)}
	}
	if len(r.sets) == 0 {
		r.sized = min(max(1, 2*r.sized), r.piece())
		r.sets = make([]values, r.sized)
	}
	if len(r.params) < n {
		r.params = make([]Param, n*len(r.sets))
	}
	v := &r.sets[0]
	r.sets = r.sets[1:]
	v.params, r.params = r.params[:n:n], r.params[n:]
	return v
}

// spare returns b with room for n bytes: a new one for texts of that length, when it has none left.
func spare(b *strings.Builder, n, texts int) *strings.Builder {
	if b.Cap()-b.Len() < n {
		*b = strings.Builder{}
		b.Grow(n * texts)
	}
	return b
}

// copyTexts puts the values of a set into a text of their own.
func (r *room) copyTexts(v *values) {
	n := 0
	for i := range v.params {
		n += len(v.params[i].Value)
	}
	b := new(strings.Builder)
	if r != nil {
		b = &r.texts
		spare(b, n, len(r.sets)+1)
	} else {
		b.Grow(n)
	}
	for i := range v.params {
		start := b.Len()
		b.WriteString(v.params[i].Value)
		v.params[i].Value = b.String()[start:]
	}
}
