package route

import (
	"sync"
	"sync/atomic"

	"github.com/dubway-go/dubway/internal/bitset"
)

// Bounds of a snapshot's decision memory.
const (
	maxEntries   = 1024     // remembered tuples of classes
	maxDecisions = 1024     // distinct candidate sets
	maxBytes     = 64 << 20 // bitsets and index lists of the distinct candidate sets
)

// MemoryStats counts what a snapshot remembers. Entries and Decisions never exceed their bounds.
type MemoryStats struct {
	// Entries is how many kinds of call are remembered, Decisions how many distinct candidate sets
	// they lead to, Bytes what those sets take.
	Entries, Decisions int
	Bytes              int64
	// Filtered is how many candidate sets that filters left are shared between calls; Bytes counts them too.
	Filtered int
	// Unremembered counts calls that had to be computed because the memory is full or the call has a
	// value of a class beyond the bound.
	Unremembered uint64
}

// memory maps tuples of classes to decisions. Reading takes no lock. The table starts small, because most services see few
// kinds of call and a process may have thousands of services, and is replaced by a larger one when half of its slots are taken.
type memory struct {
	entries atomic.Pointer[entryTable]

	// What follows is written by calls of new kinds, and by each call once the memory is full: it keeps off the cache line that
	// every call reads.
	_            [64]byte
	decisions    map[uint64][]*Decision // by content; guarded by mu
	mu           sync.Mutex
	entryCount   atomic.Int32
	filled       int // slots of the table that are taken
	distinct     int
	bytes        int64
	unremembered atomic.Uint64
}

// entryTable is an open hash table; its length is a power of two, and at least half of it stays empty.
type entryTable []atomic.Pointer[entry]

// firstSlots is the length of the first table.
const firstSlots = 16

type entry struct {
	hash    uint64
	classes []*class
	outcome node
}

// node is what a tuple of classes leads to: a decision, or a split with a node for each share that was drawn so far.
type node struct {
	decision *Decision
	bounds   []uint64
	total    uint64
	next     []atomic.Pointer[node]
}

// drawn returns the decision that a seed leads to; nil when a share is new.
func (n *node) drawn(seed uint64) *Decision {
	if n.decision != nil {
		return n.decision
	}
	return n.follow(seed)
}

// follow walks the splits below a node as the seed draws them; nil when a share is new.
func (n *node) follow(seed uint64) *Decision {
	for depth := 0; n.decision == nil; depth++ {
		next := n.next[pick(n.bounds, draw(seed, depth, n.total))].Load()
		if next == nil {
			return nil
		}
		n = next
	}
	return n.decision
}

// find returns what is remembered for a tuple, or nil.
func (m *memory) find(hash uint64, classes []*class) *node {
	loaded := m.entries.Load()
	if loaded == nil {
		return nil
	}
	table := *loaded
	mask := uint64(len(table) - 1)
probe:
	for i := hash & mask; ; i = (i + 1) & mask {
		e := table[i].Load()
		if e == nil {
			return nil
		}
		if e.hash != hash || len(e.classes) != len(classes) {
			continue
		}
		for k, c := range e.classes {
			if c != classes[k] {
				continue probe
			}
		}
		return &e.outcome
	}
}

// remember interns the candidate set of a run and stores it under the tuple and the shares drawn; when there is no
// room, or a class is not interned, the decision it returns is for this call only. The candidates are copied.
func (m *memory) remember(hash uint64, classes []*class, sc *scratch, n int, why Verdict) *Decision {
	for _, c := range classes {
		if c.id == 0 {
			m.unremembered.Add(1)
			return newDecision(sc.cand, n, why)
		}
	}
	d := m.intern(sc.cand, n, why)
	m.mu.Lock()
	defer m.mu.Unlock()
	if !d.kept || int(m.entryCount.Load())+len(sc.path) >= maxEntries {
		m.unremembered.Add(1)
		return d
	}
	at := m.find(hash, classes)
	if at == nil {
		at = m.insert(hash, classes, sc.path, d)
	}
	// Walk down as far as the path is known, and add the rest of it.
	for depth := range sc.path {
		slot := &at.next[sc.path[depth].share]
		next := slot.Load()
		if next == nil {
			next = newNode(sc.path[depth+1:], d)
			m.entryCount.Add(1)
			slot.Store(next)
		}
		at = next
	}
	return d
}

