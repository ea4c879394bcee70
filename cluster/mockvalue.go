package cluster

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/rpc"
)

// mockKind says when a mock stands in.
type mockKind uint8

const (
	mockNever  mockKind = iota
	mockOnFail          // when the call failed for another reason than a provider's exception
	mockAlways          // force: the providers are not called
)

// mockAction says what a mock does.
type mockAction uint8

const (
	mockReturn mockAction = iota
	mockThrow
	mockFunction // "true", "default" or a class name: Options.Mock
	mockInvalid
)

// mock is a parsed mock parameter (spec §11.3). The zero value never stands in.
type mock struct {
	kind   mockKind
	action mockAction
	value  any    // of mockReturn
	class  string // of mockThrow, "" = a plain failure; of mockFunction, the name written
	text   string // as written
	err    error  // of mockInvalid
}

// parseMock reads a mock parameter: "" and "false" are none; "force:X" always stands in; "fail:X" and "X"
// stand in on failure. X is "return VALUE", "throw", "throw CLASS", "true", "default" or a name. The text may be
// percent-encoded, as the consoles of Dubbo write it.
func parseMock(text string) mock {
	if decoded, err := durl.Decode(text); err == nil {
		text = decoded
	}
	rest := strings.TrimSpace(text)
	m := mock{kind: mockOnFail, text: rest}
	switch {
	case rest == "" || strings.EqualFold(rest, "false") || rest == "0" || strings.EqualFold(rest, "null") || strings.EqualFold(rest, "N/A"):
		return mock{}
	case strings.HasPrefix(rest, "force:"):
		m.kind, rest = mockAlways, rest[len("force:"):]
	case rest == "force":
		m.kind, rest = mockAlways, "default"
	case strings.HasPrefix(rest, "fail:"):
		rest = rest[len("fail:"):]
	}
	rest = strings.ReplaceAll(strings.TrimSpace(rest), "`", `"`)
	switch {
	case rest == "return":
	case strings.HasPrefix(rest, "return "):
		m.value, m.err = mockValue(strings.TrimSpace(rest[len("return "):]))
		if m.err != nil {
			m.action = mockInvalid
		}
	case rest == "throw":
		m.action = mockThrow
	case strings.HasPrefix(rest, "throw "):
		m.action, m.class = mockThrow, strings.TrimSpace(rest[len("throw "):])
	default:
		m.action, m.class = mockFunction, rest
	}
	return m
}

// mockValue reads what follows "return": null, empty, true, false, a quoted text, a number, a JSON object or
// list; anything else is text, as in Dubbo. Numbers become int64 when whole and in range, else float64.
func mockValue(text string) (any, error) {
	switch text {
	case "", "null":
		return nil, nil
	case "empty":
		return map[string]any{}, nil
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	if n := len(text); n >= 2 && (text[0] == '"' || text[0] == '\'') && text[n-1] == text[0] {
		return text[1 : n-1], nil
	}
	structured := text[0] == '{' || text[0] == '['
	decoder := json.NewDecoder(bytes.NewReader([]byte(text)))
	decoder.UseNumber()
	var v any
	err := decoder.Decode(&v)
	if err == nil && decoder.More() {
		err = fmt.Errorf("more than one value")
	}
	switch {
	case err == nil:
		return plainJSON(v), nil
	case structured:
		return nil, fmt.Errorf("mock %q: the value after \"return\" is not JSON: %w", text, err)
	}
	return text, nil
}

// plainJSON turns json.Number into int64 or float64, in place where it can.
func plainJSON(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		f, _ := v.Float64()
		return f
	case []any:
		for i := range v {
			v[i] = plainJSON(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = plainJSON(v[k])
		}
	}
	return v
}

// freshValue copies lists and maps, so that one caller's changes do not reach the next.
func freshValue(v any) any {
	switch v := v.(type) {
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = freshValue(v[i])
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, e := range v {
			out[k] = freshValue(e)
		}
		return out
	}
	return v
}

// thrown returns the error that a throwing mock raises.
func (m *mock) thrown(inv *rpc.Invocation) *rpc.Error {
	e := &rpc.Error{Service: inv.Service, Method: inv.Method, Code: rpc.Unknown, Message: "mocked exception for service degradation (mock=" + m.text + ")"}
	if m.class != "" {
		e.Code = rpc.Business
		e.Message = ""
		e.Cause = &rpc.RemoteException{Class: m.class, Message: "mocked exception for service degradation"}
	}
	return e
}
