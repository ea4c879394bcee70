package durl

import (
	"strconv"
	"strings"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
)

// MaxLength is the longest URL text, in bytes, that is parsed; longer ones are an error. It leaves
// room for a rule or script inside a URL.
const MaxLength = 1 << 20

// Parse reads a Dubbo URL by the rules of the Standard dialect. The error is a diag.Diagnostic.
func Parse(s string) (URL, error) { return ParseAs(s, dialect.Standard) }

// ParseAs reads a Dubbo URL as the given dialect does (spec §1.1, rules U1 to U15). The error is a
// diag.Diagnostic with the column of the fault.
//
// Standard reads as Dubbo 3.3 with these repairs: white space around the text is ignored; an empty text is an error; a
// bracketed IPv6 host needs no port, and eight groups without brackets are a host; ports above 65535 are errors; any side is accepted.
//
// The result shares no memory with s, so a caller's large list is not kept alive by one URL of it.
func ParseAs(s string, d dialect.Dialect) (URL, error) {
	if len(s) > MaxLength {
		return URL{}, fault(diag.URLTooLong, 1, 1, "URL of "+strconv.Itoa(len(s))+" bytes is too long",
			"the limit is "+strconv.Itoa(MaxLength)+" bytes")
	}
	raw := strings.Clone(s)
	p := newParts()
	p.raw, p.dialect = raw, d
	text, base := raw, 0
	if d < dialect.Dubbo31 {
		text = trim(raw)
		base = strings.Index(raw, text)
		if text == "" {
			return URL{}, fault(diag.URLEmpty, 1, 1, "URL is empty", "write scheme://host:port/interface?key=value")
		}
	}
	body, query, _ := strings.Cut(text, "?")
	if err := p.parseBody(body, base); err != nil {
		return URL{}, err
	}
	if query != "" {
		at := base + len(body) + 1
		if err := p.parseQuery(query, at); err != nil {
			return URL{}, err
		}
	}
	return URL{p}, nil
}

// trim cuts what Java's String.trim cuts: every character up to U+0020 at both ends.
func trim(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return r <= ' ' })
}

// parseBody reads all before the "?". base is the offset of body in the text, for diagnostics.
func (p *parts) parseBody(body string, base int) error {
	length := len(body)
	scheme := strings.Index(body, "://")
	if p.dialect < dialect.Dubbo31 {
		// 2.x cut the fragment first; 3.x looks for the scheme in the whole body.
		if i := strings.IndexByte(body, '#'); i >= 0 {
			body = body[:i]
			length = i
		}
		scheme = strings.Index(body, "://")
	}
	skip := 3
	if scheme < 0 {
		scheme, skip = strings.Index(body, ":/"), 1
	}
	if scheme == 0 {
		return fault(diag.URLNoProtocol, base+1, base+1+skip, "URL has no protocol before \""+body[:skip]+"\"", "write dubbo://host:port/interface")
	}
	start := 0
	if scheme > 0 {
		p.scheme = body[:scheme]
		start = scheme + skip
	}
	end := len(body)
	if i := strings.IndexByte(body, '#'); i >= 0 {
		end = max(i, start)
	}
	rest := body[start:end]
	if i := strings.IndexByte(rest, '/'); i >= 0 {
		p.path = strings.TrimLeft(rest[i+1:], "/")
		rest = rest[:i]
	}
	if i := strings.LastIndexByte(rest, '@'); i >= 0 && (p.dialect < dialect.Dubbo31 || start+i > 0) {
		p.user, p.password, _ = strings.Cut(rest[:i], ":")
		if p.user == "" && p.password != "" && p.dialect == dialect.Dubbo26 {
			return fault(diag.URLNoUser, base+start+1, base+start+i+1, "password without user name", "write user:password@host")
		}
		start += i + 1
		rest = rest[i+1:]
	}
	return p.parseAddress(rest, base+start, start, length)
}

// parseAddress reads [host][:port]. start is its offset in the body, length that of the body.
func (p *parts) parseAddress(text string, at, start, length int) error {
	var colon int
	switch p.dialect {
	case dialect.Standard:
		var err error
		if colon, err = standardColon(text, at); err != nil {
			return err
		}
	case dialect.Dubbo26:
		colon = strings.IndexByte(text, ':')
		if colon == len(text)-1 {
			colon = -1
		}
	case dialect.Dubbo27:
		colon = strings.LastIndexByte(text, ':')
		if colon == len(text)-1 || strings.LastIndexByte(text, '%') > colon {
			colon = -1
		}
	default:
		colon = strings.LastIndexByte(text, ':')
		if colon+start <= 0 || colon+start >= length-1 || strings.LastIndexByte(text, '%') > colon {
			colon = -1
		}
	}
	if colon < 0 {
		p.address, p.hostLen = text, int32(len(text))
		return nil
	}
	digits := text[colon+1:]
	port, err := parseInt(digits, p.dialect)
	if err != nil || p.dialect == dialect.Standard && port > 65535 {
		hint := "a port is a number from 0 to 65535"
		if strings.Contains(text, ":") && strings.Contains(text, "[") || strings.Count(text, ":") > 1 {
			hint = "write an IPv6 host in brackets with its port: [fd00::1]:20880"
		}
		return fault(diag.URLBadPort, at+colon+2, at+len(text)+1, "port "+strconv.Quote(digits)+" is not a number from 0 to 65535", hint)
	}
	p.hostLen = int32(colon)
	if port <= 0 {
		p.address = text[:colon]
		return nil
	}
	p.port = int32(port)
	if digits[0] != '0' && digits[0] != '+' && ascii(digits) {
		p.address = text
	} else {
		p.address = text[:colon] + ":" + strconv.FormatInt(port, 10)
	}
	return nil
}

// standardColon finds the colon before the port by the repaired rules, -1 when there is no port.
func standardColon(text string, at int) (int, error) {
	if strings.HasPrefix(text, "[") {
		end := strings.IndexByte(text, ']')
		switch {
		case end < 0:
			return 0, fault(diag.URLBadHost, at+1, at+len(text)+1, "IPv6 host without closing bracket", "write [fd00::1]:20880")
		case end == len(text)-1:
			return -1, nil
		case text[end+1] != ':':
			return 0, fault(diag.URLBadHost, at+end+2, at+len(text)+1, "text after the closing bracket of an IPv6 host", "write [fd00::1]:20880")
		}
		return end + 1, nil
	}
	colon := strings.LastIndexByte(text, ':')
	if colon < 0 || strings.LastIndexByte(text, '%') > colon {
		return -1, nil
	}
	if strings.Count(text, ":") == 7 && !strings.Contains(text, "::") && !strings.ContainsAny(text, ",.") {
		return -1, nil // eight groups: an IPv6 host without a port
	}
	return colon, nil
}

// fault builds a diagnostic about columns [from, to) of line 1.
func fault(code string, from, to int, message, hint string) error {
	return diag.Diagnostic{
		Code: code, Severity: diag.Error, Message: message, Hint: hint,
		Span: diag.Span{Line: 1, Col: from, EndLine: 1, EndCol: max(to, from)},
	}
}

func numberError(key, value string, _ error) error {
	return diag.Diagnostic{
		Code: diag.URLBadNumber, Severity: diag.Error,
		Message: "parameter " + key + "=" + strconv.Quote(value) + " is not a whole number of 32 bits",
		Hint:    "write decimal digits only, for example " + key + "=100",
	}
}
