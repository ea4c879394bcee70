package merger_test

import (
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/dubway-go/dubway/cluster/merger"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/hessian"
)

func hashSet(items ...any) *hessian.List {
	return &hessian.List{Type: "java.util.HashSet", Items: items}
}

func decimal(text string) hessian.Decimal { return hessian.Decimal(text) }

// TestMergers lists what each merger makes of results. The values are what Dubbo's mergers return (classes of
// org.apache.dubbo.rpc.cluster.merger, 3.3.1), in Go's types.
func TestMergers(t *testing.T) {
	object := map[string]any{"class": "com.example.Menu", "name": "a"}
	for _, c := range []struct {
		merger string
		values []any
		want   any // an error to be found in the chain, true for any error
	}{
		{"true", []any{[]any{"a"}, []any{"b", "a"}}, []any{"a", "b", "a"}},
		{"default", []any{[]any{"a"}, nil, []any{}}, []any{"a"}},
		{"TRUE", []any{[]int32{1}, []int32{2, 3}}, []int32{1, 2, 3}},
		{"true", []any{[]byte{1}, []byte{2}}, []byte{1, 2}},
		{"true", []any{[]bool{true}, nil, []bool{false}}, []bool{true, false}},
		{"true", []any{[]string{"a"}, []any{nil}}, []any{"a", nil}},
		{"true", []any{[]int32{1}, []int64{2}}, true},
		{"true", []any{nil, nil}, nil},
		{"true", []any{map[string]any{"a": 1, "b": 1}, map[string]any{"b": 2}}, map[string]any{"a": 1, "b": 2}},
		{"true", []any{map[any]any{int32(1): "x"}, map[string]any{"b": 2}}, map[any]any{int32(1): "x", "b": 2}},
		{"true", []any{hashSet("a", "b"), hashSet("b", "c")}, []any{"a", "b", "c"}},
		{"true", []any{object, object}, merger.ErrNone},
		{"true", []any{"a", "b"}, merger.ErrNone},
		{"true", []any{true, false}, merger.ErrNone},
		{"true", []any{int32(2), nil, int32(3)}, merger.ErrNone},
		{"true", []any{int64(2), int64(3)}, merger.ErrNone},
		{"true", []any{1.5, 2.0}, merger.ErrNone},
		{"list", []any{[]string{"a"}, []any{int32(1)}}, []any{"a", int32(1)}},
		{"list", []any{nil, nil}, []any{}},
		{"list", []any{[]any{}, "x"}, true},
		{"set", []any{[]any{"a", "b", nil}, []any{"b", nil, []any{"l"}}, []any{[]any{"l"}}}, []any{"a", "b", nil, []any{"l"}}},
		{"set", []any{[]any{big.NewInt(7)}, []any{big.NewInt(7)}}, []any{big.NewInt(7)}},
		{"map", []any{object, map[string]any{"name": "b"}}, map[string]any{"class": "com.example.Menu", "name": "b"}},
		{"map", []any{&hessian.Map{Entries: []hessian.Entry{{Key: []any{}, Value: 1}}}, nil}, true},
		{"map", []any{[]any{}, nil}, true},
		{"int", []any{[]int32{1}, []any{int32(2)}}, []int32{1, 2}},
		{"int", []any{[]any{"x"}, nil}, true},
		{"int", []any{nil, nil}, []int32{}},
		{"long", []any{[]int64{1}, []int64{2}}, []int64{1, 2}},
		{"short", []any{[]int16{1}, []int16{2}}, []int16{1, 2}},
		{"float", []any{[]float32{1}, []float32{2}}, []float32{1, 2}},
		{"double", []any{[]float64{1}, []float64{2}}, []float64{1, 2}},
		{"boolean", []any{[]bool{true}, []bool{false}}, []bool{true, false}},
		{"byte", []any{[]byte{1}, []byte{2}}, []byte{1, 2}},
		{"char", []any{"ab", nil, "c"}, "abc"},
		{"char", []any{int32(1), "c"}, true},
		{"intsum", []any{int32(1), int32(2)}, int32(3)},
		{"intsum", []any{"x", int32(2)}, true},
		{"longsum", []any{int64(1), int32(2)}, int64(3)},
		{"doublesum", []any{1.5, nil}, 1.5},
		{"doublesum", []any{1.5, 1.5}, 3.0},
		{".addAll", []any{[]any{"a"}, []any{"a"}}, []any{"a", "a"}},
		{".addAll", []any{hashSet("a"), hashSet("a")}, []any{"a"}},
		{".removeAll", []any{[]any{"a", "b", "a"}, []any{"a"}, nil}, []any{"b"}},
		{".retainAll", []any{[]any{"a", "b"}, []any{"b", "c"}}, []any{"b"}},
		{".putAll", []any{map[string]any{"a": 1}, map[string]any{"a": 2}}, map[string]any{"a": 2}},
		{".putAll", []any{object, object}, merger.ErrNone},
		{".concat", []any{"a", "b"}, "ab"},
		{".add", []any{big.NewInt(1), big.NewInt(2)}, big.NewInt(3)},
		{".xor", []any{big.NewInt(6), big.NewInt(3)}, big.NewInt(5)},
		{".max", []any{big.NewInt(1), big.NewInt(2), nil}, big.NewInt(2)},
		{".pow", []any{big.NewInt(1), big.NewInt(2)}, merger.ErrNone},
		{".add", []any{big.NewInt(1), "x"}, true},
		{".add", []any{decimal("1.50"), decimal("2")}, decimal("3.50")},
		{".subtract", []any{decimal("1"), decimal("0.25")}, decimal("0.75")},
		{".multiply", []any{decimal("1.5"), decimal("1.50")}, decimal("2.250")},
		{".min", []any{decimal("1E+3"), decimal("2")}, decimal("2")},
		{".add", []any{decimal("1E-90000"), decimal("2")}, true},
		{".add", []any{decimal("1E-9999"), decimal("1")}, nil}, // checked for its length below
		{".equals", []any{[]any{}, []any{}}, merger.ErrNone},
		{".combine", []any{object, object}, merger.ErrNone},
		{".addAll", []any{nil, nil}, nil},
	} {
		m, err := merger.Options{}.Find(c.merger)
		if err != nil {
			t.Errorf("merger %s: %v", c.merger, err)
			continue
		}
		got, err := m.Merge(c.values)
		switch want := c.want.(type) {
		case error:
			if !errors.Is(err, want) {
				t.Errorf("%s of %v: error %v, want %v", c.merger, c.values, err, want)
			}
		case bool:
			if err == nil {
				t.Errorf("%s of %v: %v, want an error", c.merger, c.values, got)
			}
		default:
			if d, ok := got.(hessian.Decimal); ok && len(d) > 1000 {
				if len(d) != 10001 {
					t.Errorf("a sum with 9,999 digits behind the point has %d characters", len(d))
				}
				continue
			}
			if err != nil || !reflect.DeepEqual(got, c.want) {
				t.Errorf("%s of %v: %#v, %v; want %#v", c.merger, c.values, got, err, c.want)
			}
		}
	}
}

