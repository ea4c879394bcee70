package directory

import (
	"errors"
	"strings"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/durl"
)

// Reason says why a URL that the registry holds takes no part in routing: a closed set. The zero value means that it does.
type Reason string

// The reasons, in the order in which they are looked at.
const (
	// Unparsable: the text is no Dubbo URL.
	Unparsable Reason = "unparsable"
	// InterfaceMismatch, CategoryMismatch, NotEnabled, GroupMismatch, VersionMismatch and
	// ClassifierMismatch are the registry-side match (spec §1.8).
	InterfaceMismatch  Reason = "interface-mismatch"
	CategoryMismatch   Reason = "category-mismatch"
	NotEnabled         Reason = "not-enabled"
	GroupMismatch      Reason = "group-mismatch"
	VersionMismatch    Reason = "version-mismatch"
	ClassifierMismatch Reason = "classifier-mismatch"
	// Compatible: the URL carries compatible_config, a copy for 2.6 consumers (spec §1.4).
	Compatible Reason = "compatible-config"
	// ProtocolNotAccepted: the reference's list of protocols leaves it out.
	ProtocolNotAccepted Reason = "protocol-not-accepted"
	// ProtocolUnsupported: no transport speaks it.
	ProtocolUnsupported Reason = "protocol-unsupported"
	// Disabled: disabled=true or enabled=false after overrides.
	Disabled Reason = "disabled"
	// OverrideFailed: applying the overrides failed as it does in that Dubbo version.
	OverrideFailed Reason = "override-failed"
	// Duplicate: another URL already stands for the same provider.
	Duplicate Reason = "duplicate"
)

type kind uint8

const (
	kindProvider kind = iota
	kindConfigurator
	kindRouter
	kindEmpty
	kindNone // not a URL of this service for this consumer, or not a URL at all
)

// entry is one URL text of the registry and what follows from it. There is one for each provider, so what few need is apart.
type entry struct {
	url durl.URL
	// record is the instance that stands for this provider now, nil when it takes no part. Only the writer uses it.
	record *record
	// oddity is never nil; an ordinary provider in force has the empty one of its settings.
	*oddity
	kind kind
}

// oddity is what only some entries have. It is never changed, only replaced.
type oddity struct {
	// text is the URL as delivered; empty for a provider whose url prints it.
	text   string
	drop   Reason
	detail string
	// category is the category an empty:// URL speaks for.
	category string
	// skip tells why record is nil. Only the writer uses it.
	skip Reason
}

// place puts an instance in the stead of the one that stood for the entry, or says why there is none.
func (e *entry) place(r *record, skip Reason) {
	e.record = r
	if e.skip != skip {
		odd := *e.oddity
		odd.skip = skip
		e.oddity = &odd
	}
}

// is reports whether text is what was delivered.
func (e *entry) is(text string) bool {
	if e.text != "" {
		return e.text == text
	}
	return e.url.WrittenAs(text)
}

// written returns the text that was delivered.
func (e *entry) written() string {
	if e.text != "" {
		return e.text
	}
	return e.url.String()
}

// sorted is what a URL is to a consumer. It is never changed.
type sorted struct {
	kind kind
	// category is the one that the URL names; drop and detail tell why it is nothing.
	category string
	drop     Reason
	detail   string
}

// sortIn tells what a URL is to this consumer (spec §8.3).
func (s *settings) sortIn(u durl.URL) *sorted {
	out := &sorted{category: u.Category()}
	scheme := u.Scheme()
	if v, ok := u.Param("compatible_config"); ok && s.Dialect != dialect.Dubbo26 && v != "" {
		out.drop = Compatible
		out.kind = kindNone
		return out
	}
	if scheme == "empty" {
		out.kind = kindEmpty
		return out
	}
	if s.matching && !durl.Matches(s.subscribe, u, s.Dialect) {
		out.drop, out.detail = s.mismatch(u)
		out.kind = kindNone
		return out
	}
	switch {
	case s.isConfigurator(scheme, out.category):
		out.kind = kindConfigurator
	case scheme == "route" || out.category == "routers":
		out.kind = kindRouter
	case out.category == "providers":
		out.kind = kindProvider
	default:
		out.kind = kindNone
		out.drop, out.detail = CategoryMismatch, "category "+out.category
	}
	return out
}

// sortsIn reports whether sortIn looks at a parameter.
func sortsIn(key string) bool {
	switch key {
	case "compatible_config", "category", "interface", "enabled", "group", "version", "classifier":
		return true
	}
	return strings.HasPrefix(key, "default.") // stands in for others in 2.6
}

// isConfigurator tells overrides from the rest. To Dubbo absent:// is one by its category only, and without category a provider of an
// unknown protocol; 2.6 does not know the categories of documents (spec §8.3).
func (s *settings) isConfigurator(scheme, category string) bool {
	switch s.Dialect {
	case dialect.Standard:
		return scheme == "override" || scheme == "absent" || strings.HasSuffix(category, "configurators")
	case dialect.Dubbo26:
		return category == "configurators" || scheme == "override" && category != "routers"
	}
	switch category {
	case "configurators":
		return true
	case "dynamicconfigurators", "appdynamicconfigurators", "providers", "routers":
		return scheme == "override"
	}
	return false
}

// mergeProvider merges and fills in the path that some dubbo providers lack (spec §1.6).
func (s *settings) mergeProvider(u durl.URL) durl.URL {
	m := s.merge.merge(u)
	if m.Path() == "" && m.Scheme() == "dubbo" {
		path := m.Interface()
		if i := strings.IndexByte(path, '/'); i >= 0 {
			path = path[i+1:]
		}
		if i := strings.LastIndexByte(path, ':'); i >= 0 {
			path = path[:i]
		}
		m = m.WithPath(path)
	}
	return m
}

// mismatch names the first part of the registry-side match that fails (spec §1.8).
func (s *settings) mismatch(u durl.URL) (Reason, string) {
	c := s.subscribe
	want := func(key string) string {
		return key + " is " + quote(u, key) + ", this consumer wants " + quote(c, key)
	}
	if ci, pi := c.Interface(), u.Interface(); ci != pi && ci != "*" && pi != "*" {
		return InterfaceMismatch, "interface is \"" + pi + "\", this consumer wants \"" + ci + "\""
	}
	if !u.Bool("enabled", true) && c.Get("enabled", "") != "*" {
		return NotEnabled, "enabled=" + u.Get("enabled", "")
	}
	// Group before version: ask the match itself with the other one made equal.
	same := func(key string) durl.URL {
		if v, ok := c.Param(key); ok && v != "*" {
			return u.With(key, v)
		}
		return u.Without(key)
	}
	if durl.Matches(c, same("group"), s.Dialect) {
		return GroupMismatch, want("group")
	}
	if durl.Matches(c, same("version"), s.Dialect) {
		return VersionMismatch, want("version")
	}
	if c.Get("classifier", "*") != "*" && c.Get("classifier", "") != u.Get("classifier", "") {
		return ClassifierMismatch, want("classifier")
	}
	if !durl.Matches(c, u.Without("category"), s.Dialect) {
		return VersionMismatch, want("group") + "; " + want("version")
	}
	return CategoryMismatch, "category is " + quote(u, "category")
}

func quote(u durl.URL, key string) string {
	if v, ok := u.Param(key); ok {
		return "\"" + v + "\""
	}
	return "absent"
}

// reasonOf returns the message of a URL error without its position.
func reasonOf(err error) string {
	if d, ok := errors.AsType[diag.Diagnostic](err); ok {
		return d.Message
	}
	return err.Error()
}
