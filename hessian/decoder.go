package hessian

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"time"
)

// DecoderOptions configure a Decoder. The zero value decodes with default limits and no registered types.
type DecoderOptions struct {
	Types  *Types
	Limits Limits
	// Raw keeps what the wire says: objects of well-known Java classes (BigDecimal, java.time, …) stay
	// *Object, typed lists become *List and typed maps *Map.
	Raw bool
}

// Decoder reads Hessian values from a byte slice. The values between two calls of Reset form one stream, like
// those of an Encoder. The zero value is ready for Reset. A Decoder is for one goroutine at a time.
//
// Decoded strings and byte slices are copies. Decoded containers may be shared and circular where the
// stream says so. After an error the Decoder is of no more use until Reset.
type Decoder struct {
	in     []byte
	pos    int
	limits Limits
	types  *Types
	raw    bool

	depth   int
	owed    int // values that announced containers still have to bring
	count   int // values seen
	rewinds int // how often bytes were read again
	refs    []ref
	nref    int // reference numbers given; less than len(refs) only while a skipped value is read after all
	class   []classDef
	nclass  int
	names   []typeDef
	nnames  int
}

// NewDecoder returns a decoder without input.
func NewDecoder(o DecoderOptions) *Decoder {
	return &Decoder{types: o.Types, raw: o.Raw, limits: o.Limits.withDefaults()}
}

// Reset starts a new stream of the bytes of in, which must not change while the Decoder reads them.
func (d *Decoder) Reset(in []byte) {
	d.in, d.pos = in, 0
	d.depth, d.count, d.owed, d.rewinds = 0, 0, 0, 0
	clear(d.refs)
	if d.refs, d.nref = d.refs[:0], 0; cap(d.refs) > keepRefs {
		d.refs = nil
	}
	clear(d.class)
	d.class, d.nclass = d.class[:0], 0
	clear(d.names)
	d.names, d.nnames = d.names[:0], 0
	if d.limits.MaxDepth == 0 {
		d.limits = d.limits.withDefaults()
	}
}

// Remaining returns the number of bytes not read yet.
func (d *Decoder) Remaining() int { return len(d.in) - d.pos }

// Offset returns the number of bytes read.
func (d *Decoder) Offset() int { return d.pos }

// PeekNull tells whether the next value is null, without reading it.
func (d *Decoder) PeekNull() bool { return d.pos < len(d.in) && d.in[d.pos] == tagNull }

// Decode reads the next value. At the end of the input it returns io.EOF itself.
func (d *Decoder) Decode() (any, error) {
	if d.pos >= len(d.in) {
		return nil, io.EOF
	}
	return d.value()
}

// DecodeTo reads the next value and stores it in the variable that dst points to, converted as Assign does.
func (d *Decoder) DecodeTo(dst any) error {
	v, err := d.Decode()
	if err != nil {
		return err
	}
	return Assign(dst, v)
}

func (d *Decoder) tag() (byte, error) {
	if d.pos >= len(d.in) {
		return 0, d.truncated("a value")
	}
	t := d.in[d.pos]
	d.pos++
	return t, nil
}

// take returns the next n bytes.
func (d *Decoder) take(n int, what string) ([]byte, error) {
	if n > len(d.in)-d.pos {
		return nil, d.truncated(what)
	}
	b := d.in[d.pos : d.pos+n]
	d.pos += n
	return b, nil
}

// charge counts n values against MaxCount.
func (d *Decoder) charge(n int) error {
	d.count += n
	if d.count > d.limits.MaxCount {
		return limitError("number of values", d.limits.MaxCount)
	}
	return nil
}

func (d *Decoder) enter() error {
	if d.depth >= d.limits.MaxDepth {
		return limitError("nesting", d.limits.MaxDepth)
	}
	d.depth++
	return nil
}

func (d *Decoder) leave() { d.depth-- }

func (d *Decoder) value() (any, error) {
	if d.limits.MaxDepth == 0 {
		d.limits = d.limits.withDefaults()
	}
	var t byte
	var start int
	for {
		if err := d.charge(1); err != nil {
			return nil, err
		}
		start = d.pos
		var err error
		if t, err = d.tag(); err != nil {
			return nil, err
		}
		if t != tagClass {
			break
		}
		if err := d.define(); err != nil {
			return nil, err
		}
	}
	switch {
	case t == tagNull:
		return nil, nil
	case t == tagTrue:
		return true, nil
	case t == tagFalse:
		return false, nil
	case isInt(t):
		return wrap(d.intAfter(t))
	case isLong(t):
		return wrap(d.longAfter(t))
	case isDouble(t):
		return wrap(d.doubleAfter(t))
	case isString(t):
		return wrap(d.stringAfter(t))
	case isBinary(t):
		return wrap(d.binaryAfter(t))
	case t == tagDate || t == tagDateMinute:
		return wrap(d.timeAfter(t))
	case t == tagRef:
		return d.refAfter()
	}
	return d.container(t, start)
}

// wrap turns a typed result into an interface, nil on error.
func wrap[T any](v T, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return v, nil
}

