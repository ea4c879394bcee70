// Command load measures the wire: a Dubbo echo of a short text over one connection, with dubway and dubbo-go v3.3.1 as client and
// as server, all four pairings in one run. Client and server are processes of their own on this machine.
//
// The closed loop keeps -callers calls running and tells the throughput. The open loop starts calls at a constant -rate,
// whatever the answers do, and counts a call's time from the moment it was due: a stall is seen by all calls that it delayed
// (no coordinated omission).
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// The engines.
const (
	engineDubway  = "dubway"
	engineDubbogo = "dubbo-go"
)

const (
	interfaceName = "com.example.Echo"
	methodName    = "echo"
)

// plan is what one client measures.
type plan struct {
	client, address string
	callers, rate   int
	length          time.Duration
	size            int
}

// report is what one client found.
type report struct {
	Calls, Failed       int64
	Seconds             float64
	P50, P99, P999, Max float64 // microseconds
	Allocs, Bytes       float64 // a call, in the client's process
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

func run() error {
	var p plan
	serve := flag.String("serve", "", "internal: be the server of this engine until standard input ends")
	flag.StringVar(&p.client, "client", "", "internal: be the client of this engine")
	flag.StringVar(&p.address, "address", "", "with -client: the server's address")
	flag.IntVar(&p.callers, "callers", 64, "goroutines that call")
	flag.IntVar(&p.rate, "rate", 0, "with -client: calls a second; 0 is the closed loop")
	flag.IntVar(&p.size, "size", 100, "bytes of the text that is echoed")
	flag.DurationVar(&p.length, "length", 3*time.Second, "how long each measurement takes")
	rates := flag.String("rates", "5000,20000", "rates of the open loop, calls a second")
	flag.Parse()
	switch {
	case *serve != "":
		return server(*serve)
	case p.client != "":
		r, err := client(p)
		if err != nil {
			return err
		}
		return json.NewEncoder(os.Stdout).Encode(r)
	}
	return pairings(p, *rates)
}

// pairings measures each client with each server and prints Markdown.
func pairings(p plan, rates string) error {
	fmt.Println("| client | server | load | calls/s | p50 | p99 | p99.9 | max | allocs/call | B/call |\n|---|---|---|--:|--:|--:|--:|--:|--:|--:|")
	loads := []int{0}
	for text := range strings.SplitSeq(rates, ",") {
		var rate int
		if _, err := fmt.Sscan(text, &rate); err != nil || rate <= 0 {
			return fmt.Errorf("rate %q: give numbers above 0, such as 5000,20000", text)
		}
		loads = append(loads, rate)
	}
	for _, s := range []string{engineDubway, engineDubbogo} {
		for _, c := range []string{engineDubway, engineDubbogo} {
			for _, rate := range loads {
				one := p
				one.client, one.rate = c, rate
				r, err := pair(s, one)
				if err != nil {
					return fmt.Errorf("client %s, server %s: %w", c, s, err)
				}
				name := "closed loop"
				if rate > 0 {
					name = fmt.Sprintf("open, %d/s", rate)
				}
				fmt.Printf("| %s | %s | %s | %.0f | %.0f µs | %.0f µs | %.0f µs | %.0f µs | %.1f | %.0f |", c, s, name,
					float64(r.Calls)/r.Seconds, r.P50, r.P99, r.P999, r.Max, r.Allocs, r.Bytes)
				if r.Failed > 0 {
					fmt.Printf(" %d failed", r.Failed)
				}
				fmt.Println()
			}
		}
	}
	return nil
}

// pair runs a server process and a client process.
func pair(engine string, p plan) (report, error) {
	self, err := os.Executable()
	if err != nil {
		return report{}, err
	}
	s := exec.Command(self, "-serve", engine)
	s.Stderr = os.Stderr
	in, err := s.StdinPipe()
	if err != nil {
		return report{}, err
	}
	out, err := s.StdoutPipe()
	if err != nil {
		return report{}, err
	}
	if err := s.Start(); err != nil {
		return report{}, err
	}
	defer func() {
		_ = in.Close()
		_ = s.Wait()
	}()
	address := ""
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if a, ok := strings.CutPrefix(lines.Text(), "READY "); ok {
			address = a
			break
		}
	}
	if address == "" {
		return report{}, fmt.Errorf("the server did not start")
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	c := exec.Command(self, "-client", p.client, "-address", address, "-callers", fmt.Sprint(p.callers), "-rate", fmt.Sprint(p.rate),
		"-size", fmt.Sprint(p.size), "-length", p.length.String())
	c.Stderr = os.Stderr
	text, err := c.Output()
	if err != nil {
		return report{}, err
	}
	last := strings.TrimSpace(string(text))
	last = last[strings.LastIndexByte(last, '\n')+1:]
	var r report
	if err := json.Unmarshal([]byte(last), &r); err != nil {
		return report{}, fmt.Errorf("the client said %q: %w", last, err)
	}
	return r, nil
}
