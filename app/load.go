package app

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dubway-go/dubway"
	"github.com/dubway-go/dubway/rpc"
)

// workers is how many requests of one demo consumer may wait for answers at a time.
const workers = 16

// load is the demo's consumers at work. It counts what they see.
type load struct {
	end     context.CancelFunc
	work    sync.WaitGroup
	clients []*dubway.Client
	metrics *metrics

	calls, failures atomic.Uint64
	latency         histogram
	firstCall       atomic.Int64 // nanoseconds after the demo began; 0 before

	mu    sync.Mutex
	codes map[string]uint64
	last  string // the last failure
}

// request is one thing a consumer does.
type request struct {
	service *dubway.Service
	method  string
	args    []any
	tag     string
}

func startLoad(d *Demo) (*load, error) {
	ctx, end := context.WithCancel(context.Background())
	l := &load{end: end, metrics: d.app.metrics, codes: make(map[string]uint64)}
	for i, c := range consumers() {
		client, err := d.dial(c.application, c.region)
		if err != nil {
			return l, err
		}
		l.clients = append(l.clients, client)
		var open [3]*dubway.Service
		for k, name := range [...]string{OrderService, UserService, StockService + ":" + c.stock} {
			if open[k], err = client.Service(name); err != nil {
				return l, err
			}
		}
		queue := make(chan request, workers)
		random := rand.New(rand.NewPCG(d.o.Seed, uint64(i)))
		l.work.Go(func() { l.produce(ctx, queue, open, c, random, d.o.Rate) })
		for range workers {
			l.work.Go(func() {
				for q := range queue {
					l.one(ctx, q, d.began)
				}
			})
		}
	}
	return l, nil
}

// produce makes requests at an even rate. When the workers fall behind it waits for them: it measures a
// fleet, it does not flood it.
func (l *load) produce(ctx context.Context, queue chan<- request, open [3]*dubway.Service, c demoConsumer, random *rand.Rand, rate int) {
	defer close(queue)
	began := time.Now()
	ticks := time.NewTicker(max(time.Millisecond, time.Second/time.Duration(rate)))
	defer ticks.Stop()
	for made := 0; ; {
		due := int(time.Since(began).Seconds()*float64(rate)) + 1
		if due-made > rate {
			made = due - rate // the machine slept: do not make up for it
		}
		for ; made < due; made++ {
			select {
			case queue <- next(open, c, random):
			case <-ctx.Done():
				return
			}
		}
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return
		}
	}
}

// next draws what a consumer does: mostly reading orders.
func next(open [3]*dubway.Service, c demoConsumer, random *rand.Rand) request {
	id := int64(random.IntN(10_000))
	var q request
	switch n := random.IntN(10); {
	case n < 5:
		q = request{service: open[0], method: "getOrder", args: []any{id}}
	case n < 6:
		q = request{service: open[0], method: "createOrder", args: []any{id, 12.5}}
	case n < 8:
		q = request{service: open[1], method: "getUser", args: []any{id}}
	default:
		q = request{service: open[2], method: "getStock", args: []any{"sku-" + string(rune('a'+id%26))}}
	}
	if random.Float64() < c.grayShare {
		q.tag = "gray"
	}
	return q
}

func (l *load) one(ctx context.Context, q request, began time.Time) {
	callCtx := ctx
	if q.tag != "" {
		callCtx = dubway.WithTag(ctx, q.tag)
	}
	start := time.Now()
	_, err := q.service.Call(callCtx, q.method, q.args...)
	took := time.Since(start)
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		return // the demo is ending
	}
	l.calls.Add(1)
	l.latency.add(took)
	l.metrics.observe(q.service.Key().String(), q.method, err, took)
	if err == nil {
		l.firstCall.CompareAndSwap(0, int64(time.Since(began)))
		return
	}
	l.failures.Add(1)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.codes[rpc.CodeOf(err).String()]++
	l.last = err.Error()
}

func (l *load) stop() error {
	l.end()
	l.work.Wait()
	var all []error
	for _, c := range l.clients {
		all = append(all, c.Close())
	}
	return errors.Join(all...)
}