func isInt(t byte) bool { return t == tagInt || t >= tagIntOne && t < tagLongOne }
func isLong(t byte) bool {
	return t == tagLong || t == tagLongInt || t >= tagLongOne || t >= tagLongThree && t <= 0x3f
}
func isDouble(t byte) bool { return t == tagDouble || t >= tagDoubleZero && t <= tagDoubleMill }
func isString(t byte) bool {
	return t <= tagStringShortMax || t >= tagStringMedium && t < tagBinaryMedium || t == tagString || t == tagStringChunk
}

func isBinary(t byte) bool {
	return t >= tagBinaryShort && t < tagStringMedium || t >= tagBinaryMedium && t < tagLongThree || t == tagBinary || t == tagBinaryChunk
}

func (d *Decoder) intAfter(t byte) (int32, error) {
	switch {
	case t < tagIntOne: // 'I'
		b, err := d.take(4, "an int")
		if err != nil {
			return 0, err
		}
		return int32(binary.BigEndian.Uint32(b)), nil
	case t < tagIntTwo:
		return int32(t) - 0x90, nil
	case t < tagIntThree:
		b, err := d.take(1, "an int")
		if err != nil {
			return 0, err
		}
		return (int32(t)-0xc8)<<8 | int32(b[0]), nil
	}
	b, err := d.take(2, "an int")
	if err != nil {
		return 0, err
	}
	return (int32(t)-0xd4)<<16 | int32(b[0])<<8 | int32(b[1]), nil
}

func (d *Decoder) longAfter(t byte) (int64, error) {
	switch {
	case t == tagLong:
		b, err := d.take(8, "a long")
		if err != nil {
			return 0, err
		}
		return int64(binary.BigEndian.Uint64(b)), nil
	case t == tagLongInt:
		b, err := d.take(4, "a long")
		if err != nil {
			return 0, err
		}
		return int64(int32(binary.BigEndian.Uint32(b))), nil
	case t >= tagLongTwo:
		b, err := d.take(1, "a long")
		if err != nil {
			return 0, err
		}
		return (int64(t)-0xf8)<<8 | int64(b[0]), nil
	case t >= tagLongOne:
		return int64(t) - 0xe0, nil
	}
	b, err := d.take(2, "a long")
	if err != nil {
		return 0, err
	}
	return (int64(t)-0x3c)<<16 | int64(b[0])<<8 | int64(b[1]), nil
}

func (d *Decoder) doubleAfter(t byte) (float64, error) {
	n := 0
	switch t {
	case tagDouble:
		n = 8
	case tagDoubleZero:
		return 0, nil
	case tagDoubleOne:
		return 1, nil
	case tagDoubleByte:
		n = 1
	case tagDoubleShort:
		n = 2
	case tagDoubleMill:
		n = 4
	}
	b, err := d.take(n, "a double")
	if err != nil {
		return 0, err
	}
	switch n {
	case 1:
		return float64(int8(b[0])), nil
	case 2:
		return float64(int16(binary.BigEndian.Uint16(b))), nil
	case 4:
		return 0.001 * float64(int32(binary.BigEndian.Uint32(b))), nil
	}
	return math.Float64frombits(binary.BigEndian.Uint64(b)), nil
}

func (d *Decoder) timeAfter(t byte) (time.Time, error) {
	if t == tagDateMinute {
		b, err := d.take(4, "a date")
		if err != nil {
			return time.Time{}, err
		}
		return time.Unix(int64(int32(binary.BigEndian.Uint32(b)))*60, 0).UTC(), nil
	}
	b, err := d.take(8, "a date")
	if err != nil {
		return time.Time{}, err
	}
	return time.UnixMilli(int64(binary.BigEndian.Uint64(b))).UTC(), nil
}

// DecodeInt reads an int; a long that fits is taken too.
func (d *Decoder) DecodeInt() (int32, error) {
	v, err := d.DecodeLong()
	if err == nil && (v < math.MinInt32 || v > math.MaxInt32) {
		return 0, fmt.Errorf("%w: long %d does not fit an int", ErrType, v)
	}
	return int32(v), err
}

// DecodeLong reads a long or an int.
func (d *Decoder) DecodeLong() (int64, error) {
	t, err := d.tag()
	switch {
	case err != nil:
		return 0, err
	case isInt(t):
		v, err := d.intAfter(t)
		return int64(v), err
	case isLong(t):
		return d.longAfter(t)
	}
	d.pos--
	return 0, d.malformed("want an int, have tag 0x%02x", t)
}

// DecodeBool reads a boolean.
func (d *Decoder) DecodeBool() (bool, error) {
	t, err := d.tag()
	if err != nil {
		return false, err
	}
	if t != tagTrue && t != tagFalse {
		d.pos--
		return false, d.malformed("want a boolean, have tag 0x%02x", t)
	}
	return t == tagTrue, nil
}

// length reads an int that counts things.
func (d *Decoder) length(what string) (int, error) {
	t, err := d.tag()
	if err != nil {
		return 0, err
	}
	if !isInt(t) {
		d.pos--
		return 0, d.malformed("want the length of %s as an int, have tag 0x%02x", what, t)
	}
	n, err := d.intAfter(t)
	if err != nil {
		return 0, err
	}
	if n < 0 {
		return 0, d.malformed("length of %s is %d", what, n)
	}
	return int(n), nil
}
