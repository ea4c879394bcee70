package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// generate writes n new cases an area, made from recorded ones. They carry no answers.
func generate(seed uint64, n int, from, out string) error {
	corpus, err := load(from)
	if err != nil {
		return err
	}
	for i, area := range sortedKeys(corpus) {
		m := &mutator{rand: rand.New(rand.NewPCG(seed, uint64(i))), pool: corpus[area]}
		seen := map[string]bool{}
		for _, c := range corpus[area] {
			seen[c.ID] = true
		}
		var cases []*routerCase
		for try := 0; len(cases) < n && try < 20*n; try++ {
			c, err := m.next()
			if err != nil {
				return err
			}
			if !seen[c.ID] {
				seen[c.ID] = true
				cases = append(cases, c)
			}
		}
		if err := save(out, area, cases); err != nil {
			return err
		}
		fmt.Printf("%-18s %d cases\n", area, len(cases))
	}
	return nil
}

// mutator makes cases of one area out of recorded ones.
type mutator struct {
	rand *rand.Rand
	pool []*routerCase
}

func (m *mutator) one(of int) bool            { return m.rand.IntN(of) == 0 }
func (m *mutator) pick(list ...string) string { return list[m.rand.IntN(len(list))] }
func (m *mutator) other() *routerCase         { return m.pool[m.rand.IntN(len(m.pool))] }
func (m *mutator) from(list []string) string  { return list[m.rand.IntN(len(list))] }
func (m *mutator) below(n int) int            { return m.rand.IntN(max(n, 1)) }

// next makes one case.
func (m *mutator) next() (*routerCase, error) {
	base, err := copyOf(m.other())
	if err != nil {
		return nil, err
	}
	base.Expect, base.Note, base.Draws, base.Weights = nil, "", 0, nil
	for range 1 + m.below(4) {
		switch k := m.below(20); {
		case k < 9:
			m.text(base)
		case k < 12:
			m.provider(base)
		case k < 14:
			m.consumer(base)
		case k < 17:
			m.call(base)
		default:
			m.steps(base)
		}
	}
	for i := range base.Steps {
		if base.Steps[i].Op == "providers" {
			base.Steps[i].Use = slices.DeleteFunc(slices.Clone(base.Steps[i].Use), func(u int) bool { return u >= len(base.Providers) })
		}
	}
	return base, base.identify()
}

func copyOf(c *routerCase) (*routerCase, error) {
	raw, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	out := &routerCase{}
	return out, json.Unmarshal(raw, out)
}

// text changes one rule of the case.
func (m *mutator) text(c *routerCase) {
	switch {
	case c.Rule != nil:
		m.rule(c)
		return
	case len(c.RuleURLs) > 0 && m.one(2):
		i := m.below(len(c.RuleURLs))
		if changed := m.ruleURL(c.RuleURLs[i]); !slices.Contains(c.Routers, "script-url") || !strings.Contains(changed, "router=") {
			c.RuleURLs[i] = changed // a script-url case has a script router whatever the URL says
		}
		return
	}
	var at []*string
	for i := range c.Steps {
		if c.Steps[i].Op == "set" {
			at = append(at, &c.Steps[i].Text)
		}
	}
	if keys := sortedKeys(c.Initial); len(keys) > 0 && (len(at) == 0 || m.one(3)) {
		k := m.from(keys)
		c.Initial[k] = m.document(c.Initial[k])
		return
	}
	if len(at) > 0 {
		p := at[m.below(len(at))]
		*p = m.document(*p)
	}
}

// documentOf returns a document of another case.
func (m *mutator) documentOf() (key, text string) {
	for range 20 {
		c := m.other()
		var sets []step
		for _, s := range c.Steps {
			if s.Op == "set" {
				sets = append(sets, s)
			}
		}
		for _, k := range sortedKeys(c.Initial) {
			sets = append(sets, step{Key: k, Text: c.Initial[k]})
		}
		if len(sets) > 0 {
			s := sets[m.below(len(sets))]
			return s.Key, s.Text
		}
	}
	return "", ""
}

// steps changes what happens.
func (m *mutator) steps(c *routerCase) {
	if c.Area == "condition-route" || slices.Contains(c.Routers, "script-url") {
		return
	}
	if len(c.Steps) == 0 {
		m.insert(c)
		return
	}
	i, j := m.below(len(c.Steps)), m.below(len(c.Steps))
	switch m.below(6) {
	case 0:
		c.Steps[i], c.Steps[j] = c.Steps[j], c.Steps[i]
	case 1: // broken, then good again
		if s := c.Steps[i]; s.Op == "set" {
			bad := s
			bad.Text = m.document(m.document(m.document(s.Text)))
			c.Steps = slices.Insert(c.Steps, i+1, bad, s)
		}
	case 2:
		if s := c.Steps[i]; s.Op == "set" && len(c.RuleURLs) == 0 { // present from the start
			if c.Initial == nil {
				c.Initial = map[string]string{}
			}
			c.Initial[s.Key] = s.Text
			c.Steps = slices.Delete(c.Steps, i, i+1)
		}
	case 3:
		if len(c.Steps) > 1 {
			c.Steps = slices.Delete(c.Steps, i, i+1)
		}
	default:
		m.insert(c)
	}
}

func (m *mutator) insert(c *routerCase) {
	i := m.below(len(c.Steps) + 1)
	var s step
	switch m.below(5) {
	case 0, 1:
		use := []int{}
		for p := range c.Providers {
			if m.one(2) {
				use = append(use, p)
			}
		}
		if m.one(3) {
			m.rand.Shuffle(len(use), func(a, b int) { use[a], use[b] = use[b], use[a] })
		}
		s = step{Op: "providers", Use: use}
	case 2:
		next, err := copyOf(c)
		if err != nil {
			return
		}
		m.call(next)
		s = step{Op: "call", Call: next.Call}
	case 3:
		if key, text := m.documentOf(); key != "" {
			s = step{Op: "set", Key: m.keyLike(c, key), Text: text}
		}
	case 4:
		for _, x := range c.Steps {
			if x.Op == "set" && i > 0 {
				s = step{Op: "delete", Key: x.Key}
			}
		}
	}
	if s.Op != "" {
		c.Steps = slices.Insert(c.Steps, i, s)
	}
}

// keyLike prefers a key that the case already has.
func (m *mutator) keyLike(c *routerCase, key string) string {
	for _, s := range c.Steps {
		if s.Op == "set" && m.one(2) {
			return s.Key
		}
	}
	return key
}
