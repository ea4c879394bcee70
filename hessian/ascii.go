package hessian

import (
	"encoding/binary"
	"unicode/utf8"
	"unsafe"
)

// highBits are the bits that are zero in eight ASCII characters.
const highBits = 0x8080808080808080

// ascii returns how many bytes at the front of b are ASCII characters. It looks at eight at a time.
func ascii(b []byte) int {
	n := 0
	for ; len(b)-n >= 8; n += 8 {
		if binary.LittleEndian.Uint64(b[n:])&highBits != 0 {
			break
		}
	}
	for n < len(b) && b[n] < utf8.RuneSelf {
		n++
	}
	return n
}

// asciiText is ascii for a string.
func asciiText(s string) int {
	return ascii(unsafe.Slice(unsafe.StringData(s), len(s)))
}
