package cluster

import (
	"context"
	"sync"
	"time"

	"github.com/dubway-go/dubway/rpc"
)

// DefaultRetryAfter is the time between failback's background tries.
const DefaultRetryAfter = 5 * time.Second

// Failback tries once; after an error the result is empty, and the call is tried again in the background every
// 5 s, retries (default 3) times, each time routed anew: for notifications that must arrive sometime. At most
// failbacktasks (default 100) calls wait; more are dropped and logged. A provider's exception is an answer and is returned;
// so is the caller's own cancellation (spec §11.3). What is pending when Close is called is lost, and logged.
//
// The background tries keep the context's values, not its deadline. The arguments are used after Invoke returned: what they
// point to must not change.
type Failback struct {
	*core
	after time.Duration
	life  context.Context
	end   context.CancelFunc

	mu      sync.Mutex
	pending int
	closed  bool
	running sync.WaitGroup
}

func newFailback(c *core, o Options) *Failback {
	f := &Failback{core: c, after: o.RetryAfter}
	if f.after <= 0 {
		f.after = DefaultRetryAfter
	}
	f.life, f.end = context.WithCancel(context.Background())
	return f
}

// Name returns "failback".
func (*Failback) Name() string { return NameFailback }

// Pending returns how many calls wait for another try.
func (f *Failback) Pending() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.pending
}

// Close drops what is pending and returns when all background work has ended. Invoke still works, without retries.
// The error is always nil.
func (f *Failback) Close() error {
	f.mu.Lock()
	f.closed = true
	f.mu.Unlock()
	f.end()
	f.running.Wait()
	return nil
}

// Invoke implements Strategy.
func (f *Failback) Invoke(ctx context.Context, d Directory, next rpc.Invoker, inv *rpc.Invocation) (rpc.Result, error) {
	a, err := f.begin(d, next, inv, nil)
	var result rpc.Result
	var tried triedList
	s := a.settings
	if err != nil {
		s = readSettings(reader{consumer: d.Snapshot().Consumer().URL, method: inv.Method})
	} else {
		tried.add(a.chosen)
		if result, err = f.call(ctx, d, next, a, inv); err == nil {
			return result, nil
		}
	}
	if belongsToCaller(ctx, err) {
		return result, asError(inv, err)
	}
	f.keep(ctx, d, next, inv, tried, s, err)
	return rpc.Result{}, nil
}

// keep starts the background tries of a call, unless too many wait.
func (f *Failback) keep(ctx context.Context, d Directory, next rpc.Invoker, inv *rpc.Invocation, tried triedList, s *settings, cause error) {
	retries := s.retries
	if retries <= 0 {
		retries = DefaultFailbackRetries
	}
	logger := f.logger.With("service", inv.Service.Interface, "method", inv.Method)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed || f.pending >= s.tasks {
		logger.Error("failback drops a failed call", "pending", f.pending, "limit", s.tasks, "closed", f.closed, "error", cause)
		return
	}
	logger.Warn("failback will try a failed call again", "after", f.after, "error", cause)
	f.pending++
	// A context of its own that carries the caller's values and ends with Close.
	background, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(f.life, cancel)
	own := detached(inv)
	f.running.Go(func() {
		defer func() {
			stop()
			cancel()
			f.mu.Lock()
			f.pending--
			f.mu.Unlock()
		}()
		for n := 1; ; n++ {
			if !sleep(background, f.after) {
				logger.Error("failback loses a call: closed before it could be tried again", "tries", n)
				return
			}
			err := f.retry(background, d, next, own, &tried)
			switch {
			case err == nil:
				logger.Info("failback delivered a call", "tries", n+1)
				return
			case background.Err() != nil:
				logger.Error("failback loses a call: closed while it was tried again", "tries", n+1, "error", err)
				return
			case final(background, err) || n >= retries:
				logger.Error("failback gives up a call", "tries", n+1, "error", err)
				return
			}
		}
	})
}

// retry makes one background try; only the provider of the try before is avoided.
func (f *Failback) retry(ctx context.Context, d Directory, next rpc.Invoker, inv *rpc.Invocation, tried *triedList) error {
	a, err := f.begin(d, next, inv, tried)
	if err != nil {
		return err
	}
	*tried = triedList{}
	tried.add(a.chosen)
	_, err = f.call(ctx, d, next, a, inv)
	return err
}

// sleep waits and reports whether the context still lives.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}
