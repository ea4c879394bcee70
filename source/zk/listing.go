package zk

import (
	"slices"
	"strings"

	"github.com/dubway-go/dubway/durl"
)

// listing is what a category folder holds.
type listing struct {
	// texts are the URLs, sorted, each once.
	texts []string
	// order tells for each node name, in the order in which the server listed them, where in texts its URL is; -1 for a name
	// that is no URL. Servers list a folder in much the same order again, so a name is recognised where it stood.
	order []int32
}

// nearby is how far from its old place a name is looked for.
const nearby = 4

// decode turns node names into URLs. Names that are no URLs are left out (spec §10.1). Texts that were in last are the same
// strings again: an unchanged entry costs no memory and, where it stands about where it stood, is compared but not decoded.
func decode(names []string, last listing) listing {
	kept := make([]bool, len(last.texts))
	order := make([]int32, len(names))
	var fresh []string
	var freshAt []int  // places in order
	var places []int32 // where in last.order a text is; made when the order of names changed
	at := 0
next:
	for i, name := range names {
		for k := at; k < len(last.order) && k < at+nearby; k++ {
			if id := last.order[k]; id >= 0 && durl.Decodes(name, last.texts[id]) {
				order[i], kept[id], at = id, true, k+1
				continue next
			}
		}
		order[i] = -1
		text, err := durl.Decode(name)
		if err != nil || !strings.Contains(text, "://") {
			continue
		}
		if id, ok := slices.BinarySearch(last.texts, text); ok {
			if places == nil {
				places = last.places()
			}
			order[i], kept[id], at = int32(id), true, int(places[id])+1
			continue
		}
		fresh, freshAt = append(fresh, text), append(freshAt, i)
	}
	return last.replace(kept, fresh, order, freshAt)
}

// places returns where in order each text is.
func (l listing) places() []int32 {
	out := make([]int32, len(l.texts))
	for i, id := range l.order {
		if id >= 0 {
			out[id] = int32(i)
		}
	}
	return out
}

// replace returns the listing of what is kept and what is fresh. order has places in l; those at freshAt are of the fresh texts.
func (l listing) replace(kept []bool, fresh []string, order []int32, freshAt []int) listing {
	sorted := make([]int, len(fresh)) // numbers of fresh texts, by text
	for k := range sorted {
		sorted[k] = k
	}
	slices.SortFunc(sorted, func(a, b int) int { return strings.Compare(fresh[a], fresh[b]) })
	out := make([]string, 0, len(l.texts)+len(fresh))
	moved := make([]int32, len(l.texts))
	added := make([]int32, len(fresh))
	insert := func(k int) {
		if len(out) == 0 || out[len(out)-1] != fresh[k] { // two names can stand for one text
			out = append(out, fresh[k])
		}
		added[k] = int32(len(out) - 1)
	}
	for id, text := range l.texts {
		if !kept[id] {
			continue
		}
		for len(sorted) > 0 && fresh[sorted[0]] < text {
			insert(sorted[0])
			sorted = sorted[1:]
		}
		moved[id] = int32(len(out))
		out = append(out, text)
	}
	for _, k := range sorted {
		insert(k)
	}
	for i, id := range order {
		if id >= 0 {
			order[i] = moved[id]
		}
	}
	for k, i := range freshAt {
		order[i] = added[k]
	}
	return listing{out, order}
}
