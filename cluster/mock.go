package cluster

import (
	"context"
	"log/slog"
	"maps"
	"strings"
	"sync/atomic"

	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/rpc"
)

// Mock degrades calls by the consumer's parameter mock, method-scoped or plain, also when an override sets it
// (spec §11.3): with "force:…" the providers are not called; otherwise a stand-in answers when the call fails for any
// reason but a provider's exception or the caller's cancellation. What a mock can do is in docs/balance-and-cluster.md.
// Providers with protocol mock take precedence: their own parameter mock says what to answer (spec §6.1).
type Mock struct {
	inner  Strategy
	logger *slog.Logger
	call   func(ctx context.Context, name string, inv *rpc.Invocation) (rpc.Result, error)
	known  atomic.Pointer[knownMocks]
}

// NewMock returns inner wrapped by mock.
func NewMock(inner Strategy, o Options) *Mock {
	m := &Mock{inner: inner, logger: o.Logger, call: o.Mock}
	if m.logger == nil {
		m.logger = slog.New(slog.DiscardHandler)
	}
	return m
}

// Name returns the name of the wrapped strategy.
func (m *Mock) Name() string { return m.inner.Name() }

// Close closes the wrapped strategy.
func (m *Mock) Close() error { return Close(m.inner) }

// knownMocks are the parsed mocks of one consumer URL. It is immutable, copied when a method is added.
type knownMocks struct {
	consumer durl.URL
	none     bool // no method has a mock
	nothing  mock // what those methods have
	methods  map[string]*mock
}

// of returns the mock of a method.
func (m *Mock) of(consumer durl.URL, method string) *mock {
	known := m.known.Load()
	if known == nil || known.consumer != consumer {
		fresh := &knownMocks{consumer: consumer, none: true}
		for key := range consumer.All() {
			if key == "mock" || strings.HasSuffix(key, ".mock") {
				fresh.none = false
				break
			}
		}
		m.known.CompareAndSwap(known, fresh)
		known = fresh
	}
	if known.none {
		return &known.nothing
	}
	if there, ok := known.methods[method]; ok {
		return there
	}
	text, _ := consumer.MethodParam(method, "mock")
	parsed := parseMock(text)
	if len(known.methods) < maxRemembered {
		next := &knownMocks{consumer: consumer, methods: make(map[string]*mock, len(known.methods)+1)}
		maps.Copy(next.methods, known.methods)
		next.methods[method] = &parsed
		m.known.CompareAndSwap(known, next)
	}
	return &parsed
}

// Invoke implements Strategy.
func (m *Mock) Invoke(ctx context.Context, d Directory, next rpc.Invoker, inv *rpc.Invocation) (rpc.Result, error) {
	stand := m.of(d.Snapshot().Consumer().URL, inv.Method)
	if stand.kind == mockAlways {
		m.logger.Info("mock answers for the providers", "service", inv.Service.Interface, "method", inv.Method, "mock", stand.text)
		return m.answer(ctx, d, inv, stand, nil)
	}
	result, err := m.inner.Invoke(ctx, d, next, inv)
	if err == nil || stand.kind == mockNever || belongsToCaller(ctx, err) {
		return result, err
	}
	m.logger.Warn("mock answers for a failed call", "service", inv.Service.Interface, "method", inv.Method, "mock", stand.text, "error", err)
	return m.answer(ctx, d, inv, stand, err)
}

// answer does what the mock says. failed is the error of the real call, nil when there was none.
func (m *Mock) answer(ctx context.Context, d Directory, inv *rpc.Invocation, stand *mock, failed error) (rpc.Result, error) {
	stand = m.provided(d, inv, stand)
	switch stand.action {
	case mockReturn:
		return rpc.Result{Value: freshValue(stand.value)}, nil
	case mockThrow:
		e := stand.thrown(inv)
		if e.Cause == nil {
			e.Cause = failed
		}
		return rpc.Result{}, e
	case mockFunction:
		if m.call != nil {
			result, err := m.call(ctx, stand.class, inv)
			if err != nil {
				err = asError(inv, err)
			}
			return result, err
		}
		if failed != nil {
			m.logger.Error("mock has no function to call: give cluster.Options.Mock, or write mock=return …", "mock", stand.text)
			return rpc.Result{}, failed
		}
		return rpc.Result{}, failure(rpc.Unknown, inv, "mock="+stand.text+" has no function to call: give cluster.Options.Mock, or write mock=force:return …", nil)
	}
	if failed != nil {
		m.logger.Error("mock cannot be read", "mock", stand.text, "problem", stand.err)
		return rpc.Result{}, failed
	}
	return rpc.Result{}, failure(rpc.Unknown, inv, "mock="+stand.text+" cannot be read", stand.err)
}

// needMock is the attachment by which routing returns the providers of protocol mock (spec §6.1).
const needMock = "invocation.need.mock"

// provided returns the mock of a provider of protocol mock, if the registry has one; else stand.
func (m *Mock) provided(d Directory, inv *rpc.Invocation, stand *mock) *mock {
	list, err := d.Route(withAttachment(inv, needMock, "true"))
	if err != nil || list.Len() == 0 || list.At(0).URL.Scheme() != "mock" {
		return stand
	}
	text, _ := list.At(0).URL.MethodParam(inv.Method, "mock")
	if parsed := parseMock(text); parsed.kind != mockNever {
		return &parsed
	}
	return stand
}
