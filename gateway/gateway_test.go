package gateway_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/dubway-go/dubway/gateway"
	"github.com/dubway-go/dubway/hessian"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/service"
)

// fake is a Caller that keeps what it was asked and answers as told.
type fake struct {
	inv      *rpc.Invocation
	deadline time.Duration
	result   rpc.Result
	err      error
	block    chan struct{}
}

func (f *fake) Call(ctx context.Context, inv *rpc.Invocation) (rpc.Result, error) {
	f.inv = inv
	if d, ok := ctx.Deadline(); ok {
		f.deadline = time.Until(d)
	}
	if f.block != nil {
		<-f.block
	}
	return f.result, f.err
}

func send(g http.Handler, method, path, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	g.ServeHTTP(w, r)
	return w
}

func TestArguments(t *testing.T) {
	object := func(class string, more ...any) map[string]any {
		m := map[string]any{"class": class}
		for i := 0; i+1 < len(more); i += 2 {
			m[more[i].(string)] = more[i+1]
		}
		return m
	}
	tests := []struct {
		body  string
		types []string
		want  []any
		named []string
	}{
		{``, nil, []any{}, nil},
		{`[]`, nil, []any{}, nil},
		{`42`, nil, []any{int32(42)}, nil},
		{`"x"`, nil, []any{"x"}, nil},
		{`null`, nil, []any{nil}, nil},
		{`[1, 2147483648, -2147483649, 1.5, 1e2, true, null, "a"]`, nil, []any{int32(1), int64(2147483648), int64(-2147483649), 1.5, 100., true, nil, "a"}, nil},
		{`[[1,[2]],{"a":{"b":3}}]`, nil, []any{[]any{int32(1), []any{int32(2)}}, map[string]any{"a": map[string]any{"b": int32(3)}}}, nil},
		{`[1]`, []string{"long"}, []any{int64(1)}, []string{"long"}},
		{`["7"]`, []string{"java.lang.Integer"}, []any{int32(7)}, []string{"java.lang.Integer"}},
		{`[7]`, []string{"java.lang.String"}, []any{"7"}, []string{"java.lang.String"}},
		{`[1]`, []string{"double"}, []any{1.}, []string{"double"}},
		{`[[1,2]]`, []string{"long[]"}, []any{[]any{int64(1), int64(2)}}, []string{"long[]"}},
		{`["AQI="]`, []string{"byte[]"}, []any{[]byte{1, 2}}, []string{"byte[]"}},
		{`["1.50"]`, []string{"java.math.BigDecimal"}, []any{hessian.Decimal("1.50")}, []string{"java.math.BigDecimal"}},
		{`[{"@type":"java.math.BigDecimal","value":"1.50"}]`, nil, []any{hessian.Decimal("1.50")}, []string{"java.math.BigDecimal"}},
		{`[{"@type":"java.math.BigInteger","value":"123456789012345678901"}]`, nil, []any{mustBig("123456789012345678901")}, []string{"java.math.BigInteger"}},
		{`[{"@type":"java.lang.Long","value":1}, 2]`, nil, []any{int64(1), int32(2)}, nil},
		{`[{"@type":"java.util.Date","value":"2026-11-30T07:00:00Z"}]`, nil, []any{time.Date(2026, 11, 30, 7, 0, 0, 0, time.UTC)}, []string{"java.util.Date"}},
		{`[{"@type":"com.example.Order","id":{"@type":"java.lang.Long","value":5}}]`, nil, []any{object("com.example.Order", "id", int64(5))}, []string{"com.example.Order"}},
		{`[{"id":5}]`, []string{"com.example.Order"}, []any{object("com.example.Order", "id", int32(5))}, []string{"com.example.Order"}},
		{`[null]`, []string{"com.example.Order"}, []any{nil}, []string{"com.example.Order"}},
		{`["A"]`, []string{"com.example.Kind"}, []any{"A"}, []string{"com.example.Kind"}},
	}
	for _, tt := range tests {
		got, types, err := gateway.Arguments([]byte(tt.body), tt.types, 0)
		if err != nil || !reflect.DeepEqual(got, tt.want) || !reflect.DeepEqual(types, tt.named) {
			t.Errorf("%s as %v:\n got %#v %v %v\nwant %#v %v", tt.body, tt.types, got, types, err, tt.want, tt.named)
		}
	}
}

