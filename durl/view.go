package durl

import (
	"strconv"

	"github.com/dubway-go/dubway/dialect"
)

// Raw returns what "$name" in a condition rule means for this URL (spec §1.3): the URL's part for
// protocol, username, password, host, port and path (port is "0" when absent), else the parameter.
func (u URL) Raw(name string) (string, bool) {
	switch name {
	case "protocol":
		return u.Scheme(), u.Scheme() != ""
	case "username":
		return u.User(), u.User() != ""
	case "password":
		return u.Password(), u.Password() != ""
	case "host":
		return u.Host(), u.Host() != ""
	case "port":
		return strconv.Itoa(u.Port()), true
	case "path":
		return u.Path(), u.Path() != ""
	}
	return u.Param(name)
}

// Mapped returns what a condition rule sees under key (spec §1.3, "toMap"): the URL's parts when present (port only above 0; address
// except in dubbo-2.6), which hide parameters of the same name, else the parameter.
func (u URL) Mapped(key string) (string, bool) {
	if u.p == nil {
		return "", false
	}
	part := ""
	switch key {
	case "protocol":
		part = u.p.scheme
	case "username":
		part = u.p.user
	case "password":
		part = u.p.password
	case "host":
		part = u.Host()
	case "path":
		part = u.p.path
	case "port":
		if u.p.port > 0 {
			part = u.portText()
		}
	case "address":
		if u.p.dialect != dialect.Dubbo26 {
			part = u.p.address
		}
	}
	if part != "" {
		return part, true
	}
	return u.Param(key)
}

// portText returns the port as decimal text without allocating: it is the tail of the address.
func (u URL) portText() string {
	if n := int(u.p.hostLen) + 1; n < len(u.p.address) {
		return u.p.address[n:]
	}
	return strconv.Itoa(u.Port())
}
