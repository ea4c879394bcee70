package dubbo

import (
	"slices"

	"github.com/dubway-go/dubway/hessian"
	"github.com/dubway-go/dubway/rpc"
)

// answerReader reads the usual answers on the goroutine that reads the connection: the value is a scalar, the attachments are scalars or there are none.
// That goroutine has the bytes at hand, so neither they nor a decoder move to the caller's processor. It is used by one goroutine.
type answerReader struct {
	dec   *hessian.Decoder
	tails *recurring[rpc.Attachments]
}

func newAnswerReader(o *ClientOptions) *answerReader {
	return &answerReader{dec: hessian.NewDecoder(hessian.DecoderOptions{Limits: o.Limits}), tails: newRecurring[rpc.Attachments]()}
}

// plain reads an answer, or is false for one that is left to the caller: any other, wrong bytes included.
func (a *answerReader) plain(h Header, body []byte) (result rpc.Result, ok bool) {
	const kindZero = 0x90 // the byte of kind 0
	if h.Status != StatusOK || h.Serialization != serialHessian2 || len(body) == 0 || len(body) > plainBody {
		return result, false
	}
	kind, rest := int(body[0])-kindZero, body[1:]
	switch kind {
	case bodyValue, bodyValueAttachments:
		if len(rest) == 0 || isContainer(rest[0]) {
			return result, false
		}
		a.dec.Reset(rest)
		v, err := a.dec.Decode()
		if err != nil {
			return rpc.Result{}, false
		}
		result.Value, rest = v, rest[a.dec.Offset():]
	case bodyNull, bodyNullAttachments:
	default:
		return result, false
	}
	if kind >= bodyExceptionAttachments && len(rest) > 0 {
		if result.Attachments, ok = a.attachments(rest); !ok {
			return rpc.Result{}, false
		}
	}
	return result, true
}

// attachments reads the map in rest. The list is the caller's own.
func (a *answerReader) attachments(rest []byte) (rpc.Attachments, bool) {
	if rest[0] != 'H' {
		return nil, false
	}
	list, place, again := a.tails.find(rest)
	if list != nil {
		return slices.Clone(*list), true
	}
	read, err := decodeFlat(nil, a.dec, rest[1:], nil)
	if err != nil {
		return nil, false
	}
	if again {
		a.tails.keep(place, rest, &keptBytes[rpc.Attachments]{value: slices.Clone(read)})
	}
	return read, true
}
