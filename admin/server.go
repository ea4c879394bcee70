package admin

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/dubway-go/dubway"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/gateway"
	"github.com/dubway-go/dubway/source"
)

// MaxBody is the largest request body in bytes: a rule document in JSON, with room for its escapes.
const MaxBody = 2*source.MaxDocument + 4096

// Services opens and lists services. Opened services belong to the implementation, which may close idle ones.
type Services interface {
	Open(ctx context.Context, t Target) (*dubway.Service, error)
	List(ctx context.Context) ([]ServiceSummary, error)
}

// Options are what a Server shows. Services is needed; what is nil answers 404 with the reason.
type Options struct {
	Services Services
	// Rules are the rule documents; nil when the daemon has no config centre that it can write to.
	Rules source.RuleStore
	// Dialect is what documents are checked against.
	Dialect dialect.Dialect
	// Traffic returns the counters.
	Traffic func() Traffic
	// Ready reports why the daemon is not ready, or nil.
	Ready func() error
	// Registries tells which registries answer, for /health and /ready; it must be quick. nil shows none.
	Registries func(ctx context.Context) []RegistryHealth
	// Metrics serves /metrics.
	Metrics http.Handler
	// Version says what is running.
	Version Version
	// Token, when set, must come with every request as "Authorization: Bearer …", except health and readiness.
	Token string
	// Local refuses requests for host names other than localhost and IP addresses; set it when listening on loopback.
	Local bool
	// Done ends streams when it is closed, so that a server can shut down in an orderly way; nil never does.
	Done <-chan struct{}
	// Logger gets changes of rules; nil discards.
	Logger *slog.Logger
}

// Server is the API as an http.Handler. Make it with New.
type Server struct {
	o       Options
	handler http.Handler
}

// New returns a server of the API.
func New(o Options) *Server {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	s := &Server{o: o}
	open := http.NewServeMux()
	open.HandleFunc("GET /health", s.health)
	open.HandleFunc("GET /ready", s.ready)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/version", func(w http.ResponseWriter, _ *http.Request) { reply(w, http.StatusOK, o.Version) })
	mux.HandleFunc("GET /api/services", s.services)
	mux.HandleFunc("GET /api/service", s.service)
	mux.HandleFunc("POST /api/explain", s.explain)
	mux.HandleFunc("POST /api/call", s.call)
	mux.HandleFunc("GET /api/rules", s.rules)
	mux.HandleFunc("GET /api/rules/{key}", s.getRule)
	mux.HandleFunc("PUT /api/rules/{key}", s.putRule)
	mux.HandleFunc("DELETE /api/rules/{key}", s.deleteRule)
	mux.HandleFunc("POST /api/rules/{key}/check", s.checkRule)
	mux.HandleFunc("GET /api/traffic", s.traffic)
	mux.HandleFunc("GET /api/traffic/stream", s.trafficStream)
	if o.Metrics != nil {
		mux.Handle("GET /metrics", o.Metrics)
	}
	mux.HandleFunc("/", notFound)
	open.Handle("/", s.authenticated(jsonOnly(mux)))
	s.handler = gateway.Guard(open, o.Local)
	return s
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// authenticated lets requests with the token through.
func (s *Server) authenticated(next http.Handler) http.Handler {
	if s.o.Token == "" {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.mayRead(r) {
			w.Header().Set("WWW-Authenticate", `Bearer realm="dubway"`)
			fail(w, Problem{Code: "unauthenticated", Title: "A token is needed", Status: http.StatusUnauthorized,
				Hint: "send Authorization: Bearer TOKEN; the command line takes it from --token or DUBWAY_TOKEN"})
			return
		}
		next.ServeHTTP(w, r)
	})
}

// mayRead reports whether a request has the token.
func (s *Server) mayRead(r *http.Request) bool {
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	want, got := sha256.Sum256([]byte(s.o.Token)), sha256.Sum256([]byte(token))
	return subtle.ConstantTimeCompare(got[:], want[:]) == 1
}

// jsonOnly refuses requests with a body that is not declared as JSON: a form of a web page cannot send that.
func jsonOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead && r.Method != http.MethodDelete {
			if t, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || t != "application/json" {
				fail(w, Problem{Code: "bad-content-type", Title: "JSON is needed", Status: http.StatusUnsupportedMediaType,
					Hint: "send the header Content-Type: application/json"})
				return
			}
		}
		r.Body = http.MaxBytesReader(w, r.Body, MaxBody)
		next.ServeHTTP(w, r)
	})
}

func notFound(w http.ResponseWriter, r *http.Request) {
	fail(w, Problem{Code: "bad-path", Title: "No such path", Status: http.StatusNotFound,
		Detail: fmt.Sprintf("there is no %s %s", r.Method, r.URL.Path),
		Hint:   "the API has /api/services, /api/service, /api/explain, /api/call, /api/rules, /api/traffic, /api/version, /metrics, /health and /ready"})
}

func (s *Server) health(w http.ResponseWriter, r *http.Request) {
	reply(w, http.StatusOK, Health{Status: "ok", Registries: s.registries(r)})
}

// registries asks which registries answer. Addresses and errors are for those who may use the API: whoever asks without the token when one is
// needed gets names and states.
func (s *Server) registries(r *http.Request) []RegistryHealth {
	if s.o.Registries == nil {
		return nil
	}
	list := slices.Clone(s.o.Registries(r.Context()))
	if s.o.Token != "" && !s.mayRead(r) {
		for i := range list {
			list[i].Address, list[i].Error = "", ""
		}
	}
	return list
}

func (s *Server) ready(w http.ResponseWriter, r *http.Request) {
	if s.o.Ready != nil {
		if err := s.o.Ready(); err != nil {
			fail(w, Problem{Code: "not-ready", Title: "Not ready", Status: http.StatusServiceUnavailable, Detail: err.Error(), Registries: s.registries(r)})
			return
		}
	}
	reply(w, http.StatusOK, Health{Status: "ready", Registries: s.registries(r)})
}

// reply sends v as JSON.
func reply(w http.ResponseWriter, status int, v any) {
	b, err := encode(v)
	if err != nil {
		fail(w, Problem{Code: "internal", Title: "The answer could not be encoded", Status: http.StatusInternalServerError, Detail: err.Error()})
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(b)
}

// encode returns v as one line of JSON, in which => stays readable.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return b.Bytes(), err
}

func fail(w http.ResponseWriter, p Problem) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(p.Status)
	b, _ := encode(p)
	_, _ = w.Write(b)
}

// read decodes a request's body; it answers by itself and returns false when that fails.
func read(w http.ResponseWriter, r *http.Request, v any) bool {
	d := json.NewDecoder(r.Body)
	d.DisallowUnknownFields()
	err := d.Decode(v)
	if err == nil && d.More() {
		err = errors.New("there is more text after the JSON value")
	}
	if err == nil {
		return true
	}
	status, title := http.StatusBadRequest, "The body is not valid"
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		status, title = http.StatusRequestEntityTooLarge, "The body is too large"
	}
	fail(w, Problem{Code: "bad-body", Title: title, Status: status, Detail: err.Error(), Hint: "docs/admin.md shows every request"})
	return false
}
