package gateway_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dubway-go/dubway/gateway"
	"github.com/dubway-go/dubway/hessian"
	"github.com/dubway-go/dubway/rpc"
)

// doubled is a value of n levels, each of which has the next one twice: n containers that are 2^n elements as JSON.
func doubled(n int, wrap func(a any) any) any {
	v := any(int32(1))
	for range n {
		v = wrap(v)
	}
	return v
}

type pair struct{ A, B any }

func TestAResultThatGrowsAsJSONIsStopped(t *testing.T) {
	for name, wrap := range map[string]func(any) any{
		"list":    func(v any) any { return []any{v, v} },
		"map":     func(v any) any { return map[string]any{"a": v, "b": v} },
		"any map": func(v any) any { return map[any]any{int32(1): v, int32(2): v} },
		"entry map": func(v any) any {
			return &hessian.Map{Entries: []hessian.Entry{{Key: "a", Value: v}, {Key: "b", Value: v}}}
		},
		"typed list": func(v any) any { return &hessian.List{Items: []any{v, v}} },
		"object": func(v any) any {
			return hessian.NewObject("a.B", hessian.Field{Name: "a", Value: v}, hessian.Field{Name: "b", Value: v})
		},
		"struct": func(v any) any { return &pair{v, v} },
		"array":  func(v any) any { return [2]any{v, v} },
		"text":   func(v any) any { return []any{strings.Repeat("x", 1<<20), v, v} },
	} {
		b, err := gateway.LimitedJSON(doubled(40, wrap), 1<<16)
		if !errors.Is(err, gateway.ErrResultTooLarge) || b != nil {
			t.Errorf("%s: %d bytes, %v", name, len(b), err)
		}
		small := doubled(4, wrap)
		if b, err := gateway.JSON(small); err != nil || !json.Valid(b) {
			t.Errorf("%s: %s, %v", name, b, err)
		} else if again, err := gateway.LimitedJSON(small, len(b)); name != "struct" && (err != nil || string(again) != string(b)) {
			t.Errorf("%s: a limit of exactly its %d bytes: %v", name, len(b), err)
		} else if _, err := gateway.LimitedJSON(small, len(b)-1); !errors.Is(err, gateway.ErrResultTooLarge) {
			t.Errorf("%s: a limit below its %d bytes: %v", name, len(b), err)
		}
	}
}

func TestATooLargeResultIsAProblem(t *testing.T) {
	f := &fake{result: rpc.Result{Value: doubled(40, func(v any) any { return []any{v, v} })}}
	w := send(gateway.New(f, gateway.Options{}), "POST", "/a.B/c", "")
	var p gateway.Problem
	if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil {
		t.Fatal(err)
	}
	if w.Code != 502 || p.Code != "result-too-large" || p.Service != "a.B" || p.Method != "c" || !strings.Contains(p.Detail, "16777216 bytes") {
		t.Errorf("%d %+v", w.Code, p)
	}
	f.result.Value = "four"
	if w := send(gateway.New(f, gateway.Options{MaxResult: 6}), "POST", "/a.B/c", ""); w.Code != 200 {
		t.Errorf("a result of exactly the limit: %d %s", w.Code, w.Body)
	}
	if w := send(gateway.New(f, gateway.Options{MaxResult: 5}), "POST", "/a.B/c", ""); w.Code != 502 {
		t.Errorf("a result over the limit: %d %s", w.Code, w.Body)
	}
}

// bean is an object as the generic answer of a Java provider has it.
func bean(class string, fields ...any) map[string]any {
	m := map[string]any{"class": class}
	for i := 0; i+1 < len(fields); i += 2 {
		m[fields[i].(string)] = fields[i+1]
	}
	return m
}