func mustBig(s string) *big.Int {
	n, ok := new(big.Int).SetString(s, 10)
	if !ok {
		panic(s)
	}
	return n
}

func TestArgumentsRefuseWithTheReason(t *testing.T) {
	tests := []struct {
		body  string
		types []string
		want  string
	}{
		{`{"id":42}`, nil, `parameter names are not known: give the arguments in order as an array`},
		{`[1`, nil, "ends too early, at byte 2"},
		{`[1,]`, nil, "not JSON at byte"},
		{`[1] x`, nil, "more text after the JSON value"},
		{`[99999999999999999999]`, nil, `{"@type":"java.math.BigInteger","value":"99999999999999999999"}`},
		{`[1e999]`, nil, "java.math.BigDecimal"},
		{`[1.5]`, []string{"long"}, "argument 0: 1.5 is no long: give a whole number of 64 bits"},
		{`[300]`, []string{"byte"}, "8 bits"},
		{`[1]`, []string{"long", "int"}, "1 arguments were given for the parameter types long, int"},
		{`["x"]`, []string{"boolean"}, "true or false"},
		{`["1e999999999"]`, []string{"java.math.BigDecimal"}, "at most 1000 digits"},
		{`["1e5e5"]`, []string{"java.math.BigDecimal"}, "a number"},
		{`["."]`, []string{"java.math.BigDecimal"}, "a number"},
		{`["` + strings.Repeat("9", 1001) + `"]`, []string{"java.math.BigInteger"}, "at most 1000 digits"},
		{`["!"]`, []string{"byte[]"}, "base64"},
		{`["soon"]`, []string{"java.util.Date"}, "2026-11-30T07:00:00Z"},
		{`[{"@type":7}]`, nil, `"@type" must be the name of a Java class`},
		{strings.Repeat("[", 2_000_000), nil, "nests deeper than 64"},
		{strings.Repeat(`{"a":`, 2_000_000), nil, "an object"},
		{`[` + strings.Repeat(`{"a":`, 100) + `1` + strings.Repeat(`}`, 100) + `]`, nil, "nests deeper than 64"},
	}
	for _, tt := range tests {
		if _, _, err := gateway.Arguments([]byte(tt.body), tt.types, 0); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%.40s as %v: %v, want %q", tt.body, tt.types, err, tt.want)
		}
	}
}

func TestRequestBecomesInvocation(t *testing.T) {
	f := &fake{result: rpc.Result{Value: "ok", Attachments: rpc.Attachments{{Key: "k", Value: "\u4e2d\n"}, {Key: "n", Value: 7}}}}
	g := gateway.New(f, gateway.Options{})
	w := send(g, "POST", "/com.example.OrderService/getOrder", `[42]`,
		"Dubbo-Group", "g", "Tri-Service-Version", "1.0", "Dubbo-Tag", "gray", "Dubbo-Attachment-User-Id", "7",
		"Dubbo-Attachments", `{"user-id":"9","Mixed.Case":"x"}`, "Dubbo-Timeout", "800", "Dubbo-Parameter-Types", "Long")
	if w.Code != 200 || w.Body.String() != "\"ok\"\n" || w.Header().Get("Content-Type") != "application/json" {
		t.Fatalf("%d %q %v", w.Code, w.Body, w.Header())
	}
	want := &rpc.Invocation{Service: service.Key{Interface: "com.example.OrderService", Group: "g", Version: "1.0"}, Method: "getOrder",
		ParamTypes: []string{"java.lang.Long"}, Args: []any{int64(42)},
		Attachments: rpc.Attachments{{Key: "Mixed.Case", Value: "x"}, {Key: rpc.TagKey, Value: "gray"}, {Key: "user-id", Value: "7"}}}
	if !reflect.DeepEqual(f.inv, want) {
		t.Errorf("got %+v\nwant %+v", f.inv, want)
	}
	if f.deadline <= 0 || f.deadline > 800*time.Millisecond {
		t.Errorf("the call got %v of time", f.deadline)
	}
	if got := w.Header().Get("Dubbo-Attachments"); got != `{"k":"\u4e2d\n"}` {
		t.Errorf("attachments came back as %s", got)
	}
}

