package directory

import "github.com/dubway-go/dubway/source"

// textList is one category of the registry's last state: an entry a text, in the order delivered.
type textList struct {
	entries []*entry
	// texts is the delivered list when the source holds it (see source.State): nil otherwise, because keeping it
	// would keep the whole list alive.
	texts []string
	// strangers is how many entries are of another kind than the category's own.
	strangers int
}

// delta says how one list of entries became another: from is the list before, added and removed are in list order.
// Whatever is in neither is in both lists, in the same order unless moved says otherwise.
type delta struct {
	from, added, removed []*entry
	moved                bool
}

// homeKinds are the kinds of entry that the categories of a source.State hold when nothing is out of place.
var homeKinds = [3]kind{kindProvider, kindConfigurator, kindRouter}

// is reports whether text is what entry i was made from. Texts of a source that holds them are mostly the same strings
// again, which Go compares without reading them.
func (l *textList) is(i int, text string) bool {
	if l.texts != nil {
		return l.texts[i] == text
	}
	return l.entries[i].is(text)
}

func (l *textList) written(i int) string {
	if l.texts != nil {
		return l.texts[i]
	}
	return l.entries[i].written()
}

// update makes l the list of texts, with the same entries for the same texts, and returns what came and went, without from;
// equal tells that nothing did, nor changed its place.
//
// Lists are sorted (see source.State), so what two of them have in common is found by walking both; a text that moved against
// the order is found all the same.
func (l *textList) update(texts []string, held bool, home kind, s *settings) (d delta, equal bool) {
	old := *l
	l.texts = nil
	if held {
		l.texts = texts
	}
	head := 0
	for head < len(old.entries) && head < len(texts) && old.is(head, texts[head]) {
		head++
	}
	if head == len(old.entries) && head == len(texts) {
		return d, true
	}
	endOld, endNew := len(old.entries), len(texts)
	for endOld > head && endNew > head && old.is(endOld-1, texts[endNew-1]) {
		endOld--
		endNew--
	}
	next := make([]*entry, len(texts))
	copy(next, old.entries[:head])
	copy(next[endNew:], old.entries[endOld:])
	var missing []int // places in next
	var gone goneTexts
	i, k := head, head
	for i < endOld && k < endNew {
		if old.is(i, texts[k]) {
			next[k] = old.entries[i]
			i++
			k++
			continue
		}
		if text := old.written(i); text < texts[k] {
			gone.add(text, old.entries[i])
			i++
			continue
		}
		missing = append(missing, k)
		k++
	}
	for ; i < endOld; i++ {
		gone.add(old.written(i), old.entries[i])
	}
	for ; k < endNew; k++ {
		missing = append(missing, k)
	}
	l.strangers = old.strangers
	if len(missing) == endNew-head && len(gone.texts) == endOld-head && ascends(gone.texts) && ascends(texts[head:endNew]) {
		gone.ordered = true
	}
	c := s.classifier(len(missing))
	defer c.done()
	for _, k := range missing {
		if next[k] = gone.take(texts[k]); next[k] != nil {
			d.moved = true
			continue
		}
		e := c.classify(texts[k])
		next[k] = e
		d.added = append(d.added, e)
		if e.kind != home {
			l.strangers++
		}
	}
	d.removed = gone.rest()
	for _, e := range d.removed {
		if e.kind != home {
			l.strangers--
		}
	}
	l.entries = next
	return d, false
}

// goneTexts are entries that are not where the order would have them: mostly they left.
type goneTexts struct {
	texts   []string
	entries []*entry
	at      map[string]int // made when first asked
	// ordered: both lists ascend, so that walking them missed nothing.
	ordered bool
}

// ascends reports whether each text is above the one before.
func ascends(texts []string) bool {
	for i := 1; i < len(texts); i++ {
		if texts[i-1] >= texts[i] {
			return false
		}
	}
	return true
}

func (g *goneTexts) add(text string, e *entry) {
	g.texts, g.entries = append(g.texts, text), append(g.entries, e)
}

// take returns an entry with the text, at most once, or nil.
func (g *goneTexts) take(text string) *entry {
	if len(g.texts) == 0 || g.ordered {
		return nil
	}
	if g.at == nil {
		g.at = make(map[string]int, len(g.texts))
		for i, t := range g.texts {
			g.at[t] = i
		}
	}
	i, ok := g.at[text]
	if !ok {
		return nil
	}
	delete(g.at, text) // no entry stands twice in a list
	e := g.entries[i]
	g.entries[i] = nil
	return e
}

// rest returns the entries that nobody took.
func (g *goneTexts) rest() []*entry {
	out := g.entries[:0]
	for _, e := range g.entries {
		if e != nil {
			out = append(out, e)
		}
	}
	return out
}

// sort puts the entries of the registry's last state together by what they are; changes are those of its categories.
func (j *join) sort(changes [3]delta) (n notification, dropped []*entry) {
	d := delta{from: j.last}
	for _, c := range changes {
		d.added, d.removed = appendKind(d.added, c.added, kindProvider), appendKind(d.removed, c.removed, kindProvider)
		d.moved = d.moved || c.moved
	}
	n.change = &d
	if j.raw[0].strangers+j.raw[1].strangers+j.raw[2].strangers == 0 {
		n.providers, n.configurators, n.routers = j.raw[0].entries, j.raw[1].entries, j.raw[2].entries
		return n, nil
	}
	n.providers = make([]*entry, 0, len(j.raw[0].entries))
	for i := range j.raw {
		for _, e := range j.raw[i].entries {
			switch e.kind {
			case kindProvider:
				n.providers = append(n.providers, e)
			case kindConfigurator:
				n.configurators = append(n.configurators, e)
			case kindRouter:
				n.routers = append(n.routers, e)
			case kindNone:
				dropped = append(dropped, e)
			}
		}
	}
	return n, dropped
}

// appendKind appends the entries of one kind.
func appendKind(dst, list []*entry, k kind) []*entry {
	for _, e := range list {
		if e.kind == k {
			dst = append(dst, e)
		}
	}
	return dst
}

// take replaces the lists of the last state by those of st and tells what changed.
func (j *join) take(st source.State) (changes [3]delta, same bool) {
	same = true
	for i, texts := range [3][]string{st.Providers, st.Configurators, st.Routers} {
		var equal bool
		changes[i], equal = j.raw[i].update(texts, st.Held, homeKinds[i], j.s)
		same = same && equal
	}
	return changes, same
}

// sameEntries reports whether two lists are one and the same slice.
func sameEntries(a, b []*entry) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}
