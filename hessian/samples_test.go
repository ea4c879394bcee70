package hessian_test

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/dubway-go/dubway/hessian"
)

// The Go side of the classes in interop/java.
type (
	tier string
	line struct {
		Product  string
		Quantity int32
		Price    hessian.Decimal
	}
	order struct {
		ID       int64
		Customer string
		Tier     tier
		Paid     bool
		Weight   float64
		Created  time.Time
		Lines    []*line
		Labels   map[string]string
		Gift     *line
	}
	node struct {
		Name string
		Next *node
	}
)

func javaTypes() *hessian.Types {
	types, err := hessian.NewTypes().
		Struct("com.example.interop.Order", order{}).
		Struct("com.example.interop.Line", &line{}).
		Struct("com.example.interop.Node", node{}).
		Enum("com.example.interop.Tier", tier("")).
		Build()
	if err != nil {
		panic(err)
	}
	return types
}

func sampleOrder() *order {
	pen := &line{"pen", 3, "1.50"}
	return &order{
		ID: 1234567890123, Customer: "Müller 世界 😀", Tier: "GOLD", Paid: true, Weight: 12.25,
		Created: time.UnixMilli(1700000000123).UTC(), Lines: []*line{pen, {"ink", 1, "20"}},
		Labels: map[string]string{"region": "eu"}, Gift: pen,
	}
}

func ring(names ...string) *node {
	first := &node{Name: names[0]}
	last := first
	for _, name := range names[1:] {
		last.Next = &node{Name: name}
		last = last.Next
	}
	last.Next = first
	return first
}

type sample struct {
	name  string
	value any
	write any // what to encode when it is not value
}

