package conformance

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/service"
)

// Where the recorded versions drew at random, the engine draws as often.
const (
	oneOfDraws  = 600
	rareShare   = 0.01 // a list drawn less often than this may be missing on either side
	shareDraws  = 100_000
	shareMargin = 0.009 // four standard deviations of the difference of two shares of one half
)

// compareKeep returns a recorded result and the engine's answer for the present state.
func (w *world) compareKeep(raw json.RawMessage) (want, got string) {
	var choice struct {
		OneOf  [][]int         `json:"oneOf"`
		Notify string          `json:"notify"`
		Keep   json.RawMessage `json:"keep"`
	}
	if w.alone {
		return w.scriptAnswers(raw)
	}
	err := json.Unmarshal(raw, &choice)
	if failed := err == nil && choice.Notify == "failed"; failed || w.mesh.failed {
		got = w.answer()
		if w.mesh.failed {
			got = "notify failed " + got
		}
		if failed {
			return "notify failed " + element(choice.Keep), got
		}
		return element(raw), got
	}
	if err != nil || len(choice.OneOf) == 0 {
		return element(raw), w.answer()
	}
	counts := w.draw(oneOfDraws)
	wanted := make([]string, len(choice.OneOf))
	for i, l := range choice.OneOf {
		wanted[i] = fmt.Sprint(nonNil(l))
	}
	slices.Sort(wanted)
	want = "one of " + strings.Join(wanted, " ")
	var seen []string
	for list, n := range counts {
		if slices.Contains(wanted, list) || float64(n) > rareShare*oneOfDraws*2 {
			seen = append(seen, list)
		}
	}
	for _, l := range wanted { // a list that the engine happened not to draw is only missing if it is not rare
		if counts[l] == 0 && w.draw(20 * oneOfDraws)[l] > 0 {
			seen = append(seen, l)
		}
	}
	slices.Sort(seen)
	return want, "one of " + strings.Join(seen, " ")
}

// compareShares returns the recorded shares and the engine's; a share within the margin is printed as recorded.
func (w *world) compareShares(shares []Share) (want, got string) {
	total := 0
	for _, s := range shares {
		total += s.Count
	}
	counts := w.draw(shareDraws)
	var wants, gots []string
	for _, s := range shares {
		list := fmt.Sprint(nonNil(s.Keep))
		recorded, drawn := float64(s.Count)/float64(total), float64(counts[list])/shareDraws
		wants = append(wants, fmt.Sprintf("%s %.4f", list, recorded))
		if math.Abs(recorded-drawn) <= shareMargin && (s.Count == 0) == (counts[list] == 0) {
			drawn = recorded
		}
		gots = append(gots, fmt.Sprintf("%s %.4f", list, drawn))
		delete(counts, list)
	}
	for list, n := range counts {
		gots = append(gots, fmt.Sprintf("%s %.4f", list, float64(n)/shareDraws))
	}
	slices.Sort(wants)
	slices.Sort(gots)
	return strings.Join(wants, " "), strings.Join(gots, " ")
}

// draw routes the present call n times with different seeds and counts the answers.
func (w *world) draw(n int) map[string]int {
	s := w.compile()
	inv := *w.call
	byDecision := make(map[*route.Decision]int)
	text := make(map[*route.Decision]string)
	for seed := range uint64(n) {
		inv.Seed = seed
		c := s.Route(&inv)
		d := c.Decision()
		if byDecision[d]++; byDecision[d] == 1 {
			text[d] = w.numbers(c)
		}
	}
	out := make(map[string]int)
	for d, count := range byDecision {
		out[text[d]] += count
	}
	return out
}

// compile makes a snapshot of the present state.
func (w *world) compile() *route.Snapshot {
	w.revision++
	s, _ := route.Compile(route.Input{
		Dialect: w.dialect, Consumer: service.Consumer{URL: w.consumer}, Set: service.NewSet(w.revision, w.list), Rules: w.rules(), Chain: w.chain,
	})
	return s
}

// numbers prints the candidates by their numbers in the case.
func (w *world) numbers(c route.Candidates) string {
	list := make([]int, c.Len())
	for i := range list {
		list[i] = w.use[c.Index(i)]
	}
	return fmt.Sprint(list)
}
