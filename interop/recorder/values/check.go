package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
)

// maxShown is how many differences are printed per area and version.
const maxShown = 5

// check records the cases of a folder again and compares with the answers they carry.
func check(ctx context.Context, dir string) error {
	byArea, err := load(dir)
	if err != nil {
		return err
	}
	got, err := ask(ctx, flatten(byArea))
	if err != nil {
		return err
	}
	failed, at := 0, 0
	for _, area := range slices.Sorted(maps.Keys(byArea)) {
		cases := byArea[area]
		for _, r := range releases() {
			same, different := 0, 0
			for i, c := range cases {
				was, recorded := c.expect[r.version]
				now := got[r.version][at+i]
				if recorded == (now != nil) && (!recorded || equal(was, now)) {
					if recorded {
						same++
					}
					continue
				}
				if different++; different <= maxShown {
					fmt.Printf("  %s %s\n    recorded %s\n    now      %s\n", r.version, c.id, was, now)
				}
			}
			fmt.Printf("%-16s %-7s %5d same %4d different\n", area, r.version, same, different)
			failed += different
		}
		at += len(cases)
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
	if p, ok := x["shares"].([]any); ok {
		q, _ := y["shares"].([]any)
		return similar(p, q)
	}
	return reflect.DeepEqual(x, y)
}

// similar reports whether two lists of counts agree within six standard deviations, and in which are zero.
func similar(a, b []any) bool {
	if len(a) != len(b) {
		return false
	}
	total := 0.0
	for i := range a {
		x, _ := a[i].(float64)
		total += x
	}
	for i := range a {
		x, _ := a[i].(float64)
		y, _ := b[i].(float64)
		p := x / total
		if math.Abs(x-y) > 6*math.Sqrt(2*total*p*(1-p))+3 || (x == 0) != (y == 0) {
			return false
		}
	}
	return true
}
