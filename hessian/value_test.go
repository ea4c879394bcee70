package hessian_test

import (
	"errors"
	"math/big"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/dubway-go/dubway/hessian"
)

func encode(t *testing.T, v any) []byte {
	t.Helper()
	e := hessian.NewEncoder(hessian.EncoderOptions{Types: javaTypes()})
	if err := e.Encode(v); err != nil {
		t.Fatalf("%T %v: %v", v, v, err)
	}
	return e.Bytes()
}

func decode(t *testing.T, in []byte) any {
	t.Helper()
	d := hessian.NewDecoder(hessian.DecoderOptions{Types: javaTypes()})
	d.Reset(in)
	v, err := d.Decode()
	if err != nil {
		t.Fatalf("% x: %v", in, err)
	}
	return v
}

func TestGoValuesBecomeJavaValues(t *testing.T) {
	type named string
	type number int16
	type inner struct{ X int32 }
	type outer struct {
		inner
		UserID  int64
		Name    named  `hessian:"title"`
		Skipped string `hessian:"-"`
		private int
		At      *time.Time
	}
	seven := 7
	tests := []struct{ in, want any }{
		{named("x"), "x"}, {number(3), int32(3)}, {7, int64(7)}, {&seven, int64(7)}, {(*int)(nil), nil},
		{uint8(255), int32(255)}, {uint32(1 << 31), int64(1 << 31)}, {uint64(5), int64(5)},
		{[]named{"a"}, []any{"a"}}, {[2]int32{1, 2}, []any{int32(1), int32(2)}}, {[]byte(nil), nil}, {[]string(nil), nil},
		{[3]byte{1, 2, 3}, []byte{1, 2, 3}}, {map[string]int32{"a": 1}, map[string]any{"a": int32(1)}},
		{map[int32]bool{1: true}, map[any]any{int32(1): true}},
		{outer{inner{1}, 2, "n", "no", 4, nil}, map[string]any{"x": int32(1), "userID": int64(2), "title": "n", "at": nil}},
		{hessian.Enum{Class: "com.example.interop.Tier", Name: "GOLD"}, tier("GOLD")}, {tier(""), nil}, {hessian.Decimal(""), nil}, {line{"p", 1, ""}, &line{"p", 1, ""}},
		{[]tier{"GOLD"}, []any{tier("GOLD")}}, {[]any{line{"p", 1, "2"}}, []any{&line{"p", 1, "2"}}},
		{(*order)(nil), nil}, {(*hessian.Object)(nil), nil}, {(*big.Int)(nil), nil},
		{[]time.Duration{time.Second}, []any{time.Second}}, {struct{ A []string }{[]string{"x"}}, map[string]any{"a": []string{"x"}}},
	}
	for _, test := range tests {
		if got := decode(t, encode(t, test.in)); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%T %v became %T %v, want %T %v", test.in, test.in, got, got, test.want, test.want)
		}
	}
}

func TestValuesWithoutAJavaCounterpart(t *testing.T) {
	for _, v := range []any{make(chan int), func() {}, complex(1, 2), uint64(1 << 63), []any{make(chan int)}, map[string]any{"a": func() {}},
		&hessian.Object{Class: &hessian.Class{Name: "a", Fields: []string{"b"}}}, hessian.LocalDate{Year: 1 << 40}, &hessian.Throwable{}} {
		var e hessian.Encoder
		e.Reset(nil)
		if err := e.Encode(v); !errors.Is(err, hessian.ErrType) {
			t.Errorf("%T: %v, want ErrType", v, err)
		}
	}
}

