package hessian_test

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/dubway-go/dubway/hessian"
)

// allocated returns how many bytes f allocates in total.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// selfish returns nested containers, each of which refers to itself near its end.
func selfish(depth int, begin, end string) []byte {
	in := []byte(strings.Repeat(begin, depth))
	for i := depth - 1; i >= 0; i-- {
		if begin != "W" {
			if i == depth-1 {
				in = append(in, 'N')
			}
			in = append(in, 1, 'c')
		}
		in = hessian.AppendInt(append(in, 'Q'), int32(i))
		in = append(in, end...)
	}
	return in
}

func TestHostileInputIsRefusedCheaply(t *testing.T) {
	deep := func(unit string) []byte { return []byte(strings.Repeat(unit, (2<<20)/len(unit))) }
	tests := []struct {
		name string
		in   []byte
		kind error
		most uint64 // bytes allocated
	}{
		{"list of 2^31-1 in 6 bytes", []byte{'X', 'I', 0x7f, 0xff, 0xff, 0xff}, hessian.ErrMalformed, 64 << 10},
		{"negative length", []byte{'X', 'I', 0xff, 0xff, 0xff, 0xff}, hessian.ErrMalformed, 64 << 10},
		{"typed list of 2^31-1", []byte("V\x04[intI\x7f\xff\xff\xff"), hessian.ErrMalformed, 64 << 10},
		{"class with 2^31-1 fields", []byte("C\x01aI\x7f\xff\xff\xff"), hessian.ErrLimit, 64 << 10},
		{"class with more fields than bytes", []byte("C\x01a\xc8\xff"), hessian.ErrMalformed, 64 << 10},
		{"object of no class", []byte{0x60}, hessian.ErrMalformed, 64 << 10},
		{"object of class -1", []byte{'O', 0x8f}, hessian.ErrMalformed, 64 << 10},
		{"object of class 2^31-1", []byte("OI\x7f\xff\xff\xff"), hessian.ErrMalformed, 64 << 10},
		{"reference to nothing", []byte{'Q', 0x90}, hessian.ErrMalformed, 64 << 10},
		{"type reference to nothing", []byte{'M', 0x90, 'Z'}, hessian.ErrMalformed, 64 << 10},
		{"lone H", []byte{'H'}, hessian.ErrMalformed, 64 << 10},
		{"lone Z", []byte{'Z'}, hessian.ErrMalformed, 64 << 10},
		{"unknown tag", []byte{'@'}, hessian.ErrMalformed, 64 << 10},
		{"string longer than its bytes", []byte{'S', 0xff, 0xff, 'a'}, hessian.ErrMalformed, 64 << 10},
		{"string that is not UTF-8", []byte{2, 0xff, 0xff}, hessian.ErrMalformed, 64 << 10},
		{"string cut inside a character", []byte{1, 0xe4, 0xb8}, hessian.ErrMalformed, 64 << 10},
		{"binary longer than its bytes", []byte{'B', 0xff, 0xff, 'a'}, hessian.ErrMalformed, 64 << 10},
		{"chunk without an end", []byte{'A', 0, 1, 'a'}, hessian.ErrMalformed, 64 << 10},
		{"chunk followed by something else", []byte{'R', 0, 1, 'a', 'N'}, hessian.ErrMalformed, 64 << 10},
		{"empty type name at the end", []byte{'V', 0}, hessian.ErrMalformed, 64 << 10},
		{"2 MB of nested lists", deep("\x79"), hessian.ErrLimit, 1 << 20},
		{"2 MB of nested lists of unknown length", deep("W"), hessian.ErrLimit, 1 << 20},
		{"2 MB of nested maps", deep("H\x01a"), hessian.ErrLimit, 1 << 20},
		{"2 MB of nested map keys", deep("H"), hessian.ErrLimit, 1 << 20},
		{"2 MB of nested objects", append([]byte("C\x01a\x91\x01b"), deep("\x60")...), hessian.ErrLimit, 1 << 20},
		{"2 MB of class definitions", deep("C\x00\x90"), hessian.ErrLimit, 1 << 20},
		{"2 MB of empty chunks", deep("R\x00\x00"), hessian.ErrMalformed, 1 << 20},
		{"4 MB of empty lists", append([]byte("W"), bytes.Repeat([]byte{0x78}, 4<<20)...), hessian.ErrLimit, 160 << 20},
		{"4 MB of empty maps", append([]byte("W"), bytes.Repeat([]byte("HZ"), 2<<20)...), hessian.ErrLimit, 160 << 20},
		{"400 nested lists of unknown length that contain themselves", selfish(400, "W", "Z"), hessian.ErrLimit, 4 << 20},
		{"400 nested maps of mixed keys that contain themselves", selfish(400, "H\x01a", "\x91\x01bZ"), hessian.ErrLimit, 4 << 20},
		{"lists that each announce all that remains", deep("X\xd7\xff\xff"), hessian.ErrMalformed, 64 << 20},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := hessian.NewDecoder(hessian.DecoderOptions{Types: javaTypes()})
			var err error
			used := allocated(func() {
				d.Reset(test.in)
				_, err = d.Decode()
			})
			if !errors.Is(err, test.kind) {
				t.Errorf("Decode: %v, want %v", err, test.kind)
			}
			if used > test.most {
				t.Errorf("Decode allocated %d bytes for %d of input, want at most %d", used, len(test.in), test.most)
			}
			d.Reset(test.in)
			if err := d.Skip(); err == nil && !strings.Contains(test.name, "contain themselves") { // Skip needs no second look
				t.Error("Skip accepted it")
			}
		})
	}
}

