package hessian

import "reflect"

// mapping reads a map; its type name follows when typed.
func (d *Decoder) mapping(typed bool, start int) (any, error) {
	index, _, err := d.open(start, refOpen)
	if err != nil {
		return nil, err
	}
	if typed {
		name, err := d.typeName()
		if err != nil {
			return nil, err
		}
		class, err := d.typeText(name)
		if err != nil {
			return nil, err
		}
		if d.raw {
			return d.rawMap(index, class)
		}
		if p := d.types.structFor(class); p != nil {
			return d.structMap(index, p)
		}
	}
	return d.untyped(index)
}

// mapKeys says which Go map holds a map's keys.
type mapKeys uint8

const (
	textKeys  mapKeys = iota // map[string]any
	anyKeys                  // map[any]any
	otherKeys                // *Map: some key is a list or a map
)

// untyped reads a map into the first kind of Go map that holds its keys. Where a key shows that the kind chosen will not
// do, what was read moves to the next kind; but when something inside refers to the map already, it is read once more from its
// beginning, with the reference being right this time. MaxCount counts both times.
func (d *Decoder) untyped(index int) (any, error) {
	start := d.mark()
	for {
		v, done, err := d.tryMap(index)
		if err != nil {
			return nil, err
		}
		if done {
			return d.close(index, v), nil
		}
		if err := d.rewind(start); err != nil {
			return nil, err
		}
		d.refs[index].used = false
	}
}

// tryMap reads a map from its first key on; done is false when it must be read again, as its ref's new kind.
func (d *Decoder) tryMap(index int) (v any, done bool, err error) {
	switch d.refs[index].keys {
	case textKeys:
		return d.textMap(index)
	case anyKeys:
		return d.anyMap(index, make(map[any]any))
	}
	v, err = d.entries(index, &Map{})
	return v, true, err
}

func (d *Decoder) textMap(index int) (v any, done bool, err error) {
	m := make(map[string]any)
	d.refs[index].value = m
	for {
		if end, err := d.atEnd(); err != nil || end {
			return m, true, err
		}
		k, v, err := d.entry()
		if err != nil {
			return nil, false, err
		}
		if s, ok := k.(string); ok {
			m[s] = v
			continue
		}
		if d.outgrown(index, anyKeys) {
			return nil, false, nil
		}
		all := make(map[any]any, len(m)+1)
		for k, v := range m {
			all[k] = v
		}
		if !comparable(k) {
			return d.entryMap(index, all, k, v)
		}
		all[k] = v
		return d.anyMap(index, all)
	}
}

// outgrown notes the kind of a map and tells whether something refers to the map of the kind before.
func (d *Decoder) outgrown(index int, keys mapKeys) bool {
	d.refs[index].keys = keys
	return d.refs[index].used
}

func (d *Decoder) entry() (k, v any, err error) {
	if k, err = d.value(); err != nil {
		return nil, nil, err
	}
	v, err = d.value()
	return k, v, err
}

// anyMap reads the rest of a map into m.
func (d *Decoder) anyMap(index int, m map[any]any) (v any, done bool, err error) {
	d.refs[index].value = m
	for {
		if end, err := d.atEnd(); err != nil || end {
			return m, true, err
		}
		k, v, err := d.entry()
		if err != nil {
			return nil, false, err
		}
		if !comparable(k) {
			return d.entryMap(index, m, k, v)
		}
		m[k] = v
	}
}

func comparable(k any) bool {
	switch k.(type) {
	case nil, string, int32, int64, float64, bool, *Object:
		return true
	}
	return reflect.TypeOf(k).Comparable()
}

// entryMap goes on with a map once a key cannot be the key of a Go map.
func (d *Decoder) entryMap(index int, head map[any]any, k, v any) (any, bool, error) {
	if d.outgrown(index, otherKeys) {
		return nil, false, nil
	}
	m := &Map{}
	for k, v := range head {
		m.Entries = append(m.Entries, Entry{k, v})
	}
	m.Entries = append(m.Entries, Entry{k, v})
	out, err := d.entries(index, m)
	return out, true, err
}

func (d *Decoder) rawMap(index int, class string) (any, error) {
	return d.entries(index, &Map{Type: class})
}

func (d *Decoder) entries(index int, m *Map) (any, error) {
	d.refs[index].value = m
	for {
		end, err := d.atEnd()
		if err != nil {
			return nil, err
		}
		if end {
			return d.close(index, m), nil
		}
		k, v, err := d.entry()
		if err != nil {
			return nil, err
		}
		m.Entries = append(m.Entries, Entry{k, v})
	}
}

// structMap reads a map that is typed as a registered class into its Go struct.
func (d *Decoder) structMap(index int, p *plan) (any, error) {
	ptr := reflect.New(p.typ)
	d.refs[index].value = ptr.Interface()
	a := assigner{types: d.types}
	for {
		end, err := d.atEnd()
		if err != nil {
			return nil, err
		}
		if end {
			return d.close(index, ptr.Interface()), nil
		}
		k, v, err := d.entry()
		if err != nil {
			return nil, err
		}
		name, _ := k.(string)
		if f := p.field(name); f != nil {
			if err := a.set(f.of(ptr.Elem()), v); err != nil {
				return nil, inField(p.class.Name, name, err)
			}
		}
	}
}
