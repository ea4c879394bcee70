package dubbo

const (
	maxWords   = 512
	maxWordLen = 64
)

// interner keeps the words that repeat on a connection (method names, attachment keys and values) so that reading them
// allocates nothing. It keeps a bounded number of short words; others are copied. It is used by one goroutine at a
// time. A nil interner copies.
type interner struct {
	words map[string]any // each the boxed string of its key
}

func (n *interner) text(b []byte) string {
	if n != nil {
		if v, ok := n.words[string(b)]; ok {
			return v.(string)
		}
	}
	s, _ := n.value(b).(string)
	return s
}

func (n *interner) value(b []byte) any {
	if n == nil || len(b) > maxWordLen {
		return string(b)
	}
	if v, ok := n.words[string(b)]; ok {
		return v
	}
	s := string(b)
	var v any = s
	if n.words == nil {
		n.words = make(map[string]any)
	}
	if len(n.words) < maxWords {
		n.words[s] = v
	}
	return v
}
