package route

import (
	"sync/atomic"

	"github.com/dubway-go/dubway/rpc"
)

// bareCalls is the short way of calls without an attachment that a rule asks for, as most are, where the rules tell such calls apart by one thing at
// most: by method, or not at all. What is remembered for them hangs on the class of that thing, so the tuple of classes is not made and not looked up.
type bareCalls struct {
	// exists: there is a short way. sole is the subject that tells the calls apart, nil when none does; then nodes is what they lead to.
	exists bool
	sole   *subject
	nodes  bareNodes
	// methods is the table of sole where that is the method as it stands in the call.
	methods *valueTable
	// asked has a bit for the length of each attachment's key that a rule asks for.
	asked uint64
}

// bareNodes is what bare calls lead to: those without attachments, and those that have some. dubbo-2.7 tells the two apart
// where the reference forces tags (spec §4.1).
type bareNodes [2]atomic.Pointer[node]

// keyBit is the bit of keys that are as long.
func keyBit(key string) uint64 { return 1 << min(len(key), 63) }

// prepare looks at the subjects whose classes are remembered.
func (b *bareCalls) prepare(subjects []*subject) {
	b.exists = true
	for _, s := range subjects {
		switch s.kind {
		case subjectMock:
			b.asked |= keyBit(mockKey)
		case subjectTag:
			b.asked |= keyBit(rpc.TagKey)
		case subjectForce:
			b.asked |= keyBit(rpc.ForceTagKey)
		case subjectAttachment:
			b.asked |= keyBit(s.key)
		default:
			if b.sole != nil {
				b.exists, b.sole = false, nil
				return
			}
			b.sole = s
		}
	}
	if b.sole != nil && b.sole.kind == subjectMethod && !b.sole.generic {
		b.methods = b.sole.values
	}
}

// slot returns where what is remembered for a call hangs; nil when the call takes the long way.
func (b *bareCalls) slot(inv *rpc.Invocation) *atomic.Pointer[node] {
	if !b.exists {
		return nil
	}
	some := 0
	for i := range inv.Attachments {
		if b.asked&keyBit(inv.Attachments[i].Key) != 0 {
			return nil
		}
		some = 1
	}
	if b.sole == nil {
		return &b.nodes[some]
	}
	if b.methods != nil {
		if c := b.methods.find(inv.Method); c != nil {
			return &c.bare[some]
		}
	}
	return &b.sole.classOf(inv).bare[some]
}
