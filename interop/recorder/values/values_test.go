package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

const corpus = "../../../testdata/conformance"

// TestLoad reads the corpus: load refuses a case whose id is not that of its content.
func TestLoad(t *testing.T) {
	for _, dir := range []string{corpus, corpus + "-more"} {
		byArea, err := load(dir)
		if err != nil {
			t.Fatal(err)
		}
		if len(byArea) != len(areas()) {
			t.Errorf("%s: %d areas, want %d", dir, len(byArea), len(areas()))
		}
	}
}

// TestGenerate: the same seed makes the same cases, another seed others, and none is one of the corpus.
func TestGenerate(t *testing.T) {
	read := func(seed uint64) map[string]string {
		dir := t.TempDir()
		if err := generate(seed, 40, "", corpus, dir); err != nil {
			t.Fatal(err)
		}
		out := map[string]string{}
		for area := range areas() {
			raw, err := os.ReadFile(filepath.Join(dir, area+".jsonl"))
			if err != nil {
				t.Fatal(err)
			}
			if n := bytes.Count(raw, []byte("\n")); n != 40 {
				t.Errorf("%s: %d cases, want 40", area, n)
			}
			out[area] = string(raw)
		}
		return out
	}
	a, b, c := read(5), read(5), read(6)
	for area := range areas() {
		if a[area] != b[area] {
			t.Errorf("%s: seed 5 makes different cases each time", area)
		}
		if a[area] == c[area] {
			t.Errorf("%s: seeds 5 and 6 make the same cases", area)
		}
	}
}

// TestSimilar: shares may differ as draws do, but not in who gets nothing.
func TestSimilar(t *testing.T) {
	list := func(n ...float64) []any {
		out := make([]any, len(n))
		for i, x := range n {
			out[i] = x
		}
		return out
	}
	for _, c := range []struct {
		a, b []any
		want bool
	}{
		{list(500, 500), list(510, 490), true},
		{list(500, 500), list(900, 100), false},
		{list(1000, 0), list(1000, 0), true},
		{list(1000, 0), list(998, 2), false},
		{list(1000), list(500, 500), false},
	} {
		if got := similar(c.a, c.b); got != c.want {
			t.Errorf("similar(%v, %v) = %v", c.a, c.b, got)
		}
	}
}
