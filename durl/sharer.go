package durl

import (
	"encoding/binary"
	"slices"
	"strings"
	"sync"
)

// Bounds of what a Sharer remembers. When there is more of a kind it starts anew with that kind; URLs that it made stay as they are.
const (
	maxForms  = 8192 // forms, and about 1.5 kB each
	maxValues = 4096 // sets of values
	maxTexts  = 4096 // keys and values
	// maxVariants is how many forms of the same keys it keeps, to find one with few differences.
	maxVariants = 8
	// closeEnough is up to how many differences no better form is looked for or made.
	closeEnough = 4
	// maxText is the longest value that is shared by itself, in bytes.
	maxText = 64
)

// Sharer lets URLs share what they have in common: those with the same parameter names share path, parameters and text, and keep by
// themselves only their address and the values in which they differ. The URLs of a fleet's providers mostly differ in a few, as their
// start time or their zone. What has nothing in common with others costs what it cost before. The zero value is usable. It is safe for
// concurrent use, and must not be copied after its first use.
type Sharer struct {
	mu    sync.Mutex
	forms map[string][]*form
	count int
	known map[string]*values
	texts map[string]string
	// Working memory.
	key   []byte
	spans []span
}

// Share returns a URL that equals u, prints the same text and shares what it can with those shared before. A URL that nothing
// can be shared with comes back as it is.
func (s *Sharer) Share(u URL) URL {
	if u.p == nil || u.p.shared {
		return u
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if u.p.raw == "" {
		return s.built(u)
	}
	if u.p.address == "" {
		return u
	}
	l, key, ok := u.p.readLayout(s.spans, s.key[:0])
	s.key, s.spans = key, l.values
	if !ok {
		return u
	}
	out, ok := s.fit(u.p, &l)
	if !ok || !out.writtenAs(u.p.raw) {
		return u
	}
	out.place = &place{strings.Clone(u.p.address), u.p.hostLen, u.p.port}
	return URL{out}
}

// built shares a URL that has no text.
func (s *Sharer) built(u URL) URL {
	p := u.p
	key := append(s.key[:0], 1, byte(p.dialect)) // 1: no text starts with it that has a scheme
	for _, part := range [...]string{p.scheme, p.user, p.password, p.path} {
		key = append(append(key, part...), 0)
	}
	for i := range p.params {
		key = append(append(key, p.params[i].Key...), 0)
	}
	s.key = key
	out, ok := s.fit(p, nil)
	if !ok {
		return u
	}
	out.place = &place{p.address, p.hostLen, p.port} // p's own lies in one piece of memory with all of p
	return URL{out}
}

// fit expresses p, whose kind is in s.key, by a form and differences from it.
func (s *Sharer) fit(p *parts, l *layout) (*parts, bool) {
	variants := s.forms[string(s.key)]
	var best *form
	fewest := 0
	for _, f := range variants {
		n, ok := f.differences(p)
		if ok && (best == nil || n < fewest) {
			best, fewest = f, n
		}
		if best != nil && fewest <= closeEnough {
			break
		}
	}
	if (best == nil || fewest > closeEnough) && len(variants) < maxVariants {
		best, fewest = s.newForm(p, l, variants), 0
	}
	if best == nil {
		return nil, false
	}
	return &parts{form: best, place: p.place, values: s.differing(best, p, fewest)}, true // the caller gives it a place of its own
}

func (s *Sharer) newForm(p *parts, l *layout, variants []*form) *form {
	if s.forms == nil || s.count >= maxForms {
		s.forms, s.count = make(map[string][]*form), 0
		variants = nil
	}
	f := new(form)
	*f = *p.form
	f.shared = true
	if cap(p.params) > len(p.params) {
		f.params = slices.Clone(p.params)
	}
	if l != nil {
		f.layout = &layout{l.address, slices.Clone(l.values)}
	}
	s.count++
	s.forms[string(s.key)] = append(variants, f)
	return f
}

// differences counts in how many values p differs; ok is false when it differs in more than values.
func (f *form) differences(p *parts) (n int, ok bool) {
	if !f.sameParts(p.form) || f.dialect != p.dialect || len(f.params) != len(p.params) {
		return 0, false
	}
	for i := range f.params {
		a, b := &f.params[i], &p.params[i]
		if a.Key != b.Key {
			return 0, false
		}
		if a.Value != b.Value {
			n++
		}
	}
	return n, true
}

// differing returns the n values of p that differ from f's; equal ones are one.
func (s *Sharer) differing(f *form, p *parts, n int) *values {
	if n == 0 {
		return nil
	}
	key := s.key[:0]
	for i := range f.params {
		if q := &p.params[i]; q.Value != f.params[i].Value {
			key = binary.AppendUvarint(key, uint64(len(q.Key)))
			key = binary.AppendUvarint(append(key, q.Key...), uint64(len(q.Value)))
			key = append(key, q.Value...)
		}
	}
	s.key = key
	if v := s.known[string(key)]; v != nil {
		return v
	}
	v := &values{make([]Param, 0, n)}
	for i := range f.params {
		if q := &p.params[i]; q.Value != f.params[i].Value {
			v.params = append(v.params, Param{s.text(q.Key), s.text(q.Value)})
		}
	}
	if s.known == nil || len(s.known) >= maxValues {
		s.known = make(map[string]*values)
	}
	s.known[string(key)] = v
	return v
}

// text returns a copy of t that equal texts share.
func (s *Sharer) text(t string) string {
	if len(t) > maxText {
		return strings.Clone(t)
	}
	if known, ok := s.texts[t]; ok {
		return known
	}
	if s.texts == nil || len(s.texts) >= maxTexts {
		s.texts = make(map[string]string)
	}
	t = strings.Clone(t)
	s.texts[t] = t
	return t
}

// Derivation applies one change to many URLs and shares the results as a Sharer does. The change is worked out once for URLs
// that share everything but their address. It is not safe for concurrent use.
type Derivation struct {
	sharer *Sharer
	change func(URL) URL
	memo   map[variant]variant
}

// variant is all of a URL but its address.
type variant struct {
	form   *form
	values *values
}

// maxMemo bounds what a Derivation remembers.
const maxMemo = 4096

// NewDerivation returns the derivation of change, which must be a function of all of a URL but its address, and keep the address.
func NewDerivation(s *Sharer, change func(URL) URL) *Derivation {
	return &Derivation{sharer: s, change: change}
}

// Of returns change(u), sharing what it can.
func (d *Derivation) Of(u URL) URL {
	if u.p == nil || !u.p.shared {
		return d.sharer.Share(d.change(u))
	}
	from := variant{u.p.form, u.p.values}
	if to, ok := d.memo[from]; ok {
		return URL{&parts{form: to.form, place: u.p.place, values: to.values}}
	}
	out := d.sharer.Share(d.change(u))
	if out.p == nil || !out.p.shared || *out.p.place != *u.p.place {
		return out
	}
	if d.memo == nil || len(d.memo) >= maxMemo {
		d.memo = make(map[variant]variant)
	}
	d.memo[from] = variant{out.p.form, out.p.values}
	return URL{&parts{form: out.p.form, place: u.p.place, values: out.p.values}}
}

// Forget gives back what Of remembered to be quick; the next URLs are worked out anew.
func (d *Derivation) Forget() { d.memo = nil }
