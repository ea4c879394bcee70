package durl

import (
	"strings"

	"github.com/dubway-go/dubway/dialect"
)

// Matches reports whether a registry hands provider (any URL of a service: provider, rule or
// override) to consumer, by interface, category, enabled, group, version and classifier (spec §1.8).
//
// Standard repairs two slips: categories are compared as list members, not as substrings, and an
// empty group or version is the same as none.
func Matches(consumer, provider URL, d dialect.Dialect) bool {
	ci, pi := consumer.Interface(), provider.Interface()
	if ci != pi && ci != "*" && (pi != "*" || d == dialect.Dubbo26) {
		return false
	}
	if !matchCategoryAs(provider.Category(), consumer.Category(), d) {
		return false
	}
	if enabled, _ := consumer.Param("enabled"); !provider.Bool("enabled", true) && enabled != "*" {
		return false
	}
	if !sameOrAny(consumer, provider, "group", d) && !listContains(consumer.Group(), provider.Group()) {
		return false
	}
	if !sameOrAny(consumer, provider, "version", d) {
		return false
	}
	classifier := consumer.Get("classifier", "*")
	return classifier == "*" || classifier == provider.Get("classifier", "*")
}

// sameOrAny compares one identity parameter; the consumer's "*" takes all.
func sameOrAny(consumer, provider URL, key string, d dialect.Dialect) bool {
	cv, cok := consumer.Param(key)
	pv, pok := provider.Param(key)
	if cv == "*" {
		return true
	}
	if d == dialect.Standard || d == dialect.Dubbo26 {
		return cv == pv
	}
	return cok == pok && cv == pv
}

// listContains reports whether value is a member of the comma list; an empty value never is.
func listContains(list, value string) bool {
	if value == "" {
		return false
	}
	for list != "" {
		var item string
		item, list, _ = strings.Cut(list, ",")
		if trim(item) == value {
			return true
		}
	}
	return false
}

// MatchCategory reports whether a subscriber that wants the categories wanted gets category, exactly
// as Dubbo does in all versions: an empty wanted means "providers"; "*" anywhere means all; with a "-" anywhere all but
// "-category"; otherwise category needs only to be a substring of wanted (spec §1.8).
func MatchCategory(category, wanted string) bool {
	switch {
	case wanted == "":
		return category == "providers"
	case strings.Contains(wanted, "*"):
		return true
	case strings.Contains(wanted, "-"):
		return !strings.Contains(wanted, "-"+category)
	}
	return strings.Contains(wanted, category)
}

func matchCategoryAs(category, wanted string, d dialect.Dialect) bool {
	if d != dialect.Standard {
		return MatchCategory(category, wanted)
	}
	if wanted == "" {
		return category == "providers"
	}
	without := false
	for rest := wanted; rest != ""; {
		var item string
		item, rest, _ = strings.Cut(rest, ",")
		item = trim(item)
		switch {
		case item == "*" || item == category:
			return true
		case strings.HasPrefix(item, "-"):
			if item[1:] == category {
				return false
			}
			without = true
		}
	}
	return without
}
