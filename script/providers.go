package script

import (
	"encoding/json"
	"sync"

	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/service"
)

// providers are what one engine's scripts see: a set and the consumer. Its address is its identity.
type providers struct {
	set      *service.Set
	consumer durl.URL

	// once guards entries, which expressions need and other languages do not.
	once    sync.Once
	entries []*ExprProvider
}

// column returns one property of all providers as JSON, an array or null when none has it; a kind that starts with "c" is one
// property of the consumer.
func (p *providers) column(kind, name string) string {
	if len(kind) > 1 && kind[0] == 'c' {
		return string(encode(property(p.consumer, kind[1:], name)))
	}
	values := make([]any, p.set.Len())
	some := false
	for i := range values {
		values[i] = property(p.set.At(i).URL, kind, name)
		some = some || values[i] != nil
	}
	if !some {
		return "null"
	}
	return string(encode(values))
}

// property reads one property of a URL; nil means absent. Passwords are not shown to scripts.
func property(u durl.URL, kind, name string) any {
	text := ""
	switch kind {
	case "p":
		if v, ok := u.Param(name); ok {
			return v
		}
		return nil
	case "n":
		return u.Port()
	case "m":
		var pairs [][2]string
		for k, v := range u.All() {
			pairs = append(pairs, [2]string{k, v})
		}
		if pairs == nil {
			return "[]"
		}
		return string(encode(pairs))
	case "h":
		text = u.Host()
	case "d":
		text = u.Address()
	case "s":
		text = u.Scheme()
	case "t":
		text = u.Path()
	case "u":
		text = u.User()
	case "i":
		text = u.Interface()
	case "k":
		text = u.ServiceKey()
	case "f":
		return u.Plain()
	}
	if text == "" {
		return nil
	}
	return text
}

func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil { // strings, numbers and their lists always encode
		return []byte("null")
	}
	return b
}
