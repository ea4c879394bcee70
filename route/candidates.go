package route

import (
	"sync/atomic"

	"github.com/dubway-go/dubway/internal/bitset"
	"github.com/dubway-go/dubway/service"
)

// Candidates is the answer to one call: a view of a remembered Decision. It is a value of two words; copy it
// freely. It stays valid for as long as it is held, also after the snapshot is superseded. The zero
// value is empty.
type Candidates struct {
	set      *service.Set
	decision *Decision
}

// Len returns the number of candidates.
func (c Candidates) Len() int {
	if c.decision == nil {
		return 0
	}
	return int(c.decision.count)
}

// Index returns the number within Set of the n-th candidate, 0 ≤ n < Len. Candidates keep the set's order, except after a script of
// the 2.x dialects, which gives them in its own and may name one several times (spec §5.2).
func (c Candidates) Index(n int) int {
	if list := c.decision.list; list != nil {
		return int(list[n])
	}
	return n
}

// At returns the n-th candidate, 0 ≤ n < Len.
func (c Candidates) At(n int) *service.Instance { return c.set.At(c.Index(n)) }

// Set returns the instance set that was routed over; nil for the zero value.
func (c Candidates) Set() *service.Set { return c.set }

// Decision returns the decision behind the candidates; nil for the zero value.
func (c Candidates) Decision() *Decision { return c.decision }

// Why returns the verdict.
func (c Candidates) Why() Verdict {
	if c.decision == nil {
		return NoInstances
	}
	return c.decision.why
}

// Decision is one finished candidate set of a snapshot. Within a snapshot equal sets share one
// remembered Decision, so balancers can hang what they precompute on it. Beyond the bound of the
// snapshot's memory (see MemoryStats) a call gets a Decision of its own, which Remembered tells.
type Decision struct {
	bits  bitset.Set
	list  []uint32 // nil when every instance is a candidate
	count uint32
	why   Verdict
	kept  bool
	// ordered: list is not in the set's order. blame names the filter that left nobody.
	ordered bool
	blame   string
	// after is what the filters leave of it for every call, once they said that it is the same.
	after atomic.Pointer[Decision]
	slots [Slots]atomic.Pointer[any]
}

// Slots is how many independent balancer states a Decision has room for.
const Slots = 2

// Len returns the number of candidates.
func (d *Decision) Len() int { return int(d.count) }

// Why returns the verdict.
func (d *Decision) Why() Verdict { return d.why }

// Blame names the rule and the reason when a filter left nobody to this very call; else it is empty. Asking again what it was may get another
// answer.
func (d *Decision) Blame() string { return d.blame }

// Has reports whether instance i of the set is a candidate.
func (d *Decision) Has(i int) bool { return d.bits.Has(i) }

// Members returns the candidates as a bitset over the set's instances. The caller must not change it.
func (d *Decision) Members() bitset.Set { return d.bits }

// Remembered reports whether later calls can meet this very Decision again; only then is it worth
// precomputing anything for it.
func (d *Decision) Remembered() bool { return d.kept }

// Slot returns the i-th hook for precomputed state, 0 ≤ i < Slots: slot 0 is for the balancer of the
// directory, slot 1 for a cluster strategy. The content is never read by this package. The owner stores a
// pointer to a value that is immutable or safe for concurrent use; when two callers race to fill a slot, either may win.
func (d *Decision) Slot(i int) *atomic.Pointer[any] { return &d.slots[i] }
