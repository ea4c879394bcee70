// Command load measures the wire: a Dubbo echo of a short text over one connection, with dubway and dubbo-go v3.3.1 as client and
// as server, all four pairings in one run. Client and server are processes of their own on this machine.
//
// The closed loop keeps -callers calls running and tells the throughput. The open loop starts calls at a constant -rate,
// whatever the answers do, and counts a call's time from the moment it was due: a stall is seen by all calls that it delayed
// (no coordinated omission). Processor time is that of both processes, system calls included.
//
// The first row is the limit: the bytes of dubway's call over a bare TCP connection, as many in flight, without a codec and without a goroutine a call.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
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
	// engineSocket is no engine: the limit.
	engineSocket = "bare socket"
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
	// request and response are the bytes of a call, for the bare socket.
	request, response int
}

// report is what one client found.
type report struct {
	Calls, Failed       int64
	Seconds             float64
	P50, P99, P999, Max float64 // microseconds
	Allocs, Bytes       float64 // a call, in the client's process
	Processor           float64 // nanoseconds a call; of the client's process as it reports it, of both in the end
	Sent, Received      int     // bytes of one call, where the client counts them
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
	flag.IntVar(&p.request, "request", 0, "internal: bytes of a request of the bare socket")
	flag.IntVar(&p.response, "response", 0, "internal: bytes of a response of the bare socket")
	rates := flag.String("rates", "5000,20000", "rates of the open loop, calls a second")
	flag.Parse()
	switch {
	case *serve != "":
		return server(*serve, p)
	case p.client != "":
		r, err := client(p)
		if err != nil {
			return err
		}
		return json.NewEncoder(os.Stdout).Encode(r)
	}
	return pairings(p, *rates)
}

// pairings measures the bare socket and each client with each server, and prints Markdown.
func pairings(p plan, rates string) error {
	fmt.Println("| client | server | load | calls/s | cpu/call | p50 | p99 | p99.9 | max | allocs/call | B/call |\n|---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|")
	loads := []int{0}
	for text := range strings.SplitSeq(rates, ",") {
		var rate int
		if _, err := fmt.Sscan(text, &rate); err != nil || rate <= 0 {
			return fmt.Errorf("rate %q: give numbers above 0, such as 5000,20000", text)
		}
		loads = append(loads, rate)
	}
	if err := limit(p); err != nil {
		return err
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
				fmt.Printf("| %s | %s | %s | %.0f | %.0f ns | %.0f µs | %.0f µs | %.0f µs | %.0f µs | %.1f | %.0f |", c, s, name,
					float64(r.Calls)/r.Seconds, r.Processor, r.P50, r.P99, r.P999, r.Max, r.Allocs, r.Bytes)
				if r.Failed > 0 {
					fmt.Printf(" %d failed", r.Failed)
				}
				fmt.Println()
			}
		}
	}
	return nil
}

// limit measures the bare socket. Its bytes are those of a call of dubway, which is asked first.
func limit(p plan) error {
	ask := p
	ask.client, ask.length, ask.rate = engineDubway, 10*time.Millisecond, 0
	r, err := pair(engineDubway, ask)
	if err != nil {
		return err
	}
	p.client, p.request, p.response, p.rate = engineSocket, r.Sent, r.Received, 0
	if r, err = pair(engineSocket, p); err != nil {
		return fmt.Errorf("%s: %w", engineSocket, err)
	}
	fmt.Printf("| %s | %s | closed loop | %.0f | %.0f ns | – | – | – | – | – | – |\n", engineSocket, engineSocket, float64(r.Calls)/r.Seconds, r.Processor)
	return nil
}

// pair runs a server process and a client process.
func pair(engine string, p plan) (report, error) {
	self, err := os.Executable()
	if err != nil {
		return report{}, err
	}
	sizes := []string{"-request", fmt.Sprint(p.request), "-response", fmt.Sprint(p.response)}
	s := exec.Command(self, append(sizes, "-serve", engine)...)
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
	lines := bufio.NewScanner(out)
	said := func(prefix string) (string, error) {
		for lines.Scan() {
			if text, ok := strings.CutPrefix(lines.Text(), prefix); ok {
				return text, nil
			}
		}
		return "", fmt.Errorf("the server ended without %q", prefix)
	}
	address, err := said("READY ")
	if err != nil {
		return report{}, err
	}
	// used asks the server for the processor time that it has used so far, in nanoseconds.
	used := func() (ns int64, err error) {
		if _, err := io.WriteString(in, "used\n"); err != nil {
			return 0, err
		}
		text, err := said("USED ")
		if err == nil {
			_, err = fmt.Sscan(text, &ns)
		}
		return ns, err
	}
	args := append(sizes, "-client", p.client, "-address", address, "-callers", fmt.Sprint(p.callers), "-rate", fmt.Sprint(p.rate),
		"-size", fmt.Sprint(p.size), "-length", p.length.String())
	c := exec.Command(self, args...)
	c.Stderr = os.Stderr
	text, err := c.StdoutPipe()
	if err != nil {
		return report{}, err
	}
	if err := c.Start(); err != nil {
		return report{}, err
	}
	r, server, err := follow(text, used)
	if err := errors.Join(err, c.Wait()); err != nil {
		return report{}, err
	}
	if n := float64(r.Calls + r.Failed); n > 0 {
		r.Processor += float64(server) / n
	}
	return r, nil
}

// What a client prints when its measurement begins and ends.
const (
	measureBegins = "BEGIN"
	measureEnds   = "END"
)

// follow reads a client's output to its end: its report is the last line. server is what used grew by between the lines that tell of the
// measurement.
func follow(output io.Reader, used func() (int64, error)) (r report, server int64, err error) {
	last := ""
	lines := bufio.NewScanner(output)
	for lines.Scan() {
		switch last = lines.Text(); last {
		case measureBegins, measureEnds:
			now, uerr := used()
			err = errors.Join(err, uerr)
			server = now - server
		}
	}
	if err := errors.Join(err, lines.Err()); err != nil {
		return r, 0, err
	}
	if err := json.Unmarshal([]byte(last), &r); err != nil {
		return r, 0, fmt.Errorf("the client said %q: %w", last, err)
	}
	return r, server, nil
}
