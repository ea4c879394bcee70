package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/dubway-go/dubway"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/service"
)

// Caller makes a routed call. Errors are *rpc.Error.
type Caller interface {
	Call(ctx context.Context, inv *rpc.Invocation) (rpc.Result, error)
}

// Options are the settings of a Gateway. The zero value is usable.
type Options struct {
	// MaxBody is the largest request body in bytes. Default 1 MiB.
	MaxBody int64
	// MaxDepth is how deep arguments may nest. Default DefaultDepth.
	MaxDepth int
	// MaxResult is how many bytes of JSON an answer may be; a larger one is the problem result-too-large. Default DefaultMaxResult.
	MaxResult int
	// Timeout is how long a call may take when its request does not say. Default 10 s.
	Timeout time.Duration
	// MaxTimeout bounds what a request may ask for with Dubbo-Timeout. Default 60 s.
	MaxTimeout time.Duration
	// MaxInFlight is how many calls may run at a time; one more gets 429. Default 10,000.
	MaxInFlight int
	// Logger gets failed calls at debug level; nil discards.
	Logger *slog.Logger
}

// Gateway is an http.Handler that calls Dubbo services. Make it with New.
type Gateway struct {
	caller Caller
	o      Options
	slots  chan struct{}
}

// New returns a gateway that makes its calls with caller.
func New(caller Caller, o Options) *Gateway {
	if o.MaxBody <= 0 {
		o.MaxBody = 1 << 20
	}
	if o.MaxDepth <= 0 {
		o.MaxDepth = DefaultDepth
	}
	if o.MaxResult <= 0 {
		o.MaxResult = DefaultMaxResult
	}
	if o.Timeout <= 0 {
		o.Timeout = 10 * time.Second
	}
	if o.MaxTimeout <= 0 {
		o.MaxTimeout = 60 * time.Second
	}
	if o.MaxInFlight <= 0 {
		o.MaxInFlight = 10_000
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return &Gateway{caller: caller, o: o, slots: make(chan struct{}, o.MaxInFlight)}
}

// InFlight returns how many calls are running.
func (g *Gateway) InFlight() int { return len(g.slots) }

// ServeHTTP implements http.Handler.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	inv, problem := g.invocation(w, r)
	if problem != nil {
		problem.Write(w)
		return
	}
	select {
	case g.slots <- struct{}{}:
		defer func() { <-g.slots }()
	default:
		w.Header().Set("Retry-After", "1")
		ProblemOf(&rpc.Error{Code: rpc.Limit, Service: inv.Service, Method: inv.Method,
			Message: fmt.Sprintf("the gateway is busy with %d calls, its limit", g.o.MaxInFlight)}).Write(w)
		return
	}
	timeout, err := g.timeout(r)
	if err != nil {
		bad(http.StatusBadRequest, "bad-header", "A header is not valid", err.Error()).Write(w)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), timeout)
	defer cancel()
	ctx, record := dubway.WithRecord(ctx)
	result, err := g.caller.Call(ctx, inv)
	if p := record.Provider(); p != "" {
		w.Header().Set("X-Dubway-Provider", p)
	}
	if err != nil {
		g.o.Logger.Debug("gateway call failed", "service", inv.Service.String(), "method", inv.Method, "error", err)
		ProblemOf(err).Write(w)
		return
	}
	g.answer(w, inv, result)
}

func (g *Gateway) answer(w http.ResponseWriter, inv *rpc.Invocation, result rpc.Result) {
	body, err := LimitedJSON(result.Value, g.o.MaxResult)
	if errors.Is(err, ErrResultTooLarge) {
		p := bad(http.StatusBadGateway, "result-too-large", "The result is too large",
			fmt.Sprintf("as JSON it has more than %d bytes: ask the provider for less, or raise the limit (gateway.maxResult)", g.o.MaxResult))
		p.Service, p.Method = inv.Service.String(), inv.Method
		p.Write(w)
		return
	}
	if err != nil {
		ProblemOf(&rpc.Error{Code: rpc.Serialization, Service: inv.Service, Method: inv.Method, Cause: err}).Write(w)
		return
	}
	back := make(map[string]string)
	for _, a := range result.Attachments {
		if s, ok := a.Value.(string); ok && len(s) <= 1024 && len(back) < 64 {
			back[a.Key] = s
		}
	}
	if len(back) > 0 {
		if b, err := json.Marshal(back); err == nil {
			w.Header().Set(attachmentsHeader, ascii(b))
		}
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	_, _ = w.Write(append(body, '\n'))
}

// invocation reads a request; the problem says what is wrong with it and what would be right.
func (g *Gateway) invocation(w http.ResponseWriter, r *http.Request) (*rpc.Invocation, *Problem) {
	fail := func(status int, code, title, format string, args ...any) (*rpc.Invocation, *Problem) {
		p := bad(status, code, title, fmt.Sprintf(format, args...))
		return nil, &p
	}
	iface, method, ok := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if !ok || !javaName(iface, true) || !javaName(method, false) {
		return fail(http.StatusNotFound, "bad-path", "No such path",
			"%s is not /{interface}/{method}: for example POST /com.example.OrderService/getOrder with the body [42]", show(r.URL.Path))
	}
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		return fail(http.StatusMethodNotAllowed, "bad-method", "Use POST", "calls are POST requests with a JSON array of arguments as the body, for example [42]")
	}
	inv := &rpc.Invocation{Method: method, Service: service.Key{Interface: iface,
		Group: first(r, "Dubbo-Group", "Tri-Service-Group"), Version: first(r, "Dubbo-Version", "Tri-Service-Version")}}
	var err error
	if inv.Attachments, err = attachments(r.Header); err != nil {
		return fail(http.StatusBadRequest, "bad-header", "A header is not valid", "%v", err)
	}
	types, err := parameterTypes(r.Header)
	if err != nil {
		return fail(http.StatusBadRequest, "bad-header", "A header is not valid", "%v", err)
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, g.o.MaxBody))
	if err != nil {
		if _, large := errors.AsType[*http.MaxBytesError](err); large {
			return fail(http.StatusRequestEntityTooLarge, "too-large", "The body is too large", "at most %d bytes are accepted", g.o.MaxBody)
		}
		return fail(http.StatusBadRequest, "bad-body", "The body could not be read", "%v", err)
	}
	if inv.Args, inv.ParamTypes, err = Arguments(body, types, g.o.MaxDepth); err != nil {
		return fail(http.StatusBadRequest, "bad-arguments", "The arguments are not valid", "%v", err)
	}
	return inv, nil
}

// javaName reports whether s can be the name of a Java interface (dotted) or method.
func javaName(s string, dotted bool) bool {
	if s == "" || len(s) > 512 {
		return false
	}
	for i := range len(s) {
		c := s[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_', c == '$', c >= 0x80:
		case c >= '0' && c <= '9' && i > 0:
		case c == '.' && dotted && i > 0:
		default:
			return false
		}
	}
	return true
}
