package balance

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"testing"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/service"
)

// versions maps the corpus' version columns to dialects.
var versions = map[string]dialect.Dialect{
	"2.6.12": dialect.Dubbo26, "2.7.23": dialect.Dubbo27, "3.1.11": dialect.Dubbo31, "3.3.1": dialect.Dubbo33,
}

type lbCase struct {
	ID             string
	Op             string
	Uptime, Warmup int64
	Weight, Draws  int
	Providers      []string
	Actives        []int
	Call           struct{ Method string }
	Phases         []lbPhase
	Expect         map[string]lbResult
}

type lbPhase struct {
	Use      []int
	N        int
	ArgsList [][]any
}

type lbResult struct {
	Weight *int
	Picks  []int
	Shares []int
	Error  string
}

// TestConformance runs the recorded answers of the real classes: warm-up weights, round robin sequences, consistent
// hash choices, least active choices, random shares.
func TestConformance(t *testing.T) {
	file, err := os.Open("../testdata/conformance/load-balance.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	passed, total := map[string]int{}, map[string]int{}
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var c lbCase
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		for version, want := range c.Expect {
			d, known := versions[version]
			if !known {
				t.Fatalf("%s: unknown version %s", c.ID, version)
			}
			key := c.Op + " " + version
			total[key]++
			if problem := runCase(t, c, d, want); problem != "" {
				t.Errorf("%s %s %s: %s", c.ID, c.Op, version, problem)
				continue
			}
			passed[key]++
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	sum := 0
	for key, n := range total {
		t.Logf("%s: %d of %d", key, passed[key], n)
		sum += n
	}
	if sum < 1000 {
		t.Errorf("only %d expectations were found", sum)
	}
}

func runCase(t *testing.T, c lbCase, d dialect.Dialect, want lbResult) string {
	switch c.Op {
	case "warmup":
		if got := WarmupWeight(d, c.Uptime, c.Warmup, c.Weight); want.Weight == nil || got != *want.Weight {
			return fmt.Sprintf("weight %d, want %v", got, want.Weight)
		}
		return ""
	case "roundrobin", "consistenthash", "leastactive", "random":
	default:
		return "unknown operation"
	}
	all := instances(t, d, c.Providers...)
	b, err := New(c.Op, Options{Dialect: d})
	if err != nil {
		return err.Error()
	}
	for i, n := range c.Actives {
		for range n {
			b.(Feedback).Begin(route.Candidates{}, all[i], newInvocation(c.Call.Method))
		}
	}
	if c.Draws > 0 {
		return checkObserved(t, c, b, candidates(t, d, all), want.Shares)
	}
	var picks []int
	for _, phase := range c.Phases {
		list := make([]*service.Instance, len(phase.Use))
		for i, u := range phase.Use {
			list[i] = all[u]
		}
		view := candidates(t, d, list)
		calls := phase.ArgsList
		if calls == nil {
			calls = make([][]any, phase.N)
		}
		for _, args := range calls {
			inv := newInvocation(c.Call.Method, wholeNumbers(args)...)
			i := b.Pick(view, inv)
			if i < 0 {
				if want.Error == "" || b.(Refuser).Refusal(view, inv) == nil {
					return fmt.Sprintf("refused, want %v", want.Picks)
				}
				return ""
			}
			picks = append(picks, phase.Use[i])
		}
	}
	if want.Error != "" || fmt.Sprint(picks) != fmt.Sprint(want.Picks) {
		return fmt.Sprintf("picks %v, want %v %s", picks, want.Picks, want.Error)
	}
	return ""
}

// wholeNumbers gives JSON numbers the type that the corpus means: int.
func wholeNumbers(args []any) []any {
	for i, a := range args {
		if f, ok := a.(float64); ok && f == math.Trunc(f) {
			args[i] = int32(f)
		}
	}
	return args
}

// checkObserved compares shares with those observed in Java: both are random, so the difference may be six
// deviations of the difference of two draws.
func checkObserved(t *testing.T, c lbCase, b Balancer, view route.Candidates, want []int) string {
	counts := make([]int, view.Len())
	inv := newInvocation(c.Call.Method)
	for n := range c.Draws {
		inv.Seed = uint64(n + 1)
		counts[b.Pick(view, inv)]++
	}
	for i, n := range counts {
		p := float64(want[i]) / float64(c.Draws)
		if want[i] == 0 && n != 0 || math.Abs(float64(n-want[i])) > 6*math.Sqrt(2*float64(c.Draws)*p*(1-p))+3 {
			return fmt.Sprintf("shares %v, want about %v", counts, want)
		}
	}
	return ""
}
