package hessian

import (
	"encoding/binary"
	"math"
	"slices"
	"time"
	"unicode/utf8"
	"unsafe"
)

// AppendNull appends a null.
func AppendNull(dst []byte) []byte { return append(dst, tagNull) }

// AppendBool appends a boolean.
func AppendBool(dst []byte, v bool) []byte {
	if v {
		return append(dst, tagTrue)
	}
	return append(dst, tagFalse)
}

// AppendInt appends a Java int (also byte and short) in its shortest form.
func AppendInt(dst []byte, v int32) []byte {
	switch {
	case -0x10 <= v && v <= 0x2f:
		return append(dst, byte(0x90+v))
	case -0x800 <= v && v <= 0x7ff:
		return append(dst, byte(0xc8+(v>>8)), byte(v))
	case -0x40000 <= v && v <= 0x3ffff:
		return append(dst, byte(0xd4+(v>>16)), byte(v>>8), byte(v))
	}
	return binary.BigEndian.AppendUint32(append(dst, tagInt), uint32(v))
}

// AppendLong appends a Java long in its shortest form.
func AppendLong(dst []byte, v int64) []byte {
	switch {
	case -0x08 <= v && v <= 0x0f:
		return append(dst, byte(0xe0+v))
	case -0x800 <= v && v <= 0x7ff:
		return append(dst, byte(0xf8+(v>>8)), byte(v))
	case -0x40000 <= v && v <= 0x3ffff:
		return append(dst, byte(0x3c+(v>>16)), byte(v>>8), byte(v))
	case math.MinInt32 <= v && v <= math.MaxInt32:
		return binary.BigEndian.AppendUint32(append(dst, tagLongInt), uint32(v))
	}
	return binary.BigEndian.AppendUint64(append(dst, tagLong), uint64(v))
}

// AppendDouble appends a Java double (also float) in its shortest exact form; -0 keeps its sign.
func AppendDouble(dst []byte, v float64) []byte {
	if v == 0 && !math.Signbit(v) {
		return append(dst, tagDoubleZero)
	}
	if v == 1 {
		return append(dst, tagDoubleOne)
	}
	if -0x8000 <= v && v <= 0x7fff && v != 0 {
		if i := int32(v); float64(i) == v {
			if -0x80 <= i && i <= 0x7f {
				return append(dst, tagDoubleByte, byte(i))
			}
			return append(dst, tagDoubleShort, byte(i>>8), byte(i))
		}
	}
	if m := v * 1000; math.MinInt32 <= m && m <= math.MaxInt32 && v != 0 {
		// Java multiplies by 0.001, dubbo-go-hessian2 divides by 1000: the form is used where both get v back.
		if i := int32(m); 0.001*float64(i) == v && float64(i)/1000 == v {
			return binary.BigEndian.AppendUint32(append(dst, tagDoubleMill), uint32(i))
		}
	}
	bits := math.Float64bits(v)
	if v != v {
		bits = 0x7ff8000000000000 // Java has one NaN
	}
	return binary.BigEndian.AppendUint64(append(dst, tagDouble), bits)
}

// AppendTime appends a java.util.Date; what is finer than a millisecond is lost.
func AppendTime(dst []byte, t time.Time) []byte {
	ms := t.UnixMilli()
	if m := ms / 60000; m*60000 == ms && math.MinInt32 <= m && m <= math.MaxInt32 {
		return binary.BigEndian.AppendUint32(append(dst, tagDateMinute), uint32(m))
	}
	return binary.BigEndian.AppendUint64(append(dst, tagDate), uint64(ms))
}

const chunk = 0x8000 // units of a string chunk and bytes of a binary chunk, as Java cuts them

// chunkHeader is the size of a chunk's tag and length.
const chunkHeader = 3

// AppendBinary appends a byte[].
func AppendBinary(dst, v []byte) []byte {
	for len(v) > chunk {
		dst = append(dst, tagBinaryChunk, chunk>>8, chunk&0xff)
		dst = append(dst, v[:chunk]...)
		v = v[chunk:]
	}
	switch n := len(v); {
	case n <= 0x0f:
		dst = append(dst, byte(tagBinaryShort+n))
	case n <= 0x3ff:
		dst = append(dst, byte(tagBinaryMedium+n>>8), byte(n))
	default:
		dst = append(dst, tagBinary, byte(n>>8), byte(n))
	}
	return append(dst, v...)
}

// AppendString appends a string. Its length counts UTF-16 units, and a character beyond U+FFFF is written as
// two surrogates of three bytes each, as Java writes it; bytes that are not UTF-8 become U+FFFD.
func AppendString(dst []byte, s string) []byte {
	if len(s) <= maxMedium && asciiText(s) == len(s) {
		return append(appendLength(dst, len(s)), s...)
	}
	dst = slices.Grow(dst, len(s)+chunkHeader*(len(s)/chunk+1))
	for {
		n, units, plain := cut(s)
		last := n == len(s)
		if last {
			dst = appendLength(dst, units)
		} else {
			dst = append(dst, tagStringChunk, byte(units>>8), byte(units))
		}
		if plain {
			dst = append(dst, s[:n]...)
		} else {
			dst = appendUnits(dst, s[:n])
		}
		if last {
			return dst
		}
		s = s[n:]
	}
}

// AppendStringBytes is AppendString for text in a byte slice. It allocates nothing.
func AppendStringBytes(dst, s []byte) []byte {
	return AppendString(dst, unsafe.String(unsafe.SliceData(s), len(s))) // which only reads it
}

// maxMedium is the longest string whose length takes two bytes.
const maxMedium = 0x3ff

// appendLength appends the tag of a string's last chunk with its length in UTF-16 units.
func appendLength(dst []byte, units int) []byte {
	switch {
	case units <= tagStringShortMax:
		return append(dst, byte(units))
	case units <= maxMedium:
		return append(dst, byte(tagStringMedium+units>>8), byte(units))
	}
	return append(dst, tagString, byte(units>>8), byte(units))
}

// cut returns how many bytes of s make the next chunk, how many UTF-16 units these are, and whether
// the bytes are already in wire form.
func cut(s string) (n, units int, plain bool) {
	plain = true
	for n < len(s) && units < chunk {
		if s[n] < utf8.RuneSelf {
			k := asciiText(s[n:min(len(s), n+chunk-units)])
			n += k
			units += k
			continue
		}
		r, size := utf8.DecodeRuneInString(s[n:])
		width := 1
		if r > 0xffff {
			if width = 2; units+width > chunk {
				return n, units, plain
			}
			plain = false
		} else if r == utf8.RuneError && size == 1 {
			plain = false
		}
		n += size
		units += width
	}
	return n, units, plain
}

func appendUnits(dst []byte, s string) []byte {
	for _, r := range s {
		if r <= 0xffff {
			dst = utf8.AppendRune(dst, r)
			continue
		}
		r -= 0x10000
		dst = appendUnit(dst, 0xd800+uint16(r>>10))
		dst = appendUnit(dst, 0xdc00+uint16(r&0x3ff))
	}
	return dst
}

// appendUnit appends a surrogate in three bytes, which utf8.AppendRune refuses to do.
func appendUnit(dst []byte, u uint16) []byte {
	return append(dst, byte(0xe0|u>>12), byte(0x80|u>>6&0x3f), byte(0x80|u&0x3f))
}
