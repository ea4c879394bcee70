package source

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxDocument is the largest rule document, in bytes, that the adapters of this module accept. A
// ZooKeeper node holds 1 MiB with its framing; the limit is the same everywhere so that a rule can
// move from one config centre to another.
const MaxDocument = 1_000_000

// MaxKey is the longest rule key, in bytes.
const MaxKey = 512

// ErrKey is in the chain of every error of CheckKey.
var ErrKey = errors.New("unusable rule key")

// ErrTooLarge is in the chain of errors about documents over MaxDocument.
var ErrTooLarge = errors.New("rule document too large")

// CheckKey reports why key cannot name a rule document in any config centre, or nil. Service keys
// hold colons and may hold '*' (spec §3.1); what no centre can hold are empty keys, path separators,
// the names "." and "..", control characters and text that is not UTF-8.
func CheckKey(key string) error {
	switch {
	case key == "":
		return fmt.Errorf("%w: it is empty; give one such as \"order.tag-router\"", ErrKey)
	case len(key) > MaxKey:
		return fmt.Errorf("%w: %d bytes, at most %d are allowed", ErrKey, len(key), MaxKey)
	case !utf8.ValidString(key):
		return fmt.Errorf("%w %q: it is not UTF-8 text", ErrKey, key)
	case key == "." || key == "..":
		return fmt.Errorf("%w %q: it names a folder", ErrKey, key)
	case strings.ContainsAny(key, `/\`):
		return fmt.Errorf("%w %q: it holds a path separator; the key of a service rule is interface:version:group.condition-router", ErrKey, key)
	}
	for _, r := range key {
		if unicode.IsControl(r) {
			return fmt.Errorf("%w %q: it holds a control character", ErrKey, key)
		}
	}
	return nil
}

// CheckText reports why text cannot be stored as a rule document, or nil. It looks at size only: what
// the text means is package rule's matter.
func CheckText(text string) error {
	if len(text) > MaxDocument {
		return fmt.Errorf("%w: %d bytes, at most %d are allowed; split the rule or shorten its lists", ErrTooLarge, len(text), MaxDocument)
	}
	return nil
}
