package match

import (
	"net/netip"
	"strconv"
	"strings"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
)

// AddressPattern is a compiled address expression: the items of a tag's "addresses" and similar
// (spec §1.10). It is immutable, safe for concurrent use and never looks up names. The zero value
// matches nothing.
type AddressPattern struct {
	text string
	kind addressKind
	// port is the port text that must be equal, "" for any.
	port string
	// address, bits: CIDR, or the one address (bits is its full length).
	address netip.Addr
	bits    int
	// segments of an IPv4 (4) or IPv6 (8) expression with stars or ranges.
	segments []segment
	six      bool
	loose    bool
}

type addressKind uint8

const (
	addressNever addressKind = iota
	addressAny
	addressPrefix
	addressOne
	addressSegments
	addressZero // 0.0.0.0:port, any IPv4 host on that port
)

// segment is one dotted or colon-separated piece: a star, a range, or one number as text.
type segment struct {
	text      string
	low, high int
	star      bool
	ranged    bool
}

// MaxAddressLength is the longest address expression, in bytes.
const MaxAddressLength = 256

// CompileAddress reads an address expression. Host names are an error: matching never asks the DNS.
// The error is a diag.Diagnostic whose columns count inside expr; the pattern beside it
// matches nothing.
//
// The forms are: "*" and "*.*.*.*"; an address, "10.0.0.1"; segments with stars and ranges, "10.0.*.1-5"; each
// with an optional ":port"; CIDR, "10.0.0.0/16", without port in the Dubbo dialects; IPv6 in 8 groups or with "::", with brackets when a port follows.
// "0.0.0.0:port" is any IPv4 host on that port. Standard also takes "*:port", which Dubbo logs as an error on every call.
func CompileAddress(expr string, d dialect.Dialect) (AddressPattern, error) {
	p, err := compileAddress(expr, d)
	if err != nil {
		return AddressPattern{text: expr}, err
	}
	return p, nil
}

func compileAddress(expr string, d dialect.Dialect) (AddressPattern, error) {
	p := AddressPattern{text: expr, loose: d != dialect.Standard}
	if len(expr) > MaxAddressLength {
		return p, addressFault(expr, "address expression of "+strconv.Itoa(len(expr))+" bytes is too long", "write ip:port, a CIDR block, or segments with * and a-b")
	}
	if i := strings.IndexByte(expr, '/'); i >= 0 {
		if d == dialect.Standard {
			expr = strings.TrimSpace(expr)
		}
		return p.cidr(expr, d) // Dubbo trims the other forms only
	}
	text := javaTrim(expr)
	if d == dialect.Standard {
		text = strings.TrimSpace(expr)
	}
	if text == "" {
		return p, addressFault(expr, "address expression is empty", "write ip:port, for example 10.0.0.1:20880")
	}
	if text == "*" || text == "*.*.*.*" {
		p.kind = addressAny
		return p, nil
	}
	host, port := splitPort(text)
	if strings.HasSuffix(text, ":") && port == "" && (host+":" == text || strings.HasSuffix(text, "]:")) {
		return p, addressFault(expr, "no port after the colon", "write ip:port, for example 10.0.0.1:20880")
	}
	if port != "" {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return p, addressFault(expr, "port "+strconv.Quote(port)+" is not a number from 1 to 65535", "write ip:port, for example 10.0.0.1:20880")
		}
	}
	p.port = port
	if host == "*" && d == dialect.Standard {
		p.kind = addressAny
		return p, nil
	}
	if strings.IndexByte(host, ':') >= 0 {
		return p.ipv6(expr, host)
	}
	return p.ipv4(expr, host)
}

// javaTrim cuts what Java's trim cuts: characters up to U+0020, and no other blanks.
func javaTrim(s string) string { return strings.TrimFunc(s, func(r rune) bool { return r <= ' ' }) }

func (p AddressPattern) cidr(text string, d dialect.Dialect) (AddressPattern, error) {
	base, tail, _ := strings.Cut(text, "/")
	if d == dialect.Standard {
		base = strings.TrimPrefix(base, "[")
		if t, port, ok := strings.Cut(tail, ":"); ok {
			if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
				return p, addressFault(p.text, "port "+strconv.Quote(port)+" is not a number from 1 to 65535", "write 10.0.0.0/16:20880")
			}
			tail, p.port = strings.TrimSuffix(t, "]"), port
		}
	}
	address, err := blockAddress(base, d)
	if err != nil || address.Zone() != "" {
		return p, addressFault(p.text, strconv.Quote(base)+" is no IP address", "write a block as 10.0.0.0/16 or fd00::/64")
	}
	bits, err := strconv.Atoi(tail)
	full := address.BitLen()
	if err != nil || d == dialect.Standard && (bits < 0 || bits > full) {
		return p, addressFault(p.text, "prefix length "+strconv.Quote(tail)+" is not a number from 0 to "+strconv.Itoa(full),
			"write a block as 10.0.0.0/16; Dubbo takes no port after it")
	}
	// Dubbo does not check the length: too long means full, negative means every address.
	p.kind, p.address, p.bits, p.six = addressPrefix, address, max(0, min(bits, full)), address.Is6()
	return p, nil
}

