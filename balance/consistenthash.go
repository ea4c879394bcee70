package balance

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/rpc"
)

// ConsistentHash sends calls with equal arguments to the same provider, and moves few of them when providers
// come or go (spec §11.2). Which arguments count says hash.arguments (numbers, default "0"); how many virtual
// nodes a provider has, hash.nodes (default 160). Both are read from the first candidate's URL, method-scoped
// or plain. Weights are ignored. The ring and the choice are those of Dubbo Java.
//
// dubbo-2.7 bounds the load as 2.7.15 to 2.7.23 do: a provider that has had 1.5 times its share since the ring was
// built is passed over, so equal arguments can go elsewhere. The search ends after one round (in Java
// it may not). Parameters that cannot be used refuse the call in the Dubbo dialects and count as absent in standard.
type ConsistentHash struct {
	base

	mu    sync.Mutex
	rings []*ring // the rings built last, newest first
	bound map[methodKey]*boundedLoad
}

// recentRings and recentPoints bound the rings that are kept for reuse by the next snapshots; the newest always is.
const (
	recentRings  = 16
	recentPoints = 1 << 21
)

// maxPoints bounds one ring: providers cannot make their callers spend memory without limit.
const maxPoints = 1 << 25

// NewConsistentHash returns the balancer "consistenthash".
func NewConsistentHash(o Options) *ConsistentHash { return &ConsistentHash{base: newBase(o)} }

// Name returns "consistenthash".
func (*ConsistentHash) Name() string { return NameConsistentHash }

// ringView is what one Decision remembers for one method.
type ringView struct {
	ring      *ring
	arguments []int
	refusal   error
	bounded   *boundedLoad // dubbo-2.7 only
}

// Pick implements Balancer.
func (b *ConsistentHash) Pick(c route.Candidates, inv *rpc.Invocation) int {
	switch c.Len() {
	case 0:
		return -1
	case 1:
		return 0
	}
	v := b.viewOf(c, inv)
	if v.refusal != nil {
		return -1
	}
	var buffer [128]byte
	hash := ringHash(v.appendKey(buffer[:0], inv.Args))
	if v.bounded != nil {
		return v.bounded.pick(v.ring, hash)
	}
	return int(v.ring.points[v.ring.find(hash)].owner)
}

// PickExcluding implements Excluder: the next provider clockwise that is not skipped, which is what a ring without the
// skipped ones gives.
func (b *ConsistentHash) PickExcluding(c route.Candidates, inv *rpc.Invocation, skip func(int) bool) int {
	switch c.Len() {
	case 0:
		return -1
	case 1:
		if skip(0) {
			return -1
		}
		return 0
	}
	v := b.viewOf(c, inv)
	if v.refusal != nil {
		return -1
	}
	at := v.ring.find(ringHash(v.appendKey(nil, inv.Args)))
	for range v.ring.points {
		if owner := int(v.ring.points[at].owner); !skip(owner) {
			return owner
		}
		at = v.ring.after(at)
	}
	return -1
}

// Refusal implements Refuser.
func (b *ConsistentHash) Refusal(c route.Candidates, inv *rpc.Invocation) error {
	if c.Len() < 2 {
		return nil
	}
	return b.viewOf(c, inv).refusal
}

// appendKey appends the text of the hashed arguments; numbers out of range are passed over.
func (v *ringView) appendKey(dst []byte, args []any) []byte {
	for _, i := range v.arguments {
		if i >= 0 && i < len(args) {
			dst = appendArgument(dst, args[i])
		}
	}
	return dst
}

func (b *ConsistentHash) viewOf(c route.Candidates, inv *rpc.Invocation) *ringView {
	key := viewKey{&b.base, viewRing, inv.Method}
	if v := viewsOf(c); v != nil {
		if r, ok := v.get(key).(*ringView); ok {
			return r
		}
	}
	r := b.build(c, inv)
	if !c.Decision().Remembered() {
		return r
	}
	b.ensureViews(c)
	return addView(c, key, r)
}

func (b *ConsistentHash) build(c route.Candidates, inv *rpc.Invocation) *ringView {
	first := c.At(0).URL
	v := new(ringView)
	var problem error
	nodes, err := hashNodes(first, inv.Method)
	if err == nil && nodes > DefaultHashNodes && nodes > maxPoints/c.Len() {
		err = fmt.Errorf("hash.nodes=%d times %d providers is too large a ring: use %d", nodes, c.Len(), DefaultHashNodes)
	}
	if err != nil {
		problem, nodes = err, DefaultHashNodes
	}
	v.arguments, err = hashArguments(first, inv.Method)
	if err != nil {
		problem, v.arguments = err, []int{0}
	}
	if problem != nil {
		if b.dialect != dialect.Standard {
			v.refusal = problem
			return v
		}
		b.logger.Warn("consistent hash: parameter ignored", "service", inv.Service.Interface, "method", inv.Method, "problem", problem)
	}
	addresses := make([]string, c.Len())
	for i := range addresses {
		addresses[i] = c.At(i).Address()
	}
	v.ring = b.ringOf(addresses, nodes)
	if b.dialect == dialect.Dubbo27 {
		v.bounded = b.boundedOf(inv)
	}
	return v
}

