package hessian

import "errors"

// list reads a list whose tag was t.
func (d *Decoder) list(t byte, start int) (any, error) {
	index, _, err := d.open(start, refOpen)
	if err != nil {
		return nil, err
	}
	typ, n := "", -1
	if t >= tagListDirect && t < tagListUntypedDirect || t == tagList || t == tagListVar {
		name, err := d.typeName()
		if err != nil {
			return nil, err
		}
		if typ, err = d.typeText(name); err != nil {
			return nil, err
		}
	}
	switch {
	case t >= tagListUntypedDirect:
		n = int(t - tagListUntypedDirect)
	case t >= tagListDirect:
		n = int(t - tagListDirect)
	case t == tagList || t == tagListUntyped:
		if n, err = d.length("a list"); err != nil {
			return nil, err
		}
	}
	body := d.mark()
	v, err := d.elements(index, typ, n)
	if n < 0 && errors.Is(err, errSelf) && d.refs[index].used {
		v, err = d.selfList(index, typ, body)
	}
	if err != nil {
		return nil, err
	}
	return d.close(index, v), nil
}

// selfList reads a list of unknown length again, from body on: first to count, then with its length known.
func (d *Decoder) selfList(index int, typ string, body mark) (any, error) {
	if err := d.rewind(body); err != nil {
		return nil, err
	}
	n, err := d.countUntilEnd()
	if err != nil {
		return nil, err
	}
	if err := d.rewind(body); err != nil {
		return nil, err
	}
	d.refs[index].used = false
	v, err := d.elements(index, typ, n)
	if err != nil {
		return nil, err
	}
	_, err = d.atEnd()
	return v, err
}

// countUntilEnd passes over values until the end mark.
func (d *Decoder) countUntilEnd() (n int, err error) {
	for {
		end, err := d.atEnd()
		if err != nil || end {
			return n, err
		}
		if err := d.skip(); err != nil {
			return n, err
		}
		n++
	}
}

// elements reads the n elements of a list of the given type, or those before the end mark when n is negative.
func (d *Decoder) elements(index int, typ string, n int) (v any, err error) {
	if n >= 0 {
		if err := d.owe(n, "a list"); err != nil {
			return nil, err
		}
	}
	if d.raw && typ != "" {
		l := &List{Type: typ}
		d.refs[index].value = l
		if n >= 0 {
			l.Items = make([]any, n)
		}
		l.Items, err = d.items(l.Items, n, 0)
		return l, err
	}
	switch typ {
	case "[int":
		return array(d, index, n, isInt, d.intAfter)
	case "[long":
		return array(d, index, n, isLong, d.longAfter)
	case "[short":
		return array(d, index, n, isInt, func(t byte) (int16, error) { i, err := d.intAfter(t); return int16(i), err })
	case "[double":
		return array(d, index, n, isDouble, d.doubleAfter)
	case "[float":
		return array(d, index, n, isDouble, func(t byte) (float32, error) { f, err := d.doubleAfter(t); return float32(f), err })
	case "[boolean":
		return array(d, index, n, func(t byte) bool { return t == tagTrue || t == tagFalse }, func(t byte) (bool, error) { return t == tagTrue, nil })
	case "[string":
		return array(d, index, n, isString, d.stringAfter)
	case "[date":
		return array(d, index, n, func(t byte) bool { return t == tagDate || t == tagDateMinute }, d.timeAfter)
	}
	var items []any
	if n >= 0 {
		items = make([]any, n)
		d.refs[index].value = items
	}
	return d.items(items, n, 0)
}

// items fills items from index i on; n < 0 reads until the end mark.
func (d *Decoder) items(items []any, n, i int) ([]any, error) {
	for ; i < n; i++ {
		d.owed--
		v, err := d.value()
		if err != nil {
			return nil, err
		}
		items[i] = v
	}
	if n >= 0 {
		return items, nil
	}
	if items == nil {
		items = []any{}
	}
	for {
		end, err := d.atEnd()
		if err != nil || end {
			return items, err
		}
		v, err := d.value()
		if err != nil {
			return nil, err
		}
		items = append(items, v)
	}
}

// atEnd passes over an end mark if there is one.
func (d *Decoder) atEnd() (bool, error) {
	if d.pos >= len(d.in) {
		return false, d.truncated("a list or map")
	}
	if d.in[d.pos] != tagEnd {
		return false, nil
	}
	d.pos++
	return true, nil
}

// array reads the elements of an array of a primitive type or String. With an element that is something else (a null
// String, say) it goes on as []any.
func array[T any](d *Decoder, index, n int, is func(byte) bool, after func(byte) (T, error)) (any, error) {
	out := make([]T, 0, max(n, 0))
	for i := 0; n < 0 || i < n; i++ {
		if d.pos >= len(d.in) {
			return nil, d.truncated("an array")
		}
		t := d.in[d.pos]
		if n < 0 && t == tagEnd {
			d.pos++
			break
		}
		if !is(t) {
			return mixed(d, index, n, out)
		}
		if i&7 == 0 {
			if err := d.charge(1); err != nil {
				return nil, err
			}
		}
		if n >= 0 {
			d.owed--
		}
		d.pos++
		v, err := after(t)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

func mixed[T any](d *Decoder, index, n int, head []T) (any, error) {
	items := make([]any, len(head), max(n, len(head)))
	for i, v := range head {
		items[i] = v
	}
	if n >= 0 {
		items = items[:n]
		d.refs[index].value = items
	}
	return d.items(items, n, len(head))
}
