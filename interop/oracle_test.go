package interop

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	oracle "github.com/apache/dubbo-go-hessian2"

	"github.com/dubway-go/dubway/hessian"
)

// differ returns the first place where a and b are not equal, for the message.
func differ(a, b any) string {
	if reflect.DeepEqual(a, b) {
		return ""
	}
	switch x := a.(type) {
	case []any:
		if y, ok := b.([]any); ok && len(x) == len(y) && len(x) > 0 {
			for i := range x {
				if d := differ(x[i], y[i]); d != "" {
					return fmt.Sprintf("[%d]%s", i, d)
				}
			}
		}
	case map[any]any:
		if y, ok := b.(map[any]any); ok && len(x) == len(y) {
			for k := range x {
				if d := differ(x[k], y[k]); d != "" {
					return fmt.Sprintf("[%v]%s", k, d)
				}
			}
		}
	}
	// The oracle writes doubles for readers that divide by 1000; Java and this codec multiply by 0.001.
	if x, ok := a.(float64); ok {
		if y, ok := b.(float64); ok && math.Nextafter(x, y) == y && 0.001*math.Round(y*1000) == x {
			return ""
		}
	}
	return fmt.Sprintf(": %#v and %#v", a, b)
}

// draw makes a random value of the kinds that both codecs map alike.
func draw(r *rand.Rand, depth int) any {
	kinds := 10
	if depth > 0 {
		kinds = 13
	}
	switch r.IntN(kinds) {
	case 0:
		return nil
	case 1:
		return r.IntN(2) == 0
	case 2:
		return int32(r.Uint32()) >> r.IntN(32)
	case 3:
		return int64(r.Uint64()) >> r.IntN(64)
	case 4:
		return drawDouble(r)
	case 5, 6:
		return drawString(r)
	case 7:
		b := make([]byte, r.IntN(40))
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		return b
	case 8:
		return time.UnixMilli(r.Int64N(1 << 41)).UTC()
	case 9:
		return time.Unix(r.Int64N(1<<31)/60*60, 0).UTC()
	case 10:
		list := make([]any, r.IntN(12))
		for i := range list {
			list[i] = draw(r, depth-1)
		}
		return list
	case 11:
		m := map[any]any{}
		for range r.IntN(6) {
			m[drawString(r)] = draw(r, depth-1)
		}
		return m
	default:
		m := map[any]any{}
		for range r.IntN(6) {
			m[int32(r.IntN(1000))] = draw(r, depth-1)
		}
		return m
	}
}

func drawDouble(r *rand.Rand) float64 {
	switch r.IntN(4) {
	case 0:
		return float64(r.IntN(1<<17) - 1<<16)
	case 1:
		return float64(r.IntN(1<<20)) / 4
	case 2:
		return float64(r.IntN(1<<20)) * 0.001
	}
	return r.NormFloat64() * math.Pow(10, float64(r.IntN(40)-20))
}

func drawString(r *rand.Rand) string {
	letters := []rune("abcdefghijklmnopqrstuvwxyz 0123456789äöüéß世界測試")
	n := r.IntN(40)
	if r.IntN(20) == 0 {
		n = r.IntN(2000)
	}
	out := make([]rune, n)
	for i := range out {
		out[i] = letters[r.IntN(len(letters))]
	}
	return string(out)
}

// plain turns what either codec decodes into one shape: string-keyed maps become map[any]any, times UTC.
func plain(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[any]any{}
		for k, x := range v {
			out[k] = plain(x)
		}
		return out
	case map[any]any:
		out := map[any]any{}
		for k, x := range v {
			out[k] = plain(x)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = plain(v[i])
		}
		return out
	case time.Time:
		return v.UTC()
	case []byte:
		if v == nil {
			return []byte{}
		}
	}
	return v
}

const rounds = 20000

// TestOracleReadsWhatHessianWrites lets dubbo-go-hessian2 read random values.
func TestOracleReadsWhatHessianWrites(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var e hessian.Encoder
	for i := range rounds {
		v := draw(r, 3)
		e.Reset(nil)
		if err := e.Encode(v); err != nil {
			t.Fatalf("%d: %v: %v", i, v, err)
		}
		got, err := oracle.NewDecoder(e.Bytes()).Decode()
		if err != nil {
			t.Fatalf("%d: %#v: % x: %v", i, v, e.Bytes(), err)
		}
		if d := differ(plain(got), plain(v)); d != "" {
			t.Fatalf("%d: the oracle's and ours differ at %s", i, d)
		}
	}
}