// TestDialects: Dubbo has no merger of numbers (recorded from 2.7.23 and 3.3.6 in interop); their names are known to standard alone.
func TestDialects(t *testing.T) {
	for _, d := range []dialect.Dialect{dialect.Standard, dialect.Dubbo26, dialect.Dubbo27, dialect.Dubbo31, dialect.Dubbo33} {
		o := merger.Options{Dialect: d}
		if _, err := o.Find("longsum"); (err == nil) != (d == dialect.Standard) {
			t.Errorf("%v: longsum: %v", d, err)
		}
		m, _ := o.Find("true")
		if got, err := m.Merge([]any{int64(2), int64(3)}); !errors.Is(err, merger.ErrNone) {
			t.Errorf("%v: numbers are merged: %v, %v", d, got, err)
		}
	}
}

func TestFind(t *testing.T) {
	own := merger.Func(".combine", func(values []any) (any, error) { return len(values), nil })
	o := merger.Options{Custom: []merger.Merger{own}}
	m, err := o.Find(".combine")
	if err != nil || m.Name() != ".combine" {
		t.Fatal(m, err)
	}
	if got, _ := m.Merge([]any{1, 2}); got != 2 {
		t.Error("the application's merger was not called:", got)
	}
	if _, err := o.Find("sum"); err == nil {
		t.Error("an unknown merger was found")
	}
	for _, name := range o.Names() {
		if m, err := o.Find(name); err != nil || m.Name() != name {
			t.Errorf("merger %q of Names: %v", name, err)
		}
	}
	for text, want := range map[string]bool{"": false, "false": false, "FALSE": false, "0": false, "null": false, "N/A": false, "true": true, "set": true, ".addAll": true} {
		if merger.IsSet(text) != want {
			t.Errorf("IsSet(%q) is %v", text, !want)
		}
	}
}

// TestValuesStay proves that no merger changes what it is given: the values belong to calls.
func TestValuesStay(t *testing.T) {
	values := func() []any { return []any{[]any{"a", "b"}, []any{"b"}, []any{"c", "a"}} }
	for _, name := range []string{"true", "list", "set", ".addAll", ".removeAll", ".retainAll"} {
		m, _ := merger.Options{}.Find(name)
		given := values()
		if _, err := m.Merge(given); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(given, values()) {
			t.Errorf("%s changed its input: %v", name, given)
		}
	}
}

// TestSetsAgreeWithTheObvious compares random sets, with nested values, with a union written the slow way.
func TestSetsAgreeWithTheObvious(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	element := func() any {
		switch n := r.IntN(6); n {
		case 0:
			return nil
		case 1:
			return []any{int32(r.IntN(3))}
		case 2:
			return map[string]any{"k": int32(r.IntN(3))}
		case 3:
			return big.NewInt(int64(r.IntN(3)))
		default:
			return fmt.Sprint(r.IntN(5))
		}
	}
	m, _ := merger.Options{}.Find("set")
	for range 2000 {
		values := make([]any, 2+r.IntN(3))
		var want []any
		for i := range values {
			list := make([]any, r.IntN(6))
			for k := range list {
				one := element()
				list[k] = one
				if !slices.ContainsFunc(want, func(v any) bool { return reflect.DeepEqual(v, one) }) {
					want = append(want, one)
				}
			}
			values[i] = list
		}
		got, err := m.Merge(values)
		if err != nil || len(got.([]any)) != len(want) || len(want) > 0 && !reflect.DeepEqual(got, want) {
			t.Fatalf("%v: %v, %v; want %v", values, got, err, want)
		}
	}
}
