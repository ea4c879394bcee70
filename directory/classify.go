package directory

import (
	"strings"

	"github.com/dubway-go/dubway/durl"
)

// entriesPerPiece is how many entries share a piece of memory at most; an entry that stays keeps its piece. The URLs that the entries hold share pieces
// of as many.
const entriesPerPiece = 16

// classifier makes entries of the texts of one list.
type classifier struct {
	s *settings
	// more is how many texts are still to come.
	more int
	room []entry
}

// classifier returns one for about n texts.
func (s *settings) classifier(n int) *classifier {
	s.reader.Grow(n)
	return &classifier{s: s, more: n}
}

// done gives back what was made ready for texts that did not come.
func (c *classifier) done() { c.s.reader.Grow(0) }

// entry returns an entry to be filled in.
func (c *classifier) entry() *entry {
	if len(c.room) == 0 {
		c.room = make([]entry, max(1, min(c.more, entriesPerPiece)))
	}
	e := &c.room[0]
	c.room = c.room[1:]
	c.more--
	return e
}

// classify reads one text and sorts it in (spec §8.3). Texts of kinds that were read before are not parsed.
func (c *classifier) classify(text string) *entry {
	s, e := c.s, c.entry()
	u, known := s.reader.Known(text)
	if !known {
		var err error
		if u, err = durl.ParseAs(text, s.Dialect); err != nil {
			e.kind, e.oddity = kindNone, &oddity{text: strings.Clone(text), drop: Unparsable, detail: reasonOf(err)}
			if strings.Contains(text, "://") {
				e.kind = kindProvider // a list in which nothing can be read is no empty list
			}
			return e
		}
	}
	is := s.kinds.Of(u)
	e.url, e.kind = u, is.kind
	if is.kind == kindProvider {
		if !known {
			e.url = s.reader.Share(u)
		}
		e.oddity = s.ordinary // its URL prints the text
		return e
	}
	e.oddity = &oddity{text: u.String(), drop: is.drop, detail: is.detail, category: is.category}
	return e
}
