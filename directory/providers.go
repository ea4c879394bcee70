package directory

import (
	"slices"
	"strings"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/service"
)

// providers is the list of providers in force and how it came to be (spec §8.4). Only the writer uses it.
type providers struct {
	s     *settings
	table table
	// cached is the last list that had entries; live is the list behind the instances in force. They
	// differ after a list of which nothing could be used.
	cached, live []*entry
	// placed is how many entries of live have an instance.
	placed int
	// list is the instances in force, in the directory's order; never changed, only replaced.
	list      []*service.Instance
	forbidden bool
	// reapplied is set when the last refresh had no list of its own; else change is how cached came out of the list before, until leak has seen it; nil when that is
	// not known or when overrides changed as well.
	reapplied bool
	change    *delta
	// leaked is what the consumer has of the providers in dubbo-2.7.
	leaked leaked
	// applications counts list by application.
	applications map[string]int
	// excluded are the provider URLs of the cached list that take no part.
	excluded []Excluded
	// levels are the overrides: registry, application, service; a later level wins (spec §9.4).
	levels [3]Configurators
	// groupLevels are further ones, for the providers of one group, which come last; only a reference for several groups has them.
	groupLevels map[string]Configurators
	// changedLevels makes the next refresh look at every provider again.
	changedLevels bool
	// retired collects the records that lost their last reference, for the writer to drain.
	retired []*record
	// marks counts the walks that mark records.
	marks uint64
	// countRepeats reproduces the connection that 3.x leaks for each repeated URL (spec §8.4, step 7), as a count.
	countRepeats bool
}

// plan is what a refresh means to do with one entry.
type plan struct {
	entry  *entry
	record *record
	skip   Reason
}

// clear takes the news that there are no providers at all and reports whether that changed anything.
func (p *providers) clear() (changed bool) {
	changed = !p.forbidden || len(p.list) > 0
	p.forbidden, p.change = true, nil
	for _, e := range p.live {
		p.drop(e)
	}
	p.live, p.list, p.placed, p.applications = nil, nil, 0, nil
	if p.s.Dialect != dialect.Dubbo26 {
		p.cached = nil // 2.6 keeps it, and so brings dead providers back with the next override
	}
	return changed
}

// refresh takes a new provider list, or none to apply changed overrides to the last one, and reports
// whether the instances or the forbidden state changed. d is how the list came out of an earlier one, nil when that is not known.
func (p *providers) refresh(list []*entry, d *delta) (changed bool) {
	lenient := p.s.Dialect == dialect.Dubbo26 || p.s.Dialect == dialect.Dubbo31 || p.s.Dialect == dialect.Dubbo33
	if lenient && p.forbidden {
		p.forbidden, changed = false, true
	}
	if p.reapplied = len(list) == 0; p.reapplied {
		list, d = p.cached, nil
	} else {
		p.cached = list
	}
	p.change = nil
	if p.s.Dialect == dialect.Dubbo27 && !p.changedLevels {
		p.change = d
	}
	if len(list) == 0 {
		return changed
	}
	if p.forbidden {
		p.forbidden, changed = false, true
	}
	return p.adopt(list, d) || changed
}

