package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// generator makes new cases of one area from recorded ones and afresh.
type generator struct {
	*rand.Rand
	from []*valueCase
}

// generate writes n new cases per area. The same seed and corpus give the same cases.
func generate(seed uint64, n int, area, from, out string) error {
	byArea, err := load(from)
	if err != nil {
		return err
	}
	makers := map[string]func(*generator) fields{
		"url": (*generator).url, "condition-parse": (*generator).condition, "override": (*generator).override,
		"directory": (*generator).directory, "load-balance": (*generator).balance,
	}
	for _, a := range slices.Sorted(maps.Keys(byArea)) {
		if area != "" && area != a {
			continue
		}
		g := &generator{rand.New(rand.NewPCG(seed, uint64(len(a)))), byArea[a]}
		known := map[string]bool{}
		for _, c := range byArea[a] {
			known[c.id] = true
		}
		var made []*valueCase
		for tries := 0; len(made) < n && tries < 20*n; tries++ {
			in := makers[a](g)
			in["area"] = a
			c := newCase(in)
			if !known[c.id] {
				known[c.id] = true
				made = append(made, c)
			}
		}
		if err := save(out, a, made); err != nil {
			return err
		}
		fmt.Printf("%-16s %d cases\n", a, len(made))
	}
	return nil
}

// chance is true in p of 100 calls.
func (g *generator) chance(p int) bool { return g.IntN(100) < p }

func (g *generator) one(list ...string) string { return list[g.IntN(len(list))] }

// some returns up to n of the list, possibly one twice.
func (g *generator) some(n int, list ...string) []string {
	out := make([]string, g.IntN(n+1))
	for i := range out {
		out[i] = g.one(list...)
	}
	return out
}

// recorded returns a copy of a recorded case.
func (g *generator) recorded() fields {
	c := g.from[g.IntN(len(g.from))]
	in, _ := deepCopy(c.in).(map[string]any)
	return in
}

func deepCopy(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, e := range v {
			out[k] = deepCopy(e)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = deepCopy(e)
		}
		return out
	}
	return v
}

// pieces are inserted into texts.
func pieces() []string {
	return []string{
		" ", "  ", "\t", "\u3000", "\u00a0", "+", "%", "%2", "%zz", "%20", "%3D", "%26", "%25", "%2525", "%E4%BD%A0", "%FF", "%00", "&", "&&", "=", "==", "?", "??",
		"#", ";", "/", "//", ":", "::", "@", "[", "]", "*", "-", "_", ".", "..", ",", ",,", "~", "$", "!", "!=", "\\", "'", "\"", "|", "(", "é", "你好", "𝄞", "default.", "0",
		"-1", "+5", "007", "0x1F", "1_000", "1e3", "2147483647", "2147483648", "-2147483649", "9223372036854775808", "true", "TRUE", "null", "consumer.", "provider.", "=>",
		"10.0.0.9", "0.0.0.0", "[fd00::1]", "fe80::1%eth0", "://", ":/",
	}
}

// mutate edits a text in one to three places.
func (g *generator) mutate(s string) string {
	for range 1 + g.IntN(3) {
		r := []rune(s)
		at := g.IntN(len(r) + 1)
		switch g.IntN(7) {
		case 0, 1, 2:
			s = string(r[:at]) + g.one(pieces()...) + string(r[at:])
		case 3:
			if at < len(r) {
				s = string(r[:at]) + string(r[at+1:])
			}
		case 4:
			end := min(len(r), at+1+g.IntN(8))
			s = string(r[:end]) + string(r[at:end]) + string(r[end:])
		case 5:
			end := min(len(r), at+1+g.IntN(8))
			s = string(r[:at]) + string(r[end:])
		case 6:
			if at < len(r) {
				s = string(r[:at]) + g.one(strings.ToUpper(string(r[at])), g.one(pieces()...)) + string(r[at+1:])
			}
		}
	}
	return s
}

// cross joins the head of one text with the tail of another.
func (g *generator) cross(a, b string) string {
	x, y := []rune(a), []rune(b)
	return string(x[:g.IntN(len(x)+1)]) + string(y[g.IntN(len(y)+1):])
}

func number(n int) json.Number { return json.Number(fmt.Sprint(n)) }

func list[T any](in ...T) []any {
	out := make([]any, len(in))
	for i, e := range in {
		out[i] = e
	}
	return out
}
