package durl

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
)

// parseQuery reads the parameters (spec §1.1 U3 to U5, U14, U15). at is the offset of query in the text.
func (p *parts) parseQuery(query string, at int) error {
	n := strings.Count(query, "&") + 1
	semicolon := p.dialect != dialect.Dubbo26 && strings.IndexByte(query, ';') >= 0
	if semicolon {
		n += strings.Count(query, ";")
	}
	p.params = make([]Param, 0, n)
	var defaults []Param // of "default." keys, as written
	for rest, offset := query, at; ; {
		var end int
		if semicolon {
			end = strings.IndexAny(rest, "&;")
		} else {
			end = strings.IndexByte(rest, '&')
		}
		text := rest
		if end >= 0 {
			text = rest[:end]
		}
		if param, ok := p.splitParam(text); ok {
			if param.Key == "side" {
				var err error
				if param.Value, err = p.side(param.Value, offset, len(text)); err != nil {
					return err
				}
			}
			// 2.7 does not copy flags.
			if strings.HasPrefix(param.Key, defaultPrefix) && (p.dialect != dialect.Dubbo27 || strings.IndexByte(text, '=') >= 0) {
				defaults = append(defaults, param)
			}
			p.params = append(p.params, param)
		}
		if end < 0 {
			break
		}
		rest, offset = rest[end+1:], offset+end+1
	}
	p.params = sortParams(p.params)
	if len(defaults) == 0 || p.dialect == dialect.Dubbo26 {
		return nil
	}
	return p.addCopies(defaultCopies(defaults, p.dialect), at)
}

// addCopies adds the parameters that "default." keys stand for where there are none of their own.
func (p *parts) addCopies(copies []Param, at int) error {
	for _, c := range copies {
		i, ok := p.find(c.Key)
		if ok {
			continue
		}
		if c.Key == "side" {
			var err error
			if c.Value, err = p.side(c.Value, at, 1); err != nil {
				return err
			}
		}
		p.params = slices.Insert(p.params, i, c)
	}
	return nil
}

// splitParam reads one "name[=value]"; ok is false when there is nothing to keep.
func (p *parts) splitParam(text string) (Param, bool) {
	if p.dialect == dialect.Dubbo26 || p.dialect == dialect.Dubbo27 {
		text = trim(text)
		if text == "" {
			return Param{}, false
		}
		name, value, ok := strings.Cut(text, "=")
		if !ok {
			value = name // a flag's value is its own name in 2.x
		}
		return Param{name, value}, true
	}
	if p.dialect == dialect.Standard {
		text = trim(text)
	}
	text = strings.TrimLeft(text, "=")
	if text == "" {
		return Param{}, false
	}
	name, value, _ := strings.Cut(text, "=")
	return Param{name, value}, true
}

// side checks the parameter "side": 3.x takes only the two words and stores them in lower case.
func (p *parts) side(value string, offset, length int) (string, error) {
	if p.dialect == dialect.Dubbo26 || p.dialect == dialect.Dubbo27 {
		return value, nil
	}
	for _, word := range [...]string{"consumer", "provider"} {
		if strings.EqualFold(value, word) {
			return word, nil
		}
	}
	if p.dialect == dialect.Standard {
		return value, nil
	}
	return "", fault(diag.URLBadSide, offset+1, offset+length+1, "side="+strconv.Quote(value)+" makes the URL unreadable for Dubbo 3",
		"write side=provider or side=consumer, or leave it out")
}

// defaultCopies returns, in order of appearance and each key once, the parameters that "default.X"
// keys stand for; 3.3 follows "default.default.X" through all its levels, earlier versions through one.
func defaultCopies(params []Param, d dialect.Dialect) []Param {
	var out []Param
	for _, q := range params {
		key := q.Key
		for strings.HasPrefix(key, defaultPrefix) {
			key = key[len(defaultPrefix):]
			if !slices.ContainsFunc(out, func(o Param) bool { return o.Key == key }) {
				out = append(out, Param{key, q.Value})
			}
			if len(out) >= maxDefaults {
				return out
			}
			if d == dialect.Dubbo27 || d == dialect.Dubbo31 {
				break
			}
		}
	}
	return out
}

// maxDefaults bounds the work on hostile texts: no real URL has more "default." keys.
const maxDefaults = 512

// sortParams sorts by key and keeps the last value of each key. It works in place.
func sortParams(params []Param) []Param {
	const few = 40
	if len(params) <= few {
		for i := 1; i < len(params); i++ { // stable, and quick on lists that are nearly sorted
			for j := i; j > 0 && params[j].Key < params[j-1].Key; j-- {
				params[j], params[j-1] = params[j-1], params[j]
			}
		}
	} else {
		slices.SortStableFunc(params, func(a, b Param) int { return strings.Compare(a.Key, b.Key) })
	}
	out := params[:0]
	for i := range params {
		if i+1 < len(params) && params[i+1].Key == params[i].Key {
			continue
		}
		out = append(out, params[i])
	}
	return out
}
