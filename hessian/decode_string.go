package hessian

import (
	"unicode/utf16"
	"unicode/utf8"
)

// DecodeString reads a string; null reads as "".
func (d *Decoder) DecodeString() (string, error) {
	t, err := d.tag()
	switch {
	case err != nil:
		return "", err
	case t == tagNull:
		return "", nil
	case isString(t):
		return d.stringAfter(t)
	}
	d.pos--
	return "", d.malformed("want a string, have tag 0x%02x", t)
}

// DecodeText reads a string without copying it where it can: the result is a part of the input
// when the string is in one chunk and has no character beyond U+FFFF; else it is a new slice. Null reads as nil.
func (d *Decoder) DecodeText() ([]byte, error) {
	t, err := d.tag()
	switch {
	case err != nil:
		return nil, err
	case t == tagNull:
		return nil, nil
	case !isString(t):
		d.pos--
		return nil, d.malformed("want a string, have tag 0x%02x", t)
	}
	body, final, plain, err := d.chunkAfter(t)
	if err != nil {
		return nil, err
	}
	if final && plain {
		return body, nil
	}
	return d.joinChunks(body, final)
}

func (d *Decoder) stringAfter(t byte) (string, error) {
	body, final, plain, err := d.chunkAfter(t)
	if err != nil {
		return "", err
	}
	if final && plain {
		return string(body), nil
	}
	joined, err := d.joinChunks(body, final)
	return string(joined), err
}

// joinChunks reads the chunks that follow body and returns the text as UTF-8.
func (d *Decoder) joinChunks(body []byte, final bool) ([]byte, error) {
	all := body
	if !final {
		all = append([]byte(nil), body...)
	}
	for !final {
		t, err := d.tag()
		if err != nil {
			return nil, err
		}
		if !isString(t) {
			d.pos--
			return nil, d.malformed("want the next chunk of a string, have tag 0x%02x", t)
		}
		if body, final, _, err = d.chunkAfter(t); err != nil {
			return nil, err
		}
		if all = append(all, body...); len(all) > d.limits.MaxLength {
			return nil, limitError("length of a string in bytes", d.limits.MaxLength)
		}
	}
	return fromUnits(all), nil
}

// chunkAfter returns the bytes of the chunk whose tag was t, whether it is the last of its string, and
// whether the bytes are plain UTF-8 as they are.
func (d *Decoder) chunkAfter(t byte) (body []byte, final, plain bool, err error) {
	var units int
	switch {
	case t <= tagStringShortMax:
		units = int(t)
	case t < tagBinaryMedium:
		b, err := d.take(1, "the length of a string")
		if err != nil {
			return nil, false, false, err
		}
		units = int(t-tagStringMedium)<<8 | int(b[0])
	default:
		b, err := d.take(2, "the length of a string")
		if err != nil {
			return nil, false, false, err
		}
		units = int(b[0])<<8 | int(b[1])
	}
	body, plain, err = d.units(units)
	return body, t != tagStringChunk, plain, err
}

// units takes the bytes of n UTF-16 units: one to three bytes each, or four bytes for two units.
func (d *Decoder) units(n int) (body []byte, plain bool, err error) {
	in, start, p := d.in, d.pos, d.pos
	if n > len(in)-p {
		return nil, false, d.truncated("a string")
	}
	plain = true
	for n > 0 {
		if p >= len(in) {
			return nil, false, d.truncated("a string")
		}
		c := in[p]
		if c < utf8.RuneSelf {
			k := ascii(in[p:min(len(in), p+n)])
			p += k
			n -= k
			continue
		}
		var size int
		switch {
		case c >= 0xc2 && c <= 0xdf || c == 0xc0: // Java may write U+0000 as c0 80
			size = 2
		case c >= 0xe0 && c <= 0xef:
			size = 3
		case c >= 0xf0 && c <= 0xf4:
			size = 4
		default:
			d.pos = p
			return nil, false, d.malformed("0x%02x does not begin a character", c)
		}
		if size > len(in)-p {
			return nil, false, d.truncated("a string")
		}
		for _, next := range in[p+1 : p+size] {
			if next&0xc0 != 0x80 {
				d.pos = p
				return nil, false, d.malformed("a character is cut off by 0x%02x", next)
			}
		}
		if plain && !utf8.Valid(in[p:p+size]) {
			plain = false // surrogates, overlong forms
		}
		p += size
		n--
		if size == 4 && n > 0 {
			n--
		}
	}
	if p-start > d.limits.MaxLength {
		return nil, false, limitError("length of a string in bytes", d.limits.MaxLength)
	}
	d.pos = p
	return in[start:p], plain, nil
}

// fromUnits joins surrogates that were written one by one. Halves without a partner become U+FFFD.
func fromUnits(b []byte) []byte {
	if utf8.Valid(b) {
		return b
	}
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); {
		if b[i] < utf8.RuneSelf {
			out = append(out, b[i])
			i++
			continue
		}
		if r, size := utf8.DecodeRune(b[i:]); r != utf8.RuneError || size > 1 {
			out = append(out, b[i:i+size]...)
			i += size
			continue
		}
		r, size := unit(b[i:])
		if next, n := unit(b[i+size:]); n == 3 && utf16.IsSurrogate(r) {
			if joined := utf16.DecodeRune(r, next); joined != utf8.RuneError {
				out = utf8.AppendRune(out, joined)
				i += size + n
				continue
			}
		}
		out = utf8.AppendRune(out, r) // a lone surrogate becomes U+FFFD
		i += size
	}
	return out
}

// unit reads one character whose bytes were checked by Decoder.units; it takes what UTF-8 forbids.
func unit(b []byte) (r rune, size int) {
	switch {
	case len(b) >= 3 && b[0]&0xf0 == 0xe0:
		return rune(b[0]&0x0f)<<12 | rune(b[1]&0x3f)<<6 | rune(b[2]&0x3f), 3
	case len(b) >= 2 && b[0]&0xe0 == 0xc0:
		return rune(b[0]&0x1f)<<6 | rune(b[1]&0x3f), 2
	case len(b) >= 4 && b[0]&0xf8 == 0xf0:
		return utf8.RuneError, 4
	case len(b) == 0:
		return utf8.RuneError, 0
	}
	return utf8.RuneError, 1
}