func TestEveryPrefixOfAValueIsAnError(t *testing.T) {
	for _, s := range samples() {
		e := hessian.NewEncoder(hessian.EncoderOptions{Types: javaTypes()})
		if err := e.Encode(s.write); err != nil {
			t.Fatal(err)
		}
		if e.Len() > 5000 {
			continue
		}
		d := hessian.NewDecoder(hessian.DecoderOptions{})
		for n := range e.Len() {
			d.Reset(e.Bytes()[:n])
			if _, err := d.Decode(); err == nil {
				t.Errorf("%s: %d of %d bytes decode", s.name, n, e.Len())
			}
			d.Reset(e.Bytes()[:n])
			if err := d.Skip(); err == nil {
				t.Errorf("%s: %d of %d bytes skip", s.name, n, e.Len())
			}
		}
	}
}

func TestEndOfInputIsEOF(t *testing.T) {
	var d hessian.Decoder
	d.Reset(nil)
	if _, err := d.Decode(); !errors.Is(err, io.EOF) {
		t.Errorf("Decode: %v", err)
	}
	if err := d.Skip(); !errors.Is(err, io.EOF) {
		t.Errorf("Skip: %v", err)
	}
}

func TestLimitsAreKept(t *testing.T) {
	tests := []struct {
		name   string
		limits hessian.Limits
		good   any
		bad    any
	}{
		{"length", hessian.Limits{MaxLength: 40}, strings.Repeat("a", 40), strings.Repeat("a", 41)},
		{"length in bytes", hessian.Limits{MaxLength: 40}, strings.Repeat("é", 20), strings.Repeat("é", 21)},
		{"length over chunks", hessian.Limits{MaxLength: 70000}, strings.Repeat("a", 70000), strings.Repeat("a", 70001)},
		{"length of binary", hessian.Limits{MaxLength: 70000}, bytes.Repeat([]byte("a"), 70000), bytes.Repeat([]byte("a"), 70001)},
		{"depth", hessian.Limits{MaxDepth: 2}, []any{[]any{"a"}}, []any{[]any{[]any{"a"}}}},
		{"count", hessian.Limits{MaxCount: 4}, []any{"a", "b", "c"}, []any{"a", "b", "c", "d"}},
		{"refs", hessian.Limits{MaxRefs: 3}, []any{[]any{}, []any{}}, []any{[]any{}, []any{}, []any{}}},
		{"fields", hessian.Limits{MaxFields: 1}, hessian.NewObject("a", hessian.Field{Name: "b"}), hessian.NewObject("a", hessian.Field{Name: "b"}, hessian.Field{Name: "c"})},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for i, v := range []any{test.good, test.bad} {
				var e hessian.Encoder
				e.Reset(nil)
				if err := e.Encode(v); err != nil {
					t.Fatal(err)
				}
				d := hessian.NewDecoder(hessian.DecoderOptions{Limits: test.limits})
				d.Reset(e.Bytes())
				_, err := d.Decode()
				d.Reset(e.Bytes())
				skipped := d.Skip()
				if bad := i == 1; bad != errors.Is(err, hessian.ErrLimit) || bad != errors.Is(skipped, hessian.ErrLimit) {
					t.Errorf("%.60v: Decode: %v; Skip: %v", v, err, skipped)
				}
			}
		})
	}
}

func TestEncoderRefusesEndlessValues(t *testing.T) {
	type loop struct{ Next any }
	var l loop
	l.Next = &l // by pointer: a reference
	var e hessian.Encoder
	e.Reset(nil)
	if err := e.Encode(&l); err != nil {
		t.Errorf("a ring of pointers: %v", err)
	}
	type pointer *pointer
	var p pointer
	p = &p
	e.Reset(nil)
	if err := e.Encode(p); !errors.Is(err, hessian.ErrLimit) {
		t.Errorf("a pointer to itself: %v", err)
	}
}
