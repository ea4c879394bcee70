package dubbo

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/dubway-go/dubway/hessian"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/service"
)

// Kinds of a response body: the first three, or the same with attachments.
const (
	bodyException = iota
	bodyValue
	bodyNull
	bodyExceptionAttachments
	bodyValueAttachments
	bodyNullAttachments
)

// maxStatusText is how much of the text of a failed response goes into an error: Dubbo Java sends a whole stack trace.
const maxStatusText = 2 << 10

// result reads the response in w.
func (k *clientCodec) result(w *clientCall, to *service.Instance, inv *rpc.Invocation) (rpc.Result, error) {
	h := w.header
	if h.Serialization != serialHessian2 {
		return rpc.Result{}, callError(rpc.Serialization, to, inv, "the provider answered in "+serializationName(h.Serialization)+", which is not supported (want hessian2)", nil)
	}
	k.dec.Reset(w.body)
	if h.Status != StatusOK {
		text := statusText(k.dec, w.body)
		return rpc.Result{}, callError(codeOfText(h.Status, text), to, inv, fmt.Sprintf("provider answered %d (%v): %s", uint8(h.Status), h.Status, text), causeOfText(h.Status, text))
	}
	result, exception, err := decodeResponse(k.dec, k.flat, w.body)
	if err != nil {
		return rpc.Result{}, callError(rpc.Serialization, to, inv, "bad response: "+err.Error(), err)
	}
	if exception != nil {
		return result, callError(codeOfException(exception, result.Attachments), to, inv, "", exception)
	}
	if !inv.Direct {
		result.Value = withoutBeans(result.Value, w.body)
	}
	return result, nil
}

func decodeResponse(dec, flat *hessian.Decoder, body []byte) (rpc.Result, *rpc.RemoteException, error) {
	var result rpc.Result
	var exception *rpc.RemoteException
	kind, err := dec.DecodeInt()
	if err != nil {
		return result, nil, fmt.Errorf("its kind: %w", err)
	}
	switch kind {
	case bodyException, bodyExceptionAttachments:
		v, err := dec.Decode()
		if err != nil {
			return result, nil, fmt.Errorf("its exception: %w", noEOF(err))
		}
		exception = exceptionOf(v)
	case bodyValue, bodyValueAttachments:
		if result.Value, err = dec.Decode(); err != nil {
			return result, nil, fmt.Errorf("its value: %w", noEOF(err))
		}
	case bodyNull, bodyNullAttachments:
	default:
		return result, nil, fmt.Errorf("kind %d is not one of 0 to 5", kind)
	}
	if kind >= bodyExceptionAttachments {
		if result.Attachments, err = decodeAttachments(nil, dec, flat, body, nil); err != nil {
			return rpc.Result{}, nil, fmt.Errorf("its attachments: %w", err)
		}
	}
	return result, exception, nil
}

func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// statusText is the text of a failed response; peers that do not encode it are read as they are.
func statusText(dec *hessian.Decoder, body []byte) string {
	text, err := dec.DecodeString()
	if err != nil {
		text = strings.ToValidUTF8(string(body[:min(len(body), maxStatusText)]), "\ufffd")
	}
	if len(text) > maxStatusText {
		text = strings.ToValidUTF8(text[:maxStatusText], "") + "…"
	}
	return text
}

// notExported and noSuchMethod are how Dubbo Java begins to say what it does not have.
const (
	notExported  = "Not found exported service"
	noSuchMethod = "No such method "
)

// codeOfText refines the code of a status by what Dubbo Java says in the text: it answers many failures with "service error"
// and the exception's stack trace.
func codeOfText(s Status, text string) rpc.Code {
	if s != StatusServiceError && s != StatusServerError {
		return s.Code()
	}
	for _, known := range [...]struct {
		text string
		code rpc.Code
	}{
		{notExported, rpc.MethodNotFound},
		{noSuchMethod, rpc.MethodNotFound},
		{"NoSuchMethodException", rpc.MethodNotFound},
		{"Not unique method for method name", rpc.Validation},
		{"args.length != types.length", rpc.Validation},
		{"ExceedPayloadLimitException", rpc.Limit},
		{"RejectedExecutionException", rpc.Limit},
		{"Fail to decode request due to", rpc.Serialization},
	} {
		if strings.Contains(text, known.text) {
			return known.code
		}
	}
	return s.Code()
}

// causeOfText is rpc.ErrNotExported where the provider says that it does not have the service: by status 60, which is for that alone, or by the
// text with which Dubbo Java says it.
func causeOfText(s Status, text string) error {
	if s == StatusServiceNotFound || codeOfText(s, text) == rpc.MethodNotFound && strings.Contains(text, notExported) {
		return rpc.ErrNotExported
	}
	return nil
}

func serializationName(id uint8) string {
	names := map[uint8]string{3: "java", 4: "compacted java", 6: "fastjson", 7: "native java", 8: "kryo", 9: "fst", 10: "native hessian", 12: "protostuff", 16: "gson", 21: "protobuf-json", 22: "protobuf", 23: "fastjson2", 27: "msgpack"}
	if n, ok := names[id]; ok {
		return fmt.Sprintf("%s (serialization %d)", n, id)
	}
	return fmt.Sprintf("serialization %d", id)
}
