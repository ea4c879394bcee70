package rule

import (
	"strconv"
	"strings"

	"github.com/dubway-go/dubway/dialect"
)

// IsArgumentKey reports whether the dialect takes key for a question about a call's arguments: every key that starts with "arguments", from 2.7.11 on.
func IsArgumentKey(key string, d dialect.Dialect) bool {
	return d != dialect.Dubbo26 && strings.HasPrefix(key, "arguments")
}

// IsAttachmentKey reports whether the dialect takes key for a question about a call's attachments: every key that starts with "attachments", from 3.2 on.
func IsAttachmentKey(key string, d dialect.Dialect) bool {
	return (d == dialect.Standard || d == dialect.Dubbo33) && strings.HasPrefix(key, "attachments")
}

// ArgumentIndex returns N of "arguments[N]"; valid is false for a malformed key. The Dubbo dialects ignore
// what follows the first "." and take any text after the bracket (spec §2.6); Standard takes the exact form only.
func ArgumentIndex(key string, d dialect.Dialect) (index int, valid bool) {
	if d == dialect.Standard && !exactArgumentKey(key) {
		return 0, false
	}
	key, _, _ = strings.Cut(key, ".")
	name, ok := bracketed(key, "arguments[", func(c byte) bool { return '0' <= c && c <= '9' })
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseInt(name, 10, 32)
	return int(n), err == nil
}

// AttachmentName returns k of "attachments[k]"; ok is false for a malformed key. Standard takes names with dots; the Dubbo
// dialects cut the key at the first "." and so never find such a name (spec §2.6).
func AttachmentName(key string, d dialect.Dialect) (name string, ok bool) {
	if d == dialect.Standard {
		if !strings.HasPrefix(key, "attachments[") || !strings.HasSuffix(key, "]") {
			return "", false
		}
		name = key[len("attachments[") : len(key)-1]
		return name, name != "" && !strings.ContainsAny(name, "[]")
	}
	key, _, _ = strings.Cut(key, ".")
	return bracketed(key, "attachments[", func(c byte) bool {
		return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
	})
}

// bracketed finds open anywhere in key, followed by one or more bytes that are allowed and "]".
func bracketed(key, open string, allowed func(byte) bool) (string, bool) {
	for {
		i := strings.Index(key, open)
		if i < 0 {
			return "", false
		}
		key = key[i+len(open):]
		n := 0
		for n < len(key) && allowed(key[n]) {
			n++
		}
		if n > 0 && n < len(key) && key[n] == ']' {
			return key[:n], true
		}
	}
}

func exactArgumentKey(key string) bool {
	name, ok := strings.CutPrefix(key, "arguments[")
	name, ok2 := strings.CutSuffix(name, "]")
	return ok && ok2 && name != "" && len(name) < 10 && strings.Trim(name, "0123456789") == ""
}
