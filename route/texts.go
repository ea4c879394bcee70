package route

import "slices"

// texts is a set of texts, each listed once. Short lists are looked through, longer ones have an index.
type texts struct {
	list  []string
	index map[string]struct{}
}

// fewTexts is how many texts are found sooner without an index.
const fewTexts = 8

// has reports whether a text is in the set.
func (t *texts) has(s string) bool {
	if t.index != nil {
		_, ok := t.index[s]
		return ok
	}
	return slices.Contains(t.list, s)
}

// add puts a text in; room is how many there may come to be.
func (t *texts) add(s string, room int) {
	if t.has(s) {
		return
	}
	if t.list == nil {
		t.list = make([]string, 0, room)
	}
	if len(t.list) == fewTexts {
		t.index = make(map[string]struct{}, room)
		for _, known := range t.list {
			t.index[known] = struct{}{}
		}
	}
	t.list = append(t.list, s)
	if t.index != nil {
		t.index[s] = struct{}{}
	}
}