func TestStringsOfTheWire(t *testing.T) {
	tests := []struct {
		name string
		in   []byte
		want string
	}{
		{"surrogates in three bytes each", []byte("\x02\xed\xa0\xbd\xed\xb8\x80"), "😀"},
		{"four bytes for two units", []byte("\x02\xf0\x9f\x98\x80"), "😀"},
		{"four bytes counted as one", []byte("\x01\xf0\x9f\x98\x80"), "😀"},
		{"four bytes in the middle", []byte("\x04a\xf0\x9f\x98\x80b"), "a😀b"},
		{"surrogates split over chunks", []byte("R\x00\x02a\xed\xa0\xbd\x02\xed\xb8\x80b"), "a😀b"},
		{"lone high surrogate", []byte("\x02\xed\xa0\xbda"), "\ufffda"},
		{"lone low surrogate", []byte("\x02\xed\xb8\x80a"), "\ufffda"},
		{"zero as Java may write it", []byte("\x02\xc0\x80a"), "\x00a"},
		{"medium form", append([]byte{0x30, 3}, "abc"...), "abc"},
		{"empty chunks", []byte("R\x00\x00R\x00\x01a\x00"), "a"},
	}
	for _, test := range tests {
		if got := decode(t, test.in); got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
		d := hessian.NewDecoder(hessian.DecoderOptions{})
		d.Reset(test.in)
		if b, err := d.DecodeText(); err != nil || string(b) != test.want {
			t.Errorf("%s: DecodeText: %q, %v", test.name, b, err)
		}
	}
	if got := decode(t, encode(t, "a\xffb")); got != "a\ufffdb" {
		t.Errorf("a string that is not UTF-8 became %q", got)
	}
}

func TestOtherFormsOfTheWire(t *testing.T) {
	self := []byte("H\x01aQ\x90Z")
	m, ok := decode(t, self).(map[string]any)
	if inner, isMap := m["a"].(map[string]any); !ok || !isMap || reflect.ValueOf(inner).Pointer() != reflect.ValueOf(m).Pointer() {
		t.Errorf("a map that contains itself: %T", m["a"])
	}
	tests := []struct {
		in   string
		want any
	}{
		{"W\x91\x92Z", []any{int32(1), int32(2)}},
		{"U\x04[int\x91\x92Z", []int32{1, 2}},
		{"U\x04[intNZ", []any{nil}},
		{"WZ", []any{}},
		{"\x5f\x00\x00\x00\x0c", 0.012},
		{"H\x91\x01aZ", map[any]any{int32(1): "a"}},
		{"H\x01k\x01v\x91\x01aZ", map[any]any{"k": "v", int32(1): "a"}},
		{"HN\x01aZ", map[any]any{nil: "a"}},
		{"H\x78\x01aZ", &hessian.Map{Entries: []hessian.Entry{{Key: []any{}, Value: "a"}}}},
		{"M\x18com.example.interop.Line\x07product\x01p\x08quantity\x92\x05bogusNZ", &line{Product: "p", Quantity: 2}},
		{"C\x01x\x90N", nil}, // a definition before something else
		{"\x73\x04[int\x91\x92\x93", []int32{1, 2, 3}},
	}
	for _, test := range tests {
		if got := decode(t, []byte(test.in)); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%q: got %T %v, want %T %v", test.in, got, got, test.want, test.want)
		}
	}
	// The type name and the class are used a second time by number.
	again := decode(t, []byte("\x7a\x71\x04[int\x91\x71\x90\x92"))
	if !reflect.DeepEqual(again, []any{[]int32{1}, []int32{2}}) {
		t.Errorf("type by number: %v", again)
	}
}

func TestListsOfUnknownLengthThatContainThemselves(t *testing.T) {
	for _, in := range []string{"W\x01aQ\x90Z", "U\x07[objectQ\x90\x01aZ", "U\x04[int\x91Q\x90Z", "W\x01aWQ\x90Q\x91ZZ", "W\x79H\x01kQ\x90Z\x01aZ"} {
		list, ok := decode(t, []byte(in)).([]any)
		if !ok || len(list) != 2 {
			t.Errorf("%q: %T", in, list)
			continue
		}
		found := false
		var walk func(v any, depth int)
		walk = func(v any, depth int) {
			switch v := v.(type) {
			case []any:
				if depth > 0 && len(v) == len(list) && &v[0] == &list[0] {
					found = true
					return
				}
				for _, x := range v {
					if depth < 4 {
						walk(x, depth+1)
					}
				}
			case map[string]any:
				walk(v["k"], depth+1)
			}
		}
		walk(list, 0)
		if !found {
			t.Errorf("%q: the list does not contain itself", in)
		}
	}
}