func TestRequestsThatAreNoCalls(t *testing.T) {
	g := gateway.New(&fake{}, gateway.Options{MaxBody: 16, MaxTimeout: time.Second})
	tests := []struct {
		name, method, path, body string
		headers                  []string
		status                   int
		code, detail             string
	}{
		{"no method in the path", "POST", "/com.example.OrderService", "", nil, 404, "bad-path", "/{interface}/{method}"},
		{"root", "POST", "/", "", nil, 404, "bad-path", ""},
		{"three parts", "POST", "/a/b/c", "", nil, 404, "bad-path", ""},
		{"not a Java name", "POST", "/a%20b/c", "", nil, 404, "bad-path", ""},
		{"path traversal", "POST", "/../../etc/passwd", "", nil, 404, "bad-path", ""},
		{"GET", "GET", "/a.B/c", "", nil, 405, "bad-method", "POST"},
		{"body too large", "POST", "/a.B/c", strings.Repeat("1", 17), nil, 413, "too-large", "16 bytes"},
		{"bad JSON", "POST", "/a.B/c", "[", nil, 400, "bad-arguments", "ends too early"},
		{"object", "POST", "/a.B/c", `{"a":1}`, nil, 400, "bad-arguments", "array"},
		{"bad attachments", "POST", "/a.B/c", "", []string{"Dubbo-Attachments", "[]"}, 400, "bad-header", "JSON object of texts"},
		{"bad types", "POST", "/a.B/c", "[1]", []string{"Dubbo-Parameter-Types", "no way"}, 400, "bad-header", "no Java type"},
		{"bad timeout", "POST", "/a.B/c", "", []string{"Dubbo-Timeout", "soon"}, 400, "bad-header", "800ms"},
		{"negative timeout", "POST", "/a.B/c", "", []string{"Dubbo-Timeout", "-1"}, 400, "bad-header", "above zero"},
		{"timeout beyond the limit", "POST", "/a.B/c", "", []string{"Dubbo-Timeout", "2s"}, 400, "bad-header", "at most 1s"},
	}
	for _, tt := range tests {
		w := send(g, tt.method, tt.path, tt.body, tt.headers...)
		var p gateway.Problem
		if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil {
			t.Errorf("%s: %v in %q", tt.name, err, w.Body)
			continue
		}
		if w.Code != tt.status || p.Status != tt.status || p.Code != tt.code || !strings.Contains(p.Detail, tt.detail) || w.Header().Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: %d %+v", tt.name, w.Code, p)
		}
	}
}

