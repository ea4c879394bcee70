package route

import (
	"strings"
	"sync/atomic"

	"github.com/dubway-go/dubway/rpc"
)

type subjectKind uint8

const (
	subjectMock subjectKind = iota
	subjectTag
	subjectForce
	subjectMethod
	subjectArgument
	subjectAttachment
	subjectMesh
	subjectAddress
)

// genericMethod is the method name that a generic call has on the wire.
const genericMethod = "$invoke"

// mockKey is the attachment that asks for mock providers (spec §6.1).
const mockKey = "invocation.need.mock"

// subject is one thing about a call that the program depends on.
type subject struct {
	kind  subjectKind
	key   string // attachment
	index int    // argument
	// generic is set in the dialects in which a generic call shows itself as $invoke(method, types, args).
	generic bool

	atoms atoms
	// plain: every pattern is a literal, so a value that is not in the table is of class other.
	plain   bool
	other   *class
	absent  *class // also: argument beyond the last, attachment that is not text
	values  *valueTable
	classes *classTable
	ids     *atomic.Uint64

	yes     *class            // mock and force: the attachment says yes
	levels  map[string]*class // tag: classes of tags that are met by a leading part only
	longest int               // length of the longest such part
	force   forceRule
	mesh    *meshPlan
	address *addressPlan
}

// classOf returns the class of this subject for a call. It does not allocate once the value is known.
func (s *subject) classOf(inv *rpc.Invocation) *class {
	switch s.kind {
	case subjectMethod:
		if s.generic && !inv.Direct {
			return s.classify(genericMethod)
		}
		return s.classify(inv.Method)
	case subjectArgument:
		return s.argument(inv)
	case subjectMesh:
		return s.mesh.classOf(inv)
	case subjectAddress:
		return s.address.classOf(inv, s.absent)
	}
	if len(inv.Attachments) == 0 {
		return s.absent
	}
	switch s.kind {
	case subjectMock:
		v, ok := inv.Attachments.Get(mockKey)
		switch {
		case !ok:
			return s.absent
		case len(v) == 4 && strings.EqualFold(v, "true"):
			return s.yes
		}
		return s.other
	case subjectTag:
		v, _ := inv.Attachments.Get(rpc.TagKey)
		return s.tagClass(v)
	case subjectForce:
		v, ok := inv.Attachments.Get(rpc.ForceTagKey)
		if s.force.on(v, ok) {
			return s.yes
		}
		return s.other
	}
	v, ok := inv.Attachments.Get(s.key)
	if !ok {
		return s.absent
	}
	return s.classify(v)
}

// argument classifies argument index. Texts of numbers are formed on the stack.
func (s *subject) argument(inv *rpc.Invocation) *class {
	if s.generic && !inv.Direct {
		switch s.index {
		case 0:
			return s.classify(inv.Method)
		case 1:
			return s.classify("[Ljava.lang.String;")
		case 2:
			return s.classify("[Ljava.lang.Object;")
		}
		return s.absent
	}
	if s.index >= len(inv.Args) {
		return s.absent
	}
	arg := inv.Args[s.index]
	if text, ok := arg.(string); ok {
		return s.classify(text)
	}
	var buf [32]byte
	if text, ok := appendNumber(buf[:0], arg); ok {
		if c := s.values.find(string(text)); c != nil {
			return c
		}
		return s.classify(string(text))
	}
	return s.classify(JavaText(arg))
}

func (s *subject) classify(value string) *class {
	if c := s.values.find(value); c != nil {
		return c
	}
	if s.plain {
		return s.other
	}
	c := s.judge(value)
	if c.id != 0 && len(value) <= maxValueLength && !s.values.full() {
		s.values.remember(value, c)
	}
	return c
}

// judge returns the class of a value.
func (s *subject) judge(value string) *class {
	var buf [64]uint32
	return s.classes.intern(s.atoms.differ(buf[:0], value), s.ids)
}

// seal builds the tables once all atoms are known. missing is the value that stands for an absent one, when
// the dialect has such a thing; otherwise no atom holds for an absent value.
func (s *subject) seal(seed textSeed, missing string, hasMissing bool) {
	s.atoms.seal()
	s.plain = len(s.atoms.patterns) == 0
	literals, extra := len(s.atoms.mentions), maxValues
	if s.plain {
		extra = 0
	}
	s.values = newValueTable(seed, literals, extra)
	s.classes = newClassTable(literals + min(extra, maxClasses) + 3)
	if s.plain {
		for text := range s.atoms.mentions {
			s.values.remember(text, s.judge(text))
		}
		s.other = s.classes.intern(nil, s.ids)
	}
	if hasMissing {
		s.absent = s.judge(missing)
	} else {
		s.absent = s.classes.intern(s.atoms.base.AppendTo(nil), s.ids)
	}
}

// tagClass returns the class of a request tag. A tag a|b|c that is not known as a whole is met by the longest
// known one of a|b and a (spec §4.4).
func (s *subject) tagClass(tag string) *class {
	if tag == "" {
		return s.absent
	}
	if c := s.values.find(tag); c != nil {
		return c
	}
	if s.levels == nil {
		return s.other
	}
	for {
		i := strings.LastIndexByte(tag, '|')
		if i < 0 {
			return s.other
		}
		if tag = tag[:i]; len(tag) > s.longest {
			continue
		}
		if c := s.levels[tag]; c != nil {
			return c
		}
	}
}
