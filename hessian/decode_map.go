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
	m := make(map[string]any)
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
		s, ok := k.(string)
		if !ok {
			return d.anyMap(index, m, k, v)
		}
		m[s] = v
	}
}

func (d *Decoder) entry() (k, v any, err error) {
	if k, err = d.value(); err != nil {
		return nil, nil, err
	}
	v, err = d.value()
	return k, v, err
}

// anyMap goes on with a map once a key is not text.
func (d *Decoder) anyMap(index int, head map[string]any, k, v any) (any, error) {
	if d.refs[index].used {
		return nil, d.malformed("a map whose keys are of several kinds contains itself: not supported")
	}
	m := make(map[any]any, len(head)+1)
	for k, v := range head {
		m[k] = v
	}
	d.refs[index].value = m
	for {
		if !comparable(k) {
			return d.entryMap(index, m, k, v)
		}
		m[k] = v
		end, err := d.atEnd()
		if err != nil {
			return nil, err
		}
		if end {
			return d.close(index, m), nil
		}
		if k, v, err = d.entry(); err != nil {
			return nil, err
		}
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
func (d *Decoder) entryMap(index int, head map[any]any, k, v any) (any, error) {
	if d.refs[index].used {
		return nil, d.malformed("a map whose keys are of several kinds contains itself: not supported")
	}
	m := &Map{}
	for k, v := range head {
		m.Entries = append(m.Entries, Entry{k, v})
	}
	m.Entries = append(m.Entries, Entry{k, v})
	return d.entries(index, m)
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
