package interop

import (
	"context"
	"errors"
	"math"
	"math/big"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/hessian"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/service"
	"github.com/dubway-go/dubway/transport/dubbo"
)

// direct calls one provider over the transport alone.
type direct struct {
	t      *testing.T
	client *dubbo.Client
	to     *service.Instance
	key    service.Key
}

func dial(t *testing.T, address string, types *hessian.Types) *direct {
	t.Helper()
	u, err := durl.Parse("dubbo://" + address + "/" + echo + "?interface=" + echo + "&timeout=5000")
	if err != nil {
		t.Fatal(err)
	}
	c := dubbo.NewClient(dubbo.ClientOptions{Application: "interop", Types: types})
	t.Cleanup(func() { _ = c.Close() })
	return &direct{t, c, service.NewInstance(u, u, u), service.Key{Interface: echo}}
}

func (d *direct) call(inv rpc.Invocation) (rpc.Result, error) {
	d.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	inv.Service = d.key
	return d.client.Invoke(ctx, d.to, &inv)
}

// echoCase is a value that a method answers. Want is what comes back when it is not arg; generic is what a generic call
// gets when that is something else again.
type echoCase struct {
	method, typ        string
	arg, want, generic any
}

func echoCases() []echoCase {
	huge := new(big.Int).Neg(new(big.Int).Lsh(big.NewInt(1), 200))
	mixed := []any{int32(1), "a", int64(2), 2.5, nil, true}
	date := hessian.LocalDate{Year: 2026, Month: 2, Day: 28}
	clock := hessian.LocalTime{Hour: 13, Minute: 5, Second: 59, Nano: 7}
	id, _ := hessian.ParseUUID("123e4567-e89b-12d3-a456-426614174000")
	cases := []echoCase{
		{method: "echoBool", typ: "boolean", arg: true},
		{method: "echoByte", typ: "byte", arg: int8(-128), want: int32(-128)},
		{method: "echoShort", typ: "short", arg: int16(-32768), want: int32(-32768)},
		{method: "echoFloat", typ: "float", arg: float32(1.5), want: 1.5},
		{method: "echoChar", typ: "char", arg: "世"},
		{method: "echoBoxedBool", typ: "java.lang.Boolean", arg: false},
		{method: "echoBoxedByte", typ: "java.lang.Byte", arg: int32(7)},
		{method: "echoBoxedShort", typ: "java.lang.Short", arg: int32(7)},
		{method: "echoBoxedInt", typ: "java.lang.Integer", arg: int32(7)},
		{method: "echoBoxedInt", typ: "java.lang.Integer", arg: nil},
		{method: "echoBoxedLong", typ: "java.lang.Long", arg: int64(7)},
		{method: "echoBoxedLong", typ: "java.lang.Long", arg: int32(7), want: int64(7)},
		{method: "echoBoxedFloat", typ: "java.lang.Float", arg: 7.5},
		{method: "echoBoxedDouble", typ: "java.lang.Double", arg: 7.25},
		{method: "echoBoxedChar", typ: "java.lang.Character", arg: "x"},
		{method: "echoString", typ: "java.lang.String", arg: nil},
		{method: "echoBytes", typ: "byte[]", arg: []byte(strings.Repeat("\xff", 100000))},
		{method: "echoBytes", typ: "byte[]", arg: []byte{}},
		{method: "echoInts", typ: "int[]", arg: []int32{1, 2, 1 << 30}},
		{method: "echoLongs", typ: "long[]", arg: []int64{1, 1 << 40}},
		{method: "echoDoubles", typ: "double[]", arg: []float64{1.5, -2}},
		{method: "echoBools", typ: "boolean[]", arg: []bool{true, false}},
		{method: "echoStrings", typ: "java.lang.String[]", arg: []string{"a", "b"}},
		{method: "echoStrings", typ: "java.lang.String[]", arg: &hessian.List{Type: "[string", Items: []any{"a", nil}}, want: []any{"a", nil}},
		{method: "echoObjects", typ: "java.lang.Object[]", arg: &hessian.List{Type: "[object", Items: mixed}, want: mixed},
		{method: "echoObjects", typ: "java.lang.Object[]", arg: mixed},
		{method: "echoList", typ: "java.util.List", arg: mixed},
		{method: "echoList", typ: "java.util.List", arg: []string{"a"}, want: []any{"a"}},
		{method: "echoMap", typ: "java.util.Map", arg: map[string]any{"a": int32(1), "b": map[string]any{"c": []any{"d"}}}},
		{method: "echoIntMap", typ: "java.util.Map", arg: map[any]any{int32(1): "one"}},
		{method: "echoSet", typ: "java.util.Set", arg: &hessian.List{Type: "java.util.HashSet", Items: []any{"a"}}, want: []any{"a"}},
		{method: "echoSet", typ: "java.util.Set", arg: []any{"a"}},
		{method: "echoDate", typ: "java.util.Date", arg: time.UnixMilli(1700000000123).UTC()},
		{method: "echoBigDecimal", typ: "java.math.BigDecimal", arg: hessian.Decimal("-1.500")},
		{method: "echoBigInteger", typ: "java.math.BigInteger", arg: huge},
		{method: "echoTier", typ: "com.example.interop.Tier", arg: Tier("GOLD"), generic: "GOLD"},
		{method: "echoUuid", typ: "java.util.UUID", arg: id},
		{method: "echoLocale", typ: "java.util.Locale", arg: hessian.Locale("de_DE")},
		{method: "echoLocalDate", typ: "java.time.LocalDate", arg: date},
		{method: "echoLocalTime", typ: "java.time.LocalTime", arg: clock},
		{method: "echoLocalDateTime", typ: "java.time.LocalDateTime", arg: hessian.LocalDateTime{Date: date, Time: clock}},
		{method: "echoInstant", typ: "java.time.Instant", arg: hessian.Instant{Time: time.Unix(1700000000, 123456789).UTC()}},
		{method: "echoDuration", typ: "java.time.Duration", arg: -1500 * time.Millisecond},
		{method: "echoOffsetDateTime", typ: "java.time.OffsetDateTime", arg: hessian.OffsetDateTime{DateTime: hessian.LocalDateTime{Date: date, Time: clock}, Offset: 28800}},
		{method: "echoZonedDateTime", typ: "java.time.ZonedDateTime", arg: hessian.ZonedDateTime{DateTime: hessian.LocalDateTime{Date: date, Time: clock}, Offset: 3600, Zone: "Europe/Berlin"}},
		{method: "echoOrder", typ: "com.example.interop.Order", arg: sampleOrder()},
		{method: "echoOrders", typ: "java.util.List", arg: []*Order{sampleOrder(), sampleOrder()}, want: []any{sampleOrder(), sampleOrder()}},
		{method: "echoNode", typ: "com.example.interop.Node", arg: ring("a", "b", "c")},
		{method: "echoObject", typ: "java.lang.Object", arg: sampleOrder()},
		{method: "echoObject", typ: "java.lang.Object", arg: []any{sampleOrder(), "x"}},
		{method: "echoObject", typ: "java.lang.Object", arg: nil},
	}
	for _, i := range []int32{0, -17, 2048, 262144, math.MaxInt32, math.MinInt32} {
		cases = append(cases, echoCase{method: "echoInt", typ: "int", arg: i})
	}
	for _, i := range []int64{0, -9, 2048, 1 << 31, math.MaxInt64, math.MinInt64} {
		cases = append(cases, echoCase{method: "echoLong", typ: "long", arg: i})
	}
	for _, f := range []float64{0, 1, -1, 3000, 0.001, math.Pi, math.Inf(-1), math.MaxFloat64} {
		cases = append(cases, echoCase{method: "echoDouble", typ: "double", arg: f})
	}
	for _, s := range []string{"", "hello", "Müller 世界 😀", strings.Repeat("😀", 40000)} {
		cases = append(cases, echoCase{method: "echoString", typ: "java.lang.String", arg: s})
	}
	return cases
}

