package dubbo

import (
	"slices"
	"strconv"
	"time"

	"github.com/dubway-go/dubway/rpc"
)

// requestTail is what the end of a request says: its attachments, and what the server itself reads of them. One that is remembered is shared by the
// calls that end with the same bytes.
type requestTail struct {
	attachments        rpc.Attachments
	iface, group, form string        // form is that of a generic call
	timeout            time.Duration // 0 when the caller did not say
}

// settle reads the server's own attachments.
func (t *requestTail) settle() {
	t.attachments = slices.Clip(t.attachments) // whoever appends gets a list of their own
	t.group, _ = t.attachments.Get(keyGroup)
	t.iface, _ = t.attachments.Get(keyInterface)
	t.form, _ = t.attachments.Get(keyGeneric)
	if text, ok := t.attachments.Get(keyTimeout); ok {
		if n, err := strconv.ParseInt(text, 10, 32); err == nil && n > 0 {
			t.timeout = time.Duration(n) * time.Millisecond
		}
	}
}

// plainGeneric tells whether the form of a generic call is the one that is supported.
func (t *requestTail) plainGeneric() bool {
	return t.form == "" || t.form == "true" || t.form == "raw.return"
}

// tail reads the attachments in rest, which is what follows the arguments, if they are a map of scalars or nothing. ok is false for anything else.
func (k *serverCodec) tail(c *serverConn, rest []byte) (t *requestTail, ok bool) {
	if len(rest) == 0 || rest[0] != 'H' {
		return nil, false
	}
	t, place, again := c.tails.find(rest)
	if t != nil {
		return t, true
	}
	list, err := decodeFlat(k.attachments[:0], k.flat, rest[1:], &k.words)
	if err != nil {
		return nil, false
	}
	read := &keptBytes[requestTail]{}
	read.value.attachments = slices.Clone(list)
	clear(list)
	k.attachments = list[:0]
	read.value.settle()
	if again {
		c.tails.keep(place, rest, read)
	}
	return &read.value, true
}
