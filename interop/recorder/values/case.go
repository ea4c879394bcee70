package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dubway-go/dubway/interop/recorder/canonical"
)

// maxLine is the longest case, in bytes.
const maxLine = 8 << 20

// fields are what goes into a case, without id, note and answers: JSON values, numbers as json.Number or int.
type fields = map[string]any

// valueCase is one case.
type valueCase struct {
	id     string
	note   string
	in     fields
	expect map[string]json.RawMessage
}

// areas are what this recorder records, with the prefix of their ids.
func areas() map[string]string {
	return map[string]string{"url": "url", "condition-parse": "cparse", "override": "over", "directory": "dir", "load-balance": "lb"}
}

func text(v any) string {
	s, _ := v.(string)
	return s
}

// newCase names the case after what goes in.
func newCase(in fields) *valueCase {
	var b strings.Builder
	canonical.Write(&b, in)
	sum := sha256.Sum256([]byte(b.String()))
	return &valueCase{id: areas()[text(in["area"])] + "-" + hex.EncodeToString(sum[:5]), in: in}
}

// load reads the cases of the areas of this recorder from a folder.
func load(dir string) (map[string][]*valueCase, error) {
	out := map[string][]*valueCase{}
	for area := range areas() {
		f, err := os.Open(filepath.Join(dir, area+".jsonl"))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		cases, err := read(f)
		_ = f.Close()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name(), err)
		}
		out[area] = cases
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s holds no file of a known area", dir)
	}
	return out, nil
}

func read(f *os.File) ([]*valueCase, error) {
	var out []*valueCase
	scan := bufio.NewScanner(f)
	scan.Buffer(nil, maxLine)
	for scan.Scan() {
		if len(bytes.TrimSpace(scan.Bytes())) == 0 {
			continue
		}
		var answers struct {
			Expect map[string]json.RawMessage `json:"expect"`
		}
		if err := json.Unmarshal(scan.Bytes(), &answers); err != nil {
			return nil, err
		}
		in := fields{}
		d := json.NewDecoder(bytes.NewReader(scan.Bytes()))
		d.UseNumber()
		if err := d.Decode(&in); err != nil {
			return nil, err
		}
		note, id := text(in["note"]), text(in["id"])
		delete(in, "expect")
		delete(in, "note")
		delete(in, "id")
		c := newCase(in)
		if id != "" && id != c.id {
			return nil, fmt.Errorf("case %s has the content of %s", id, c.id)
		}
		c.note, c.expect = note, answers.Expect
		out = append(out, c)
	}
	return out, scan.Err()
}

// save writes a file of cases.
func save(dir, area string, cases []*valueCase) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	var b bytes.Buffer
	for _, c := range cases {
		if err := c.write(&b); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(dir, area+".jsonl"), b.Bytes(), 0o644)
}

// write prints the case as one line: id, area and op first, the answers last.
func (c *valueCase) write(b *bytes.Buffer) error {
	keys := slices.Sorted(maps.Keys(c.in))
	for _, first := range []string{"op", "area"} {
		if i := slices.Index(keys, first); i >= 0 {
			keys = slices.Insert(slices.Delete(keys, i, i+1), 0, first)
		}
	}
	fmt.Fprintf(b, `{"id":%q`, c.id)
	add := func(key string, v any) error {
		fmt.Fprintf(b, ",%q:", key)
		e := json.NewEncoder(b)
		e.SetEscapeHTML(false)
		if err := e.Encode(v); err != nil {
			return err
		}
		b.Truncate(b.Len() - 1) // Encode ends with a newline
		return nil
	}
	for _, k := range keys {
		if err := add(k, c.in[k]); err != nil {
			return err
		}
	}
	if c.note != "" {
		if err := add("note", c.note); err != nil {
			return err
		}
	}
	if c.expect != nil {
		if err := add("expect", c.expect); err != nil {
			return err
		}
	}
	b.WriteString("}\n")
	return nil
}
