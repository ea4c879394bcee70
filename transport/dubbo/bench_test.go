package dubbo_test

import (
	"context"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/transport/dubbo"
)

// echoCallers is how many callers share the connection of the wire target.
const echoCallers = 64

// BenchmarkEcho is the wire target: 64 callers that each wait for their answer, one connection, 100 bytes, client and
// server in one process. What the machine's sockets can do at most is BenchmarkEchoLimit.
func BenchmarkEcho(b *testing.B) {
	inv := echoCall()
	generic := *inv
	generic.Direct = false
	b.Run("direct", func(b *testing.B) { benchEcho(b, inv, echoCallers) })
	b.Run("generic", func(b *testing.B) { benchEcho(b, &generic, echoCallers) })
	b.Run("one-caller", func(b *testing.B) { benchEcho(b, inv, 1) })
}

func echoCall() *rpc.Invocation {
	return direct("hi", []string{"java.lang.String"}, strings.Repeat("p", 100))
}

func benchEcho(b *testing.B, inv *rpc.Invocation, callers int) {
	_, address := serve(b, dubbo.ServerOptions{}, echo)
	c := newClient(b, dubbo.ClientOptions{})
	to := instance(b, address, "&timeout=10000")
	if _, err := c.Invoke(b.Context(), to, inv); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.ResetTimer()
	each := b.N/callers + 1
	samples := make([][]time.Duration, callers)
	for i := range samples {
		samples[i] = make([]time.Duration, 0, each)
	}
	var wg sync.WaitGroup
	start, before := time.Now(), processorTime(b)
	for i := range callers {
		wg.Go(func() {
			took := samples[i]
			for range each {
				at := time.Now()
				if _, err := c.Invoke(context.Background(), to, inv); err != nil {
					b.Error(err)
					return
				}
				took = append(took, time.Since(at))
			}
			samples[i] = took
		})
	}
	wg.Wait()
	elapsed, used := time.Since(start), processorTime(b)-before
	b.StopTimer()
	all := slices.Concat(samples...)
	slices.Sort(all)
	b.ReportMetric(float64(len(all))/elapsed.Seconds(), "calls/s")
	b.ReportMetric(float64(used)/float64(len(all)), "cpu-ns/call")
	b.ReportMetric(float64(all[len(all)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(all[len(all)*99/100].Microseconds()), "p99-µs")
}

// BenchmarkEchoLimit sends the bytes of BenchmarkEcho/direct over one bare TCP connection with as many calls in flight: no codec, no goroutine a
// call, one goroutine on either side that answers whatever one read brought with one write. No implementation in this process can do more, so
// calls/s and cpu-ns/call beside those of BenchmarkEcho tell on any machine how far it is from that.
func BenchmarkEchoLimit(b *testing.B) {
	request, response := callBytes(b)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	served := make(chan error, 1)
	go func() {
		nc, err := l.Accept()
		if err != nil {
			served <- err
			return
		}
		defer nc.Close()
		served <- relay(nc, request, response, b.N, 0)
	}()
	nc, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		b.Fatal(err)
	}
	defer nc.Close()
	b.ResetTimer()
	start, before := time.Now(), processorTime(b)
	if err := relay(nc, response, request, b.N, echoCallers); err != nil {
		b.Fatal(err)
	}
	if err := <-served; err != nil {
		b.Fatal(err)
	}
	elapsed, used := time.Since(start), processorTime(b)-before
	b.StopTimer()
	b.ReportMetric(float64(b.N)/elapsed.Seconds(), "calls/s")
	b.ReportMetric(float64(used)/float64(b.N), "cpu-ns/call")
}

// relay reads n messages of in bytes and writes one of out bytes for each, as many at once as a read has completed. It writes first
// messages before it reads; those count among the n.
func relay(nc net.Conn, in, out, n, first int) error {
	message, buf := make([]byte, 128<<10), make([]byte, 64<<10)
	sent := min(first, n)
	if _, err := nc.Write(message[:sent*out]); err != nil {
		return err
	}
	for bytes, got := 0, 0; got < n; {
		k, err := nc.Read(buf)
		if err != nil {
			return err
		}
		bytes += k
		more := bytes/in - got
		got += more
		if first > 0 {
			more = min(more, n-sent)
		}
		sent += more
		for more > 0 {
			batch := min(more, len(message)/out)
			if _, err := nc.Write(message[:batch*out]); err != nil {
				return err
			}
			more -= batch
		}
	}
	return nil
}

// callBytes counts what one call of BenchmarkEcho/direct sends and receives.
func callBytes(b *testing.B) (request, response int) {
	_, address := serve(b, dubbo.ServerOptions{}, echo)
	var counted countedConn
	c := newClient(b, dubbo.ClientOptions{Dial: func(ctx context.Context, address string) (net.Conn, error) {
		var d net.Dialer
		nc, err := d.DialContext(ctx, "tcp", address)
		counted.Conn = nc
		return &counted, err
	}})
	if _, err := c.Invoke(b.Context(), instance(b, address, "&timeout=10000"), echoCall()); err != nil {
		b.Fatal(err)
	}
	return int(counted.written.Load()), int(counted.read.Load())
}

// countedConn counts the bytes of a connection.
type countedConn struct {
	net.Conn
	read, written atomic.Int64
}

func (c *countedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.read.Add(int64(n))
	return n, err
}

func (c *countedConn) Write(p []byte) (int, error) {
	c.written.Add(int64(len(p))) // before: the answer may be here before Write returns
	return c.Conn.Write(p)
}