// TestHessianReadsWhatOracleWrites is the other direction, and checks Skip on the way.
func TestHessianReadsWhatOracleWrites(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var d hessian.Decoder
	for i := range rounds {
		v := draw(r, 3)
		e := oracle.NewEncoder()
		if err := e.Encode(v); err != nil {
			t.Fatalf("%d: %#v: %v", i, v, err)
		}
		d.Reset(e.Buffer())
		got, err := d.Decode()
		if err != nil || d.Remaining() != 0 {
			t.Fatalf("%d: %#v: % x: %v, %d bytes left", i, v, e.Buffer(), err, d.Remaining())
		}
		if d := differ(plain(got), plain(v)); d != "" {
			t.Fatalf("%d: ours and the oracle's differ at %s", i, d)
		}
		d.Reset(e.Buffer())
		if err := d.Skip(); err != nil || d.Remaining() != 0 {
			t.Fatalf("%d: % x: skip: %v, %d bytes left", i, e.Buffer(), err, d.Remaining())
		}
	}
}

// TestSameBytesAsOracle compares the bytes of the values that have one shortest form.
func TestSameBytesAsOracle(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var h hessian.Encoder
	for range rounds {
		for _, v := range []any{int32(r.Uint32()) >> r.IntN(32), int64(r.Uint64()) >> r.IntN(64), drawString(r), r.IntN(2) == 0} {
			e := oracle.NewEncoder()
			if err := e.Encode(v); err != nil {
				t.Fatal(err)
			}
			h.Reset(nil)
			if err := h.Encode(v); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(e.Buffer(), h.Bytes()) {
				t.Fatalf("%T %v: wrote % x, the oracle % x", v, v, h.Bytes(), e.Buffer())
			}
		}
	}
}

// OracleNode is a POJO as dubbo-go-hessian2 wants it.
type OracleNode struct {
	Name string
	Next *OracleNode
}

// JavaClassName implements the oracle's POJO.
func (*OracleNode) JavaClassName() string { return "com.example.interop.Node" }

func TestObjectsWithTheOracle(t *testing.T) {
	oracle.RegisterPOJO(&OracleNode{})
	a := &OracleNode{Name: "a"}
	a.Next = &OracleNode{Name: "b", Next: a}
	e := oracle.NewEncoder()
	if err := e.Encode(a); err != nil {
		t.Fatal(err)
	}
	d := hessian.NewDecoder(hessian.DecoderOptions{Types: types(t)})
	d.Reset(e.Buffer())
	v, err := d.Decode()
	n, ok := v.(*Node)
	if err != nil || !ok || n.Name != "a" || n.Next.Name != "b" || n.Next.Next != n {
		t.Fatalf("got %v, %v", v, err)
	}
	h := hessian.NewEncoder(hessian.EncoderOptions{Types: types(t)})
	if err := h.Encode(n); err != nil {
		t.Fatal(err)
	}
	back, err := oracle.NewDecoder(h.Bytes()).Decode()
	o, ok := back.(*OracleNode)
	if err != nil || !ok || o.Name != "a" || o.Next.Name != "b" || o.Next.Next != o {
		t.Fatalf("got %v, %v", back, err)
	}
}

// TestWhatKillsTheOracleIsRefused has the inputs that panic or exhaust dubbo-go-hessian2; they are not given to it here.
func TestWhatKillsTheOracleIsRefused(t *testing.T) {
	for _, in := range [][]byte{{'H'}, {'X', 'I', 0x7f, 0xff, 0xff, 0xff}, bytes.Repeat([]byte{0x79}, 2<<20)} {
		var d hessian.Decoder
		d.Reset(in)
		if v, err := d.Decode(); err == nil {
			t.Errorf("% x decodes to %v", in[:min(8, len(in))], fmt.Sprint(v))
		}
	}
}
