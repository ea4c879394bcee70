package durl

import (
	"slices"
	"sync"
)

// Bounds of what a Sharer remembers. When there is more of a kind it starts anew with that kind; URLs that it made stay as they are.
const (
	maxForms  = 8192 // forms, and about 1.8 kB each
	maxValues = 4096 // sets of values
	// maxVariants is how many forms of the same keys it keeps, to find one with few differences.
	maxVariants = 8
	// closeEnough is up to how many differences no better form is looked for or made.
	closeEnough = 4
)

// Sharer lets URLs share what they have in common: those with the same parameter names share path, parameters and text, and keep by
// themselves only their address and the values in which they differ. The URLs of a fleet's providers mostly differ in a few, as their
// start time or their zone. What has nothing in common with others costs what it cost before. The zero value is usable. It is safe for
// concurrent use, and must not be copied after its first use.
type Sharer struct {
	mu       sync.Mutex
	families map[string]*family
	count    int                // forms in families
	known    map[uint64]*values // by hash
	// Working memory.
	key     []byte
	spans   []span
	differs []Param
}

// family are the forms of the same keys, which a text may be expressed by.
type family struct{ forms []*form }

// Share returns a URL that equals u, prints the same text and shares what it can with those shared before. A URL that nothing
// can be shared with comes back as it is.
func (s *Sharer) Share(u URL) URL { return s.share(u, nil) }

func (s *Sharer) share(u URL, r *room) URL {
	if u.p == nil || u.p.shared {
		return u
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if u.p.raw == "" {
		f, v, ok := s.fit(u.p, nil, s.builtFamily(u.p))
		if !ok {
			return u
		}
		return r.newURL(f, u.p.ownPlace(), v)
	}
	if u.p.address == "" {
		return u
	}
	l, key, ok := u.p.readLayout(s.spans, s.key[:0])
	s.key, s.spans = key, l.values
	if !ok {
		return u
	}
	f, v, ok := s.fit(u.p, &l, s.familyOf())
	if !ok {
		return u
	}
	if out := (parts{f, u.p.place, v}); !out.writtenAs(u.p.raw) {
		return u
	}
	return r.newURL(f, r.newPlace(u.p.address, u.p.hostLen, u.p.port), v)
}

// ownPlace returns the place apart from the rest: newParts has it in one piece of memory with all of the URL.
func (p *parts) ownPlace() *place { return &place{p.address, p.hostLen, p.port} }

// builtFamily returns the family of URLs that have no text.
func (s *Sharer) builtFamily(p *parts) *family {
	key := append(s.key[:0], 1, byte(p.dialect)) // 1: no text starts with it that has a scheme
	for _, part := range [...]string{p.scheme, p.user, p.password, p.path} {
		key = append(append(key, part...), 0)
	}
	for i := range p.params {
		key = append(append(key, p.params[i].Key...), 0)
	}
	s.key = key
	return s.familyOf()
}

// familyOf returns the family of what is in s.key.
func (s *Sharer) familyOf() *family {
	if k := s.families[string(s.key)]; k != nil {
		return k
	}
	if s.families == nil || s.count >= maxForms {
		s.families, s.count = make(map[string]*family), 0
	}
	k := new(family)
	s.families[string(s.key)] = k
	return k
}

// fit expresses p by a form of the family and differences from it.
func (s *Sharer) fit(p *parts, l *layout, k *family) (f *form, v *values, ok bool) {
	fewest := 0
	for _, g := range k.forms {
		n, ok := g.differences(p)
		if ok && (f == nil || n < fewest) {
			f, fewest = g, n
		}
		if f != nil && fewest <= closeEnough {
			break
		}
	}
	if (f == nil || fewest > closeEnough) && len(k.forms) < maxVariants {
		return s.newForm(p, l, k), nil, true
	}
	if f == nil {
		return nil, nil, false
	}
	s.differs = s.differs[:0]
	for i := range f.params {
		if q := &p.params[i]; q.Value != f.params[i].Value {
			s.differs = append(s.differs, Param{f.params[i].Key, q.Value})
		}
	}
	v = s.set(s.differs, true, nil)
	clear(s.differs) // or they would keep the text
	return f, v, true
}

// exact returns a form that has all that p, a built URL, has: no other values.
func (s *Sharer) exact(p *parts) *form {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.builtFamily(p)
	for _, f := range k.forms {
		if n, ok := f.differences(p); ok && n == 0 {
			return f
		}
	}
	return s.newForm(p, nil, k)
}

func (s *Sharer) newForm(p *parts, l *layout, k *family) *form {
	f := new(form)
	*f = *p.form
	f.shared, f.family = true, k
	if cap(p.params) > len(p.params) {
		f.params = slices.Clone(p.params)
	}
	if l != nil {
		f.layout = &layout{address: l.address, values: slices.Clone(l.values)}
		f.layout.findSlots(f, p.address)
	}
	f.hashForm()
	if len(k.forms) < maxVariants {
		s.count++
		k.forms = append(k.forms, f)
	}
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
