package conformance

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/rpc"
)

// maxLine is the longest case, in bytes.
const maxLine = 8 << 20

// dialects maps the version columns of the corpus to the dialect that must agree with them.
func dialects() map[string]dialect.Dialect {
	return map[string]dialect.Dialect{
		"2.6.12": dialect.Dubbo26, "2.7.23": dialect.Dubbo27, "3.1.11": dialect.Dubbo31, "3.3.1": dialect.Dubbo33, "3.3.6": dialect.Dubbo33,
	}
}

// Case is one recorded input with the answers of the versions that it applies to.
type Case struct {
	ID        string            `json:"id"`
	Area      string            `json:"area"`
	Consumer  string            `json:"consumer"`
	Providers []string          `json:"providers"`
	Rule      *Rule             `json:"rule"`
	Call      Call              `json:"call"`
	Routers   []string          `json:"routers"`
	Initial   map[string]string `json:"initial"`
	RuleURLs  []string          `json:"ruleUrls"`
	Steps     []Step            `json:"steps"`
	Draws     int               `json:"draws"`

	Expect map[string]Answer `json:"expect"`

	raw string
	// answers are those of an area with a shape of its own.
	answers map[string]json.RawMessage
}

// Rule is the single rule of area condition-route.
type Rule struct {
	Text    string `json:"text"`
	URL     string `json:"url"`
	Force   *bool  `json:"force"`
	Enabled *bool  `json:"enabled"`
}

// Step is one event.
type Step struct {
	Op   string `json:"op"`
	Key  string `json:"key"`
	Text string `json:"text"`
	Use  []int  `json:"use"`
	Call *Call  `json:"call"`
}

// Call is one invocation.
type Call struct {
	Method      string         `json:"method"`
	Args        []any          `json:"args"`
	ArgTypes    []string       `json:"argTypes"`
	Attachments map[string]any `json:"attachments"`
	Generic     bool           `json:"generic"`
}

// Answer is what one version gave.
type Answer struct {
	Keep  []int             `json:"keep"`
	Keeps []json.RawMessage `json:"keeps"`
	Error string            `json:"error"`
	// Shares are the lists that many draws of the last state gave, and how often.
	Shares []Share `json:"shares"`
}

// Share is one list and how often it was drawn.
type Share struct {
	Keep  []int `json:"keep"`
	Count int   `json:"count"`
}

// invocation turns a call into what the engine takes.
func (c *Call) invocation() *rpc.Invocation {
	inv := &rpc.Invocation{Method: c.Method, Direct: !c.Generic, ParamTypes: c.ArgTypes}
	for range c.Args {
		if len(c.ArgTypes) == 0 {
			inv.ParamTypes = append(inv.ParamTypes, "java.lang.String")
		}
	}
	for i, a := range c.Args {
		if f, ok := a.(float64); ok && (i >= len(c.ArgTypes) || c.ArgTypes[i] != "double") && f == float64(int64(f)) {
			inv.Args = append(inv.Args, int64(f))
			continue
		}
		inv.Args = append(inv.Args, a)
	}
	keys := make([]string, 0, len(c.Attachments))
	for k := range c.Attachments {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		inv.Attachments = append(inv.Attachments, rpc.Attachment{Key: k, Value: c.Attachments[k]})
	}
	return inv
}

// Load reads every .jsonl file of a folder, by name.
func Load(dir string) (map[string][]Case, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil {
		return nil, fmt.Errorf("conformance: %w", err)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("conformance: no .jsonl file in %s", dir)
	}
	out := make(map[string][]Case, len(files))
	for _, f := range files {
		cases, err := loadFile(f)
		if err != nil {
			return nil, err
		}
		out[strings.TrimSuffix(filepath.Base(f), ".jsonl")] = cases
	}
	return out, nil
}

func loadFile(path string) ([]Case, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("conformance: %w", err)
	}
	defer f.Close()
	scan := bufio.NewScanner(f)
	scan.Buffer(nil, maxLine)
	var out []Case
	for line := 1; scan.Scan(); line++ {
		if strings.TrimSpace(scan.Text()) == "" {
			continue
		}
		c := Case{raw: scan.Text()}
		area := strings.TrimSuffix(filepath.Base(path), ".jsonl")
		if !covered(area) {
			// Other areas have fields of other shapes; only the versions are counted.
			var head struct {
				ID     string                     `json:"id"`
				Expect map[string]json.RawMessage `json:"expect"`
			}
			if err := json.Unmarshal(scan.Bytes(), &head); err != nil {
				return nil, fmt.Errorf("%s:%d: %w", path, line, err)
			}
			c.answers = head.Expect
			c.ID, c.Area, c.Expect = head.ID, area, make(map[string]Answer, len(head.Expect))
			for v := range head.Expect {
				c.Expect[v] = Answer{}
			}
			out = append(out, c)
			continue
		}
		if err := json.Unmarshal(scan.Bytes(), &c); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, line, err)
		}
		out = append(out, c)
	}
	if err := scan.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return out, nil
}