// adopt puts list in force, unless nothing of it can be used. With d, and when that starts from the list in force, only what
// came and what has no instance is looked at.
func (p *providers) adopt(list []*entry, d *delta) bool {
	all := p.changedLevels
	p.changedLevels = false
	if d == nil && sameEntries(list, p.live) {
		d = &delta{from: p.live}
	}
	if all || d != nil && !sameEntries(d.from, p.live) {
		d = nil
	}
	open, usable := p.open(list, d, all)
	plans := make([]plan, 0, len(open))
	disabled := false
	p.grow(len(open))
	defer p.grow(0)
	for _, e := range open {
		next := p.plan(e)
		plans = append(plans, next)
		if next.record != nil {
			usable++
		}
		disabled = disabled || next.skip == Disabled
	}
	if usable == 0 && (p.s.Dialect != dialect.Standard || !disabled) {
		// Every conversion failed: the old instances stay (spec §8.4). In the Dubbo dialects that
		// is also what disabling every provider comes to; Standard takes "disabled" at its word.
		for _, next := range plans {
			if next.entry.record == nil {
				next.entry.place(nil, next.skip)
			}
		}
		p.changedLevels = all // what stays was made under older overrides
		p.exclude(list, withRecord(list))
		return false
	}
	var added []*service.Instance
	before := p.table.retired
	for i := range plans {
		if next := plans[i].record; next != nil && !next.listed {
			next.listed = true
			added = append(added, next.instance)
		}
	}
	for i := range plans {
		e := plans[i].entry
		old := e.record
		e.place(plans[i].record, plans[i].skip)
		if old != nil {
			p.release(old)
		}
	}
	if d != nil {
		for _, e := range d.removed {
			p.drop(e)
		}
	} else {
		p.dropMissing(list)
	}
	gone := p.retired[len(p.retired)-(p.table.retired-before):]
	p.live, p.placed = list, usable
	if p.countRepeats && !p.reapplied { // the list at hand is a set there
		p.countRepeated(list)
	}
	changed := len(added) > 0 || len(gone) > 0
	if changed {
		p.list = rearrange(p.list, added, gone)
		p.count(added, gone)
	}
	p.exclude(list, usable)
	return changed
}

// grow makes room for what becomes of n entries, and lets go of what was left of earlier room.
func (p *providers) grow(n int) {
	p.table.grow(n)
	p.s.merged.Grow(n)
	p.s.unchecked.Grow(n)
}

// open returns the entries of list that must be planned, in order, and how many others have an instance.
func (p *providers) open(list []*entry, d *delta, all bool) (open []*entry, placed int) {
	if all {
		return list, 0
	}
	if d != nil {
		placed = p.placed
		for _, e := range d.removed {
			if e.record != nil {
				placed--
			}
		}
		if placed+len(d.added) == len(list) {
			return d.added, placed
		}
	}
	placed = 0
	for _, e := range list {
		if e.record != nil {
			placed++
		} else {
			open = append(open, e)
		}
	}
	return open, placed
}

// withRecord counts the entries that have an instance.
func withRecord(list []*entry) (n int) {
	for _, e := range list {
		if e.record != nil {
			n++
		}
	}
	return n
}

// plan decides what becomes of one provider URL (spec §8.4, toInvokers). A record in the plan carries a reference.
func (p *providers) plan(e *entry) plan {
	if e.drop != "" {
		return plan{entry: e, skip: e.drop}
	}
	scheme := e.url.Scheme()
	if len(p.s.accepted) > 0 && !slices.Contains(p.s.accepted, scheme) {
		return plan{entry: e, skip: ProtocolNotAccepted}
	}
	if !slices.Contains(p.s.spoken, scheme) {
		return plan{entry: e, skip: ProtocolUnsupported}
	}
	url, labels, err := p.effective(e)
	if err != nil {
		return plan{entry: e, skip: OverrideFailed}
	}
	// Whether a provider is disabled is asked only of new identities in Dubbo, which comes to the same: an override changes the identity.
	allowed := url.Bool("enabled", true)
	if url.Get("disabled", "") != "" {
		allowed = !url.Bool("disabled", false)
	}
	if !allowed {
		return plan{entry: e, skip: Disabled}
	}
	if r := e.record; r != nil && sameIdentity(r.instance, url, labels) {
		r.refs++
		return plan{entry: e, record: r}
	}
	r, _ := p.table.acquire(e.url, url, labels)
	return plan{entry: e, record: r}
}