func TestMapsOfMixedKeysThatContainThemselves(t *testing.T) {
	for _, in := range []string{"H\x01aQ\x90\x91\x01bZ", "H\x01a\x79Q\x90\x91\x79Q\x91Z"} {
		m, ok := decode(t, []byte(in)).(map[any]any)
		if !ok || len(m) != 2 {
			t.Fatalf("%q: %v", in, m)
		}
		inner := m["a"]
		if list, ok := inner.([]any); ok {
			inner = list[0]
			other, ok := m[int32(1)].([]any)
			if back, isList := other[0].([]any); !ok || !isList || &back[0] != &list[0] {
				t.Errorf("%q: the list is not shared", in)
			}
		}
		if self, ok := inner.(map[any]any); !ok || reflect.ValueOf(self).Pointer() != reflect.ValueOf(m).Pointer() {
			t.Errorf("%q: contains another map", in)
		}
	}
	m, ok := decode(t, []byte("H\x01aQ\x90\x91Q\x90\x78\x01cZ")).(*hessian.Map)
	if !ok || len(m.Entries) != 3 || m.Entries[0].Value != m || m.Entries[1].Value != m {
		t.Errorf("with a list as a key: %v", m)
	}
}

func TestNumbersTooBigStayObjects(t *testing.T) {
	for _, field := range []hessian.Field{{Name: "mag", Value: make([]int32, 2000)}, {Name: "value", Value: strings.Repeat("9", 20000)}} {
		o := hessian.NewObject("java.math.BigInteger", hessian.Field{Name: "signum", Value: int32(1)}, field)
		if got := decode(t, encode(t, o)); !reflect.DeepEqual(got, o) {
			t.Errorf("%s: became a %T", field.Name, got)
		}
	}
	text := hessian.NewObject("java.math.BigInteger", hessian.Field{Name: "value", Value: "-12345678901234567890"})
	want, _ := new(big.Int).SetString("-12345678901234567890", 10)
	if got := decode(t, encode(t, text)); !reflect.DeepEqual(got, want) {
		t.Errorf("as text: %v", got)
	}
	calendar := hessian.NewObject("com.alibaba.com.caucho.hessian.io.CalendarHandle", hessian.Field{Name: "type"}, hessian.Field{Name: "date", Value: time.UnixMilli(5)})
	if got := decode(t, encode(t, calendar)); got != time.UnixMilli(5).UTC() {
		t.Errorf("a calendar: %v", got)
	}
}

func TestReferencesIntoSkippedValues(t *testing.T) {
	shared := map[string]any{"k": "v"}
	o := sampleOrder()
	e := hessian.NewEncoder(hessian.EncoderOptions{Types: javaTypes()})
	for _, v := range []any{[]any{o, shared, []any{"x", hessian.LocalDate{Year: 2026, Month: 1, Day: 2}}}, o.Lines[1], shared, o, o.Gift} {
		if err := e.Encode(v); err != nil {
			t.Fatal(err)
		}
	}
	d := hessian.NewDecoder(hessian.DecoderOptions{Types: javaTypes()})
	d.Reset(e.Bytes())
	if err := d.Skip(); err != nil {
		t.Fatal(err)
	}
	var got []any
	for d.Remaining() > 0 {
		v, err := d.Decode()
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, v)
	}
	if want := []any{o.Lines[1], shared, o, o.Gift}; !reflect.DeepEqual(got, want) {
		t.Fatalf("got %v, want %v", got, want)
	}
	read := got[2].(*order)
	if read.Lines[1] != got[0] || read.Gift != got[3] || read.Lines[0] != read.Gift {
		t.Error("what is shared on the wire is not shared after decoding")
	}
}

func TestThrowables(t *testing.T) {
	in := &hessian.Throwable{
		Class: "com.example.interop.BusinessException", Message: "no stock",
		Stack: []hessian.StackFrame{{Class: "a.B", Method: "c", File: "B.java", Line: 7}},
		Cause: &hessian.Throwable{Class: "java.lang.IllegalArgumentException", Message: "why"},
	}
	v := decode(t, encode(t, in))
	got, ok := hessian.AsThrowable(v)
	if !ok || !reflect.DeepEqual(got, in) {
		t.Errorf("got %+v, want %+v", got, in)
	}
	if got.Error() != "com.example.interop.BusinessException: no stock; caused by java.lang.IllegalArgumentException: why" {
		t.Errorf("Error() is %q", got.Error())
	}
	if errors.Unwrap(got) == nil || errors.Unwrap(errors.Unwrap(got)) != nil {
		t.Error("the chain of causes is wrong")
	}
	for _, v := range []any{nil, "x", hessian.NewObject("a"), map[string]any{}} {
		if _, ok := hessian.AsThrowable(v); ok {
			t.Errorf("%v is taken for a Throwable", v)
		}
	}
}

