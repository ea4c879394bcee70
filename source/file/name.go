package file

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/dubway-go/dubway/source"
)

// longestName is what common file systems hold, in bytes.
const longestName = 255

// extensions in order of precedence when several files name the same key; "" is the bare key.
func extensions() []string { return []string{".yaml", ".yml", ""} }

// suffixes by which a file without extension is taken for a rule (spec §10.6).
func suffixes() []string {
	return []string{".condition-router", ".tag-router", ".script-router", ".affinity-router", ".configurators", ".MESHAPPRULE", ".migration"}
}

// FileName returns the name under which a new rule is stored: the key and ".yaml". A leading dot or
// hash and percent signs are written as in URLs (%2E, %23, %25), on Windows also the characters that it keeps for itself. The
// error says that the key is unusable or too long.
func FileName(key string) (string, error) {
	if err := source.CheckKey(key); err != nil {
		return "", err
	}
	var b strings.Builder
	for i := range len(key) {
		if c := key[i]; c == '%' || (c == '.' || c == '#') && i == 0 || runtime.GOOS == "windows" && strings.IndexByte(`<>:"|?*`, c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	b.WriteString(extensions()[0])
	if b.Len() > longestName {
		return "", fmt.Errorf("%w %q: its file name would have %d bytes, at most %d are possible", source.ErrKey, key, b.Len(), longestName)
	}
	return b.String(), nil
}

// KeyOf returns the key that a file's name stands for, and how little it counts when several files
// stand for the same key. It is false for names that are no rules: hidden files, editors' backup and swap
// files, other extensions, and names whose key no config centre could hold.
func KeyOf(name string) (key string, rank int, ok bool) {
	if strings.HasPrefix(name, ".") || strings.HasPrefix(name, "#") || strings.HasSuffix(name, "~") {
		return "", 0, false
	}
	for i, ext := range extensions() {
		stem, found := strings.CutSuffix(name, ext)
		if !found {
			continue
		}
		if ext == "" && !isRule(stem) {
			return "", 0, false
		}
		key = unescape(stem)
		return key, i, source.CheckKey(key) == nil
	}
	return "", 0, false
}

func isRule(name string) bool {
	for _, s := range suffixes() {
		if strings.HasSuffix(name, s) {
			return true
		}
	}
	return false
}

// unescape reads %XX; a percent sign that begins no such triple stands for itself.
func unescape(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			high, low := hexDigit(s[i+1]), hexDigit(s[i+2])
			if high >= 0 && low >= 0 {
				b.WriteByte(byte(high<<4 | low))
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func hexDigit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}