// blockAddress reads the address of a block. In the Dubbo dialects it may have fewer than four segments, the last of which then
// fills the rest, and nothing at all is the loopback address, as names of hosts are read there.
func blockAddress(text string, d dialect.Dialect) (netip.Addr, error) {
	address, err := netip.ParseAddr(text)
	if d == dialect.Standard {
		return address, err
	}
	if err == nil {
		return address.Unmap(), nil // Java has no mapped addresses
	}
	if text == "" {
		return netip.AddrFrom4([4]byte{127, 0, 0, 1}), nil
	}
	pieces := strings.Split(text, ".")
	var value uint64
	for i, s := range pieces {
		bits := 8
		if i == len(pieces)-1 {
			bits = 8 * (5 - len(pieces))
		}
		n, bad := strconv.ParseUint(s, 10, 32)
		if bad != nil || len(pieces) > 4 || n >= 1<<bits {
			return address, err
		}
		value = value<<bits | n
	}
	return netip.AddrFrom4([4]byte{byte(value >> 24), byte(value >> 16), byte(value >> 8), byte(value)}), nil
}

// splitPort cuts the port off. An IPv6 expression has one only after brackets.
func splitPort(text string) (host, port string) {
	if strings.HasPrefix(text, "[") {
		if end := strings.IndexByte(text, ']'); end > 0 {
			host = text[1:end]
			return host, strings.TrimPrefix(text[end+1:], ":")
		}
		return text, ""
	}
	if strings.Count(text, ":") == 1 {
		host, port, _ = strings.Cut(text, ":")
		return host, port
	}
	return text, ""
}

func (p AddressPattern) ipv4(expr, host string) (AddressPattern, error) {
	pieces := strings.Split(host, ".")
	if len(pieces) != 4 {
		hint := "write four segments, for example 10.0.*.*"
		if host == "*" {
			hint = "write *.*.*.* for every host, or 0.0.0.0:" + p.port + " for every IPv4 host on that port"
		} else if strings.ContainsAny(strings.ToLower(host), "ghijklmnopqrstuvwxyz_") {
			hint = "host names are not looked up here: write the IP address"
		}
		return p, addressFault(expr, "address expression "+strconv.Quote(host)+" has not four segments", hint)
	}
	if strings.IndexByte(host, '*') < 0 && strings.IndexByte(host, '-') < 0 {
		address, ok := plainIPv4(pieces)
		if !ok {
			return p, addressFault(expr, strconv.Quote(host)+" is no IPv4 address", "host names are not looked up here: write the IP address")
		}
		p.kind, p.address = addressOne, address
		if p.port != "" && address.IsUnspecified() {
			p.kind = addressZero
		}
		return p, nil
	}
	return p.compileSegments(expr, pieces, 10, 255)
}

// plainIPv4 reads four decimal segments; leading zeros are decimal as in Java.
func plainIPv4(pieces []string) (netip.Addr, bool) {
	var b [4]byte
	for i, s := range pieces {
		n, err := strconv.ParseUint(s, 10, 8)
		if err != nil || s[0] == '+' {
			return netip.Addr{}, false
		}
		b[i] = byte(n)
	}
	return netip.AddrFrom4(b), true
}

func (p AddressPattern) ipv6(expr, host string) (AddressPattern, error) {
	p.six = true
	wild := strings.ContainsAny(host, "*-")
	if !wild {
		address, err := netip.ParseAddr(host)
		if err != nil {
			return p, addressFault(expr, strconv.Quote(host)+" is no IPv6 address", "write [fd00::1]:20880 or eight groups")
		}
		p.kind, p.address = addressOne, address.WithZone("")
		return p, nil
	}
	pieces := strings.Split(host, ":")
	if len(pieces) != 8 || strings.Contains(host, "::") && p.loose {
		return p, addressFault(expr, "IPv6 expression "+strconv.Quote(host)+" has not eight groups", "with * or a-b, write all eight groups, without ::")
	}
	return p.compileSegments(expr, pieces, 16, 0xffff)
}

func (p AddressPattern) compileSegments(expr string, pieces []string, base, limit int) (AddressPattern, error) {
	p.kind = addressSegments
	for _, text := range pieces {
		s := segment{text: text}
		switch {
		case text == "*":
			s.star = true
		case strings.IndexByte(text, '-') >= 0:
			a, b, _ := strings.Cut(text, "-")
			low, err1 := strconv.ParseInt(a, base, 32)
			high, err2 := strconv.ParseInt(b, base, 32)
			if err1 != nil || err2 != nil {
				return p, addressFault(expr, "range "+strconv.Quote(text)+" is not two numbers", "write an inclusive range as 1-5")
			}
			s.ranged, s.low, s.high = true, int(low), int(high)
			if !p.loose && (s.low > s.high || s.high > limit) {
				return p, addressFault(expr, "range "+strconv.Quote(text)+" is empty or beyond "+strconv.FormatInt(int64(limit), base), "write an inclusive range as 1-5")
			}
		case !p.loose:
			n, err := strconv.ParseUint(text, base, 32)
			if err != nil || int(n) > limit {
				return p, addressFault(expr, "segment "+strconv.Quote(text)+" is neither a number, * nor a range", "write segments as 10, * or 1-5")
			}
			s.ranged, s.low, s.high = true, int(n), int(n)
		}
		p.segments = append(p.segments, s)
	}
	return p, nil
}

func addressFault(expr, message, hint string) error {
	return diag.Diagnostic{
		Code: diag.BadAddress, Severity: diag.Error, Message: message, Hint: hint,
		Span: diag.Span{Line: 1, Col: 1, EndLine: 1, EndCol: len(expr) + 1},
	}
}

// String returns the expression.
func (p AddressPattern) String() string { return p.text }
