package main

import (
	"fmt"
	"strings"
)

// balance makes a case of area load-balance.
func (g *generator) balance() fields {
	if g.chance(25) {
		n := func() int {
			return []int{0, 1, -1, 2, 7, 100, 1000, 59999, 300000, 599999, 600000, 600001, 2147483647, -2147483648, g.IntN(1 << 20), g.IntN(1000)}[g.IntN(16)]
		}
		return fields{"op": "warmup", "uptime": number(n()), "warmup": number(n()), "weight": number(n())}
	}
	op := g.one("roundrobin", "roundrobin", "consistenthash", "consistenthash", "leastactive")
	if g.chance(3) {
		op = "random"
	}
	method := g.one("getOrder", "putOrder")
	var extra []string
	if op == "consistenthash" {
		extra = []string{"hash.nodes=4", "hash.nodes=40", "hash.nodes=160", "hash.nodes=7", "hash.nodes=0", "hash.nodes=-4", "hash.nodes=x", "hash.nodes=", "getOrder.hash.nodes=8", "default.hash.nodes=12", "hash.arguments=0", "hash.arguments=0,1", "hash.arguments=1", "hash.arguments=-1", "hash.arguments=5", "hash.arguments=x",
			"hash.arguments=", "hash.arguments= 0 , 1", "hash.arguments=0,,1", "getOrder.hash.arguments=1", "default.hash.arguments=1", "hash.arguments=0,0", "hash.arguments=,0", "hash.arguments=+0", "weight=5"}
	} else {
		extra = []string{"weight=1", "weight=2", "weight=3", "weight=5", "weight=10", "weight=50", "weight=100", "weight=200", "weight=0", "weight=0", "weight=", "getOrder.weight=7", "putOrder.weight=0", "default.weight=4", "warmup=1", "warmup=0", "getOrder.weight=", "timestamp=1"}
		if g.chance(12) {
			extra = append(extra, "weight=-1", "weight=-100", "weight=2147483647", "weight=-2147483648", "weight=x", "weight=1000000000")
		}
		if g.chance(10) {
			extra = append(extra, "timestamp=99999999999999", "remote.timestamp=99999999999999", "timestamp=-5", "timestamp=0", "timestamp=")
		}
	}
	common := g.some(2, extra...)
	n := 1 + g.IntN(6)
	providers := make([]any, n)
	for i := range n {
		q := append([]string{"interface=demo.shop.OrderService"}, common...)
		if g.chance(60) {
			q = append(q, g.some(2, extra...)...)
		}
		q = append(q, g.some(1, "group=g1", "version=1.0", "methods=getOrder")[:]...)
		address := fmt.Sprintf("10.1.0.%d:20880", i+1)
		if g.chance(8) {
			address = g.one("10.1.0.1:20880", "host-a:1", "10.1.0.9")
		}
		// Calls are counted by address; 2.7.23 looks for the next node of a ring for ever when two providers share one address.
		if op == "leastactive" || op == "consistenthash" {
			address = fmt.Sprintf("10.1.0.%d:20880", i+1)
		}
		providers[i] = "dubbo://" + address + "/demo.shop.OrderService?" + strings.Join(q, "&")
	}
	in := fields{"op": op, "providers": providers, "call": map[string]any{"method": method}}
	use := func() []any {
		var out []any
		for i := range n {
			if g.chance(75) {
				out = append(out, number(i))
			}
		}
		if len(out) == 0 {
			out = append(out, number(g.IntN(n)))
		}
		if g.chance(20) {
			g.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
		}
		return out
	}
	var phases []any
	switch op {
	case "random":
		in["draws"] = number(20000)
		return in
	case "leastactive":
		actives := make([]any, n)
		order := g.Perm(n)
		for i := range actives {
			actives[i] = number(order[i])
		}
		in["actives"] = actives
		for range 1 + g.IntN(2) {
			phases = append(phases, map[string]any{"use": use(), "n": number(1 + g.IntN(4))})
		}
	case "roundrobin":
		for range 1 + g.IntN(4) {
			phases = append(phases, map[string]any{"use": use(), "n": number(1 + g.IntN(25))})
		}
	default:
		for range 1 + g.IntN(3) {
			var calls []any
			for range 1 + g.IntN(12) {
				var args []any
				for range g.IntN(4) {
					switch g.IntN(6) {
					case 0:
						args = append(args, number(g.IntN(100)-20))
					case 1:
						args = append(args, g.chance(50))
					case 2:
						args = append(args, nil)
					default:
						args = append(args, g.one("", "北京", "a", "𝄞")+fmt.Sprint("user-", g.IntN(50)))
					}
				}
				if args == nil {
					args = []any{}
				}
				calls = append(calls, args)
			}
			phases = append(phases, map[string]any{"use": use(), "argsList": calls})
		}
	}
	in["phases"] = phases
	return in
}
