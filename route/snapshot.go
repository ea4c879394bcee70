package route

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/rule"
	"github.com/dubway-go/dubway/service"
)

// maxSubjects is how many subjects a tuple may have and still be remembered; narrowSubjects is what
// the common path keeps on its stack.
const (
	narrowSubjects = 8
	maxSubjects    = 128
)

// Snapshot is one compiled state of a service: instances, rules and consumer. It is immutable as seen by callers
// and safe for concurrent use; inside it remembers decisions. Publish it with one atomic store and
// load it once per call.
type Snapshot struct {
	set      *service.Set
	built    time.Time
	notes    diag.List
	rules    Rules
	dialect  dialect.Dialect
	consumer service.Consumer
	chain    Chain
	prog     *program
	clauses  map[string]kept
	covers   map[*rule.Tag]members
	bare     bareCalls
	memory   memory
	filtered filteredSets
	pool     sync.Pool // of *scratch
}

// Set returns the instances.
func (s *Snapshot) Set() *service.Set { return s.set }

// Revision returns the revision of the instance set.
func (s *Snapshot) Revision() uint64 { return s.set.Revision() }

// Built returns when Compile made the snapshot.
func (s *Snapshot) Built() time.Time { return s.built }

// Rules returns the documents that the snapshot was compiled from. The caller must not change them.
func (s *Snapshot) Rules() Rules { return s.rules }

// Dialect returns the dialect that the snapshot was compiled for.
func (s *Snapshot) Dialect() dialect.Dialect { return s.dialect }

// Consumer returns the calling side.
func (s *Snapshot) Consumer() service.Consumer { return s.consumer }

// Chain returns the routers in order. The caller must not change it.
func (s *Snapshot) Chain() Chain { return s.chain }

// Diagnostics returns what Compile had to say about the rules. The caller must not change it.
func (s *Snapshot) Diagnostics() diag.List { return s.notes }

// Memory counts what the snapshot remembers.
func (s *Snapshot) Memory() MemoryStats { return s.filtered.stats(s.memory.stats()) }

// Route returns the candidates for a call. A call whose kind was seen before costs one look-up a
// subject and one for the decision, without attachments often the first alone: no lock, no allocation. A filter among the routers is asked for each call, and costs what it costs, until
// it says that all calls get the same answer.
func (s *Snapshot) Route(inv *rpc.Invocation) Candidates {
	slot := s.bare.slot(inv)
	if slot != nil {
		if n := slot.Load(); n != nil {
			if d := n.drawn(inv.Seed); d != nil {
				return s.filtering(inv, Candidates{s.set, d})
			}
		}
	}
	return s.filtering(inv, s.routeLong(inv, slot))
}

// routeLong is Route by way of all subjects, up to the first filter. slot is the call's short way from now on, nil without one.
func (s *Snapshot) routeLong(inv *rpc.Invocation, slot *atomic.Pointer[node]) Candidates {
	n := s.prog.keyed
	if n > narrowSubjects {
		return s.routeWide(inv, slot)
	}
	var buf [narrowSubjects]*class
	return s.lookUp(inv, buf[:n], slot)
}

// lookUp returns what is remembered for the call's classes, which it writes into classes, or computes it.
func (s *Snapshot) lookUp(inv *rpc.Invocation, classes []*class, slot *atomic.Pointer[node]) Candidates {
	hash := s.classify(inv, classes)
	if n := s.memory.find(hash, classes); n != nil {
		if slot != nil && slot.Load() != n {
			slot.Store(n)
		}
		if d := n.drawn(inv.Seed); d != nil {
			return Candidates{s.set, d}
		}
	}
	return Candidates{s.set, s.decide(hash, classes, inv.Seed)}
}

// filtering asks the filters, where there are any.
func (s *Snapshot) filtering(inv *rpc.Invocation, c Candidates) Candidates {
	if s.prog.head < 0 {
		return c
	}
	return s.filter(inv, c.decision)
}

// routeWide is routeLong for programs with many subjects, up to the first filter.
func (s *Snapshot) routeWide(inv *rpc.Invocation, slot *atomic.Pointer[node]) Candidates {
	var buf [maxSubjects]*class
	classes := buf[:]
	if n := s.prog.keyed; n <= maxSubjects {
		classes = classes[:n]
	} else {
		classes = make([]*class, n)
	}
	return s.lookUp(inv, classes, slot)
}

// classify fills in the classes of the first subjects and returns the hash of the tuple.
func (s *Snapshot) classify(inv *rpc.Invocation, classes []*class) uint64 {
	hash := uint64(0x9E3779B97F4A7C15)
	for i, subject := range s.prog.subjects[:len(classes)] {
		c := subject.classOf(inv)
		classes[i] = c
		hash = (hash ^ c.id) * 0xBF58476D1CE4E5B9
	}
	return hash ^ hash>>32
}

// decide computes and remembers a decision.
func (s *Snapshot) decide(hash uint64, classes []*class, seed uint64) *Decision {
	sc := s.pool.Get().(*scratch)
	sc.seed = seed
	why := s.prog.run(classes, sc, nil)
	d := s.memory.remember(hash, classes, sc, s.set.Len(), why)
	s.pool.Put(sc)
	return d
}
