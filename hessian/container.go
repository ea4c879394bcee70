package hessian

import "fmt"

// ref is a list, map or object of the stream, by reference number.
type ref struct {
	value any
	state refState
	used  bool    // referred to while open
	keys  mapKeys // of a map, as far as is known
	// where the value begins, and the counters there: a skipped value is read from here when it is referred to.
	at           int
	class, names int32
}

type refState uint8

const (
	refSkipped refState = iota
	refOpen             // being read; value may be nil when it is not known yet
	refDone
)

// open takes the next reference number for the container that begins at offset start. When the container was read
// before, in another order, known is true and the caller must take the value of the ref and pass over the bytes.
func (d *Decoder) open(start int, state refState) (index int, known bool, err error) {
	index = d.nref
	d.nref++
	if index < len(d.refs) {
		r := &d.refs[index]
		if r.state != refSkipped {
			return index, true, nil
		}
		r.state = state
		return index, false, nil
	}
	if index >= d.limits.MaxRefs {
		return 0, false, limitError("number of lists, maps and objects", d.limits.MaxRefs)
	}
	d.refs = append(d.refs, ref{state: state, at: start, class: int32(d.nclass), names: int32(d.nnames)})
	return index, false, nil
}

// close records the finished value.
func (d *Decoder) close(index int, v any) any {
	d.refs[index].value, d.refs[index].state = v, refDone
	return v
}

// owe reserves n values that must still come. Each takes a byte or more, so what is owed can never be more
// than what remains: that is what keeps allocation below a small multiple of the input.
func (d *Decoder) owe(n int, what string) error {
	if d.owed+n > len(d.in)-d.pos {
		return d.malformed("%s announces %d values, but %d bytes remain", what, n, len(d.in)-d.pos)
	}
	d.owed += n
	return nil
}

// container reads the list, map or object whose tag t stood at offset start.
func (d *Decoder) container(t byte, start int) (any, error) {
	if d.nref < len(d.refs) && d.refs[d.nref].state != refSkipped {
		return d.again(start)
	}
	if err := d.enter(); err != nil {
		return nil, err
	}
	var v any
	var err error
	switch {
	case t >= tagObjectDirect && t < tagListDirect:
		v, err = d.object(int(t-tagObjectDirect), start)
	case t == tagObject:
		var n int
		if n, err = d.length("a class index"); err == nil {
			v, err = d.object(n, start)
		}
	case t == tagMap || t == tagMapUntyped:
		v, err = d.mapping(t == tagMap, start)
	case t >= tagListDirect && t < tagIntOne || t >= tagListVar && t <= tagListUntyped:
		v, err = d.list(t, start)
	default:
		d.pos--
		err = d.malformed("tag 0x%02x begins no value", t)
	}
	d.leave()
	return v, err
}

// again passes over a container that was read before and returns it.
func (d *Decoder) again(start int) (any, error) {
	r := &d.refs[d.nref]
	if r.state == refOpen {
		r.used = true
	}
	v := r.value
	if r.state == refOpen && v == nil {
		return nil, errSelf
	}
	d.pos = start
	return v, d.skip()
}

// refAfter reads a reference.
func (d *Decoder) refAfter() (any, error) {
	n, err := d.length("a reference")
	if err != nil {
		return nil, err
	}
	if n >= d.nref {
		return nil, d.malformed("reference %d, but only %d lists, maps and objects came before", n, d.nref)
	}
	r := &d.refs[n]
	switch r.state {
	case refDone:
		return r.value, nil
	case refOpen:
		r.used = true
		if r.value == nil {
			return nil, errSelf
		}
		return r.value, nil
	}
	return d.resolve(n)
}

// resolve reads a value that was skipped and is now referred to.
func (d *Decoder) resolve(n int) (any, error) {
	if err := d.enter(); err != nil {
		return nil, err
	}
	pos, nref, nclass, nnames, owed := d.pos, d.nref, d.nclass, d.nnames, d.owed
	r := d.refs[n]
	d.pos, d.nref, d.nclass, d.nnames, d.owed = r.at, n, int(r.class), int(r.names), 0
	v, err := d.value()
	d.pos, d.nref, d.nclass, d.nnames, d.owed = pos, nref, nclass, nnames, owed
	d.leave()
	return v, err
}

// errSelf says that a list of unknown length was referred to while it was read: its Go slice does not exist yet. list reads
// such a list again, with its length known.
var errSelf = fmt.Errorf("%w: a list of unknown length contains itself", ErrMalformed)

// mark is a point in the stream, between two values.
type mark struct{ pos, nref, nclass, nnames, owed, depth int }

func (d *Decoder) mark() mark {
	return mark{d.pos, d.nref, d.nclass, d.nnames, d.owed, d.depth}
}

// maxRewinds bounds how often bytes of one stream are read again, so that nesting what needs it does not multiply.
const maxRewinds = 64

// rewind goes back to m. The containers read since are forgotten, but for what is known about the keys of maps.
func (d *Decoder) rewind(m mark) error {
	if d.rewinds++; d.rewinds > maxRewinds {
		return limitError("number of lists and maps that contain themselves before their kind is known", maxRewinds)
	}
	for i := m.nref; i < d.nref; i++ {
		r := &d.refs[i]
		*r = ref{at: r.at, class: r.class, names: r.names, keys: r.keys}
	}
	d.pos, d.nref, d.nclass, d.nnames, d.owed, d.depth = m.pos, m.nref, m.nclass, m.nnames, m.owed, m.depth
	return nil
}

// typeDef is a type name of the stream; its text is made when it is first needed.
type typeDef struct {
	at   int
	text string
}

// typeName reads the type of a list or map: a name or the number of an earlier one. It returns its index.
func (d *Decoder) typeName() (int, error) {
	t, err := d.tag()
	if err != nil {
		return 0, err
	}
	if isInt(t) {
		n, err := d.intAfter(t)
		if err != nil {
			return 0, err
		}
		if n < 0 || int(n) >= d.nnames {
			return 0, d.malformed("type %d, but only %d type names came before", n, d.nnames)
		}
		return int(n), nil
	}
	d.pos--
	at := d.pos
	if err := d.skipString("a type name"); err != nil {
		return 0, err
	}
	if d.nnames == len(d.names) {
		d.names = append(d.names, typeDef{at: at})
	}
	d.nnames++
	return d.nnames - 1, nil
}

// typeText returns the text of a type name.
func (d *Decoder) typeText(index int) (string, error) {
	n := &d.names[index]
	if n.text != "" {
		return n.text, nil
	}
	pos := d.pos
	d.pos = n.at
	text, err := d.text()
	d.pos = pos
	n.text = text
	return text, err
}

// text reads a string that names something; the common names cost no allocation.
func (d *Decoder) text() (string, error) {
	b, err := d.DecodeText()
	if err != nil {
		return "", err
	}
	return wellKnownName(b), nil
}
