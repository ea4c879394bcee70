package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dubway-go/dubway/interop/recorder/canonical"
)

// maxLine is the longest case, in bytes.
const maxLine = 8 << 20

// routerCase is one case; the fields stand in the order of the corpus.
type routerCase struct {
	ID        string                     `json:"id"`
	Area      string                     `json:"area"`
	Note      string                     `json:"note,omitempty"`
	Routers   []string                   `json:"routers,omitempty"`
	Consumer  string                     `json:"consumer"`
	Providers []string                   `json:"providers"`
	Rule      map[string]any             `json:"rule,omitempty"`
	Call      *call                      `json:"call"`
	RuleURLs  []string                   `json:"ruleUrls,omitempty"`
	Initial   map[string]string          `json:"initial,omitempty"`
	Draws     int                        `json:"draws,omitempty"`
	Weights   json.RawMessage            `json:"weights,omitempty"`
	Steps     []step                     `json:"steps"`
	Expect    map[string]json.RawMessage `json:"expect,omitempty"`
}

type call struct {
	Method      string         `json:"method"`
	Args        []any          `json:"args,omitempty"`
	ArgTypes    []string       `json:"argTypes,omitempty"`
	Attachments map[string]any `json:"attachments,omitempty"`
	Generic     bool           `json:"generic,omitempty"`
}

type step struct {
	Op   string `json:"op"`
	Key  string `json:"key,omitempty"`
	Text string `json:"text"`
	Use  []int  `json:"use"`
	Call *call  `json:"call,omitempty"`
}

// MarshalJSON leaves out what an operation does not have.
func (s step) MarshalJSON() ([]byte, error) {
	out := map[string]any{"op": s.Op}
	switch s.Op {
	case "set":
		out["key"], out["text"] = s.Key, s.Text
	case "delete":
		out["key"] = s.Key
	case "providers":
		out["use"] = append([]int{}, s.Use...)
	case "call":
		out["call"] = s.Call
	}
	return json.Marshal(out)
}

// areas are what this recorder records, with the prefix of their ids.
func areas() map[string]string {
	return map[string]string{"condition-route": "croute", "condition-doc": "cdoc", "multi-destination": "multi", "tag": "tag", "chain": "chain", "affinity": "aff", "mesh": "mesh", "script": "script"}
}

// versions are the releases that a case applies to.
func (c *routerCase) versions() []string {
	documents := len(c.Initial) > 0 || slices.ContainsFunc(c.Steps, func(s step) bool { return s.Op == "set" || s.Op == "delete" })
	three := []string{"3.1.11", "3.3.1"}
	switch c.Area {
	case "condition-route":
		return append([]string{"2.6.12", "2.7.23"}, three...)
	case "condition-doc":
		return append([]string{"2.7.23"}, three...)
	case "multi-destination":
		if c.Draws > 0 {
			return []string{"3.3.1"}
		}
		return append([]string{"2.7.23"}, three...)
	case "tag":
		out := append([]string{"2.7.23"}, three...)
		if !documents {
			out = append([]string{"2.6.12"}, out...)
		}
		return out
	case "chain":
		out := []string{"2.7.23"}
		if !documents && !strings.Contains(c.Consumer, "router=") {
			out = []string{"2.6.12", "2.7.23"}
		}
		if len(c.RuleURLs) == 0 {
			out = append(out, three...)
		}
		return out
	case "script":
		if slices.Contains(c.Routers, "script-app") {
			return []string{"3.3.1"}
		}
		return append([]string{"2.6.12", "2.7.23"}, three...)
	case "affinity", "mesh":
		return []string{"3.3.6"}
	}
	return nil
}

// process names the recorder process for a version: one has the affinity factories registered.
func (c *routerCase) process(version string) string {
	if slices.Contains(c.Routers, "chain+affinity") {
		return version + "+affinity"
	}
	return version
}

// identify sets the id: a digest of what goes in.
func (c *routerCase) identify() error {
	d := *c
	d.ID, d.Note, d.Expect = "", "", nil
	raw, err := json.Marshal(d)
	if err != nil {
		return fmt.Errorf("case: %w", err)
	}
	var fields map[string]any
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	if err := decoder.Decode(&fields); err != nil {
		return fmt.Errorf("case: %w", err)
	}
	delete(fields, "id")
	if c.Area == "condition-route" {
		delete(fields, "steps")
	}
	var b strings.Builder
	canonical.Write(&b, fields)
	sum := sha256.Sum256([]byte(b.String()))
	c.ID = areas()[c.Area] + "-" + hex.EncodeToString(sum[:5])
	return nil
}

// load reads the areas of a folder that this recorder knows.
func load(dir string) (map[string][]*routerCase, error) {
	out := map[string][]*routerCase{}
	for area := range areas() {
		path := filepath.Join(dir, area+".jsonl")
		f, err := os.Open(path)
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		defer f.Close()
		scan := bufio.NewScanner(f)
		scan.Buffer(nil, maxLine)
		for line := 1; scan.Scan(); line++ {
			if strings.TrimSpace(scan.Text()) == "" {
				continue
			}
			c := &routerCase{}
			decoder := json.NewDecoder(bytes.NewReader(scan.Bytes()))
			decoder.UseNumber()
			if err := decoder.Decode(c); err != nil {
				return nil, fmt.Errorf("%s:%d: %w", path, line, err)
			}
			out[area] = append(out[area], c)
		}
		if err := scan.Err(); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: no file of a router area", dir)
	}
	return out, nil
}

// save writes one area.
func save(dir, area string, cases []*routerCase) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	for _, c := range cases {
		if err := encoder.Encode(c); err != nil {
			return fmt.Errorf("%s: %w", c.ID, err)
		}
	}
	return os.WriteFile(filepath.Join(dir, area+".jsonl"), b.Bytes(), 0o644)
}