func (c echoCase) expected() any {
	if c.want != nil {
		return c.want
	}
	return c.arg
}

// javaPeers are the Java providers of the fleet, by name.
func javaPeers() map[string]string {
	return map[string]string{"Dubbo 3.3.6": addr33, "Dubbo 2.7.23": addr27}
}

// TestEveryTypeEchoesDirectly calls each method under its own descriptor.
func TestEveryTypeEchoesDirectly(t *testing.T) {
	theFleet(t)
	for name, address := range javaPeers() {
		t.Run(name, func(t *testing.T) {
			d := dial(t, address, types(t))
			for _, c := range echoCases() {
				got, err := d.call(rpc.Invocation{Method: c.method, ParamTypes: []string{c.typ}, Args: []any{c.arg}, Direct: true})
				if err != nil {
					t.Errorf("%s(%.80v): %v", c.method, c.arg, err)
				} else if !reflect.DeepEqual(got.Value, c.expected()) {
					t.Errorf("%s: got %T %.200v, want %T %.200v", c.method, got.Value, got.Value, c.expected(), c.expected())
				}
			}
			o, err := d.call(rpc.Invocation{Method: "echoOrder", ParamTypes: []string{"com.example.interop.Order"}, Args: []any{sampleOrder()}, Direct: true})
			if err != nil {
				t.Fatal(err)
			}
			if order := o.Value.(*Order); order.Gift != order.Lines[0] {
				t.Error("what was shared came back as two objects")
			}
		})
	}
}

