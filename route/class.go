package route

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Bounds of what a subject remembers beside the literals of the rules. Beyond them values are judged anew on each call.
const (
	maxValues      = 256 // values a subject
	maxValueLength = 128 // longer values are not remembered
	maxClasses     = 256 // interned classes a subject
)

// class is the set of a subject's atoms that hold for a value, written as the atoms whose answer differs
// from the subject's base: few, however many rules there are. Values in one class are indistinguishable to the
// program. A class with id 0 was not interned and must not be remembered.
type class struct {
	id     uint64
	branch uint32    // for subjects of a switch: which case
	differ []uint32  // ascending atom numbers
	bare   bareNodes // where this class alone decides
}

// valueTable maps the values of one subject to classes: literals of the rules, put in while compiling, and
// other values as calls bring them. Reading takes no lock; the number of slots is fixed.
type valueTable struct {
	seed  textSeed
	slots []atomic.Pointer[valueEntry]
	room  atomic.Int32
	mu    sync.Mutex
}

type valueEntry struct {
	words words
	value string
	class *class
}

// is reports whether the entry is that of a value with these words.
func (e *valueEntry) is(value string, w words) bool {
	return e.words == w && len(e.value) == len(value) && (len(value) < longText || e.value == value)
}

func newValueTable(seed textSeed, literals, extra int) *valueTable {
	size := 8
	for size < 2*(literals+extra) {
		size *= 2
	}
	t := &valueTable{seed: seed, slots: make([]atomic.Pointer[valueEntry], size)}
	t.room.Store(int32(literals + extra))
	return t
}

// find returns the class of a value, nil when it is not in the table. It keeps nothing of value.
func (t *valueTable) find(value string) *class {
	w, place := t.seed.known(value)
	mask := uint64(len(t.slots) - 1)
	for i := place & mask; ; i = (i + 1) & mask {
		e := t.slots[i].Load()
		if e == nil {
			return nil
		}
		if e.is(value, w) {
			return e.class
		}
	}
}

// full reports whether nothing more will be remembered.
func (t *valueTable) full() bool { return t.room.Load() <= 0 }

// remember puts a value in unless the table is full. At least half of the slots stay empty, so find ends.
func (t *valueTable) remember(value string, c *class) {
	w, place := t.seed.known(value)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.room.Load() <= 0 {
		return
	}
	mask := uint64(len(t.slots) - 1)
	for i := place & mask; ; i = (i + 1) & mask {
		e := t.slots[i].Load()
		if e == nil {
			t.slots[i].Store(&valueEntry{w, strings.Clone(value), c})
			t.room.Add(-1)
			return
		}
		if e.is(value, w) {
			return
		}
	}
}

// classTable interns classes by which atoms hold. Reading takes no lock; the number of slots is fixed.
type classTable struct {
	slots []atomic.Pointer[class]
	room  int
	mu    sync.Mutex
}

func newClassTable(room int) *classTable {
	size := 8
	for size < 2*room {
		size *= 2
	}
	return &classTable{slots: make([]atomic.Pointer[class], size), room: room}
}

// intern returns the class with the given differences, or a new one with id 0 when the table is full.
// The argument is copied when it is kept.
func (t *classTable) intern(differ []uint32, ids *atomic.Uint64) *class {
	hash := uint64(len(differ))
	for _, a := range differ {
		hash = (hash ^ uint64(a)) * 0x9E3779B97F4A7C15
		hash ^= hash >> 29
	}
	i, c := t.probe(differ, hash&uint64(len(t.slots)-1))
	if c != nil {
		return c
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if i, c = t.probe(differ, i); c != nil {
		return c
	}
	c = &class{differ: slices.Clone(differ)}
	if t.room > 0 {
		t.room--
		c.id = ids.Add(1)
		t.slots[i].Store(c)
	}
	return c
}

// probe looks from slot i on for the class, and stops at the first empty slot.
func (t *classTable) probe(differ []uint32, i uint64) (uint64, *class) {
	mask := uint64(len(t.slots) - 1)
	for ; ; i = (i + 1) & mask {
		c := t.slots[i].Load()
		if c == nil || slices.Equal(c.differ, differ) {
			return i, c
		}
	}
}
