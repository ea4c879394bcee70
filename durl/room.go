package durl

import "strings"

// pieceOf is for how many URLs a piece of memory is at most. A URL that is still in use keeps its piece, so this also bounds how much of
// URLs that are gone stays with it.
const pieceOf = 32

// room is memory for URLs that are read one after another: several of them share a piece. A nil room gives each its own.
type room struct {
	// more is how many URLs are still to come; it sizes the next piece.
	more   int
	parts  []parts
	places []place
	// addresses are texts, one behind another.
	addresses strings.Builder
	// sets are room for values; sized is how many the last piece had: few URLs need new ones, or most do.
	sets   []values
	params []Param
	sized  int
}

// grow makes room for n URLs that are to come, and lets go of what was left for earlier ones.
func (r *room) grow(n int) { *r = room{more: n} }

func (r *room) piece() int { return max(1, min(r.more, pieceOf)) }

// newPlace returns a place with a copy of the address.
func (r *room) newPlace(address string, hostLen, port int32) *place {
	if r == nil {
		return &place{strings.Clone(address), hostLen, port}
	}
	if len(r.places) == 0 {
		r.places = make([]place, r.piece())
	}
	if r.addresses.Cap()-r.addresses.Len() < len(address) {
		r.addresses = strings.Builder{}
		r.addresses.Grow(len(r.places) * len(address))
	}
	start := r.addresses.Len()
	r.addresses.WriteString(address)
	p := &r.places[0]
	r.places = r.places[1:]
	*p = place{r.addresses.String()[start:], hostLen, port}
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