// effective applies the overrides and returns the effective URL and what condition rules see (spec §9.6): in 2.x the
// same URL; in 3.x what the provider registered; in Standard that with the overrides, but without the consumer's values.
func (p *providers) effective(e *entry) (url, labels durl.URL, err error) {
	url, labels = p.s.merged.Of(e.url), e.url
	var mirror durl.URL
	if p.s.Dialect == dialect.Standard {
		mirror = labels
	}
	for i := range p.levels {
		if url, mirror, err = p.levels[i].applyBoth(url, mirror, p.s.localHost); err != nil {
			return url, labels, err
		}
	}
	if level, ok := p.groupLevels[e.url.Get("group", "")]; ok {
		if url, mirror, err = level.applyBoth(url, mirror, p.s.localHost); err != nil {
			return url, labels, err
		}
	}
	switch d := p.s.Dialect; {
	case d == dialect.Dubbo31 && mocked(url):
		url = url.Without("dubbo.tag")
	case d == dialect.Dubbo33 && mocked(url):
		url = url.Without("mock") // the consumer's own counts
	}
	url = p.s.shapes.Share(url)
	switch p.s.Dialect {
	case dialect.Standard:
		return url, p.s.shapes.Share(mirror), nil
	case dialect.Dubbo26, dialect.Dubbo27:
		url = p.s.unchecked.Of(url)
		return url, url, nil
	}
	return p.s.unchecked.Of(url), labels, nil
}

// mocked reports whether a merged URL says how calls, or those of a method, are mocked. A 3.1 consumer then takes the tag off
// the provider, a 3.3 one the mock.
func mocked(url durl.URL) bool {
	if url.Get("mock", "") != "" {
		return true
	}
	if methods := url.Get("methods", ""); methods != "" {
		for method := range strings.SplitSeq(methods, ",") {
			if url.Get(method+".mock", "") != "" {
				return true
			}
		}
		return false
	}
	for k := range url.All() {
		if method, key, ok := strings.Cut(k, "."); ok && method != "" && key == "mock" {
			return true
		}
	}
	return false
}

// dropMissing releases the entries of the live list that are not in list.
func (p *providers) dropMissing(list []*entry) {
	old := p.live
	for len(old) > 0 && len(list) > 0 && old[0] == list[0] {
		old, list = old[1:], list[1:]
	}
	for len(old) > 0 && len(list) > 0 && old[len(old)-1] == list[len(list)-1] {
		old, list = old[:len(old)-1], list[:len(list)-1]
	}
	if len(old) == 0 {
		return
	}
	keep := make(map[*entry]struct{}, len(list))
	for _, e := range list {
		keep[e] = struct{}{}
	}
	for _, e := range old {
		if _, ok := keep[e]; !ok {
			p.drop(e)
		}
	}
}

func (p *providers) drop(e *entry) {
	if r := e.record; r != nil {
		e.record = nil
		p.release(r)
	}
}

func (p *providers) release(r *record) {
	if p.table.release(r) {
		p.retired = append(p.retired, r)
	}
}

// countRepeated counts a created instance for each entry whose instance an earlier entry of the list already is.
func (p *providers) countRepeated(list []*entry) {
	p.marks++
	for _, e := range list {
		if e.record == nil {
			continue
		}
		if e.record.mark == p.marks {
			p.table.created++
		}
		e.record.mark = p.marks
	}
}

// rearrange returns list without gone and with added, in order. The arguments stay as they are, except that added gets sorted.
func rearrange(list, added []*service.Instance, gone []*record) []*service.Instance {
	if !slices.IsSortedFunc(added, compareInstances) {
		slices.SortFunc(added, compareInstances)
	}
	lost := make([]int, 0, len(gone))
	for _, r := range gone {
		i, ok := slices.BinarySearchFunc(list, r.instance, compareInstances)
		if !ok || list[i] != r.instance {
			i = slices.Index(list, r.instance) // texts that compare equal: rare
		}
		if i >= 0 {
			lost = append(lost, i)
		}
	}
	slices.Sort(lost)
	out := make([]*service.Instance, 0, len(list)+len(added)-len(lost))
	next := 0
	place := func(upto int) { // copies list[next:upto], merging added in
		for next < upto {
			run := upto
			if len(added) > 0 {
				i, _ := slices.BinarySearchFunc(list[next:upto], added[0], compareInstances)
				run = next + i
			}
			out = append(out, list[next:run]...)
			next = run
			if run < upto {
				out = append(out, added[0])
				added = added[1:]
			}
		}
	}
	for _, i := range lost {
		place(i)
		next = i + 1
	}
	place(len(list))
	return append(out, added...)
}
