package gateway

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dubway-go/dubway/rpc"
)

// Request headers; docs/gateway.md lists them all.
const (
	tagHeader         = "Dubbo-Tag"
	attachmentPrefix  = "Dubbo-Attachment-"
	attachmentsHeader = "Dubbo-Attachments"
	timeoutHeader     = "Dubbo-Timeout"
	typesHeader       = "Dubbo-Parameter-Types"
)

// maxAttachments bounds how many attachments a request may bring.
const maxAttachments = 128

func first(r *http.Request, names ...string) string {
	for _, n := range names {
		if v := r.Header.Get(n); v != "" {
			return v
		}
	}
	return ""
}

// attachments collects Dubbo-Attachments (a JSON object of texts), Dubbo-Attachment-<key> (the key in lower case, because
// HTTP does not keep its case) and Dubbo-Tag; later ones win over earlier ones in this order. They are sorted by key.
func attachments(h http.Header) (rpc.Attachments, error) {
	found := make(map[string]string)
	for _, text := range h.Values(attachmentsHeader) {
		one := make(map[string]string)
		if err := json.Unmarshal([]byte(text), &one); err != nil {
			return nil, fmt.Errorf(`%s is not a JSON object of texts, such as {"user.id":"7"}: %w`, attachmentsHeader, err)
		}
		for k, v := range one {
			found[k] = v
		}
	}
	for name, values := range h {
		if key, ok := strings.CutPrefix(name, attachmentPrefix); ok && key != "" && len(values) > 0 {
			found[strings.ToLower(key)] = values[0]
		}
	}
	if tag := h.Get(tagHeader); tag != "" {
		found[rpc.TagKey] = tag
	}
	if len(found) > maxAttachments {
		return nil, fmt.Errorf("%d attachments were given, at most %d are accepted", len(found), maxAttachments)
	}
	var out rpc.Attachments
	for k, v := range found {
		if k == "" || !utf8.ValidString(k) || !utf8.ValidString(v) {
			return nil, fmt.Errorf("the attachment %q is not UTF-8 text or has no name", k)
		}
		out = append(out, rpc.Attachment{Key: k, Value: v})
	}
	slices.SortFunc(out, func(a, b rpc.Attachment) int { return strings.Compare(a.Key, b.Key) })
	return out, nil
}

// parameterTypes reads Dubbo-Parameter-Types: Java names separated by commas; an empty value means "no parameters".
func parameterTypes(h http.Header) ([]string, error) {
	values, ok := h[typesHeader]
	if !ok {
		return nil, nil
	}
	return Types(strings.Join(values, ","))
}

// Types reads a list of Java type names separated by commas, such as "long,java.lang.String"; String, Integer and the
// like may leave java.lang out, BigDecimal and BigInteger java.math. Blank text is the empty list.
func Types(text string) ([]string, error) {
	out := []string{}
	if strings.TrimSpace(text) == "" {
		return out, nil
	}
	for name := range strings.SplitSeq(text, ",") {
		name = strings.TrimSpace(name)
		base := strings.TrimRight(name, "[]")
		if !javaName(base, true) && !strings.HasPrefix(name, "[") {
			return nil, fmt.Errorf("%q is no Java type: write for example long,java.lang.String,java.math.BigDecimal", name)
		}
		switch base {
		case "String", "Integer", "Long", "Short", "Byte", "Double", "Float", "Boolean", "Character", "Object":
			name = "java.lang." + name
		case "BigDecimal", "BigInteger":
			name = "java.math." + name
		case "List", "Map", "Set", "Date", "Collection":
			name = "java.util." + name
		}
		out = append(out, name)
	}
	return out, nil
}

func (g *Gateway) timeout(r *http.Request) (time.Duration, error) {
	text := r.Header.Get(timeoutHeader)
	if text == "" {
		return g.o.Timeout, nil
	}
	d, err := Duration(text)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", timeoutHeader, err)
	}
	if d > g.o.MaxTimeout {
		return 0, fmt.Errorf("%s is %v, at most %v is accepted", timeoutHeader, d, g.o.MaxTimeout)
	}
	return d, nil
}

// Duration reads a time span above zero: "800ms", "2s", or a bare number of milliseconds as Dubbo writes them.
func Duration(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if ms, numErr := strconv.ParseInt(text, 10, 32); numErr == nil {
		d, err = time.Duration(ms)*time.Millisecond, nil
	}
	if err != nil || d <= 0 {
		return 0, fmt.Errorf("%q is no time span above zero: write 800ms, 2s, or milliseconds as a bare number", text)
	}
	return d, nil
}

// ascii makes JSON fit into a header: everything outside ASCII becomes \uXXXX.
func ascii(b []byte) string {
	var out strings.Builder
	for _, r := range string(b) {
		switch {
		case r < 0x20 || r == 0x7f:
			fmt.Fprintf(&out, `\u%04x`, r)
		case r < 0x80:
			out.WriteRune(r)
		case r > 0xffff:
			r -= 0x10000
			fmt.Fprintf(&out, `\u%04x\u%04x`, 0xd800+(r>>10), 0xdc00+(r&0x3ff))
		default:
			fmt.Fprintf(&out, `\u%04x`, r)
		}
	}
	return out.String()
}
