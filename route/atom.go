package route

import (
	"cmp"
	"slices"

	"github.com/dubway-go/dubway/internal/bitset"
	"github.com/dubway-go/dubway/match"
)

// clause is the value test of one key: what spec §2.5 says about a match set and a mismatch set. Literals
// are looked up, so that a list of thousands of values costs no more than one.
type clause struct {
	in, notIn side
}

// side is one of the two sets.
type side struct {
	size     int
	always   bool // one of the patterns is *
	literals texts
	rest     []match.Pattern // patterns that are more than equality
}

// newSide compiles one set; room, which may be nil, is for its literals.
func newSide(patterns []match.Pattern, room []string) side {
	s := side{size: len(patterns), literals: texts{list: room}}
	for _, p := range patterns {
		if text, ok := p.Literal(); ok {
			s.literals.add(text, len(patterns))
			continue
		}
		switch {
		case p.Always():
			s.always = true
		case !p.Never():
			s.rest = append(s.rest, p)
		}
	}
	return s
}

// among reports whether some pattern matches a present value; literal tells whether a literal does.
func (s *side) among(value string, literal bool) bool {
	if s.always || literal {
		return true
	}
	for i := range s.rest {
		if s.rest[i].Match(value, true) {
			return true
		}
	}
	return false
}

// holds judges a present value (spec §2.5).
func (c *clause) holds(value string) bool {
	return c.answer(value, c.in.literals.has(value), c.notIn.literals.has(value))
}

// answer is holds when it is known whether the value is among the literals.
func (c *clause) answer(value string, in, out bool) bool {
	if c.notIn.among(value, out) {
		return false
	}
	return c.in.among(value, in) || c.in.size == 0 && c.notIn.size > 0
}

// literalOnly reports whether everything but * is plain equality.
func (c *clause) literalOnly() bool { return len(c.in.rest) == 0 && len(c.notIn.rest) == 0 }

// onlyIncludes reports whether the test is that the value is one of the literals.
func (c *clause) onlyIncludes() bool {
	return c.in.size > 0 && c.notIn.size == 0 && !c.in.always && len(c.in.rest) == 0
}

// onlyExcludes reports whether the test is that the value is none of the literals.
func (c *clause) onlyExcludes() bool {
	return c.in.size == 0 && c.notIn.size > 0 && !c.notIn.always && len(c.notIn.rest) == 0
}

// atom is one test on a subject's value: a clause of some condition's left side.
type atom struct {
	clause
	label string
}

// mention says that an atom names a literal, on which sides.
type mention struct {
	atom    uint32
	in, out bool
}

// atoms are the tests of one subject, arranged so that judging a value looks only at those that may answer
// otherwise than for a value that nobody names.
type atoms struct {
	list     []atom
	labels   map[string]int
	base     bitset.Set           // the answers for a value that no literal equals and no pattern matches
	mentions map[string][]mention // by literal, ascending
	patterns []uint32             // atoms with patterns, ascending
}

// find returns the number of the test with a label.
func (a *atoms) find(label []byte) (int, bool) {
	i, ok := a.labels[string(label)]
	return i, ok
}

// add adds a test that is new and returns its number.
func (a *atoms) add(t atom) int {
	if a.labels == nil {
		a.labels = make(map[string]int)
	}
	a.labels[t.label] = len(a.list)
	a.list = append(a.list, t)
	return len(a.list) - 1
}

// seal arranges the tests once all are known.
func (a *atoms) seal() {
	a.base = bitset.Make(len(a.list))
	a.mentions = make(map[string][]mention)
	for i := range a.list {
		t := &a.list[i]
		if !t.notIn.always && (t.in.always || t.in.size == 0 && t.notIn.size > 0) {
			a.base.Add(i)
		}
		if !t.literalOnly() {
			a.patterns = append(a.patterns, uint32(i))
		}
		for _, text := range t.in.literals.list {
			a.mentions[text] = append(a.mentions[text], mention{uint32(i), true, t.notIn.literals.has(text)})
		}
		for _, text := range t.notIn.literals.list {
			if !t.in.literals.has(text) {
				a.mentions[text] = append(a.mentions[text], mention{uint32(i), false, true})
			}
		}
	}
}

// differ appends the numbers of the atoms that answer otherwise than base for a present value, ascending.
func (a *atoms) differ(dst []uint32, value string) []uint32 {
	named := a.mentions[value]
	for _, p := range a.patterns {
		for len(named) > 0 && named[0].atom < p {
			dst = a.judge(dst, value, named[0])
			named = named[1:]
		}
		m := mention{atom: p}
		if len(named) > 0 && named[0].atom == p {
			m, named = named[0], named[1:]
		}
		dst = a.judge(dst, value, m)
	}
	for _, m := range named {
		dst = a.judge(dst, value, m)
	}
	return dst
}

func (a *atoms) judge(dst []uint32, value string, m mention) []uint32 {
	if a.list[m.atom].answer(value, m.in, m.out) != a.base.Has(int(m.atom)) {
		return append(dst, m.atom)
	}
	return dst
}

// has reports whether an atom holds for the values of a class.
func (a *atoms) has(c *class, atom int) bool {
	_, differs := slices.BinarySearchFunc(c.differ, uint32(atom), cmp.Compare[uint32])
	return a.base.Has(atom) != differs
}
