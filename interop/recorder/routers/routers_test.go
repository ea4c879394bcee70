package main

import (
	"path/filepath"
	"testing"
)

// TestIdentify: the ids of new cases are made as those of the corpus.
func TestIdentify(t *testing.T) {
	corpus, err := load(filepath.Join("..", "..", "..", "testdata", "conformance"))
	if err != nil {
		t.Fatal(err)
	}
	for _, area := range []string{"condition-route", "tag"} {
		for _, c := range corpus[area][:50] {
			want := c.ID
			if err := c.identify(); err != nil {
				t.Fatal(err)
			}
			if c.ID != want {
				t.Errorf("%s became %s", want, c.ID)
			}
		}
	}
}
