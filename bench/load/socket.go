package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync/atomic"
	"syscall"
	"time"
)

// used returns the processor time that this process has used so far, in nanoseconds, system calls included.
func used() int64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return u.Utime.Nano() + u.Stime.Nano()
}

// answerUsed tells for each line of standard input what was used so far; it returns when that ends.
func answerUsed() {
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		fmt.Printf("USED %d\n", used())
	}
}

// wireBytes counts the bytes of the connections that it opens.
type wireBytes struct{ sent, received atomic.Int64 }

func (w *wireBytes) dial(ctx context.Context, address string) (net.Conn, error) {
	var d net.Dialer
	nc, err := d.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	return countedConn{nc, w}, nil
}

type countedConn struct {
	net.Conn
	wire *wireBytes
}

func (c countedConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.wire.received.Add(int64(n))
	return n, err
}

func (c countedConn) Write(b []byte) (int, error) {
	c.wire.sent.Add(int64(len(b))) // before: the answer may be here before Write returns
	return c.Conn.Write(b)
}

// socketServer answers each p.request bytes with p.response bytes.
func socketServer(p plan) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println("READY " + l.Addr().String())
	go func() {
		for {
			nc, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer nc.Close()
				_, _ = relay(nc, p.request, p.response, 0, nil)
			}()
		}
	}()
	answerUsed()
	return l.Close()
}

// socketClient keeps p.callers requests in flight on one connection for p.length.
func socketClient(p plan) (report, error) {
	nc, err := net.Dial("tcp", p.address)
	if err != nil {
		return report{}, err
	}
	defer nc.Close()
	fmt.Println(measureBegins)
	before, start := used(), time.Now()
	end := start.Add(p.length)
	calls, err := relay(nc, p.response, p.request, p.callers, func() bool { return time.Now().Before(end) })
	if err != nil {
		return report{}, err
	}
	r := report{Calls: int64(calls), Seconds: time.Since(start).Seconds()}
	if calls > 0 {
		r.Processor = float64(used()-before) / float64(calls)
	}
	fmt.Println(measureEnds)
	return r, nil
}

// relay writes first messages of out bytes, then one for each in bytes that come, as many at once as a read has completed. It ends when more, asked once
// a read, is false or the other side hangs up, and returns how many messages came.
func relay(nc net.Conn, in, out, first int, more func() bool) (got int, err error) {
	message, buf := make([]byte, 256*max(out, 1)), make([]byte, 64<<10)
	for bytes, due := 0, first; ; {
		for due > 0 {
			batch := min(due, len(message)/out)
			if _, err := nc.Write(message[:batch*out]); err != nil {
				return got, err
			}
			due -= batch
		}
		n, err := nc.Read(buf)
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return got, err
		}
		bytes += n
		due = bytes/in - got
		got += due
		if more != nil && !more() {
			return got, nil
		}
	}
}
