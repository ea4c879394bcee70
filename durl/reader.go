package durl

import "github.com/dubway-go/dubway/dialect"

// manyForms is how many forms a Reader compares a text with.
const manyForms = 8

// Reader reads the URLs of a service's providers, list after list, and shares what they have in common as a Sharer does. Most texts it does
// not parse: it compares them with one that it read before, and takes what differs, which may be the address and values. What it
// returns shares no memory with the texts. It is not safe for concurrent use; the Sharer may be used by others.
type Reader struct {
	sharer  *Sharer
	dialect dialect.Dialect
	recent  [manyForms]*form // the last one first
	room    *room            // nil while nothing is to come
	// Working memory.
	found reading
	list  []Param
}

// NewReader returns a Reader of the given dialect that shares with all that s shared.
func NewReader(s *Sharer, d dialect.Dialect) *Reader { return &Reader{sharer: s, dialect: d} }

// Grow makes room for n URLs that are to come, so that they are allocated several at a time: up to 16 share a piece of memory,
// which stays as long as one of them. More, or fewer, may come. Grow(0) gives back what is left.
func (r *Reader) Grow(n int) { r.room = newRoom(n) }

// Known returns the URL that ParseAs makes of text, when the Reader knows texts of its kind; else ok is false, and the caller parses it and
// hands the result to Share.
func (r *Reader) Known(text string) (u URL, ok bool) {
	if len(text) > MaxLength {
		return URL{}, false
	}
	for i, f := range r.recent {
		if f == nil {
			return URL{}, false
		}
		if !f.read(text, &r.found) {
			continue
		}
		copy(r.recent[1:i+1], r.recent[:i])
		r.recent[0] = f
		u, ok = r.make(f, text)
		clear(r.found.values) // or they would keep the text
		r.found.address = ""
		return u, ok
	}
	return URL{}, false
}

// make makes the URL of a text that was read by form f.
func (r *Reader) make(f *form, text string) (u URL, ok bool) {
	if len(r.found.values) == 0 {
		return r.room.newURL(f, r.room.newPlace(r.found.address, r.found.hostLen, r.found.port), nil), true
	}
	r.sharer.mu.Lock()
	defer r.sharer.mu.Unlock()
	if len(r.found.values) > closeEnough {
		if f, ok = r.closer(f, text); !ok {
			return URL{}, false
		}
	}
	r.list = r.list[:0]
	for _, v := range r.found.values {
		r.list = append(r.list, Param{f.params[v.param].Key, v.value})
	}
	v := r.sharer.set(r.list, true, r.room)
	clear(r.list) // it must not keep the text
	return r.room.newURL(f, r.room.newPlace(r.found.address, r.found.hostLen, r.found.port), v), true
}

// closer returns the form of f's family from which text differs least, and reads text by it. ok is false when a new form would be better, and has
// room.
func (r *Reader) closer(f *form, text string) (best *form, ok bool) {
	best = f
	fewest := len(r.found.values)
	for _, g := range f.family.forms {
		if g != f && g.layout != nil && g.layout.slots != nil && g.read(text, &r.found) && len(r.found.values) < fewest {
			best, fewest = g, len(r.found.values)
		}
	}
	if fewest > closeEnough && len(f.family.forms) < maxVariants {
		return nil, false
	}
	return best, best.read(text, &r.found)
}

// Share returns a URL that equals u and prints the same text, like Sharer.Share, and knows texts of its kind from now on.
func (r *Reader) Share(u URL) URL {
	out := r.sharer.share(u, r.room)
	if out.p == nil || out.p.dialect != r.dialect || out.p.layout == nil || out.p.layout.slots == nil {
		return out
	}
	i := 0
	for i < len(r.recent)-1 && r.recent[i] != nil && r.recent[i] != out.p.form {
		i++
	}
	copy(r.recent[1:i+1], r.recent[:i])
	r.recent[0] = out.p.form
	return out
}

// Parse reads a text: Known, else ParseAs and Share. The error is that of ParseAs.
func (r *Reader) Parse(text string) (URL, error) {
	if u, ok := r.Known(text); ok {
		return u, nil
	}
	u, err := ParseAs(text, r.dialect)
	if err != nil {
		return URL{}, err
	}
	return r.Share(u), nil
}
