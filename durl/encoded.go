package durl

import (
	"strings"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
)

// ParseEncoded reads a URL that is percent-encoded as a whole, the form in which registries keep URLs as
// node names. Standard, dubbo-2.6 and dubbo-2.7 decode and then parse. dubbo-3.1 and dubbo-3.3 read the encoded text directly, with
// that reader's slips (spec §1.1 U4): a flag loses the last two characters of its name. String returns the decoded text.
func ParseEncoded(s string, d dialect.Dialect) (URL, error) {
	if len(s) > 3*MaxLength {
		return URL{}, fault(diag.URLTooLong, 1, 1, "encoded URL is too long", "")
	}
	decoded, err := Decode(s)
	if err != nil {
		return URL{}, err
	}
	if d != dialect.Dubbo31 && d != dialect.Dubbo33 {
		return ParseAs(decoded, d)
	}
	p := newParts()
	p.raw, p.dialect = decoded, d
	end := strings.Index(strings.ToUpper(s), "%3F")
	if end < 0 {
		end = len(s)
	}
	body, err := Decode(s[:end])
	if err != nil {
		return URL{}, err
	}
	if err := p.parseBody(body, 0); err != nil {
		return URL{}, err
	}
	if end+3 < len(s) {
		if err := p.parseEncodedQuery(s[end+3:]); err != nil {
			return URL{}, err
		}
	}
	return URL{p}, nil
}

// parseEncodedQuery reads parameters whose separators may be encoded, as Dubbo 3 does.
func (p *parts) parseEncodedQuery(s string) error {
	nameStart, valueStart := 0, -1
	var params []Param
	add := func(end int) error {
		param, ok, err := encodedParam(s, nameStart, valueStart, end)
		if err != nil || !ok {
			return err
		}
		if param.Key == "side" {
			if param.Value, err = p.side(param.Value, 0, len(param.Value)); err != nil {
				return err
			}
		}
		params = append(params, param)
		return nil
	}
	i := 0
	for ; i < len(s); i++ {
		c, width := s[i], 0
		if c == '%' {
			if i+2 >= len(s) {
				break
			}
			c, width = byte(unhex(s[i+1])<<4|unhex(s[i+2])), 2
			i += 2
		}
		switch c {
		case '=':
			if nameStart == i {
				nameStart = i + 1
			} else if valueStart < nameStart {
				valueStart = i + 1
			}
		case ';', '&':
			if err := add(i - width); err != nil {
				return err
			}
			nameStart = i + 1
		}
	}
	if err := add(i); err != nil {
		return err
	}
	copies := defaultCopies(params, p.dialect)
	p.params = sortParams(params)
	return p.addCopies(copies, 0)
}

// encodedParam decodes one parameter between its bounds. Without a value the name loses two characters: the
// reader takes every name to end three characters (an encoded "=") before its value.
func encodedParam(s string, nameStart, valueStart, end int) (Param, bool, error) {
	if nameStart >= end {
		return Param{}, false, nil
	}
	if valueStart <= nameStart {
		valueStart = end + 1
	}
	name := ""
	if valueStart-3 > nameStart {
		var err error
		if name, err = Decode(s[nameStart : valueStart-3]); err != nil {
			return Param{}, false, err
		}
	}
	if valueStart >= end {
		return Param{name, ""}, true, nil
	}
	value, err := Decode(s[valueStart:end])
	return Param{name, value}, err == nil, err
}
