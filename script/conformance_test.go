package script_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/rule"
	"github.com/dubway-go/dubway/script"
	"github.com/dubway-go/dubway/service"
)

type recorded struct {
	ID        string
	Consumer  string
	Providers []string
	Call      recordedCall
	Routers   []string
	Initial   map[string]string
	RuleURLs  []string
	Steps     []struct {
		Op, Key, Text string
		Call          *recordedCall
	}
	Expect map[string]struct {
		Keeps []json.RawMessage
		Error string
	}
}

type recordedCall struct {
	Method      string
	Args        []any
	Attachments map[string]any
	Generic     bool
}

func (c recordedCall) invocation() *rpc.Invocation {
	inv := &rpc.Invocation{Method: c.Method, Args: c.Args, Direct: !c.Generic}
	for k, v := range c.Attachments {
		inv.Attachments = append(inv.Attachments, rpc.Attachment{Key: k, Value: v})
	}
	return inv
}

// TestRecordedAnswers replays what the real classes of four Dubbo versions answered. Nothing is skipped,
// except under the race detector.
func TestRecordedAnswers(t *testing.T) {
	f, err := os.Open("../testdata/conformance/script.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	versions := map[string]dialect.Dialect{"2.6.12": dialect.Dubbo26, "2.7.23": dialect.Dubbo27, "3.1.11": dialect.Dubbo31, "3.3.1": dialect.Dubbo33}
	passed, total := map[string]int{}, map[string]int{}
	scan := bufio.NewScanner(f)
	scan.Buffer(nil, 1<<20)
	for line := 0; scan.Scan(); line++ {
		if raceEnabled && line%8 != 0 {
			continue
		}
		var c recorded
		if err := json.Unmarshal(scan.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		for version, want := range c.Expect {
			d, ok := versions[version]
			if !ok {
				t.Fatalf("%s: unknown version %q", c.ID, version)
			}
			total[version]++
			keeps, failure := c.replay(t, d)
			expected := make([]string, len(want.Keeps))
			for i, k := range want.Keeps {
				expected[i] = string(k)
			}
			if failure != want.Error || !slices.Equal(keeps, expected) {
				t.Errorf("%s %s: got %v %q, want %v %q", c.ID, version, keeps, failure, expected, want.Error)
				continue
			}
			passed[version]++
		}
	}
	if err := scan.Err(); err != nil {
		t.Fatal(err)
	}
	for version := range versions {
		if total[version] == 0 {
			t.Errorf("no case of %s", version)
		}
		t.Logf("script %s: %d of %d passed", version, passed[version], total[version])
	}
}

func (c *recorded) replay(t *testing.T, d dialect.Dialect) (keeps []string, failure string) {
	set, who := setOf(t, d, c.Providers...), service.Consumer{URL: parse(t, c.Consumer, d)}
	o := script.Options{Dialect: d}
	var router *script.Router
	if slices.Contains(c.Routers, "script-url") {
		doc, _ := rule.ParseScriptURL(c.RuleURLs[0], d)
		if doc == nil {
			return nil, "illegal-rule"
		}
		router, _ = script.New(doc, o)
	}
	key := rule.ScriptKey(providerApplication(set))
	inv := c.Call.invocation()
	apply := func(name, text string) {
		if name != key || slices.Contains(c.Routers, "script-url") {
			return
		}
		doc, _ := rule.ParseScriptDocument(rule.Origin{Source: "config-centre", Name: name}, text, d)
		if doc == nil {
			return
		}
		if next, _ := router.Replace(doc, o); next != nil {
			router = next
		}
	}
	for name, text := range c.Initial {
		apply(name, text)
	}
	keeps = append(keeps, answer(router.Bind(who, set), inv, set))
	for _, s := range c.Steps {
		switch s.Op {
		case "set":
			apply(s.Key, s.Text)
		case "delete":
			if s.Key == key {
				router, _ = router.Delete()
			}
		case "call":
			inv = s.Call.invocation()
		default:
			t.Fatalf("%s: step %q", c.ID, s.Op)
		}
		keeps = append(keeps, answer(router.Bind(who, set), inv, set))
	}
	router.Close()
	return keeps, ""
}

func providerApplication(set *service.Set) string {
	if set.Len() == 0 {
		return ""
	}
	return set.At(0).Application()
}

func answer(e *script.Engine, inv *rpc.Invocation, set *service.Set) string {
	kept, all := []uint32(nil), true
	if e != nil {
		r := e.Run(inv, nil)
		if r.Outcome == script.Failed {
			return `"route-failed"`
		}
		kept, all = r.Left(dialect.Standard)
	}
	if all {
		kept = make([]uint32, set.Len())
		for i := range kept {
			kept[i] = uint32(i)
		}
	}
	return strings.ReplaceAll(fmt.Sprint(kept), " ", ",")
}
