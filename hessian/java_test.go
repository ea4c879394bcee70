package hessian_test

import (
	"bufio"
	"encoding/hex"
	"flag"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dubway-go/dubway/hessian"
)

var update = flag.Bool("update", false, "write testdata/go.txt anew")

// TestGolden keeps testdata/go.txt, which interop/ lets Java read, in step with the encoder.
func TestGolden(t *testing.T) {
	var b strings.Builder
	for _, s := range samples() {
		e := hessian.NewEncoder(hessian.EncoderOptions{Types: javaTypes()})
		if err := e.Encode(s.write); err != nil {
			t.Fatalf("%s: %v", s.name, err)
		}
		if e.Len() < 4500 {
			b.WriteString(s.name + " " + hex.EncodeToString(e.Bytes()) + "\n")
		}
	}
	lines := strings.SplitAfter(b.String(), "\n")
	slices.Sort(lines) // some samples come from a map
	text := strings.Join(lines, "")
	if *update {
		if err := os.WriteFile("testdata/go.txt", []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/go.txt")
	if err != nil {
		t.Fatal(err)
	}
	if text != string(want) {
		t.Error("the encoder writes other bytes than testdata/go.txt: if that is meant, run this test with -update and the interop suite")
	}
}

// readDump reads what Java's Codec class printed: "name hex" lines.
func readDump(t testing.TB, path string) map[string][]byte {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	out := map[string][]byte{}
	in := bufio.NewScanner(f)
	in.Buffer(nil, 4<<20)
	for in.Scan() {
		name, text, _ := strings.Cut(in.Text(), " ")
		b, err := hex.DecodeString(text)
		if err != nil {
			t.Fatalf("%s: %s: %v", path, name, err)
		}
		out[name] = b
	}
	if err := in.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// same compares decoded values; NaN equals NaN, circular values are compared by walking.
func same(a, b any) bool {
	if x, ok := a.(float64); ok && math.IsNaN(x) {
		y, ok := b.(float64)
		return ok && math.IsNaN(y)
	}
	if x, ok := a.([]any); ok && len(x) == 2 {
		if inner, ok := x[1].([]any); ok && len(inner) == 2 && &inner[0] == &x[0] {
			y, ok := b.([]any)
			if !ok || len(y) != 2 {
				return false
			}
			inner, ok := y[1].([]any)
			return ok && len(inner) == 2 && &inner[0] == &y[0] && x[0] == y[0]
		}
	}
	return reflect.DeepEqual(a, b)
}

func TestDecodesWhatJavaWrote(t *testing.T) {
	dumps, err := filepath.Glob("testdata/java-*.txt")
	if err != nil || len(dumps) != 2 {
		t.Fatalf("dumps: %v %v", dumps, err)
	}
	for _, path := range dumps {
		dump := readDump(t, path)
		seen := 0
		for _, s := range samples() {
			wire, ok := dump[s.name]
			if !ok {
				continue
			}
			seen++
			d := hessian.NewDecoder(hessian.DecoderOptions{Types: javaTypes()})
			d.Reset(wire)
			got, err := d.Decode()
			if err != nil {
				t.Errorf("%s: %s: %v", path, s.name, err)
				continue
			}
			if !same(s.value, got) {
				t.Errorf("%s: %s: got %T %v, want %T %v", path, s.name, got, got, s.value, s.value)
			}
			if d.Remaining() != 0 {
				t.Errorf("%s: %s: %d bytes left", path, s.name, d.Remaining())
			}
			d.Reset(wire)
			if err := d.Skip(); err != nil || d.Remaining() != 0 {
				t.Errorf("%s: %s: skip: %v, %d bytes left", path, s.name, err, d.Remaining())
			}
		}
		if seen < 110 {
			t.Errorf("%s: only %d samples compared", path, seen)
		}
	}
}

func TestRoundTripOfJavaSamples(t *testing.T) {
	types := javaTypes()
	for _, s := range samples() {
		e := hessian.NewEncoder(hessian.EncoderOptions{Types: types})
		if err := e.Encode(s.write); err != nil {
			t.Errorf("%s: %v", s.name, err)
			continue
		}
		d := hessian.NewDecoder(hessian.DecoderOptions{Types: types})
		d.Reset(e.Bytes())
		got, err := d.Decode()
		if err != nil {
			t.Errorf("%s: % x: %v", s.name, e.Bytes()[:min(e.Len(), 100)], err)
			continue
		}
		if !same(s.value, got) {
			t.Errorf("%s: got %T %.200v, want %T %.200v", s.name, got, got, s.value, s.value)
		}
	}
}

// TestWritesAsJavaWrites compares bytes with those of Dubbo 3.3.6 for the values that have one form.
func TestWritesAsJavaWrites(t *testing.T) {
	dump := readDump(t, "testdata/java-3.3.6.txt")
	seen := 0
	for _, s := range samples() {
		kind, _, _ := strings.Cut(s.name, ":")
		switch kind {
		case "int", "long", "double", "string", "bytes", "date", "null", "true", "false", "list", "map", "ints", "longs", "strings", "bools", "doubles", "decimal", "uuid", "locale", "set":
		default:
			continue
		}
		want, ok := dump[s.name]
		if !ok {
			continue
		}
		seen++
		e := hessian.NewEncoder(hessian.EncoderOptions{Types: javaTypes()})
		if err := e.Encode(s.write); err != nil {
			t.Errorf("%s: %v", s.name, err)
		} else if string(e.Bytes()) != string(want) {
			t.Errorf("%s: wrote % x, Java writes % x", s.name, e.Bytes(), want)
		}
	}
	if seen < 80 {
		t.Errorf("only %d samples compared", seen)
	}
}
