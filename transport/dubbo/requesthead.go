package dubbo

import (
	"fmt"
	"sync/atomic"

	"github.com/dubway-go/dubway/service"
)

// requestHead is what the front of a request says: everything before its first argument. One that is remembered is shared by the calls that begin
// with the same bytes.
type requestHead struct {
	path, version, method string
	protocol              int      // dubbo protocol version as a number, 2.0.2 is 2000200
	types                 []string // nil when a generic caller did not say
	generic               bool

	// general is set once such a request had arguments or attachments that the reader of its connection leaves to others.
	general atomic.Bool
	found   atomic.Pointer[foundExport]
}

// foundExport is the service that a head was last found to call. It holds as long as the server's services are the same map.
type foundExport struct {
	among        *map[service.Key]*export
	iface, group string
	export       *export
}

// export returns the service that a request with this head, interface and group calls, or nil.
func (h *requestHead) export(s *Server, iface, group string) *export {
	all := s.handlers.Load()
	f := h.found.Load()
	if f != nil && f.among == all && f.iface == iface && f.group == group {
		return f.export
	}
	e := lookup(*all, h.path, iface, group, h.version)
	if e != nil && (f == nil || f.among != all) {
		h.found.Store(&foundExport{all, iface, group, e})
	}
	return e
}

// frontEnd returns where the front of a request body ends if all its texts are ASCII, as they are but for odd names, else some other place or 0. It
// only steps over lengths; whoever compares the bytes in front of that place with those of a request that was read knows the rest.
func frontEnd(body []byte) int {
	at, from := 0, 0
	for range 4 { // protocol version, path, service version, method
		from = at
		if at = textEnd(body, at); at == 0 {
			return 0
		}
	}
	method := body[from:at]
	from = at
	if at = textEnd(body, at); at == 0 {
		return 0
	}
	if string(body[from:at]) != genericFront || string(method[1:]) != genericMethod && string(method[1:]) != genericAsyncMethod {
		return at
	}
	if at = textEnd(body, at); at == 0 || at == len(body) { // the real method
		return 0
	}
	const shortList, null, text = 0x70, 'N', "\x07[string" // a typed list of 0 to 7 elements, and its type
	switch tag := body[at]; {
	case tag == null:
		return at + 1
	case tag >= shortList && tag <= shortList+7 && len(body)-at > len(text) && string(body[at+1:at+1+len(text)]) == text:
		at += 1 + len(text)
		for range tag - shortList {
			if at = textEnd(body, at); at == 0 {
				return 0
			}
		}
		return at
	}
	return 0
}

// genericFront is the descriptor of a generic call as it stands in a request.
const genericFront = "\x30\x38" + genericDescriptor

// textEnd returns where the text at a place ends if it is ASCII and of at most 1023 characters; 0 when it is not that or is cut off.
func textEnd(b []byte, at int) int {
	if at >= len(b) {
		return 0
	}
	n := int(b[at])
	at++
	if n >= 0x20 {
		if n < 0x30 || n > 0x33 || at >= len(b) {
			return 0
		}
		n = (n-0x30)<<8 | int(b[at])
		at++
	}
	if at += n; at > len(b) {
		return 0
	}
	return at
}

// head reads the front of body. The decoder then stands before the first argument, somewhere in rest.
func (k *serverCodec) head(c *serverConn, body []byte) (head *requestHead, rest []byte, err error) {
	end := frontEnd(body)
	var place uint64
	var again bool
	if end > 0 {
		head, place, again = c.heads.find(body[:end])
	}
	if head != nil && !head.generic {
		// Nothing but texts is in front, so what follows does not refer to it.
		k.dec.Reset(body[end:])
		return head, body[end:], nil
	}
	k.dec.Reset(body)
	read := &keptBytes[requestHead]{}
	if err := k.readHead(&read.value, body); err != nil {
		return nil, nil, err
	}
	if head != nil {
		return head, body, nil
	}
	if again && k.dec.Offset() == end {
		c.heads.keep(place, body[:end], read)
	}
	return &read.value, body, nil
}

func (k *serverCodec) readHead(h *requestHead, body []byte) error {
	d := k.dec
	protocol, err := d.DecodeText()
	if err != nil {
		return fmt.Errorf("protocol version: %w", err)
	}
	h.protocol = protocolNumber(protocol)
	if h.path, err = k.word("path"); err != nil {
		return err
	}
	if h.version, err = k.word("service version"); err != nil {
		return err
	}
	if h.method, err = k.word("method"); err != nil {
		return err
	}
	descriptor, err := d.DecodeText()
	if err != nil {
		return fmt.Errorf("parameter descriptor: %w", err)
	}
	h.generic = string(descriptor) == genericDescriptor && (h.method == genericMethod || h.method == genericAsyncMethod)
	if !h.generic {
		h.types, err = k.descriptor(descriptor)
		return err
	}
	if h.method, err = k.word("method of a generic call"); err != nil {
		return err
	}
	if h.types, err = k.typeList(body); err != nil {
		return fmt.Errorf("parameter types of a generic call: %w", err)
	}
	return nil
}

func (k *serverCodec) word(what string) (string, error) {
	b, err := k.dec.DecodeText()
	if err != nil {
		return "", fmt.Errorf("%s: %w", what, err)
	}
	return k.words.text(b), nil
}

// descriptor returns the types that a parameter descriptor names.
func (k *serverCodec) descriptor(text []byte) ([]string, error) {
	types, ok := k.descriptors[string(text)]
	if ok {
		return types, nil
	}
	types, err := parseDescriptor(string(text))
	if err == nil {
		k.descriptors = remember(k.descriptors, text, types)
	}
	return types, err
}

// typeList reads a list of type names. It is the first container of the body, so its bytes alone say what it holds, and
// a list that was seen before is recognised by them.
func (k *serverCodec) typeList(body []byte) ([]string, error) {
	start := k.dec.Offset()
	if err := k.dec.Skip(); err != nil {
		return nil, noEOF(err)
	}
	raw := body[start:k.dec.Offset()]
	if types, ok := k.typeLists[string(raw)]; ok {
		return types, nil
	}
	k.flat.Reset(raw)
	v, err := k.flat.Decode()
	if err != nil {
		return nil, noEOF(err)
	}
	types, err := asStrings(v)
	if err == nil {
		k.typeLists = remember(k.typeLists, raw, types)
	}
	return types, err
}

// remember keeps types under their wire form, as long as there is room, and returns the map.
func remember(seen map[string][]string, wire []byte, types []string) map[string][]string {
	if seen == nil {
		seen = make(map[string][]string)
	}
	if len(seen) < maxDescriptors && len(wire) < maxDescriptors {
		seen[string(wire)] = types
	}
	return seen
}
