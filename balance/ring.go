package balance

import (
	"crypto/md5"
	"encoding/binary"
	"math/bits"
	"slices"
	"strconv"
)

// DefaultHashNodes is the number of virtual nodes of a provider when hash.nodes is absent (spec §11.2).
const DefaultHashNodes = 160

// maxHashNodes bounds hash.nodes: a provider cannot make its callers spend memory without limit.
const maxHashNodes = 1 << 14

// point is one virtual node: a place on the circle of 32-bit hashes and the index of its provider.
type point struct {
	hash  uint32
	owner int32
}

// ring is a consistent-hash circle (spec §11.2): each provider has nodes/4 MD5 digests of its address
// followed by a running number, each digest gives four little-endian 32-bit points. It is immutable.
type ring struct {
	addresses []string
	nodes     int
	points    []point
	// starts[b] is the position of the first point whose hash >> shift is at least b. MD5 spreads the points evenly, so that
	// a search reads one entry and a few points beside each other, whatever the size.
	starts []uint32
	shift  uint8
}

// pointsPerStart is how many points there are for each entry of starts, on average.
const pointsPerStart = 4

// newRing builds the ring of addresses. With previous of the same node count, only the providers that
// previous lacks are hashed and the rest is merged in linear time.
func newRing(addresses []string, nodes int, previous *ring) *ring {
	r := &ring{addresses: addresses, nodes: nodes}
	digests := nodes / 4
	if digests <= 0 {
		return r
	}
	known := make([]bool, len(addresses))
	var kept []point
	if previous != nil && previous.nodes == nodes {
		kept = previous.keepOnly(addresses, known)
	}
	added := make([]point, 0, len(addresses)*digests*4-len(kept))
	var buffer [128]byte
	for i, address := range addresses {
		if known[i] {
			continue
		}
		text := append(buffer[:0], address...)
		for n := range digests {
			sum := md5.Sum(strconv.AppendInt(text, int64(n), 10))
			for h := range 4 {
				added = append(added, point{binary.LittleEndian.Uint32(sum[h*4:]), int32(i)})
			}
		}
	}
	slices.SortFunc(added, comparePoints)
	r.points = mergePoints(kept, added)
	r.index()
	return r
}

// index fills in starts.
func (r *ring) index() {
	width := bits.Len(uint(len(r.points) / pointsPerStart))
	r.shift = uint8(32 - width)
	r.starts = make([]uint32, 1<<width+1)
	next := 0
	for i, p := range r.points {
		for ; next <= int(p.hash>>r.shift); next++ {
			r.starts[next] = uint32(i)
		}
	}
	for ; next < len(r.starts); next++ {
		r.starts[next] = uint32(len(r.points))
	}
}

// comparePoints orders by hash, then by the provider's place in the list.
func comparePoints(a, b point) int {
	if a.hash != b.hash {
		if a.hash < b.hash {
			return -1
		}
		return 1
	}
	return int(a.owner) - int(b.owner)
}

// keepOnly returns r's points of the providers that are also in addresses, under their new indexes, and
// marks those as known. Of an address listed twice only the last is reused (it owns the points).
func (r *ring) keepOnly(addresses []string, known []bool) []point {
	at := make(map[string]int32, len(addresses))
	for i, address := range addresses {
		at[address] = int32(i)
	}
	moved := make([]int32, len(r.addresses))
	kept, ordered, last := 0, true, int32(-1)
	for i, address := range r.addresses {
		to, ok := at[address]
		if !ok || known[to] {
			moved[i] = -1
			continue
		}
		moved[i], known[to] = to, true
		kept++
		ordered = ordered && to > last
		last = to
	}
	out := make([]point, 0, kept*(r.nodes/4)*4)
	for _, p := range r.points {
		if to := moved[p.owner]; to >= 0 {
			out = append(out, point{p.hash, to})
		}
	}
	if !ordered {
		slices.SortFunc(out, comparePoints)
	}
	return out
}

func mergePoints(a, b []point) []point {
	if len(a) == 0 {
		return b
	}
	out := make([]point, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if comparePoints(a[0], b[0]) <= 0 {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, b[0]), b[1:]
		}
	}
	return append(append(out, a...), b...)
}

// find returns the position of the first point at or after hash, wrapping; -1 on an empty ring. Where
// providers share a point, the one listed last owns it, as the last write to Java's map does.
func (r *ring) find(hash uint32) int {
	if len(r.points) == 0 {
		return -1
	}
	bucket := hash >> r.shift
	low, high := int(r.starts[bucket]), int(r.starts[bucket+1])
	for low < high {
		middle := int(uint(low+high) >> 1)
		if r.points[middle].hash < hash {
			low = middle + 1
		} else {
			high = middle
		}
	}
	if low == len(r.points) {
		low = 0
	}
	return r.owning(low)
}

// after returns the position that follows position clockwise.
func (r *ring) after(position int) int {
	if position++; position == len(r.points) {
		position = 0
	}
	return r.owning(position)
}

// owning moves from the first of equal points to the last.
func (r *ring) owning(position int) int {
	for position+1 < len(r.points) && r.points[position+1].hash == r.points[position].hash {
		position++
	}
	return position
}

// same reports whether r is the ring of these addresses and this node count.
func (r *ring) same(addresses []string, nodes int) bool {
	return r.nodes == nodes && slices.Equal(r.addresses, addresses)
}

// ringHash is the place of a request key on the circle: the first four bytes of its MD5.
func ringHash(key []byte) uint32 {
	sum := md5.Sum(key)
	return binary.LittleEndian.Uint32(sum[:])
}
