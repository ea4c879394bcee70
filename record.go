package dubway

import (
	"context"
	"sync"

	"github.com/dubway-go/dubway/cluster"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/service"
)

// Record tells which providers a call went to, and what came back beside the value. Get one with WithRecord; it is safe for concurrent use.
type Record struct {
	mu       sync.Mutex
	attempts []string
	answer   rpc.Attachments
}

type recordKey struct{}

// WithRecord returns a context that records where the calls made with it go, retries included.
func WithRecord(ctx context.Context) (context.Context, *Record) {
	r := new(Record)
	return context.WithValue(ctx, recordKey{}, r), r
}

// Attempts returns the host:port of each attempt, in order. The slice is the caller's.
func (r *Record) Attempts() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string(nil), r.attempts...)
}

// Provider returns the host:port of the last attempt, "" when the call was sent to nobody.
func (r *Record) Provider() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.attempts) == 0 {
		return ""
	}
	return r.attempts[len(r.attempts)-1]
}

// ResponseAttachments returns the attachments of the last answer, nil when it has none or there was no answer: see SetResponseAttachment.
// The caller must not change them.
func (r *Record) ResponseAttachments() rpc.Attachments {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.answer
}

// recorder notes each attempt in the context's Record and hands the call on.
type recorder struct{ next rpc.Invoker }

func (r recorder) Invoke(ctx context.Context, to *service.Instance, inv *rpc.Invocation) (rpc.Result, error) {
	rec, ok := ctx.Value(recordKey{}).(*Record)
	if !ok {
		return r.next.Invoke(ctx, to, inv)
	}
	rec.mu.Lock()
	rec.attempts = append(rec.attempts, to.Address())
	rec.mu.Unlock()
	result, err := r.next.Invoke(ctx, to, inv)
	rec.mu.Lock()
	rec.answer = result.Attachments
	rec.mu.Unlock()
	return result, err
}

// Available passes on what the invoker knows about providers that cannot be reached.
func (r recorder) Available(address string) bool {
	a, ok := r.next.(cluster.Availability)
	return !ok || a.Available(address)
}