func TestStatusOfEveryCode(t *testing.T) {
	key := service.Key{Interface: "a.B"}
	exception := &rpc.RemoteException{Class: "com.example.TooLate", Message: "closed"}
	tests := []struct {
		err    error
		status int
		code   string
	}{
		{&rpc.Error{Code: rpc.NoProvider, Message: "3 providers; tag router left 0"}, 503, "no-provider"},
		{&rpc.Error{Code: rpc.Forbidden}, 403, "forbidden"}, {&rpc.Error{Code: rpc.Timeout}, 504, "timeout"},
		{&rpc.Error{Code: rpc.Network}, 502, "network"}, {&rpc.Error{Code: rpc.Serialization}, 502, "serialization"},
		{&rpc.Error{Code: rpc.Limit}, 429, "limit"}, {&rpc.Error{Code: rpc.Registry}, 503, "registry"},
		{&rpc.Error{Code: rpc.MethodNotFound}, 404, "method-not-found"}, {&rpc.Error{Code: rpc.Validation}, 400, "validation"},
		{&rpc.Error{Code: rpc.Unauthenticated}, 401, "unauthenticated"}, {&rpc.Error{Code: rpc.Canceled}, 499, "canceled"},
		{&rpc.Error{Code: rpc.Business, Service: key, Method: "c", Instance: "h:1", Cause: exception}, 500, "business"},
		{context.DeadlineExceeded, 504, "timeout"}, {errors.New("odd"), 500, "unknown"},
	}
	for _, tt := range tests {
		w := send(gateway.New(&fake{err: tt.err}, gateway.Options{}), "POST", "/a.B/c", "")
		var p gateway.Problem
		if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil {
			t.Fatal(err)
		}
		if w.Code != tt.status || p.Code != tt.code || p.Title == "" || p.Type != "urn:dubway:error:"+tt.code {
			t.Errorf("%v: %d %+v", tt.err, w.Code, p)
		}
		if tt.code == "business" && (p.Exception == nil || *p.Exception != gateway.Exception{Class: "com.example.TooLate", Message: "closed"} || p.Provider != "h:1") {
			t.Errorf("the exception is lost: %+v", p)
		}
		if tt.code == "no-provider" && !strings.Contains(p.Detail, "tag router left 0") {
			t.Errorf("the explanation is lost: %+v", p)
		}
	}
}

func TestResults(t *testing.T) {
	circular := map[string]any{}
	circular["self"] = circular
	list := []any{nil}
	list[0] = list
	ring := hessian.NewObject("com.example.Node", hessian.Field{Name: "next"})
	ring.Values[0] = ring
	shared := []any{int32(1)}
	deep := any(int32(1))
	for range 1000 {
		deep = []any{deep}
	}
	tests := []struct {
		value any
		want  string // an error's text when it begins with "!"
	}{
		{nil, `null`}, {true, `true`}, {int32(-1), `-1`}, {int64(1 << 60), `1152921504606846976`}, {1.5, `1.5`},
		{math.NaN(), `"NaN"`}, {math.Inf(-1), `"-Inf"`}, {"a\"<", `"a\"\u003c"`}, {"\xff", `"\ufffd"`},
		{[]byte{1, 2}, `"AQI="`}, {time.UnixMilli(1500).UTC(), `"1970-01-01T00:00:01.5Z"`},
		{hessian.Decimal("1.50"), `"1.50"`}, {mustBig("123456789012345678901"), `"123456789012345678901"`},
		{map[string]any{"b": int32(1), "a": []any{}}, `{"a":[],"b":1}`},
		{map[any]any{int32(2): "x", true: nil}, `{"2":"x","true":null}`},
		{map[string]string{"a": "b"}, `{"a":"b"}`}, {[]string{"a"}, `["a"]`}, {[]int64{1}, `[1]`},
		{hessian.NewObject("com.example.Order", hessian.Field{Name: "id", Value: int64(7)}), `{"@type":"com.example.Order","id":7}`},
		{hessian.NewObject("com.example.Kind", hessian.Field{Name: "name", Value: "RED"}), `"RED"`},
		{[]any{shared, shared}, `[[1],[1]]`}, // shared is not circular
		{circular, "!contains itself"}, {list, "!contains itself"}, {ring, "!contains itself"}, {deep, "!nests deeper"},
		{map[any]any{hessian.NewObject("a.B", hessian.Field{Name: "x"}): 1}, "!a key of class a.B"},
		{func() {}, "!cannot show"},
	}
	for _, tt := range tests {
		got, err := gateway.JSON(tt.value)
		if reason, bad := strings.CutPrefix(tt.want, "!"); bad {
			if err == nil || !strings.Contains(err.Error(), reason) {
				t.Errorf("%T: %v, want an error with %q", tt.value, err, reason)
			}
			continue
		}
		if err != nil || string(got) != tt.want || !json.Valid(got) {
			t.Errorf("%#v: %s, %v, want %s", tt.value, got, err, tt.want)
		}
	}
}