func TestRegistrationMistakesAreReported(t *testing.T) {
	type twice struct {
		A string `hessian:"x"`
		B string `hessian:"x"`
	}
	_, err := hessian.NewTypes().Struct("", line{}).Struct("a", 7).Struct("b", nil).Struct("c", line{}).Struct("c", order{}).
		Struct("d", line{}).Struct("e", twice{}).Enum("f", 7).Enum("c", tier("")).Enum("", nil).Build()
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{"needs a Java class name", "class a: int is not a struct", "class b", "class c is registered twice", "line is registered twice, as c and as d", `called "x"`, "enum f: int"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in: %v", want, err)
		}
	}
	types := javaTypes()
	if got := types.Classes(); len(got) != 4 || got[0] != "com.example.interop.Line" {
		t.Errorf("Classes: %v", got)
	}
	if class, ok := types.ClassOf(&line{}); !ok || class != "com.example.interop.Line" {
		t.Errorf("ClassOf: %v %v", class, ok)
	}
	if _, ok := (*hessian.Types)(nil).ClassOf(7); ok {
		t.Error("nil Types knows int")
	}
}

func TestAssign(t *testing.T) {
	tests := []struct {
		in   any
		to   any // pointer to the zero value
		want any
	}{
		{int32(5), new(int), 5}, {int64(5), new(uint8), uint8(5)}, {5.0, new(int16), int16(5)}, {int32(5), new(float64), 5.0},
		{"x", new(string), "x"}, {nil, new(string), ""}, {"x", new(any), any("x")}, {hessian.Decimal("1.5"), new(string), "1.5"},
		{[]any{int32(1)}, new([]int64), []int64{1}}, {[]any{"a", "b"}, new([2]string), [2]string{"a", "b"}},
		{[]int32{1}, new([]int), []int{1}}, {map[string]any{"a": int32(1)}, new(map[string]int), map[string]int{"a": 1}},
		{map[any]any{int32(1): "a"}, new(map[int]string), map[int]string{1: "a"}},
		{hessian.NewObject("x", hessian.Field{Name: "product", Value: "p"}), new(*line), &line{Product: "p"}},
		{map[string]any{"PRODUCT": "p"}, new(line), line{Product: "p"}}, {&line{Product: "p"}, new(line), line{Product: "p"}},
		{hessian.NewObject("x.Tier", hessian.Field{Name: "name", Value: "GOLD"}), new(string), "GOLD"},
		{"GOLD", new(tier), tier("GOLD")}, {big.NewInt(7), new(int), 7}, {int32(7), new(*big.Int), big.NewInt(7)},
		{hessian.LocalDate{Year: 2026, Month: 1, Day: 2}, new(time.Time), time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)},
		{"123e4567-e89b-12d3-a456-426614174000", new(hessian.UUID), hessian.UUID{0x12, 0x3e, 0x45, 0x67, 0xe8, 0x9b, 0x12, 0xd3, 0xa4, 0x56, 0x42, 0x66, 0x14, 0x17, 0x40, 0}},
		{&hessian.List{Type: "x", Items: []any{"a"}}, new([]string), []string{"a"}},
	}
	types := javaTypes()
	for _, test := range tests {
		if err := types.Assign(test.to, test.in); err != nil {
			t.Errorf("%T %v to %T: %v", test.in, test.in, test.to, err)
		} else if got := reflect.ValueOf(test.to).Elem().Interface(); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%T %v to %T: got %v, want %v", test.in, test.in, test.to, got, test.want)
		}
	}
	for _, test := range []struct{ in, to any }{
		{int64(300), new(int8)}, {int32(-1), new(uint)}, {1.5, new(int)}, {"x", new(int)}, {int32(1), new(string)}, {[]any{"a"}, new([2]string)},
		{"x", new(line)}, {"x", new([]string)}, {"x", new(map[string]string)}, {"x", new(time.Time)}, {"x", 7}, {"x", (*int)(nil)}, {true, new(int)}, {"x", new(hessian.UUID)},
		{map[string]any{"quantity": "x"}, new(line)}, {hessian.NewObject("a.B"), new(int)},
	} {
		if err := hessian.Assign(test.to, test.in); !errors.Is(err, hessian.ErrType) {
			t.Errorf("%T %v to %T: %v, want ErrType", test.in, test.in, test.to, err)
		}
	}
}