// TestEveryTypeEchoesGenerically makes the same calls with $invoke. Java answers those with maps for its own classes,
// which Assign turns back into structs.
func TestEveryTypeEchoesGenerically(t *testing.T) {
	theFleet(t)
	for name, address := range javaPeers() {
		t.Run(name, func(t *testing.T) {
			d := dial(t, address, types(t))
			for _, c := range echoCases() {
				got, err := d.call(rpc.Invocation{Method: c.method, ParamTypes: []string{c.typ}, Args: []any{c.arg}})
				if err != nil {
					t.Errorf("%s(%.80v): %v", c.method, c.arg, err)
					continue
				}
				want := c.expected()
				if c.generic != nil {
					want = c.generic
				}
				if !reflect.DeepEqual(got.Value, want) && !assignable(t, got.Value, want) {
					t.Errorf("%s: got %T %.300v, want %T %.200v", c.method, got.Value, got.Value, want, want)
				}
			}
		})
	}
}

// assignable tells whether got becomes want when it is assigned to a variable of want's type.
func assignable(t *testing.T, got, want any) bool {
	if want == nil {
		return false
	}
	if list, ok := want.([]any); ok {
		items, isList := got.([]any)
		if !isList || len(items) != len(list) {
			return false
		}
		for i := range list {
			if !reflect.DeepEqual(items[i], list[i]) && !assignable(t, items[i], list[i]) {
				return false
			}
		}
		return true
	}
	to := reflect.New(reflect.TypeOf(want))
	if err := types(t).Assign(to.Interface(), got); err != nil {
		t.Logf("assign: %v", err)
		return false
	}
	return reflect.DeepEqual(to.Elem().Interface(), want)
}

// TestPOJOsAsMaps sends and gets objects by a client that knows no Java class.
func TestPOJOsAsMaps(t *testing.T) {
	theFleet(t)
	for name, address := range javaPeers() {
		t.Run(name, func(t *testing.T) {
			d := dial(t, address, nil)
			line := map[string]any{"product": "pen", "quantity": int32(3), "price": hessian.Decimal("1.50")}
			arg := map[string]any{"id": int64(7), "customer": "c", "tier": "GOLD", "lines": []any{line}, "created": time.UnixMilli(5).UTC()}
			got, err := d.call(rpc.Invocation{Method: "echoOrder", ParamTypes: []string{"com.example.interop.Order"}, Args: []any{arg}})
			if err != nil {
				t.Fatal(err)
			}
			var o Order
			if err := types(t).Assign(&o, got.Value); err != nil {
				t.Fatalf("%v: %v", got.Value, err)
			}
			want := Order{ID: 7, Customer: "c", Tier: "GOLD", Lines: []*Line{{"pen", 3, "1.50"}}, Created: time.UnixMilli(5).UTC()}
			if !reflect.DeepEqual(o, want) {
				t.Errorf("got %+v, want %+v", o, want)
			}
			if m, ok := got.Value.(map[string]any); !ok || m["class"] != "com.example.interop.Order" {
				t.Errorf("got %T %v", got.Value, got.Value)
			}
			// Called directly, Java fills the fields of a POJO from a map too; the answer has the class.
			flat := map[string]any{"product": "pen", "quantity": int32(3), "price": hessian.Decimal("1.50")}
			got, err = d.call(rpc.Invocation{Method: "echoObject", ParamTypes: []string{"java.lang.Object"}, Args: []any{flat}, Direct: true})
			if err != nil || !reflect.DeepEqual(got.Value, flat) {
				t.Errorf("a map as an Object: %v, %v", got.Value, err)
			}
			got, err = d.call(rpc.Invocation{Method: "echoOrder", ParamTypes: []string{"com.example.interop.Order"}, Args: []any{map[string]any{"id": int64(7), "gift": flat}}, Direct: true})
			gift, _ := got.Value.(*hessian.Object).Get("gift")
			if line, ok := gift.(*hessian.Object); err != nil || !ok || line.Text("product") != "pen" || line.Name() != "com.example.interop.Line" {
				t.Errorf("a map as an Order: %v, %v", got.Value, err)
			}
		})
	}
}