// samples are the values of interop/java's Samples, as Go values.
func samples() []sample {
	var out []sample
	add := func(name string, v any) { out = append(out, sample{name, v, v}) }
	write := func(name string, v, w any) { out = append(out, sample{name, v, w}) }
	add("null", nil)
	add("true", true)
	add("false", false)
	for _, i := range []int32{0, 1, -1, -16, -17, 47, 48, 127, 128, -128, 2047, 2048, -2048, -2049, 262143, 262144, -262144, -262145, math.MaxInt32, math.MinInt32} {
		add("int:"+strconv.Itoa(int(i)), i)
	}
	for _, i := range []int64{0, 1, -1, -8, -9, 15, 16, 2047, 2048, -2048, -2049, 262143, 262144, -262144, -262145, math.MaxInt32, math.MinInt32, 1 << 31, -(1 << 31) - 1, math.MaxInt64, math.MinInt64} {
		add("long:"+strconv.FormatInt(i, 10), i)
	}
	for name, d := range map[string]float64{
		"0.0": 0, "1.0": 1, "-1.0": -1, "127.0": 127, "128.0": 128, "-128.0": -128, "-129.0": -129, "32767.0": 32767, "32768.0": 32768, "-32768.0": -32768,
		"0.001": 0.001, "-0.001": -0.001, "12.25": 12.25, "3.14159": 3.14159, "65.536": 65.536, "1.0E100": 1e100, "-1.0E-100": -1e-100, "2147483.647": 2147483.647,
		"max": math.MaxFloat64, "min": math.SmallestNonzeroFloat64, "nan": math.NaN(), "inf": math.Inf(1),
	} {
		add("double:"+name, d)
	}
	write("byte", int32(-7), int8(-7))
	write("short", int32(1234), int16(1234))
	write("float", 1.5, float32(1.5))
	add("char", "x")
	add("string:empty", "")
	add("string:short", "hello")
	for _, n := range []int{31, 32} {
		add("string:"+strconv.Itoa(n), strings.Repeat("a", n))
	}
	for _, n := range []int{1023, 1024} {
		add("string:"+strconv.Itoa(n), strings.Repeat("b", n))
	}
	add("string:utf", "Müller 世界 😀 \x00 end")
	for _, n := range []int{32768, 32769} {
		add("string:"+strconv.Itoa(n), strings.Repeat("c", n))
	}
	add("string:emoji", strings.Repeat("a", 32767)+strings.Repeat("😀", 20001))
	for _, n := range []int{15, 16, 1024, 70000} {
		add("bytes:"+strconv.Itoa(n), []byte(strings.Repeat("x", n)))
	}
	add("bytes:empty", []byte{})
	at := time.UnixMilli(1700000000123).UTC()
	add("date:ms", at)
	add("date:minute", time.UnixMilli(1700000040000).UTC())
	add("date:old", time.UnixMilli(-12345678901).UTC())
	write("sql:timestamp", at, hessian.NewObject("java.sql.Timestamp", hessian.Field{Name: "value", Value: at}))
	add("ints", []int32{1, 2, 300000})
	add("longs", []int64{1, 2, 1 << 40})
	add("shorts", []int16{1, -2})
	add("floats", []float32{1.5, -2})
	add("doubles", []float64{1.5, -2})
	add("bools", []bool{true, false})
	add("strings", []string{"a", "b"})
	strs := func(typ string, items ...any) *hessian.List { return &hessian.List{Type: typ, Items: items} }
	write("strings:null", []any{"a", nil}, strs("[string", "a", nil))
	write("objects", []any{int32(1), "a", int64(2), nil}, strs("[object", int32(1), "a", int64(2), nil))
	add("list", []any{int32(1), "a", 2.5})
	add("list:8", []any{int32(1), int32(2), int32(3), int32(4), int32(5), int32(6), int32(7), int32(8)})
	write("list:linked", []any{"a", "b"}, strs("java.util.LinkedList", "a", "b"))
	add("list:empty", []any{})
	write("set", []any{"a"}, strs("java.util.HashSet", "a"))
	write("set:linked", []any{"a", "b"}, strs("java.util.LinkedHashSet", "a", "b"))
	add("map", map[string]any{"k": "v"})
	add("map:int", map[any]any{int32(1): "one"})
	write("map:tree", map[string]any{"k": int32(7)}, &hessian.Map{Type: "java.util.TreeMap", Entries: []hessian.Entry{{Key: "k", Value: int32(7)}}})
	write("map:linked", map[string]any{"k": int64(7)}, &hessian.Map{Type: "java.util.LinkedHashMap", Entries: []hessian.Entry{{Key: "k", Value: int64(7)}}})
	add("map:empty", map[string]any{})
	add("decimal", hessian.Decimal("-12345678901234567890.1200"))
	huge, _ := new(big.Int).SetString("-123456789012345678901234567890", 10)
	add("biginteger", huge)
	add("biginteger:0", new(big.Int))
	add("enum", tier("SILVER"))
	add("order", sampleOrder())
	add("orders", []any{sampleOrder(), sampleOrder()})
	add("ring", ring("a", "b", "c"))
	self := []any{"self", nil}
	self[1] = self
	add("list:self", self)
	return append(out, javaSamples()...)
}

func javaSamples() []sample {
	var out []sample
	add := func(name string, v any) { out = append(out, sample{name, v, v}) }
	date := hessian.LocalDate{Year: 2026, Month: 2, Day: 28}
	clock := func(nano int) hessian.LocalTime {
		return hessian.LocalTime{Hour: 13, Minute: 5, Second: 59, Nano: nano}
	}
	id, _ := hessian.ParseUUID("123e4567-e89b-12d3-a456-426614174000")
	add("localdate", date)
	add("localtime", clock(123456789))
	add("localdatetime", hessian.LocalDateTime{Date: date, Time: clock(7)})
	add("instant", hessian.Instant{Time: time.Unix(1700000000, 123456789).UTC()})
	add("duration", -1500*time.Millisecond)
	add("period", hessian.Period{Years: 1, Months: 2, Days: 3})
	add("offsetdatetime", hessian.OffsetDateTime{DateTime: hessian.LocalDateTime{Date: date, Time: clock(0)}, Offset: 8 * 3600})
	add("zoneddatetime", hessian.ZonedDateTime{DateTime: hessian.LocalDateTime{Date: date, Time: clock(0)}, Offset: 3600, Zone: "Europe/Berlin"})
	add("uuid", id)
	add("locale", hessian.Locale("de_DE"))
	shared := &line{"cap", 1, "9"}
	add("counting", []any{shared, hessian.LocalDateTime{Date: hessian.LocalDate{Year: 2026, Month: 1, Day: 1}}, hessian.Locale("de_DE"),
		hessian.Decimal("1"), big.NewInt(10), tier("GOLD"), id, shared})
	return out
}
