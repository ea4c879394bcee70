package durl

import "strings"

// Interface returns the service interface: the parameter "interface", else the path (spec §1.1).
func (u URL) Interface() string {
	if v := u.Get("interface", ""); v != "" {
		return v
	}
	return u.Path()
}

// Group returns the parameter "group", or "".
func (u URL) Group() string { return u.Get("group", "") }

// Version returns the parameter "version", or "".
func (u URL) Version() string { return u.Get("version", "") }

// Application returns the parameter "application", or "".
func (u URL) Application() string { return u.Get("application", "") }

// Category returns the parameter "category", "providers" when absent (spec §1.4).
func (u URL) Category() string { return u.Get("category", "providers") }

// Side returns the parameter "side" in lower case: "provider", "consumer", or "" (spec §1.1 U15).
func (u URL) Side() string { return strings.ToLower(u.Get("side", "")) }

// ServiceKey returns [group "/"] interface [":" version] (spec §1.2), or "" when there is no interface.
func (u URL) ServiceKey() string {
	name := u.Interface()
	if name == "" {
		return ""
	}
	var b strings.Builder
	if g := u.Group(); g != "" {
		b.WriteString(g)
		b.WriteByte('/')
	}
	b.WriteString(name)
	if v := u.Version(); v != "" {
		b.WriteByte(':')
		b.WriteString(v)
	}
	return b.String()
}

// RuleKey returns interface ":" version ":" group with both colons always there: the target of
// service-scope rule keys since Dubbo 2.7.3 (spec §1.2).
func (u URL) RuleKey() string { return u.Interface() + ":" + u.Version() + ":" + u.Group() }