// newNode returns the node for what is left of a path.
func newNode(rest []drawn, d *Decision) *node {
	if len(rest) == 0 {
		return &node{decision: d}
	}
	return &node{bounds: rest[0].bounds, total: rest[0].total, next: make([]atomic.Pointer[node], len(rest[0].bounds))}
}

// insert stores a new entry; there is room.
func (m *memory) insert(hash uint64, classes []*class, path []drawn, d *Decision) *node {
	table := m.room()
	e := &entry{hash: hash, classes: append([]*class(nil), classes...), outcome: node{decision: d}}
	if len(path) > 0 {
		e.outcome = node{bounds: path[0].bounds, total: path[0].total, next: make([]atomic.Pointer[node], len(path[0].bounds))}
	}
	table.put(e)
	m.filled++
	m.entryCount.Add(1)
	return &e.outcome
}

// room returns the table with a slot to spare, a larger one when it must. Who still reads the old one finds less, and asks
// again under the lock.
func (m *memory) room() entryTable {
	old := m.entries.Load()
	if old != nil && 2*(m.filled+1) <= len(*old) {
		return *old
	}
	next := make(entryTable, firstSlots)
	if old != nil {
		next = make(entryTable, 2*len(*old))
		for i := range *old {
			if e := (*old)[i].Load(); e != nil {
				next.put(e)
			}
		}
	}
	m.entries.Store(&next)
	return next
}

// put stores an entry in the first free slot.
func (t entryTable) put(e *entry) {
	mask := uint64(len(t) - 1)
	i := e.hash & mask
	for t[i].Load() != nil {
		i = (i + 1) & mask
	}
	t[i].Store(e)
}

// intern returns the one remembered decision with this content, making it when there is room. A long list is copied without the lock, so that
// calls of other kinds do not wait for it.
func (m *memory) intern(cand bitset.Set, n int, why Verdict) *Decision {
	hash := cand.Hash() + uint64(why)
	m.mu.Lock()
	known := m.known(hash, cand, why)
	m.mu.Unlock()
	if known != nil {
		return known
	}
	d := newDecision(cand, n, why)
	size := int64(8*len(d.bits) + 4*len(d.list) + 128)
	m.mu.Lock()
	defer m.mu.Unlock()
	if known := m.known(hash, cand, why); known != nil { // another call was first
		return known
	}
	if m.distinct >= maxDecisions || m.bytes+size > maxBytes && m.distinct > 0 {
		return d
	}
	if m.decisions == nil {
		m.decisions = make(map[uint64][]*Decision)
	}
	d.kept = true
	m.distinct++
	m.bytes += size
	m.decisions[hash] = append(m.decisions[hash], d)
	return d
}

// known returns the remembered decision with this content, or nil. The caller holds mu.
func (m *memory) known(hash uint64, cand bitset.Set, why Verdict) *Decision {
	for _, d := range m.decisions[hash] {
		if d.why == why && d.bits.Equal(cand) {
			return d
		}
	}
	return nil
}

func newDecision(cand bitset.Set, n int, why Verdict) *Decision {
	d := &Decision{bits: cand.Clone(), why: why}
	count := cand.Count()
	d.count = uint32(count)
	if count < n {
		d.list = cand.AppendTo(make([]uint32, 0, count))
	}
	return d
}

func (m *memory) stats() MemoryStats {
	m.mu.Lock()
	defer m.mu.Unlock()
	return MemoryStats{Entries: int(m.entryCount.Load()), Decisions: m.distinct, Bytes: m.bytes, Unremembered: m.unremembered.Load()}
}