func TestAssignKeepsRings(t *testing.T) {
	a, b := map[string]any{"name": "a"}, map[string]any{"name": "b"}
	a["next"], b["next"] = b, a
	var n *node
	if err := hessian.Assign(&n, a); err != nil {
		t.Fatal(err)
	}
	if n.Name != "a" || n.Next.Name != "b" || n.Next.Next != n {
		t.Errorf("got %v", n)
	}
}

func TestRawKeepsTheWiresTypes(t *testing.T) {
	d := hessian.NewDecoder(hessian.DecoderOptions{Raw: true, Types: javaTypes()})
	for _, test := range []struct{ in, want any }{
		{&hessian.List{Type: "java.util.HashSet", Items: []any{"a"}}, &hessian.List{Type: "java.util.HashSet", Items: []any{"a"}}},
		{&hessian.Map{Type: "java.util.TreeMap", Entries: []hessian.Entry{{Key: "k", Value: int32(1)}}}, &hessian.Map{Type: "java.util.TreeMap", Entries: []hessian.Entry{{Key: "k", Value: int32(1)}}}},
		{hessian.Decimal("1"), hessian.NewObject("java.math.BigDecimal", hessian.Field{Name: "value", Value: "1"})},
		{tier("GOLD"), hessian.NewObject("com.example.interop.Tier", hessian.Field{Name: "name", Value: "GOLD"})},
	} {
		d.Reset(encode(t, test.in))
		if got, err := d.Decode(); err != nil || !reflect.DeepEqual(got, test.want) {
			t.Errorf("%v: got %v, %v", test.in, got, err)
		}
	}
}

func TestManyReferences(t *testing.T) {
	// More containers than the linear search of the encoder, referred to from both ends.
	var items []any
	for i := range 100 {
		items = append(items, map[string]any{"i": int32(i)})
	}
	items = append(items, items[0], items[50], items[99])
	got := decode(t, encode(t, items)).([]any)
	if !reflect.DeepEqual(got, items) {
		t.Fatal("not equal")
	}
	for i, j := range map[int]int{100: 0, 101: 50, 102: 99} {
		if reflect.ValueOf(got[i]).Pointer() != reflect.ValueOf(got[j]).Pointer() {
			t.Errorf("element %d is not the one of %d", i, j)
		}
	}
}

func TestJSONForms(t *testing.T) {
	date := hessian.LocalDateTime{Date: hessian.LocalDate{Year: 2026, Month: 2, Day: 28}, Time: hessian.LocalTime{Hour: 13, Minute: 5, Nano: 250000000}}
	for want, v := range map[string]interface{ MarshalText() ([]byte, error) }{
		"2026-02-28T13:05:00.25":               date,
		"2026-02-28T13:05:00.25+08:00":         hessian.OffsetDateTime{DateTime: date, Offset: 8 * 3600},
		"2026-02-28T13:05:00.25-01:30[X]":      hessian.ZonedDateTime{DateTime: date, Offset: -5400, Zone: "X"},
		"2026-02-28T13:05:00.25Z":              hessian.OffsetDateTime{DateTime: date},
		"P1Y3D":                                hessian.Period{Years: 1, Days: 3},
		"P0D":                                  hessian.Period{},
		"12.50":                                hessian.Decimal("12.50"),
		"01020300-0000-0000-0000-000000000000": hessian.UUID{1, 2, 3},
	} {
		if got, err := v.MarshalText(); err != nil || string(got) != want {
			t.Errorf("got %s, %v, want %s", got, err, want)
		}
	}
	if r, ok := hessian.Decimal("1.25E+2").Rat(); !ok || r.Cmp(big.NewRat(125, 1)) != 0 {
		t.Errorf("Rat: %v %v", r, ok)
	}
	for _, bad := range []hessian.Decimal{"", "x", "1E999999999"} {
		if _, ok := bad.Rat(); ok {
			t.Errorf("Rat takes %q", bad)
		}
	}
}

