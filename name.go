package dubway

import (
	"net"
	"unicode"
	"unicode/utf8"
)

// lowerFirst turns a Go method or field name into the Java one: GetOrder becomes getOrder, ID becomes id, URLOf becomes urlOf.
func lowerFirst(name string) string {
	upper := 0
	for _, r := range name {
		if !unicode.IsUpper(r) {
			break
		}
		upper++
	}
	switch {
	case upper == 0:
		return name
	case upper == len(name):
		return lower(name, upper)
	case upper > 1:
		upper-- // the last capital begins the next word
	}
	return lower(name, upper)
}

func lower(name string, n int) string {
	out := make([]rune, 0, len(name))
	for i, r := range name {
		if utf8.RuneCountInString(name[:i]) < n {
			r = unicode.ToLower(r)
		}
		out = append(out, r)
	}
	return string(out)
}

// ownHost returns the address by which others reach this machine: the first IPv4 address that is up and no loopback
// address, else 127.0.0.1. Nothing is sent to find it.
func ownHost() string {
	addresses, err := net.InterfaceAddrs()
	if err == nil {
		for _, a := range addresses {
			if n, ok := a.(*net.IPNet); ok && n.IP.To4() != nil && n.IP.IsGlobalUnicast() {
				return n.IP.String()
			}
		}
	}
	return "127.0.0.1"
}
