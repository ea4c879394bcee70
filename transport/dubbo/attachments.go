package dubbo

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dubway-go/dubway/hessian"
	"github.com/dubway-go/dubway/rpc"
)

// errNotFlat tells that a map has containers in it and must be read with the references of its body.
var errNotFlat = errors.New("not a flat map")

// decodeAttachments reads the map at dec's place in body, which ends it, and appends its entries to dst. Keys are text;
// entries with other keys are dropped, as Dubbo cannot send them. words may be nil.
func decodeAttachments(dst rpc.Attachments, dec, flat *hessian.Decoder, body []byte, words *interner) (rpc.Attachments, error) {
	rest := body[dec.Offset():]
	if len(rest) == 0 {
		return dst, nil // some peers leave an empty map out
	}
	if rest[0] == 'H' {
		out, err := decodeFlat(dst, flat, rest[1:], words)
		if !errors.Is(err, errNotFlat) {
			return out, err
		}
	}
	v, err := dec.Decode()
	if err != nil {
		return dst, err
	}
	switch m := v.(type) {
	case nil:
	case map[string]any:
		for k, v := range m {
			dst = append(dst, rpc.Attachment{Key: k, Value: v})
		}
	case map[any]any:
		for k, v := range m {
			if s, ok := k.(string); ok {
				dst = append(dst, rpc.Attachment{Key: s, Value: v})
			}
		}
	default:
		return dst, fmt.Errorf("want a map, have %T", v)
	}
	slices.SortFunc(dst, func(a, b rpc.Attachment) int { return strings.Compare(a.Key, b.Key) })
	return dst, nil
}

// decodeFlat reads entries whose keys are text and whose values are scalars, in the order of the wire: the usual case,
// without building a map.
func decodeFlat(dst rpc.Attachments, d *hessian.Decoder, in []byte, words *interner) (rpc.Attachments, error) {
	d.Reset(in)
	n := len(dst)
	for {
		at := d.Offset()
		if at >= len(in) {
			return dst[:n], fmt.Errorf("%w: a map has no end", hessian.ErrMalformed)
		}
		if in[at] == 'Z' {
			return dst, nil
		}
		if len(dst)-n >= maxAttachments {
			return dst[:n], fmt.Errorf("%w: more than %d attachments", hessian.ErrLimit, maxAttachments)
		}
		if !isText(in[at]) {
			return dst[:n], errNotFlat
		}
		key, err := d.DecodeText()
		if err != nil {
			return dst[:n], err
		}
		k := words.text(key)
		if at = d.Offset(); at >= len(in) {
			return dst[:n], fmt.Errorf("%w: a map has no end", hessian.ErrMalformed)
		}
		var v any
		switch {
		case isText(in[at]):
			text, err := d.DecodeText()
			if err != nil {
				return dst[:n], err
			}
			v = words.value(text)
		case isContainer(in[at]):
			return dst[:n], errNotFlat
		default:
			if v, err = d.Decode(); err != nil {
				return dst[:n], noEOF(err)
			}
		}
		dst = append(dst, rpc.Attachment{Key: k, Value: v})
	}
}

// maxAttachments is far beyond what any call carries.
const maxAttachments = 4096

func isText(tag byte) bool {
	return tag < 0x20 || tag >= 0x30 && tag < 0x34 || tag == 'S' || tag == 'R'
}

func isContainer(tag byte) bool {
	switch tag {
	case 'C', 'O', 'H', 'M', 'Q', 'U', 'V', 'W', 'X':
		return true
	}
	return tag >= 0x60 && tag < 0x80
}

// encodeAlone appends one attachment value as a stream of its own. References inside it would be numbered wrongly by a reader,
// who counts all containers of the body, so containers are refused: Dubbo peers send text.
func encodeAlone(e *hessian.Encoder, b []byte, v any) ([]byte, error) {
	e.Reset(b)
	err := e.Encode(v)
	out := e.Bytes()
	if err == nil && len(out) > len(b) && isContainer(out[len(b)]) {
		err = fmt.Errorf("%w: an attachment must be text, a number, a boolean, a date or bytes, not %T", hessian.ErrType, v)
	}
	return out, err
}
