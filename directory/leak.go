package directory

import (
	"slices"

	"github.com/dubway-go/dubway/durl"
)

// leak copies the providers' parameters into the consumer that routers see, as 2.7.16 to 2.7.23 do at
// every merge for all but the tag (spec §1.6): the first provider that has a parameter which the consumer lacks decides its value. So
// the order counts in which those versions go through the list: as notified, or, when a notification had no providers, that
// of the hash set in which they keep the last list.
//
// After a change of few providers only those are asked that gave something before, and the new ones.
func (p *providers) leak(consumer durl.URL) durl.URL {
	list, few := p.leaked.still(p, consumer)
	p.change = nil // it would keep the list before
	if !few {
		if list = p.cached; p.reapplied {
			list = javaSetOrder(list)
		}
	}
	have := map[string]bool{"dubbo.tag": true}
	for k := range consumer.All() {
		have[k] = true
	}
	var params []durl.Param
	var givers []*entry
	for _, e := range list {
		url, ok := p.mergedNow(e)
		if !ok {
			continue
		}
		before := len(params)
		for k, v := range url.All() {
			if !have[k] {
				have[k] = true
				params = append(params, durl.Param{Key: k, Value: v})
			}
		}
		if len(params) > before {
			givers = append(givers, e)
		}
	}
	p.leaked = leaked{consumer: consumer, givers: givers, asked: len(list)}
	if !p.reapplied && !p.changedLevels {
		p.leaked.list = p.cached
	}
	return consumer.WithParams(params...)
}

// leaked tells who gave parameters to the consumer.
type leaked struct {
	consumer durl.URL
	list     []*entry // the providers then, in the order in which they were asked; nil when that was another
	givers   []*entry // in order
	asked    int      // how many were asked
}

// still returns the only providers of the present list that can give something, in order. ok is false when that is not known.
func (l *leaked) still(p *providers, consumer durl.URL) (few []*entry, ok bool) {
	d := p.change
	if d == nil || d.moved || len(l.list) == 0 || !sameEntries(d.from, l.list) || !l.consumer.Equal(consumer) {
		return nil, false
	}
	givers, added := l.givers, d.added
	for _, e := range p.cached {
		switch {
		case len(givers) > 0 && givers[0] == e:
			givers = givers[1:]
		case len(added) > 0 && added[0] == e:
			added = added[1:]
		default:
			continue
		}
		if few = append(few, e); len(givers)+len(added) == 0 {
			return few, true
		}
	}
	return nil, len(givers)+len(added) == 0 // else who gave something is gone, and somebody else may give it now
}

// mergedNow returns the effective URL of an entry that gets as far as the merge.
func (p *providers) mergedNow(e *entry) (durl.URL, bool) {
	if e.record != nil && !p.changedLevels {
		return e.record.instance.URL, true
	}
	scheme := e.url.Scheme()
	if e.drop != "" || !slices.Contains(p.s.spoken, scheme) || (len(p.s.accepted) > 0 && !slices.Contains(p.s.accepted, scheme)) {
		return durl.URL{}, false
	}
	url, _, err := p.effective(e)
	return url, err == nil
}

// javaSetOrder returns the entries in the order in which a java.util.HashSet of their URLs is walked.
func javaSetOrder(list []*entry) []*entry {
	type placed struct {
		bucket uint32
		e      *entry
	}
	size := 16
	for len(list)*4 > size*3 {
		size *= 2
	}
	order := make([]placed, 0, len(list))
	for _, e := range list {
		h := uint32(javaURLHash(e.url))
		order = append(order, placed{(h ^ h>>16) & uint32(size-1), e})
	}
	slices.SortStableFunc(order, func(a, b placed) int { return int(a.bucket) - int(b.bucket) })
	out := make([]*entry, len(list))
	for i := range order {
		out[i] = order[i].e
	}
	return out
}

// javaURLHash is what URL.hashCode returned in 2.7.
func javaURLHash(u durl.URL) int32 {
	var params int32
	for k, v := range u.All() {
		params += javaHash(k) ^ javaHash(v)
	}
	h := int32(1)
	for _, part := range [...]int32{javaHash(u.Host()), params, javaHash(u.Password()), javaHash(u.Path()), int32(u.Port()), javaHash(u.Scheme()), javaHash(u.User())} {
		h = 31*h + part
	}
	return h
}

// javaHash is java.lang.String.hashCode of a text without characters beyond the basic plane.
func javaHash(s string) int32 {
	var h int32
	for _, r := range s {
		h = 31*h + r
	}
	return h
}
