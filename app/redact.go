package app

import "strings"

// redact hides the password of an address: before the @, and in the parameter password.
func redact(address string) string {
	scheme, rest, ok := strings.Cut(address, "://")
	if !ok {
		return address
	}
	authority, query, hasQuery := strings.Cut(rest, "?")
	if at := strings.LastIndexByte(authority, '@'); at >= 0 {
		user, _, _ := strings.Cut(authority[:at], ":")
		authority = user + ":***" + authority[at:]
	}
	if !hasQuery {
		return scheme + "://" + authority
	}
	parts := strings.Split(query, "&")
	for i, p := range parts {
		if k, _, _ := strings.Cut(p, "="); k == "password" {
			parts[i] = "password=***"
		}
	}
	return scheme + "://" + authority + "?" + strings.Join(parts, "&")
}
