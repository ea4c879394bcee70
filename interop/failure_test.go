package interop

import (
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dubway-go/dubway"
	"github.com/dubway-go/dubway/service"
)

// load keeps calling whoami on several goroutines until stop, and counts.
type load struct {
	calls, failures atomic.Int64
	first           atomic.Pointer[string]
	mu              sync.Mutex
	by              map[string]int
	done            chan struct{}
	wait            sync.WaitGroup
}

func startLoad(t *testing.T, s *dubway.Service, callers int) *load {
	t.Helper()
	l := &load{done: make(chan struct{}), by: map[string]int{}}
	for range callers {
		l.wait.Go(func() {
			for {
				select {
				case <-l.done:
					return
				case <-time.After(2 * time.Millisecond):
				}
				v, err := s.Call(t.Context(), "whoami")
				l.calls.Add(1)
				if err != nil {
					l.failures.Add(1)
					text := err.Error()
					l.first.CompareAndSwap(nil, &text)
					continue
				}
				text, _ := v.(string)
				address, _, _ := strings.Cut(text, "|")
				l.mu.Lock()
				l.by[address]++
				l.mu.Unlock()
			}
		})
	}
	return l
}

// share returns how many calls each provider answered so far.
func (l *load) share() map[string]int {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := map[string]int{}
	for k, v := range l.by {
		out[k] = v
	}
	return out
}

// stop ends the load and fails the test for each lost call.
func (l *load) stop(t *testing.T) {
	t.Helper()
	close(l.done)
	l.wait.Wait()
	if n := l.failures.Load(); n > 0 {
		t.Errorf("%d of %d calls were lost, the first: %s", n, l.calls.Load(), *l.first.Load())
	}
	t.Logf("%d calls, by provider: %v", l.calls.Load(), l.share())
}

// TestKillingAJavaProviderLosesNoCall kills one of two providers while calls run.
func TestKillingAJavaProviderLosesNoCall(t *testing.T) {
	f := theFleet(t)
	const version = "4.0.0"
	port := freePort(t)
	victim, err := launchJava("Dubbo 2.7.23 to be killed", dubbo27, map[string]string{"port": strconv.Itoa(port), "application": "victim", "registry": f.registry(), "version": version})
	if err != nil {
		t.Fatal(err)
	}
	dead := host + ":" + strconv.Itoa(port)
	defer victim.kill()
	survivor, _ := serve(t, f, version, "")
	s := open(t, f, service.Key{Interface: echo, Version: version}, dubway.ServiceOptions{}, dead, survivor)
	l := startLoad(t, s, 8)
	waitUntil(t, "both providers answer", func() bool { by := l.share(); return by[dead] > 20 && by[survivor] > 20 })
	victim.kill()
	before := l.share()[survivor]
	waitUntil(t, "the survivor answers on", func() bool { return l.share()[survivor] > before+500 })
	l.stop(t)
}

// TestRestartingZooKeeperLosesNoCall kills the registry, calls on without it, and starts it again.
func TestRestartingZooKeeperLosesNoCall(t *testing.T) {
	f := theFleet(t)
	const version = "5.0.0"
	one, _ := serve(t, f, version, "")
	two, _ := serve(t, f, version, "")
	// The fleet's providers answer under no version, the two of dubway under one: both are followed.
	all := open(t, f, service.Key{Interface: echo}, dubway.ServiceOptions{}, addr33, addr27, addrGo)
	own := open(t, f, service.Key{Interface: echo, Version: version}, dubway.ServiceOptions{}, one, two)
	loads := []*load{startLoad(t, all, 4), startLoad(t, own, 4)}
	more := func(what string) {
		t.Helper()
		was := []int64{loads[0].calls.Load(), loads[1].calls.Load()}
		waitUntil(t, what, func() bool { return loads[0].calls.Load() > was[0]+200 && loads[1].calls.Load() > was[1]+200 })
	}
	more("calls run")
	f.zoo.Stop()
	more("calls run without ZooKeeper")
	f.zoo.Restart(t)
	more("calls run after the restart")
	three, _ := serve(t, f, version, "")
	settle(t, own, one, two, three) // news arrive again
	waitUntil(t, "the new provider answers", func() bool { return loads[1].share()[three] > 0 })
	settle(t, all, addr33, addr27, addrGo)
	for _, l := range loads {
		l.stop(t)
	}
}

func waitUntil(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.Now().Add(40 * time.Second)
	for !ok() {
		if time.Now().After(deadline) {
			t.Fatalf("timeout: %s", what)
		}
		time.Sleep(10 * time.Millisecond)
	}
}