func TestBehaviourOfJavaProviders(t *testing.T) {
	theFleet(t)
	for name, address := range javaPeers() {
		t.Run(name, func(t *testing.T) {
			d := dial(t, address, types(t))
			for _, direct := range []bool{true, false} {
				overloads(t, d, direct)
				exceptions(t, d, direct)
			}
			attachments(t, d, name)
			oneWay(t, d)
			got, err := d.call(rpc.Invocation{Method: "$echo", ParamTypes: []string{"java.lang.Object"}, Args: []any{"ping"}})
			if err != nil || got.Value != "ping" {
				t.Errorf("$echo: %v, %v", got.Value, err)
			}
			if got, err := d.call(rpc.Invocation{Method: "nothing", ParamTypes: []string{}, Args: []any{}, Direct: true}); err != nil || got.Value != nil {
				t.Errorf("void: %v, %v", got.Value, err)
			}
			_, err = d.call(rpc.Invocation{Method: "noSuchMethod", ParamTypes: []string{}, Args: []any{}, Direct: true})
			if err == nil {
				t.Error("a method that does not exist answers")
			}
		})
	}
}

func overloads(t *testing.T, d *direct, direct bool) {
	for _, c := range []struct {
		types []string
		args  []any
		want  string
	}{
		{[]string{"java.lang.String"}, []any{"x"}, "(String)x"},
		{[]string{"int"}, []any{int32(7)}, "(int)7"},
		{[]string{"long"}, []any{int64(7)}, "(long)7"},
		{[]string{"com.example.interop.Order"}, []any{sampleOrder()}, "(Order)1234567890123"},
		{[]string{"java.lang.String", "int"}, []any{"x", int32(7)}, "(String,int)x7"},
	} {
		got, err := d.call(rpc.Invocation{Method: "over", ParamTypes: c.types, Args: c.args, Direct: direct})
		if err != nil || got.Value != c.want {
			t.Errorf("over(%v), direct %v: %v, %v; want %s", c.types, direct, got.Value, err, c.want)
		}
	}
}

func exceptions(t *testing.T, d *direct, direct bool) {
	for method, class := range map[string]string{
		"failChecked": "com.example.interop.BusinessException", "failRuntime": "java.lang.IllegalStateException", "failWithCause": "com.example.interop.BusinessException",
	} {
		_, err := d.call(rpc.Invocation{Method: method, ParamTypes: []string{"java.lang.String"}, Args: []any{"no stock"}, Direct: direct})
		remote, ok := errors.AsType[*rpc.RemoteException](err)
		if !ok || remote.Class != class || !strings.Contains(remote.Message, "no stock") || rpc.CodeOf(err) != rpc.Business {
			t.Errorf("%s, direct %v: %v (%v), want %s", method, direct, err, rpc.CodeOf(err), class)
			continue
		}
		if direct && method == "failWithCause" {
			thrown, ok := hessian.AsThrowable(remote.Value)
			if !ok || thrown.Cause == nil || thrown.Cause.Message != "the cause" || len(thrown.Stack) == 0 || thrown.Stack[0].Method != "failWithCause" {
				t.Errorf("the exception read as %+v", thrown)
			}
		}
	}
}

func attachments(t *testing.T, d *direct, name string) {
	in := rpc.Attachments{{Key: "trace", Value: "t-1"}, {Key: "unicode", Value: "世"}, {Key: "camelCase", Value: "Kept"}}
	got, err := d.call(rpc.Invocation{Method: "attachments", ParamTypes: []string{}, Args: []any{}, Direct: true, Attachments: in})
	if err != nil {
		t.Error(err)
		return
	}
	seen, _ := got.Value.(map[string]any)
	for _, a := range in {
		if seen[a.Key] != a.Value {
			t.Errorf("%s saw attachment %s as %v, want %v: %v", name, a.Key, seen[a.Key], a.Value, seen)
		}
	}
	if who, _ := got.Attachments.Get("answered-by"); !strings.HasPrefix(who, d.to.Address()+"|") {
		t.Errorf("response attachment answered-by is %q: %v", who, got.Attachments)
	}
}

func oneWay(t *testing.T, d *direct) {
	word := "one way " + time.Now().String()
	if _, err := d.call(rpc.Invocation{Method: "remember", ParamTypes: []string{"java.lang.String"}, Args: []any{word}, Direct: true, OneWay: true}); err != nil {
		t.Error(err)
	}
	deadline := time.Now().Add(5 * time.Second)
	for {
		got, err := d.call(rpc.Invocation{Method: "remembered", ParamTypes: []string{}, Args: []any{}, Direct: true})
		if err == nil && got.Value == word {
			return
		}
		if time.Now().After(deadline) {
			t.Errorf("the one-way call did not arrive: %v, %v", got.Value, err)
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}
