package dubbo

import (
	"hash/maphash"
	"sync/atomic"
)

const (
	// recurringSlots is how many byte strings of a kind a connection remembers: a few services' methods, a few sets of attachments.
	recurringSlots = 16
	// maxRecurring is the longest that is remembered, in bytes.
	maxRecurring = 1 << 10
)

// recurring remembers what byte strings mean that come again and again on a connection: the front of a request, which names service and method, and
// its attachments. Only what came twice with nothing else in its place between is kept, so texts that are new in each call (trace ids) cost a hash and keep
// nothing. What was kept never changes, so any goroutine may use it without a lock. Make it with newRecurring.
type recurring[T any] struct {
	seed  maphash.Seed
	slots [recurringSlots]recurringSlot[T]
}

type recurringSlot[T any] struct {
	met  atomic.Uint64 // hash of the last bytes that were not found here
	kept atomic.Pointer[keptBytes[T]]
}

type keptBytes[T any] struct {
	wire  string
	value T
}

func newRecurring[T any]() *recurring[T] { return &recurring[T]{seed: maphash.MakeSeed()} }

// find returns what wire means, or nil when that is not remembered. With again it came twice now: keep it at place.
func (r *recurring[T]) find(wire []byte) (value *T, place uint64, again bool) {
	if len(wire) > maxRecurring {
		return nil, 0, false
	}
	place = maphash.Bytes(r.seed, wire)
	s := &r.slots[place%recurringSlots]
	if k := s.kept.Load(); k != nil && k.wire == string(wire) {
		return &k.value, place, false
	}
	return nil, place, s.met.Swap(place) == place
}

// peek is find for one who keeps nothing.
func (r *recurring[T]) peek(wire []byte) *T {
	if len(wire) > maxRecurring {
		return nil
	}
	place := maphash.Bytes(r.seed, wire)
	if k := r.slots[place%recurringSlots].kept.Load(); k != nil && k.wire == string(wire) {
		return &k.value
	}
	return nil
}

// keep remembers what wire means under the place that find gave.
func (r *recurring[T]) keep(place uint64, wire []byte, value *keptBytes[T]) {
	value.wire = string(wire)
	r.slots[place%recurringSlots].kept.Store(value)
}
