package hessian_test

import (
	"testing"

	"github.com/dubway-go/dubway/hessian"
)

func seeds(f *testing.F) {
	f.Helper()
	for _, b := range readDump(f, "testdata/go.txt") {
		if len(b) < 600 {
			f.Add(b)
		}
	}
	for _, s := range []string{
		"H", "X\x49\x7f\xff\xff\xff", "\x79\x79\x79\x79", "V\x04[int\x92\x91\x92", "U\x04[int\x91\x92Z", "WQ\x90Z",
		"\x7a\x57\x90Z\x51\x91", "M\x11java.util.TreeMap\x01aQ\x90Z", "C\x01a\x91\x01b\x60\x60\x60Q\x91", "H\x90\x01aH\x78\x01bZ\x01cZ", "HHZNZ",
	} {
		f.Add([]byte(s))
	}
}

// decodeAll reads values until the input ends or fails, and returns where it stopped.
func decodeAll(d *hessian.Decoder, in []byte) (values []any, ends []int) {
	d.Reset(in)
	for d.Remaining() > 0 {
		v, err := d.Decode()
		if err != nil {
			break
		}
		values, ends = append(values, v), append(ends, d.Offset())
	}
	return values, ends
}

func FuzzDecode(f *testing.F) {
	seeds(f)
	types := javaTypes()
	f.Fuzz(func(t *testing.T, in []byte) {
		for _, o := range []hessian.DecoderOptions{{}, {Types: types}, {Raw: true}} {
			d := hessian.NewDecoder(o)
			values, _ := decodeAll(d, in)
			for _, v := range values {
				var into struct {
					Name string
					Next *node
				}
				_ = hessian.Assign(&into, v)
				var order order
				_ = types.Assign(&order, v)
				hessian.AsThrowable(v)
			}
		}
	})
}

// FuzzSkip checks that Skip ends where Decode ends, and that values skipped first and referred to later decode
// without trouble.
func FuzzSkip(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, in []byte) {
		d := hessian.NewDecoder(hessian.DecoderOptions{})
		_, ends := decodeAll(d, in)
		d.Reset(in)
		for i, end := range ends {
			if err := d.Skip(); err != nil {
				t.Fatalf("value %d decodes, but Skip says %v", i, err)
			}
			if d.Offset() != end {
				t.Fatalf("value %d ends at %d, Skip stopped at %d", i, end, d.Offset())
			}
		}
		d.Reset(in)
		for i, end := range ends {
			if i%2 == 0 {
				if err := d.Skip(); err != nil {
					t.Fatalf("value %d decodes, but Skip in turn says %v", i, err)
				}
			} else if _, err := d.Decode(); err != nil {
				t.Logf("after a skip, value %d: %v", i, err) // only the order of limits may differ
				return
			}
			if d.Offset() != end {
				t.Fatalf("value %d ends at %d, in turn it ended at %d", i, end, d.Offset())
			}
		}
	})
}

// FuzzRoundTrip checks that what decodes can be encoded, and that decoding that again gives bytes that are stable.
func FuzzRoundTrip(f *testing.F) {
	seeds(f)
	types := javaTypes()
	f.Fuzz(func(t *testing.T, in []byte) {
		d := hessian.NewDecoder(hessian.DecoderOptions{Types: types})
		values, _ := decodeAll(d, in)
		e := hessian.NewEncoder(hessian.EncoderOptions{Types: types})
		for _, v := range values {
			e.Reset(nil)
			if err := e.Encode(v); err != nil {
				t.Fatalf("decoded %T %v, but cannot encode it: %v", v, v, err)
			}
			once := e.Bytes()
			d.Reset(once)
			again, err := d.Decode()
			if err != nil {
				t.Fatalf("cannot decode what was encoded: % x: %v", once, err)
			}
			if d.Remaining() != 0 {
				t.Fatalf("% x: %d bytes left", once, d.Remaining())
			}
			e.Reset(nil)
			if err := e.Encode(again); err != nil {
				t.Fatalf("second encode: %v", err)
			}
			if e.Len() != len(once) {
				t.Fatalf("% x became % x", once, e.Bytes())
			}
		}
	})
}
