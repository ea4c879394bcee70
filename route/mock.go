package route

import "github.com/dubway-go/dubway/internal/bitset"

// Branches of the mock subject.
const (
	mockAbsent uint32 = iota
	mockWanted
	mockOther
)

// mock emits the mock selector (spec §6.1): without the attachment providers of protocol mock are left
// out, with "true" only they are kept, with anything else nothing changes.
func (c *compiler) mock() {
	at := c.subject(subjectKey{kind: subjectMock})
	s := c.prog.subjects[at]
	s.absent = &class{id: c.ids.Add(1), branch: mockAbsent}
	s.yes = &class{id: c.ids.Add(1), branch: mockWanted}
	s.other = &class{id: c.ids.Add(1), branch: mockOther}
	mocks := bitset.Make(c.n)
	index := c.values.Schemes()
	if v, ok := index.Lookup("mock"); ok {
		index.AddValue(mocks, v)
	}
	cases := make([]switchCase, 3)
	if mocks.Any() {
		others := mocks.Clone()
		others.Not(c.n)
		cases[mockAbsent] = switchCase{{keep: &members{bits: others}, reason: ReasonMockExcluded, stop: ReasonMockExcluded, label: "protocol other than mock"}}
	}
	cases[mockWanted] = switchCase{{keep: &members{bits: mocks}, reason: ReasonMockOnly, stop: ReasonMockOnly, label: "protocol mock"}}
	c.prog.ops = append(c.prog.ops, op{kind: opSwitch, router: RouterMock, verdict: NoMock, special: &special{first: at, second: -1, cases: cases}})
}
