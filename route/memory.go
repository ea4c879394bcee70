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
	// Unremembered counts calls that had to be computed because the memory is full or the call has a
	// value of a class beyond the bound.
	Unremembered uint64
}

// memory maps tuples of classes to decisions. Reading takes no lock; both tables have a fixed number of
// slots of which at least half stay empty.
type memory struct {
	entries   atomic.Pointer[[2 * maxEntries]atomic.Pointer[entry]]
	decisions map[uint64][]*Decision // by content; guarded by mu

	mu           sync.Mutex
	entryCount   atomic.Int32
	distinct     int
	bytes        int64
	unremembered atomic.Uint64
}

type entry struct {
	hash     uint64
	classes  []*class
	decision *Decision
}

// find returns the decision remembered for a tuple, or nil.
func (m *memory) find(hash uint64, classes []*class) *Decision {
	table := m.entries.Load()
	if table == nil {
		return nil
	}
	const mask = 2*maxEntries - 1
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
		return e.decision
	}
}

// remember interns the candidate set and stores it under the tuple; when there is no room, or a class is
// not interned, the decision it returns is for this call only. cand is copied when it is kept.
func (m *memory) remember(hash uint64, classes []*class, cand bitset.Set, n int, why Verdict) *Decision {
	for _, c := range classes {
		if c.id == 0 {
			m.unremembered.Add(1)
			return newDecision(cand, n, why)
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	d := m.intern(cand, n, why)
	if !d.kept || m.entryCount.Load() >= maxEntries {
		m.unremembered.Add(1)
		return d
	}
	table := m.entries.Load()
	if table == nil {
		table = new([2 * maxEntries]atomic.Pointer[entry])
		m.entries.Store(table)
	}
	if known := m.find(hash, classes); known != nil {
		return known
	}
	const mask = 2*maxEntries - 1
	i := hash & mask
	for table[i].Load() != nil {
		i = (i + 1) & mask
	}
	table[i].Store(&entry{hash, append([]*class(nil), classes...), d})
	m.entryCount.Add(1)
	return d
}

// intern returns the one remembered decision with this content, making it when there is room.
func (m *memory) intern(cand bitset.Set, n int, why Verdict) *Decision {
	hash := cand.Hash() + uint64(why)
	for _, d := range m.decisions[hash] {
		if d.why == why && d.bits.Equal(cand) {
			return d
		}
	}
	d := newDecision(cand, n, why)
	size := int64(8*len(d.bits) + 4*len(d.list) + 128)
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
