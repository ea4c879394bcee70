package service

import (
	"fmt"
	"strings"

	"github.com/dubway-go/dubway/durl"
)

// KeyOf returns the key under which u is offered or wanted: its interface (parameter, else path), group and version.
func KeyOf(u durl.URL) Key {
	return Key{Interface: u.Interface(), Group: u.Group(), Version: u.Version()}
}

// String returns the service key "[group/]interface[:version]" (spec §1.2).
func (k Key) String() string {
	s := k.Interface
	if k.Group != "" {
		s = k.Group + "/" + s
	}
	if k.Version != "" {
		s += ":" + k.Version
	}
	return s
}

// RuleKey returns "interface:version:group" with both colons always present: the stem under which
// rule documents of the service are kept (spec §1.2).
func (k Key) RuleKey() string { return k.Interface + ":" + k.Version + ":" + k.Group }

// ParseKey reads what String prints. The interface must not be empty; the error says what to write.
func ParseKey(s string) (Key, error) {
	var k Key
	rest := s
	if group, after, ok := strings.Cut(rest, "/"); ok {
		k.Group, rest = group, after
	}
	k.Interface, k.Version, _ = strings.Cut(rest, ":")
	if k.Interface == "" || strings.ContainsAny(rest, "/ \t\n") || strings.Contains(k.Version, ":") {
		return Key{}, fmt.Errorf("service key %q: want [group/]interface[:version], as in com.example.OrderService or gray/com.example.OrderService:1.0.0", s)
	}
	return k, nil
}
