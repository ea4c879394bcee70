package dubbo

import (
	"bytes"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/dubway-go/dubway/hessian"
	"github.com/dubway-go/dubway/rpc"
)

const (
	// maxForms bounds the forms that targets of a client share; those beyond have one each.
	maxForms = 1024
	// preparedSlots is how many kinds of call a form keeps ready, at most one in each place that methods fall on.
	preparedSlots = 8
)

// form is what the requests to some targets have in common: mostly all providers of a service. It is encoded once.
type form struct {
	// head is the two-way header and the version, path and version strings; constant the attachments.
	head, constant []byte
	prepared       [preparedSlots]atomic.Pointer[preparedCall]
}

// shared returns the form that has the same bytes as f, f itself if there is none yet.
func (c *Client) shared(f *form) *form {
	key := string(bytes.Join([][]byte{f.head, f.constant}, []byte{'\n'}))
	c.mu.Lock()
	defer c.mu.Unlock()
	if known := c.forms[key]; known != nil {
		return known
	}
	if len(c.forms) < maxForms {
		c.forms[key] = f
	}
	return f
}

// preparedCall is what the calls of one method with the same parameter types have in common. It never changes but for the tail.
type preparedCall struct {
	method  string
	types   []string
	typed   bool // types were given, maybe none
	generic bool
	count   int // of arguments
	// front is the request up to the first argument.
	front []byte

	tail   atomic.Pointer[preparedTail]
	missed atomic.Int64 // the last timeout that tail was not of, in milliseconds
}

// preparedTail is the map of attachments but for those of the invocation and its end.
type preparedTail struct {
	timeout int64 // milliseconds
	wire    []byte
}

func (p *preparedCall) fits(inv *rpc.Invocation, generic bool) bool {
	return p.method == inv.Method && p.generic == generic && p.count == len(inv.Args) && p.typed == (inv.ParamTypes != nil) && slices.Equal(p.types, inv.ParamTypes)
}

// call returns the prepared form of inv, nil when there is none because others have its place.
func (f *form) call(inv *rpc.Invocation, generic bool) *preparedCall {
	at := len(inv.Method) + 3*int(inv.Method[0]) + 5*int(inv.Method[len(inv.Method)-1]) + len(inv.Args)
	slot := &f.prepared[at%preparedSlots]
	p := slot.Load()
	if p == nil {
		p = &preparedCall{method: inv.Method, types: slices.Clone(inv.ParamTypes), typed: inv.ParamTypes != nil, generic: generic, count: len(inv.Args)}
		k := clientCodec{coders: coders{enc: hessian.NewEncoder(hessian.EncoderOptions{})}}
		var err error
		if p.front, err = k.front(slices.Clone(f.head), inv, generic); err != nil {
			return nil // whoever encodes it anew says why
		}
		slot.Store(p)
	}
	if !p.fits(inv, generic) {
		return nil
	}
	return p
}

// attachments appends the map of attachments but for those of the invocation and its end. p may be nil.
func (f *form) attachments(p *preparedCall, b []byte, timeout time.Duration, generic bool) []byte {
	ms := max(int64(timeout/time.Millisecond), 1)
	if p == nil {
		return f.appendTail(b, ms, generic)
	}
	if t := p.tail.Load(); t != nil && t.timeout == ms {
		return append(b, t.wire...)
	}
	at := len(b)
	b = f.appendTail(b, ms, generic)
	if p.missed.Swap(ms) == ms { // twice in a row: not what is left of a context's time
		p.tail.Store(&preparedTail{ms, slices.Clone(b[at:])})
	}
	return b
}

// appendTail copies the constant attachments as encoded once; the map needs no reference number because nothing but scalars
// follows.
func (f *form) appendTail(b []byte, timeout int64, generic bool) []byte {
	const mapUntyped = 'H'
	b = append(append(b, mapUntyped), f.constant...)
	b = hessian.AppendString(b, keyTimeout)
	var digits [20]byte
	b = hessian.AppendStringBytes(b, strconv.AppendInt(digits[:0], timeout, 10))
	if generic {
		b = hessian.AppendString(b, keyGeneric)
		b = hessian.AppendString(b, "true")
	}
	return b
}
