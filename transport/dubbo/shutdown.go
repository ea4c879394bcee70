package dubbo

import (
	"context"
	"errors"
	"time"
)

const (
	// quietTime is how long a connection must have sent no request before it counts as left by its client.
	quietTime = 50 * time.Millisecond
	// noticeTime is how long clients have to act on the notice; after it new requests are refused.
	noticeTime = time.Second
	pollTime   = 5 * time.Millisecond
	// lingerTime is how long a client may take to read its last responses and hang up.
	lingerTime = time.Second
)

// Shutdown ends the server gracefully: it stops accepting, tells every client by Dubbo's read-only event that it goes away, keeps serving until
// the clients have stopped sending (for at most one second; after it new requests are refused), lets the running calls end, flushes the
// responses and closes. When ctx ends first, what still runs is canceled as by Close, and ctx's cause is returned.
func (s *Server) Shutdown(ctx context.Context) error {
	conns := s.stop()
	for _, c := range conns {
		c.out.put(appendEvent(nil, Header{Request: true}, readOnlyBody), false)
		c.lastRequest.Store(int64(time.Since(c.born))) // the quiet time begins with the notice
	}
	err := poll(ctx, noticeTime, func() bool { return all(conns, (*serverConn).quiet) })
	s.refusing.Store(true)
	if err == nil {
		err = poll(ctx, 0, func() bool { return all(conns, (*serverConn).idle) })
	}
	if err == nil {
		for _, c := range conns {
			c.hangUp()
		}
		err = poll(ctx, lingerTime, func() bool { return all(conns, func(c *serverConn) bool { return c.ended.Load() }) })
	}
	return errors.Join(err, s.Close())
}

func all(conns []*serverConn, is func(*serverConn) bool) bool {
	for _, c := range conns {
		if !is(c) {
			return false
		}
	}
	return true
}

// poll waits until done says so, or limit (0: none) has passed: nil; or ctx has ended: its cause.
func poll(ctx context.Context, limit time.Duration, done func() bool) error {
	start := time.Now()
	for !done() {
		if limit > 0 && time.Since(start) >= limit {
			return nil
		}
		t := time.NewTimer(pollTime)
		select {
		case <-ctx.Done():
			t.Stop()
			return context.Cause(ctx)
		case <-t.C:
		}
	}
	return nil
}
