package directory

import (
	"cmp"
	"strings"
	"sync/atomic"

	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/service"
)

// record is one provider instance in the life of a directory: made, shared by the URLs that mean the
// same provider, retired. The writer owns it, except calls.
type record struct {
	instance *service.Instance
	owner    *drainer // nil in a Replay
	hash     uint64
	refs     int32
	// listed is set once the instance is in the directory's list.
	listed bool
	next   *record // in the same hash bucket
	// mark is the number of the walk that met the record last.
	mark  uint64
	calls inflight
}

// inflight counts running calls. A record fills a cache line of its own, so callers on other instances do not disturb it.
type inflight struct {
	// n is the number of running calls; once the instance is drained it is far below zero.
	n       atomic.Int64
	retired atomic.Bool
}

// drained is what a drained counter is set to: no number of late callers brings it above zero.
const drained = -1 << 40

// table finds the record of an identity: the effective URL and what rules see of it (spec §8.4, step 6).
type table struct {
	owner            *drainer
	buckets          map[uint64]*record
	created, retired int
	// more is how many identities are expected; room is for the next ones.
	more      int
	records   []record
	instances []service.Instance
}

// Records and their instances are allocated several at a time, and handed out in step, so that a record and its instance that stay keep no more than
// their piece. Eight records fill 512 bytes, which the allocator aligns to them, so that each has a cache line of its own; four instances fill 448.
// Larger pieces have a header before them, and sizes that fit less well.
const (
	recordsPerPiece   = 8
	instancesPerPiece = 4
)

// grow makes room for n identities that are to come. More, or fewer, may come.
func (t *table) grow(n int) {
	t.more, t.records, t.instances = n, nil, nil
	if t.buckets == nil {
		t.buckets = make(map[uint64]*record, n)
	}
}

// newRecord returns a record with its instance, to be filled in.
func (t *table) newRecord() *record {
	if len(t.records) == 0 {
		t.records, t.instances = make([]record, max(1, min(t.more, recordsPerPiece))), nil
	}
	if len(t.instances) == 0 {
		t.instances = make([]service.Instance, min(len(t.records), instancesPerPiece))
	}
	r := &t.records[0]
	r.instance = &t.instances[0]
	t.records, t.instances = t.records[1:], t.instances[1:]
	t.more--
	return r
}

// acquire returns the record for the identity, a new one when there is none, with one more reference.
func (t *table) acquire(provider, url, labels durl.URL) (r *record, isNew bool) {
	h := url.Hash()
	for r := t.buckets[h]; r != nil; r = r.next {
		if sameIdentity(r.instance, url, labels) {
			r.refs++
			return r, false
		}
	}
	if t.buckets == nil {
		t.buckets = make(map[uint64]*record)
	}
	r = t.newRecord()
	r.owner, r.hash, r.refs, r.next = t.owner, h, 1, t.buckets[h]
	r.instance.Init(provider, url, labels)
	r.instance.Keep(r)
	t.buckets[h] = r
	t.created++
	return r, true
}

func sameIdentity(in *service.Instance, url, labels durl.URL) bool {
	return in.URL.Equal(url) && in.Labels.Equal(labels)
}

// release takes one reference away and reports whether it was the last.
func (t *table) release(r *record) bool {
	if r.refs--; r.refs > 0 {
		return false
	}
	var prev *record
	for b := t.buckets[r.hash]; b != nil; prev, b = b, b.next {
		if b != r {
			continue
		}
		switch {
		case prev != nil:
			prev.next = b.next
		case b.next != nil:
			t.buckets[r.hash] = b.next
		default:
			delete(t.buckets, r.hash)
		}
		break
	}
	r.next = nil
	t.retired++
	return true
}

// compareInstances is the order of a directory's instances: address, effective URL, what rules see. It depends on
// nothing that came before, so equal states have equal orders.
func compareInstances(a, b *service.Instance) int {
	if c := strings.Compare(a.Address(), b.Address()); c != 0 || a == b {
		return c
	}
	return cmp.Or(strings.Compare(a.URL.Full(), b.URL.Full()), strings.Compare(a.Labels.Full(), b.Labels.Full()))
}
