package hessian

import "io"

// Skip passes over the next value without decoding it: nothing is allocated for it beyond the book-keeping of the
// classes and references that later values may use. What Decode accepts, Skip accepts, under the same limits. A later
// reference into the value still decodes.
// At the end of the input it returns io.EOF itself.
func (d *Decoder) Skip() error {
	if d.pos >= len(d.in) {
		return io.EOF
	}
	if d.limits.MaxDepth == 0 {
		d.limits = d.limits.withDefaults()
	}
	return d.skip()
}

func (d *Decoder) skip() error {
	var t byte
	var start int
	for {
		if err := d.charge(1); err != nil {
			return err
		}
		start = d.pos
		var err error
		if t, err = d.tag(); err != nil {
			return err
		}
		if t != tagClass {
			break
		}
		if err := d.define(); err != nil {
			return err
		}
	}
	switch {
	case t == tagNull || t == tagTrue || t == tagFalse:
		return nil
	case isInt(t):
		_, err := d.intAfter(t)
		return err
	case isLong(t):
		_, err := d.longAfter(t)
		return err
	case isDouble(t):
		_, err := d.doubleAfter(t)
		return err
	case isString(t):
		return d.skipChunks(t)
	case isBinary(t):
		return d.skipBinary(t)
	case t == tagDate || t == tagDateMinute:
		_, err := d.timeAfter(t)
		return err
	case t == tagRef:
		n, err := d.length("a reference")
		if err == nil && n >= d.nref {
			err = d.malformed("reference %d, but only %d lists, maps and objects came before", n, d.nref)
		}
		return err
	}
	return d.skipContainer(t, start)
}

func (d *Decoder) skipContainer(t byte, start int) error {
	if err := d.enter(); err != nil {
		return err
	}
	var err error
	switch {
	case t >= tagObjectDirect && t < tagListDirect:
		err = d.skipObject(int(t-tagObjectDirect), start)
	case t == tagObject:
		var n int
		if n, err = d.length("a class index"); err == nil {
			err = d.skipObject(n, start)
		}
	case t == tagMap || t == tagMapUntyped:
		err = d.skipMap(t == tagMap, start)
	case t >= tagListDirect && t < tagIntOne || t >= tagListVar && t <= tagListUntyped:
		err = d.skipList(t, start)
	default:
		d.pos--
		err = d.malformed("tag 0x%02x begins no value", t)
	}
	d.leave()
	return err
}

func (d *Decoder) skipObject(n, start int) error {
	if n >= d.nclass {
		return d.malformed("an object of class %d, but only %d classes are defined", n, d.nclass)
	}
	if _, _, err := d.open(start, refSkipped); err != nil {
		return err
	}
	return d.skipN(int(d.class[n].fields), "an object")
}

func (d *Decoder) skipN(n int, what string) error {
	if err := d.owe(n, what); err != nil {
		return err
	}
	for range n {
		d.owed--
		if err := d.skip(); err != nil {
			return err
		}
	}
	return nil
}

func (d *Decoder) skipUntilEnd() error {
	for {
		end, err := d.atEnd()
		if err != nil || end {
			return err
		}
		if err := d.skip(); err != nil {
			return err
		}
	}
}

func (d *Decoder) skipMap(typed bool, start int) error {
	if _, _, err := d.open(start, refSkipped); err != nil {
		return err
	}
	if typed {
		if _, err := d.typeName(); err != nil {
			return err
		}
	}
	for {
		end, err := d.atEnd()
		if err != nil || end {
			return err
		}
		if err := d.skip(); err != nil {
			return err
		}
		if err := d.skip(); err != nil {
			return err
		}
	}
}

func (d *Decoder) skipList(t byte, start int) error {
	if _, _, err := d.open(start, refSkipped); err != nil {
		return err
	}
	primitive := false
	if t >= tagListDirect && t < tagListUntypedDirect || t == tagList || t == tagListVar {
		name, err := d.typeName()
		if err != nil {
			return err
		}
		at := d.names[name].at
		primitive = d.in[at] > 0 && d.in[at] <= tagStringShortMax && d.in[at+1] == '['
	}
	switch {
	case t >= tagListUntypedDirect:
		return d.skipN(int(t-tagListUntypedDirect), "a list")
	case t >= tagListDirect:
		return d.skipN(int(t-tagListDirect), "a list")
	case t == tagList || t == tagListUntyped:
		n, err := d.length("a list")
		if err != nil {
			return err
		}
		if primitive && n > 8 {
			d.count -= n - n/8 // as Decode counts arrays; those of objects get the benefit too
		}
		return d.skipN(n, "a list")
	}
	return d.skipUntilEnd()
}

func (d *Decoder) skipString(what string) error {
	t, err := d.tag()
	if err != nil {
		return err
	}
	if !isString(t) {
		d.pos--
		return d.malformed("want %s as a string, have tag 0x%02x", what, t)
	}
	return d.skipChunks(t)
}

func (d *Decoder) skipChunks(t byte) error {
	total := 0
	for {
		body, final, _, err := d.chunkAfter(t)
		if err != nil || final && total == 0 {
			return err
		}
		if total += len(body); total > d.limits.MaxLength {
			return limitError("length of a string in bytes", d.limits.MaxLength)
		}
		if final {
			return nil
		}
		if t, err = d.tag(); err != nil {
			return err
		}
		if !isString(t) {
			d.pos--
			return d.malformed("want the next chunk of a string, have tag 0x%02x", t)
		}
	}
}

func (d *Decoder) skipBinary(t byte) error {
	total := 0
	for {
		body, final, err := d.binaryChunk(t)
		if err != nil || final && total == 0 {
			return err
		}
		if total += len(body); total > d.limits.MaxLength {
			return limitError("length of a byte[]", d.limits.MaxLength)
		}
		if final {
			return nil
		}
		if t, err = d.tag(); err != nil {
			return err
		}
		if !isBinary(t) {
			d.pos--
			return d.malformed("want the next chunk of a byte[], have tag 0x%02x", t)
		}
	}
}