func TestBeansOfGenericAnswers(t *testing.T) {
	offset := map[string]any{"class": "java.time.ZoneOffset", "totalSeconds": int32(3600)}
	at := map[string]any{"year": int32(2026), "monthValue": int32(2), "dayOfMonth": int32(28), "hour": int32(13), "minute": int32(5), "second": int32(0), "nano": int32(7), "offset": offset}
	with := func(class string, more map[string]any) map[string]any {
		out := map[string]any{"class": class}
		for k, v := range at {
			out[k] = v
		}
		for k, v := range more {
			out[k] = v
		}
		return out
	}
	clock := hessian.LocalDateTime{Date: hessian.LocalDate{Year: 2026, Month: 2, Day: 28}, Time: hessian.LocalTime{Hour: 13, Minute: 5, Nano: 7}}
	tests := []struct {
		in   map[string]any
		want any
	}{
		{map[string]any{"class": "java.util.UUID", "mostSignificantBits": int64(1) << 56, "leastSignificantBits": int64(2)}, hessian.UUID{0: 1, 15: 2}},
		{map[string]any{"class": "java.util.Locale", "language": "de", "country": "DE"}, hessian.Locale("de_DE")},
		{map[string]any{"class": "java.util.Locale", "language": "de", "variant": "x"}, hessian.Locale("de__x")},
		{map[string]any{"class": "java.time.Instant", "epochSecond": int64(5), "nano": int32(6)}, hessian.Instant{Time: time.Unix(5, 6).UTC()}},
		{map[string]any{"class": "java.time.Duration", "seconds": int64(-2), "nano": int32(500000000)}, -1500 * time.Millisecond},
		{map[string]any{"class": "java.time.Period", "years": int32(1), "months": int32(2), "days": int32(3)}, hessian.Period{Years: 1, Months: 2, Days: 3}},
		{with("java.time.OffsetDateTime", nil), hessian.OffsetDateTime{DateTime: clock, Offset: 3600}},
		{with("java.time.ZonedDateTime", nil), hessian.ZonedDateTime{DateTime: clock, Offset: 3600, Zone: "+01:00"}},
		{with("java.time.ZonedDateTime", map[string]any{"zone": map[string]any{"id": "Europe/Berlin"}}), hessian.ZonedDateTime{DateTime: clock, Offset: 3600, Zone: "Europe/Berlin"}},
	}
	for _, test := range tests {
		got, ok := hessian.FromBean(test.in)
		if !ok || !reflect.DeepEqual(got, test.want) {
			t.Errorf("%v: got %v, %v, want %v", test.in["class"], got, ok, test.want)
		}
		to := reflect.New(reflect.TypeOf(test.want))
		if err := hessian.Assign(to.Interface(), test.in); err != nil || !reflect.DeepEqual(to.Elem().Interface(), test.want) {
			t.Errorf("%v: assigned %v, %v", test.in["class"], to.Elem(), err)
		}
	}
	for _, bad := range []map[string]any{nil, {"class": "x"}, {"class": "java.util.UUID"}, {"class": "java.util.Locale"}, {"class": "java.time.Instant"},
		{"class": "java.time.Duration", "seconds": int64(1) << 60, "nano": int32(0)}, {"class": "java.time.OffsetDateTime"}} {
		if v, ok := hessian.FromBean(bad); ok {
			t.Errorf("%v is taken for %v", bad, v)
		}
	}
	var clockOf struct {
		Date hessian.LocalDate
		Time hessian.LocalTime
		Both hessian.LocalDateTime
		At   time.Time
	}
	err := hessian.Assign(&clockOf, map[string]any{"date": "2026-02-28", "time": "13:05:00.000000007", "both": "2026-02-28T13:05", "at": "2026-02-28T13:05"})
	if err != nil || clockOf.Date != clock.Date || clockOf.Time != clock.Time || clockOf.Both.Time.Minute != 5 || clockOf.At.Hour() != 13 {
		t.Errorf("got %+v, %v", clockOf, err)
	}
	if err := hessian.Assign(&clockOf.Date, "tomorrow"); !errors.Is(err, hessian.ErrType) {
		t.Errorf("tomorrow: %v", err)
	}
}
