package bench

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dubway-go/dubway/balance"
	"github.com/dubway-go/dubway/bench/dubbogo"
	"github.com/dubway-go/dubway/bench/dubway"
	"github.com/dubway-go/dubway/bench/workload"
	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/rpc"

	"dubbo.apache.org/dubbo-go/v3/protocol/base"
)

// peerBalancers are the balancers that dubbo-go has too, by its name for them, and the longest list each is given: its consistent
// hash makes a ring of 160 places a provider with nothing but fmt and sort. Its p2c draws two as adaptive does.
var peerBalancers = map[string]struct {
	name  string
	limit int
}{
	balance.NameRandom:         {"random", 100_000},
	balance.NameRoundRobin:     {"roundrobin", 100_000},
	balance.NameLeastActive:    {"leastactive", 100_000},
	balance.NameConsistentHash: {"consistenthashing", 1_000},
	balance.NameAdaptive:       {"p2c", 100_000},
}

// weighted are the providers of the workload with weights of 50, 100 and 200.
func weighted(n int) []string {
	list := workload.Providers(n)
	for i := range list {
		list[i] = strings.Replace(list[i], "weight=100", "weight="+[...]string{"50", "100", "200"}[i%3], 1)
	}
	return list
}

// BenchmarkPick is one choice from a remembered candidate set of providers with three weights, by many goroutines: run it with -cpu
// 1,2,4,8. "-call" brackets the choice with Begin and End, as a call does, for balancers that learn from calls.
func BenchmarkPick(b *testing.B) {
	for _, n := range sizes(1, 10, 1_000, 100_000) {
		candidates, invokers := weightedCandidates(b, n)
		for _, name := range balance.Names() {
			balancer, err := balance.New(name, balance.Options{})
			if err != nil {
				b.Fatal(err)
			}
			b.Run(fmt.Sprintf("%s/r=0/n=%d/engine=dubway", name, n), func(b *testing.B) { pickOurs(b, balancer, candidates()) })
			if f, ok := balancer.(balance.Feedback); ok {
				b.Run(fmt.Sprintf("%s-call/r=0/n=%d/engine=dubway", name, n), func(b *testing.B) { callOurs(b, balancer, f, candidates()) })
			}
			peer, ok := peerBalancers[name]
			if !ok || n > peer.limit {
				continue
			}
			b.Run(fmt.Sprintf("%s/r=0/n=%d/engine=dubbo-go", name, n), func(b *testing.B) { pickPeer(b, peer.name, invokers()) })
		}
	}
}

// weightedCandidates returns n weighted providers for each engine; they are made when they are first asked for.
func weightedCandidates(b *testing.B, n int) (ours func() route.Candidates, peers func() []base.Invoker) {
	var c route.Candidates
	var list []base.Invoker
	ours = func() route.Candidates {
		if c.Len() == 0 {
			e, err := dubway.New(weighted(n), workload.Consumer)
			if err != nil {
				b.Fatal(err)
			}
			e.Only(route.RouterService) // no rule: all n are candidates
			if err := e.Compile(); err != nil {
				b.Fatal(err)
			}
			c = e.Snapshot.Route(dubway.Invocation(""))
		}
		return c
	}
	peers = func() []base.Invoker {
		if list == nil {
			var err error
			if list, err = dubbogo.Invokers(weighted(n)); err != nil {
				b.Fatal(err)
			}
		}
		return list
	}
	return ours, peers
}

// parallel runs f on all goroutines, each with an invocation of its own whose seed and first argument change. Beside the time it
// reports the processor time of a call: while callers do not wait for each other that stays the same, however many they are.
func parallel(b *testing.B, f func(inv *rpc.Invocation) bool) {
	b.Helper()
	users := make([]any, 64)
	for i := range users {
		users[i] = fmt.Sprintf("user-%d", i)
	}
	b.ReportAllocs()
	b.ResetTimer()
	before := processorTime(b)
	defer func() {
		b.StopTimer()
		b.ReportMetric(float64(processorTime(b)-before)/float64(b.N), "cpu-ns/op")
	}()
	b.RunParallel(func(pb *testing.PB) {
		inv := dubway.Invocation("")
		for i := 0; pb.Next(); i++ {
			inv.Seed += 0x9e3779b97f4a7c15
			inv.Args[0] = users[i&63]
			if !f(inv) {
				b.Error("nobody picked")
				return
			}
		}
	})
}

// processorTime returns what the process has used so far, system calls included.
func processorTime(tb testing.TB) time.Duration { return usage(tb, syscall.RUSAGE_SELF) }

// threadTime is processorTime of the calling thread.
func threadTime(tb testing.TB) time.Duration { return usage(tb, syscall.RUSAGE_THREAD) }

func usage(tb testing.TB, who int) time.Duration {
	tb.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(who, &u); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func pickOurs(b *testing.B, balancer balance.Balancer, c route.Candidates) {
	warm := dubway.Invocation("")
	for range 4 * c.Len() { // every provider was met
		warm.Seed += 0x9e3779b97f4a7c15
		balancer.Pick(c, warm)
	}
	parallel(b, func(inv *rpc.Invocation) bool { return balancer.Pick(c, inv) >= 0 })
}

func callOurs(b *testing.B, balancer balance.Balancer, f balance.Feedback, c route.Candidates) {
	warm := dubway.Invocation("")
	for i := range c.Len() {
		f.End(f.Begin(c, c.At(i), warm), nil, nil)
	}
	parallel(b, func(inv *rpc.Invocation) bool {
		n := balancer.Pick(c, inv)
		if n < 0 {
			return false
		}
		f.End(f.Begin(c, c.At(n), inv), nil, nil)
		return true
	})
}

func pickPeer(b *testing.B, name string, invokers []base.Invoker) {
	dubbogo.Quiet()
	balancer, err := dubbogo.NewBalancer(name)
	if err != nil {
		b.Fatal(err)
	}
	call := dubbogo.Call(workload.Method, workload.Args(), workload.Attachments(""))
	if !balancer.Pick(invokers, call) {
		b.Fatal("nobody picked")
	}
	b.ReportAllocs()
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		call := dubbogo.Call(workload.Method, workload.Args(), workload.Attachments(""))
		for pb.Next() {
			if !balancer.Pick(invokers, call) {
				b.Error("nobody picked")
				return
			}
		}
	})
}
