package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
)

// maxShown is how many differences are printed per area and version.
const maxShown = 3

// check records the cases of a folder again and compares.
func check(dir string) error {
	byArea, err := load(dir)
	if err != nil {
		return err
	}
	got, broken, err := ask(context.Background(), flatten(byArea))
	if err != nil {
		return err
	}
	failed := 0
	for _, area := range sortedKeys(byArea) {
		same, different := map[string]int{}, map[string]int{}
		var shown strings.Builder
		for _, c := range byArea[area] {
			versions := sortedKeys(c.Expect)
			for _, v := range versions {
				answer, ok := got[c.ID][v]
				if ok && equal(c.Expect[v], answer) {
					same[v]++
					continue
				}
				if different[v]++; different[v] <= maxShown {
					text, _ := json.Marshal(c)
					fmt.Fprintf(&shown, "  %s %s\n    recorded %s\n    now      %s %s\n    case %s\n", v, c.ID, c.Expect[v], answer, broken[c.ID], text)
				}
			}
		}
		fmt.Printf("%-18s same %v different %v\n%s", area, same, different, shown.String())
		for _, n := range different {
			failed += n
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d answers differ", failed)
	}
	return nil
}

// equal compares two answers; messages are informative, and shares are drawn.
func equal(a, b json.RawMessage) bool {
	var x, y map[string]any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return false
	}
	delete(x, "message")
	delete(y, "message")
	if x["shares"] != nil && y["shares"] != nil {
		return similar(x["shares"], y["shares"]) && similar(y["shares"], x["shares"])
	}
	normalize(x)
	normalize(y)
	return reflect.DeepEqual(x, y)
}

// similar reports whether every list of a was drawn about as often in b.
func similar(a, b any) bool {
	x, y := counts(a), counts(b)
	total := 0.0
	for _, n := range x {
		total += n
	}
	for k, n := range x {
		if math.Abs(n-y[k]) > 0.01*total || (n > 20 && y[k] == 0) {
			return false
		}
	}
	return true
}

func counts(shares any) map[string]float64 {
	out := map[string]float64{}
	list, _ := shares.([]any)
	for _, s := range list {
		m, _ := s.(map[string]any)
		n, _ := m["count"].(float64)
		out[fmt.Sprint(m["keep"])] = n
	}
	return out
}

// normalize sorts the lists of weighted choices.
func normalize(v any) {
	switch v := v.(type) {
	case map[string]any:
		for _, e := range v {
			normalize(e)
		}
		if list, ok := v["oneOf"].([]any); ok {
			slices.SortFunc(list, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		}
	case []any:
		for _, e := range v {
			normalize(e)
		}
	}
}