// ringOf returns the ring of these addresses: one built lately, else a new one made from the most recent.
func (b *ConsistentHash) ringOf(addresses []string, nodes int) *ring {
	b.mu.Lock()
	defer b.mu.Unlock()
	var previous *ring
	for i, r := range b.rings {
		if r.same(addresses, nodes) {
			copy(b.rings[1:i+1], b.rings[:i])
			b.rings[0] = r
			return r
		}
		if previous == nil && r.nodes == nodes {
			previous = r
		}
	}
	r := newRing(addresses, nodes, previous)
	b.rings = slices.Insert(b.rings, 0, r)
	points := 0
	for i, kept := range b.rings {
		points += len(kept.points)
		if i >= recentRings || i > 0 && points > recentPoints {
			b.rings = slices.Delete(b.rings, i, len(b.rings))
			break
		}
	}
	return r
}

func hashNodes(u durl.URL, method string) (int, error) {
	text, ok := u.MethodParam(method, "hash.nodes")
	if !ok || text == "" {
		return DefaultHashNodes, nil
	}
	n, err := strconv.Atoi(text)
	switch {
	case err != nil:
		return 0, fmt.Errorf("hash.nodes=%q is not a number: use a multiple of 4, such as %d", text, DefaultHashNodes)
	case n < 4:
		return 0, fmt.Errorf("hash.nodes=%d gives a provider no place on the ring: use a multiple of 4, such as %d", n, DefaultHashNodes)
	case n > maxHashNodes:
		return 0, fmt.Errorf("hash.nodes=%d is more than %d", n, maxHashNodes)
	}
	return n, nil
}

func hashArguments(u durl.URL, method string) ([]int, error) {
	text, ok := u.MethodParam(method, "hash.arguments")
	if !ok || text == "" {
		return []int{0}, nil
	}
	if strings.IndexByte(text, ',') >= 0 && strings.Trim(text, ", \t\n\v\f\r") == "" {
		return nil, nil // commas alone name no argument
	}
	if text[0] == ',' {
		return nil, fmt.Errorf("hash.arguments=%q: nothing before the first comma: use numbers from 0 with commas, such as \"0,1\"", text)
	}
	var out []int
	parts := strings.FieldsFunc(text, func(r rune) bool { return r == ',' })
	for i, part := range parts {
		// Java splits at commas with the white space around them; what is at the two ends stays.
		if i > 0 {
			part = strings.TrimLeft(part, " \t\n\v\f\r")
		}
		if i < len(parts)-1 {
			part = strings.TrimRight(part, " \t\n\v\f\r")
		}
		n, err := strconv.Atoi(part)
		if err != nil {
			return nil, fmt.Errorf("hash.arguments=%q: %q is not the number of an argument: use numbers from 0 with commas, such as \"0,1\"", text, part)
		}
		out = append(out, n)
	}
	return out, nil
}

// boundedLoad counts the calls of one ring by address, as Dubbo 2.7.15 to 2.7.23 do (spec §11.2).
type boundedLoad struct {
	mu     sync.Mutex
	ring   *ring
	counts map[string]int64
	total  int64
}

func (b *ConsistentHash) boundedOf(inv *rpc.Invocation) *boundedLoad {
	b.mu.Lock()
	defer b.mu.Unlock()
	key := methodKey{inv.Service, inv.Method}
	if len(b.bound) >= maxMethods {
		key.method = ""
	}
	if b.bound == nil {
		b.bound = make(map[methodKey]*boundedLoad)
	}
	l := b.bound[key]
	if l == nil {
		l = new(boundedLoad)
		b.bound[key] = l
	}
	return l
}

// pick finds the provider for hash, passes over those with 1.5 times their share, and counts the call. Another
// ring starts the counts anew.
func (l *boundedLoad) pick(r *ring, hash uint32) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ring != r {
		l.ring, l.total, l.counts = r, 0, make(map[string]int64, len(r.addresses))
	}
	limit := float64(l.total) / float64(len(r.addresses)) * 1.5
	at := r.find(hash)
	for range r.points {
		n, counted := l.counts[r.addresses[r.points[at].owner]]
		if !counted || float64(n) < limit {
			break
		}
		at = r.after(at)
	}
	owner := r.points[at].owner
	l.counts[r.addresses[owner]]++
	l.total++
	return int(owner)
}
