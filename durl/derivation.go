package durl

// Effect is what a change of URLs has to do with a parameter.
type Effect uint8

const (
	// Looks: the change depends on the parameter's value. The zero value, so that nothing is taken to be simpler than it is.
	Looks Effect = iota
	// Keeps: the result has the value that was there, and nothing else depends on it.
	Keeps
	// Replaces: the result has the same value, or none, whatever was there, and nothing else depends on it.
	Replaces
)

// Derivation applies one change to many URLs and shares the results as a Sharer does. The change is worked out once for URLs of the same
// parameter names that differ only in their address and in values which it keeps or replaces. It is not safe for concurrent use.
type Derivation struct {
	sharer *Sharer
	change func(URL) URL
	effect func(key string) Effect
	bases  map[*form]*base
	last   *base // of the URL before
	memo   map[variant]variant
	room   *room   // nil while nothing is to come
	kept   []Param // working memory
}

// base is what becomes of a form.
type base struct {
	from, to *form // to is nil when URLs of the form must be looked at one by one
}

// variant is all of a URL but its address.
type variant struct {
	form   *form
	values *values
}

// Bounds of what a Derivation and a Memo remember.
const (
	maxMemo  = 4096
	maxBases = 64
)

// NewDerivation returns the derivation of change, which must be a function of all of a URL but its address, and keep the address.
// effect tells what change has to do with a parameter that a URL has; nil stands for Looks throughout. It must hold for all URLs.
func NewDerivation(s *Sharer, change func(URL) URL, effect func(key string) Effect) *Derivation {
	if effect == nil {
		effect = func(string) Effect { return Looks }
	}
	return &Derivation{sharer: s, change: change, effect: effect}
}

// Grow makes room for n URLs that are to come, so that they are allocated several at a time. More, or fewer, may come.
func (d *Derivation) Grow(n int) { d.room = newRoom(n) }

// Of returns change(u), sharing what it can.
func (d *Derivation) Of(u URL) URL {
	if u.p == nil || !u.p.shared {
		return d.sharer.Share(d.change(u))
	}
	if b := d.base(u); b.to != nil {
		if v, ok := d.simple(u.p.values); ok {
			return d.room.newURL(b.to, u.p.place, v)
		}
	}
	from := variant{u.p.form, u.p.values}
	to, ok := d.memo[from]
	if !ok {
		out := d.sharer.Share(d.change(u))
		if out.p == nil || !out.p.shared || *out.p.place != *u.p.place {
			return out
		}
		if d.memo == nil || len(d.memo) >= maxMemo {
			d.memo = make(map[variant]variant)
		}
		to = variant{out.p.form, out.p.values}
		d.memo[from] = to
	}
	return d.room.newURL(to.form, u.p.place, to.values)
}

// base returns what becomes of the form of u.
func (d *Derivation) base(u URL) *base {
	f := u.p.form
	if d.last != nil && d.last.from == f {
		return d.last
	}
	b := d.bases[f]
	if b == nil {
		if d.bases == nil || len(d.bases) >= maxBases {
			d.bases = make(map[*form]*base)
		}
		b = &base{f, d.formOf(URL{&parts{form: f, place: u.p.place}})}
		d.bases[f] = b
	}
	d.last = b
	return b
}

// formOf returns the form of change(u), nil when it has not what effect says; u has no values of its own.
func (d *Derivation) formOf(u URL) *form {
	out := d.change(u)
	if out.p == nil || *out.p.place != *u.p.place || out.p.dialect != u.p.dialect {
		return nil
	}
	for i := range u.p.params {
		q := &u.p.params[i]
		if d.effect(q.Key) != Keeps {
			continue
		}
		if k, ok := out.p.find(q.Key); !ok || out.p.value(k) != q.Value {
			return nil
		}
	}
	switch {
	case out.p.form == u.p.form && out.p.values == nil:
		return u.p.form
	case out.p.shared || out.p.raw != "":
		return nil
	}
	return d.sharer.exact(out.p)
}

// simple returns what is left of a URL's values; ok is false when the change looks at one of them.
func (d *Derivation) simple(v *values) (left *values, ok bool) {
	if v == nil {
		return nil, true
	}
	d.kept = d.kept[:0]
	for i := range v.params {
		switch d.effect(v.params[i].Key) {
		case Keeps:
			d.kept = append(d.kept, v.params[i])
		case Looks:
			return nil, false
		}
	}
	switch len(d.kept) {
	case len(v.params):
		return v, true
	case 0:
		return nil, true
	}
	d.sharer.mu.Lock()
	defer d.sharer.mu.Unlock()
	return d.sharer.set(d.kept, false, d.room), true
}

// Memo remembers what a function says of URLs, once for all that share what it looks at. It is not safe for concurrent use.
type Memo[T any] struct {
	of    func(URL) T
	looks func(key string) bool
	memo  map[variant]T
	last  variant
	said  T // of last
}

// NewMemo returns a memo of a function, which must depend on all of a URL but its address, and of its parameters only on those that looks tells.
func NewMemo[T any](of func(URL) T, looks func(key string) bool) *Memo[T] {
	return &Memo[T]{of: of, looks: looks}
}

// Of returns what the function says of u.
func (m *Memo[T]) Of(u URL) T {
	if u.p == nil || !u.p.shared {
		return m.of(u)
	}
	at := variant{form: u.p.form}
	for _, q := range u.p.cursor().rest {
		if m.looks(q.Key) {
			at.values = u.p.values
			break
		}
	}
	if m.last == at {
		return m.said
	}
	said, ok := m.memo[at]
	if !ok {
		said = m.of(u)
		if m.memo == nil || len(m.memo) >= maxMemo {
			m.memo = make(map[variant]T)
		}
		m.memo[at] = said
	}
	m.last, m.said = at, said
	return said
}

// Forget gives back what Of remembered to be quick, when it is much; the next URLs are worked out anew.
func (m *Memo[T]) Forget() {
	if len(m.memo) > fewMemo {
		m.memo = nil
	}
}

// fewMemo is what is not worth forgetting.
const fewMemo = 64

// Forget gives back what Of remembered to be quick, when it is much; the next URLs are worked out anew.
func (d *Derivation) Forget() {
	if len(d.memo) > fewMemo {
		d.memo = nil
	}
	d.room = nil
}