func TestSmallJavaTypesAreText(t *testing.T) {
	uuid := bean("java.util.UUID", "mostSignificantBits", int64(0x123e4567e89b12d3), "leastSignificantBits", int64(-0x59bbd99aaac00000))
	zone := bean("java.time.ZoneOffset", "totalSeconds", int32(28800), "id", "+08:00")
	at := []any{"year", int32(2026), "monthValue", int32(2), "dayOfMonth", int32(28), "hour", int32(10), "minute", int32(15), "second", int32(30), "nano", int32(0), "offset", zone}
	for _, tt := range []struct {
		value any
		want  string
	}{
		{uuid, `"123e4567-e89b-12d3-a644-266555400000"`},
		{[]any{uuid, map[string]any{"id": uuid}}, `["123e4567-e89b-12d3-a644-266555400000",{"id":"123e4567-e89b-12d3-a644-266555400000"}]`},
		{bean("java.util.Locale", "language", "zh", "country", "CN"), `"zh_CN"`},
		{bean("java.time.Instant", "epochSecond", int64(1), "nano", int32(500_000_000)), `"1970-01-01T00:00:01.5Z"`},
		{bean("java.time.Duration", "seconds", int64(90), "nano", int32(500_000_000)), `"PT1M30.5S"`},
		{bean("java.time.Period", "years", int32(1), "months", int32(2), "days", int32(0)), `"P1Y2M"`},
		{bean("java.time.OffsetDateTime", at...), `"2026-02-28T10:15:30+08:00"`},
		{bean("java.time.ZonedDateTime", append(at, "zone", bean("java.time.ZoneRegion", "id", "Asia/Shanghai"))...), `"2026-02-28T10:15:30+08:00[Asia/Shanghai]"`},
		{bean("java.time.Duration", "seconds", "ninety"), `{"class":"java.time.Duration","seconds":"ninety"}`}, // not one after all
		{hessian.Instant{Time: time.Unix(0, 0)}, `"1970-01-01T00:00:00Z"`},
		{time.Duration(0), `"PT0S"`}, {-1500 * time.Millisecond, `"PT-1.5S"`}, {25*time.Hour + time.Nanosecond, `"PT25H0.000000001S"`},
		{time.Duration(-1 << 63), `"PT-2562047H-47M-16.854775808S"`},
		{&hessian.Map{Entries: []hessian.Entry{{Key: uuid, Value: int32(1)}, {Key: time.Minute, Value: int32(2)}}}, `{"123e4567-e89b-12d3-a644-266555400000":1,"PT1M":2}`},
	} {
		if got, err := gateway.JSON(tt.value); err != nil || string(got) != tt.want {
			t.Errorf("%v: %s, %v, want %s", tt.value, got, err, tt.want)
		}
	}
}

// TestLongTextsGetShortErrors: work and answer stay small for texts as long as a body may be.
func TestLongTextsGetShortErrors(t *testing.T) {
	digits := strings.Repeat("9", 1<<20)
	for _, tt := range []struct {
		body  string
		types []string
	}{
		{"[" + digits + "]", nil}, {"[1e" + digits + "]", nil}, {"[-" + digits + "]", []string{"long"}}, {"[" + digits + "]", []string{"int"}},
		{"[" + digits + "]", []string{"java.math.BigInteger"}}, {`["` + digits + `"]`, []string{"java.math.BigDecimal"}}, {"[1e99999]", []string{"java.math.BigDecimal"}},
		{`["` + digits + `x"]`, []string{"double"}}, {`["` + digits + `"]`, []string{"java.util.Date"}}, {`["` + digits + `!"]`, []string{"byte[]"}},
		{strings.Repeat("[", 1<<20), nil}, {strings.Repeat(`{"a":`, 1<<18), nil}, {"[" + strings.Repeat(`{"a":`, 1<<18), nil},
		{"[1" + strings.Repeat(" ", 1<<20) + "x", nil},
	} {
		_, _, err := gateway.Arguments([]byte(tt.body), tt.types, 0)
		if err == nil || len(err.Error()) > 400 {
			t.Errorf("%.20s… as %v: %d bytes: %.200v", tt.body, tt.types, len(fmt.Sprint(err)), err)
		}
	}
}