func TestTooManyCallsAreRefused(t *testing.T) {
	f := &fake{block: make(chan struct{})}
	g := gateway.New(f, gateway.Options{MaxInFlight: 1})
	done := make(chan int)
	go func() { done <- send(g, "POST", "/a.B/c", "").Code }()
	for g.InFlight() == 0 {
		time.Sleep(time.Millisecond)
	}
	w := send(g, "POST", "/a.B/c", "")
	close(f.block)
	if w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") == "" {
		t.Errorf("the second call got %d %v", w.Code, w.Header())
	}
	if code := <-done; code != 200 {
		t.Errorf("the first call got %d", code)
	}
}

func TestGuardKeepsOtherSitesOut(t *testing.T) {
	h := gateway.Guard(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "in") }), true)
	tests := []struct {
		host   string
		header []string
		status int
	}{
		{"127.0.0.1:20980", nil, 200}, {"localhost:1", nil, 200}, {"[::1]:1", nil, 200}, {"10.1.2.3", nil, 200},
		{"evil.example:20980", nil, 403}, {"localhost.evil.example", nil, 403}, {"", nil, 403},
		{"127.0.0.1:20980", []string{"Origin", "http://evil.example"}, 403},
		{"127.0.0.1:20980", []string{"Sec-Fetch-Site", "cross-site"}, 403},
		{"127.0.0.1:20980", []string{"Origin", "http://127.0.0.1:20980"}, 200},
	}
	for _, tt := range tests {
		r := httptest.NewRequest("POST", "/", nil)
		r.Host = tt.host
		for i := 0; i+1 < len(tt.header); i += 2 {
			r.Header.Set(tt.header[i], tt.header[i+1])
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != tt.status {
			t.Errorf("%q %v: %d, want %d", tt.host, tt.header, w.Code, tt.status)
		}
	}
}

func TestTypesSpellShortNamesOut(t *testing.T) {
	got, err := gateway.Types(" long, String ,BigDecimal,List,com.example.Order[],int[][] ")
	want := "[long java.lang.String java.math.BigDecimal java.util.List com.example.Order[] int[][]]"
	if err != nil || fmt.Sprint(got) != want {
		t.Errorf("%v %v, want %s", got, err, want)
	}
}

// FuzzArguments: whatever the body, no panic; and what is accepted can be shown as JSON again.
func FuzzArguments(f *testing.F) {
	for _, s := range []string{`[1,"a",{"@type":"java.lang.Long","value":1}]`, `[[[{}]]]`, `{"a":`, `[1e5,-0,null]`, `[{"@type":"a.B","x":[1]}]`, "\x00", `["\ud800"]`} {
		f.Add([]byte(s), "")
	}
	f.Add([]byte(`["1.5", 2]`), "java.math.BigDecimal,long")
	f.Add([]byte(`["1e999999999"]`), "java.math.BigDecimal") // once took minutes
	f.Fuzz(func(t *testing.T, body []byte, types string) {
		var list []string
		if types != "" {
			var err error
			if list, err = gateway.Types(types); err != nil {
				return
			}
		}
		args, named, err := gateway.Arguments(body, list, 0)
		if err != nil {
			return
		}
		if named != nil && len(named) != len(args) {
			t.Fatalf("%d types for %d arguments", len(named), len(args))
		}
		if out, err := gateway.JSON(args); err != nil || !json.Valid(out) {
			t.Fatalf("%q: accepted but shown as %q, %v", body, out, err)
		}
	})
}
