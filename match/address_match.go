package match

import (
	"net/netip"
	"strconv"
	"strings"
)

// Match reports whether a provider at host (an IP address; IPv6 with or without brackets) and port is
// meant. A host that is a name matches nothing but "*": it is never looked up.
func (p AddressPattern) Match(host string, port int) bool {
	if p.port != "" && !samePort(p.port, port) {
		return false
	}
	switch p.kind {
	case addressAny:
		return true
	case addressNever:
		return false
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	if i := strings.IndexByte(host, '%'); i >= 0 {
		host = host[:i]
	}
	address, err := netip.ParseAddr(host)
	if err != nil {
		return false
	}
	switch p.kind {
	case addressZero:
		return address.Is4()
	case addressOne:
		return address == p.address
	case addressPrefix:
		return p.inBlock(address)
	}
	return address.Is6() == p.six && p.matchSegments(host, address)
}

// inBlock tells whether the address is in the block. Dubbo compares the bare numbers: 0.0.0.0/0 holds ::1.
func (p AddressPattern) inBlock(address netip.Addr) bool {
	prefix, err := p.address.Prefix(p.bits)
	if err != nil {
		return false
	}
	if !p.loose {
		return prefix.Contains(address)
	}
	a, b, free := numberOf(address), numberOf(prefix.Masked().Addr()), p.address.BitLen()-p.bits
	// Both numbers without the free bits at their end: equal when the address is in the block.
	for i := range a {
		keep := byte(0xff)
		if at := 8 * (len(a) - 1 - i); free >= at+8 {
			keep = 0
		} else if free > at {
			keep <<= free - at
		}
		if (a[i]^b[i])&keep != 0 {
			return false
		}
	}
	return true
}

// numberOf is the value of an address, whatever its family.
func numberOf(a netip.Addr) [16]byte {
	if a = a.Unmap(); a.Is6() {
		return a.As16()
	}
	var out [16]byte
	four := a.As4()
	copy(out[12:], four[:])
	return out
}

func samePort(text string, port int) bool {
	var b [20]byte
	return string(strconv.AppendInt(b[:0], int64(port), 10)) == text
}

// matchSegments compares piece by piece. Groups of a compressed IPv6 host are written out first.
func (p AddressPattern) matchSegments(host string, address netip.Addr) bool {
	separator, base := byte('.'), 10
	if p.six {
		separator, base = ':', 16
		if strings.Count(host, ":") != 7 || strings.Contains(host, "::") {
			host = expand(address)
		}
	}
	for i := range p.segments {
		piece := host
		if j := strings.IndexByte(host, separator); j >= 0 {
			piece, host = host[:j], host[j+1:]
		}
		if !p.segments[i].match(piece, base) {
			return false
		}
	}
	return true
}

// expand writes the eight groups without leading zeros.
func expand(a netip.Addr) string {
	raw := a.As16()
	b := make([]byte, 0, 39)
	for i := 0; i < 16; i += 2 {
		if i > 0 {
			b = append(b, ':')
		}
		b = strconv.AppendUint(b, uint64(raw[i])<<8|uint64(raw[i+1]), 16)
	}
	return string(b)
}

func (s segment) match(piece string, base int) bool {
	switch {
	case s.star:
		return true
	case s.ranged:
		n, err := strconv.ParseInt(piece, base, 32)
		return err == nil && s.low <= int(n) && int(n) <= s.high
	case piece == s.text:
		return true
	}
	// A zero segment of the provider is also written 00, 000 or 0000.
	return piece == "0" && (s.text == "00" || s.text == "000" || s.text == "0000")
}
