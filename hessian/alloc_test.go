package hessian_test

import (
	"strings"
	"testing"
	"time"

	"github.com/dubway-go/dubway/hessian"
)

func TestEncodingDoesNotAllocate(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	long := strings.Repeat("päyload ", 40)
	attachments := map[string]string{"path": "com.example.shop.OrderService", "dubbo.tag": "gray", "timeout": "1000"}
	values := map[string]any{"id": int64(42), "name": "x", "list": []any{int32(1), "a"}, "map": map[string]any{"k": true}}
	o := sampleOrder()
	now := time.UnixMilli(1700000000123)
	e := hessian.NewEncoder(hessian.EncoderOptions{Types: javaTypes()})
	buf := make([]byte, 0, 8<<10)
	tests := map[string]func() error{
		"primitives": func() error {
			e.EncodeString("com.example.shop.OrderService")
			e.EncodeString(long)
			e.EncodeInt(1 << 20)
			e.EncodeLong(1 << 40)
			e.EncodeDouble(3.14159)
			e.EncodeBool(true)
			e.EncodeTime(now)
			e.EncodeBinary(buf[:100])
			e.EncodeNull()
			return nil
		},
		"map of strings":       func() error { return e.Encode(attachments) },
		"nested map and list":  func() error { return e.Encode(values) },
		"slices":               func() error { return e.Encode(values["list"]) },
		"registered struct":    func() error { return e.Encode(o) },
		"arguments as a slice": func() error { return e.Encode([]any(nil)) },
	}
	for name, f := range tests {
		got := testing.AllocsPerRun(200, func() {
			e.Reset(buf)
			if err := f(); err != nil {
				t.Fatal(err)
			}
		})
		if got != 0 {
			t.Errorf("%s: %v allocations, want 0", name, got)
		}
	}
}

func TestSkippingDoesNotAllocate(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	e := hessian.NewEncoder(hessian.EncoderOptions{Types: javaTypes()})
	for _, v := range []any{sampleOrder(), map[string]any{"a": []any{"b", int32(1)}}, strings.Repeat("x", 100), []int64{1, 2, 3}} {
		if err := e.Encode(v); err != nil {
			t.Fatal(err)
		}
	}
	d := hessian.NewDecoder(hessian.DecoderOptions{})
	got := testing.AllocsPerRun(200, func() {
		d.Reset(e.Bytes())
		for d.Remaining() > 0 {
			if err := d.Skip(); err != nil {
				t.Fatal(err)
			}
		}
	})
	if got != 0 {
		t.Errorf("%v allocations, want 0", got)
	}
}

func TestDecodeTextDoesNotAllocate(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	in := hessian.AppendString(nil, "com.example.shop.OrderService, büro")
	d := hessian.NewDecoder(hessian.DecoderOptions{})
	got := testing.AllocsPerRun(200, func() {
		d.Reset(in)
		if b, err := d.DecodeText(); err != nil || len(b) == 0 {
			t.Fatal(err)
		}
	})
	if got != 0 {
		t.Errorf("%v allocations, want 0", got)
	}
}

func BenchmarkEncodeRequest(b *testing.B) {
	attachments := map[string]string{"path": "com.example.shop.OrderService", "interface": "com.example.shop.OrderService", "version": "1.0.0", "dubbo.tag": "gray"}
	payload := strings.Repeat("x", 100)
	e := hessian.NewEncoder(hessian.EncoderOptions{})
	buf := make([]byte, 0, 1<<10)
	b.ReportAllocs()
	for b.Loop() {
		e.Reset(buf)
		e.EncodeString("2.0.2")
		e.EncodeString("com.example.shop.OrderService")
		e.EncodeString("1.0.0")
		e.EncodeString("echo")
		e.EncodeString("Ljava/lang/String;")
		e.EncodeString(payload)
		if err := e.Encode(attachments); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEncodeOrder(b *testing.B) {
	o := sampleOrder()
	e := hessian.NewEncoder(hessian.EncoderOptions{Types: javaTypes()})
	buf := make([]byte, 0, 1<<10)
	b.ReportAllocs()
	for b.Loop() {
		e.Reset(buf)
		if err := e.Encode(o); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(int64(e.Len()))
}

func BenchmarkDecodeOrder(b *testing.B) {
	e := hessian.NewEncoder(hessian.EncoderOptions{Types: javaTypes()})
	if err := e.Encode(sampleOrder()); err != nil {
		b.Fatal(err)
	}
	for name, types := range map[string]*hessian.Types{"struct": javaTypes(), "object": nil} {
		b.Run(name, func(b *testing.B) {
			d := hessian.NewDecoder(hessian.DecoderOptions{Types: types})
			b.ReportAllocs()
			b.SetBytes(int64(e.Len()))
			for b.Loop() {
				d.Reset(e.Bytes())
				if _, err := d.Decode(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkSkipOrder(b *testing.B) {
	e := hessian.NewEncoder(hessian.EncoderOptions{Types: javaTypes()})
	if err := e.Encode(sampleOrder()); err != nil {
		b.Fatal(err)
	}
	d := hessian.NewDecoder(hessian.DecoderOptions{})
	b.ReportAllocs()
	b.SetBytes(int64(e.Len()))
	for b.Loop() {
		d.Reset(e.Bytes())
		if err := d.Skip(); err != nil {
			b.Fatal(err)
		}
	}
}
