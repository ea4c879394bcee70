package conformance

import (
	"fmt"
	"math"

	"github.com/dubway-go/dubway/balance"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/service"
)

type balanceCase struct {
	Op        string         `json:"op"`
	Uptime    int64          `json:"uptime"`
	Warmup    int64          `json:"warmup"`
	Weight    int            `json:"weight"`
	Draws     int            `json:"draws"`
	Providers []string       `json:"providers"`
	Actives   []int          `json:"actives"`
	Call      Call           `json:"call"`
	Phases    []balancePhase `json:"phases"`
}

type balancePhase struct {
	Use      []int   `json:"use"`
	N        int     `json:"n"`
	ArgsList [][]any `json:"argsList"`
}

type balanceAnswer struct {
	Weight *int   `json:"weight"`
	Picks  []int  `json:"picks"`
	Shares []int  `json:"shares"`
	Error  string `json:"error"`
}

// replayBalance runs one load balancer, or the warm-up function.
func replayBalance(raw []byte, d dialect.Dialect, expect []byte) (want, got string, err error) {
	var c balanceCase
	var a balanceAnswer
	if err := decode(raw, &c, expect, &a); err != nil {
		return "", "", err
	}
	if c.Op == "warmup" {
		if a.Weight == nil {
			return a.Error, "no weight recorded", nil
		}
		return fmt.Sprint(*a.Weight), fmt.Sprint(balance.WarmupWeight(d, c.Uptime, c.Warmup, c.Weight)), nil
	}
	all := make([]*service.Instance, len(c.Providers))
	for i, p := range c.Providers {
		u, err := durl.ParseAs(p, d)
		if err != nil {
			return "", "", fmt.Errorf("conformance: %w", err)
		}
		all[i] = service.NewInstance(u, u, u)
	}
	if err := c.check(); err != nil {
		return "", "", err
	}
	b, err := balance.New(c.Op, balance.Options{Dialect: d})
	if err != nil {
		return "", "", fmt.Errorf("conformance: %w", err)
	}
	c.start(b, all)
	if c.Draws > 0 {
		want, got = c.shares(b, view(d, all), a.Shares)
		return want, got, nil
	}
	if want = a.Error; want == "" {
		want = fmt.Sprint(nonNil(a.Picks))
	}
	return want, c.picks(b, d, all, a.Error), nil
}

// check looks whether the case refers to providers that it has.
func (c *balanceCase) check() error {
	if len(c.Actives) > len(c.Providers) {
		return fmt.Errorf("conformance: %d numbers of running calls for %d providers", len(c.Actives), len(c.Providers))
	}
	for _, phase := range c.Phases {
		for _, u := range phase.Use {
			if u < 0 || u >= len(c.Providers) {
				return fmt.Errorf("conformance: provider %d of %d", u, len(c.Providers))
			}
		}
	}
	return nil
}

// start begins the calls that are running before the first pick.
func (c *balanceCase) start(b balance.Balancer, all []*service.Instance) {
	feedback, ok := b.(balance.Feedback)
	if !ok {
		return
	}
	for i, n := range c.Actives {
		for range n {
			feedback.Begin(route.Candidates{}, all[i], &rpc.Invocation{Method: c.Call.Method, Direct: true})
		}
	}
}

// view returns instances as candidates that no rule has touched.
func view(d dialect.Dialect, list []*service.Instance) route.Candidates {
	s, _ := route.Compile(route.Input{Dialect: d, Set: service.NewSet(1, list)})
	return s.Route(&rpc.Invocation{})
}

// picks runs the phases with one balancer; word is the recorded error, which stands for a refusal of ours.
func (c *balanceCase) picks(b balance.Balancer, d dialect.Dialect, all []*service.Instance, word string) string {
	picks := []int{}
	for _, phase := range c.Phases {
		list := make([]*service.Instance, len(phase.Use))
		for i, u := range phase.Use {
			list[i] = all[u]
		}
		candidates := view(d, list)
		calls := phase.ArgsList
		if calls == nil {
			calls = make([][]any, phase.N)
		}
		for _, args := range calls {
			inv := &rpc.Invocation{Method: c.Call.Method, Args: whole(args), Direct: true}
			i := b.Pick(candidates, inv)
			if i < 0 {
				if r, ok := b.(balance.Refuser); ok && word != "" && r.Refusal(candidates, inv) != nil {
					return word
				}
				return fmt.Sprint(picks, " then refused")
			}
			picks = append(picks, phase.Use[i])
		}
	}
	return fmt.Sprint(picks)
}

// whole gives JSON numbers the type that the corpus means: int.
func whole(args []any) []any {
	out := make([]any, len(args))
	for i, a := range args {
		if f, ok := a.(float64); ok && f == math.Trunc(f) {
			a = int32(f)
		}
		out[i] = a
	}
	return out
}

// shares draws as often as the recording; a share within six standard deviations of the difference of two draws
// prints as recorded.
func (c *balanceCase) shares(b balance.Balancer, candidates route.Candidates, recorded []int) (want, got string) {
	counts := make([]int, candidates.Len())
	inv := &rpc.Invocation{Method: c.Call.Method, Direct: true}
	for n := range c.Draws {
		inv.Seed = uint64(n + 1)
		counts[b.Pick(candidates, inv)]++
	}
	for i := range counts {
		if i >= len(recorded) {
			break
		}
		p := float64(recorded[i]) / float64(c.Draws)
		margin := 6*math.Sqrt(2*float64(c.Draws)*p*(1-p)) + 3
		if math.Abs(float64(counts[i]-recorded[i])) <= margin && (recorded[i] == 0) == (counts[i] == 0) {
			counts[i] = recorded[i]
		}
	}
	return fmt.Sprint(recorded), fmt.Sprint(counts)
}
