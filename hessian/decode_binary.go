package hessian

// DecodeBinary reads a byte[]; null reads as nil. The result is a copy.
func (d *Decoder) DecodeBinary() ([]byte, error) {
	t, err := d.tag()
	switch {
	case err != nil:
		return nil, err
	case t == tagNull:
		return nil, nil
	case isBinary(t):
		return d.binaryAfter(t)
	}
	d.pos--
	return nil, d.malformed("want a byte[], have tag 0x%02x", t)
}

func (d *Decoder) binaryAfter(t byte) ([]byte, error) {
	body, final, err := d.binaryChunk(t)
	if err != nil {
		return nil, err
	}
	out := append([]byte{}, body...) // never nil: an empty array is not null
	for !final {
		if t, err = d.tag(); err != nil {
			return nil, err
		}
		if !isBinary(t) {
			d.pos--
			return nil, d.malformed("want the next chunk of a byte[], have tag 0x%02x", t)
		}
		if body, final, err = d.binaryChunk(t); err != nil {
			return nil, err
		}
		if out = append(out, body...); len(out) > d.limits.MaxLength {
			return nil, limitError("length of a byte[]", d.limits.MaxLength)
		}
	}
	return out, nil
}

func (d *Decoder) binaryChunk(t byte) (body []byte, final bool, err error) {
	var n int
	switch {
	case t >= tagBinaryShort && t < tagStringMedium:
		n = int(t - tagBinaryShort)
	case t >= tagBinaryMedium && t < tagLongThree:
		b, err := d.take(1, "the length of a byte[]")
		if err != nil {
			return nil, false, err
		}
		n = int(t-tagBinaryMedium)<<8 | int(b[0])
	default:
		b, err := d.take(2, "the length of a byte[]")
		if err != nil {
			return nil, false, err
		}
		n = int(b[0])<<8 | int(b[1])
	}
	if n > d.limits.MaxLength {
		return nil, false, limitError("length of a byte[]", d.limits.MaxLength)
	}
	body, err = d.take(n, "a byte[]")
	return body, t != tagBinaryChunk, err
}
