package admin_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/dubway-go/dubway"
	"github.com/dubway-go/dubway/admin"
	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/source/mem"
)

// services opens every service on one client.
type services struct{ client *dubway.Client }

func (s services) Open(ctx context.Context, t admin.Target) (*dubway.Service, error) {
	return s.client.ServiceWith(ctx, t.Service, dubway.ServiceOptions{Group: t.Group, Version: t.Version})
}

func (services) List(context.Context) ([]admin.ServiceSummary, error) {
	return []admin.ServiceSummary{{Service: "com.example.X:1.0", Interface: "com.example.X", Version: "1.0", Providers: 2}}, nil
}

// daemon is an admin server over a registry with two providers of com.example.X:1.0, one of them tagged.
func daemon(t *testing.T, change func(*admin.Options)) (*httptest.Server, *mem.Store) {
	t.Helper()
	store := mem.New()
	echo := dubway.HandlerFunc(func(_ context.Context, r *dubway.Request) (any, error) {
		if r.Method == "fail" {
			return nil, &dubway.RemoteException{Class: "com.example.Broken", Message: "as asked"}
		}
		return r.Args, nil
	})
	for _, tag := range []string{"", "gray"} {
		s := dubway.NewServer(dubway.ServerOptions{Application: "x", Registrar: store, Tag: tag, Notice: -1, Parameters: map[string]string{"region": "hz"}})
		if err := s.Handle("com.example.X:1.0", echo); err != nil {
			t.Fatal(err)
		}
		if err := s.Start(t.Context(), "127.0.0.1:0"); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
			defer cancel()
			_ = s.Shutdown(ctx)
		})
	}
	client, err := dubway.Dial(context.Background(), dubway.Options{Registry: store, Rules: store.Rules(), Host: "127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	o := admin.Options{Services: services{client}, Rules: store, Local: true, Version: admin.Version{Version: "test"},
		Traffic: func() admin.Traffic { return admin.Traffic{Flows: []admin.Flow{{Service: "s", Calls: 3}}} }}
	if change != nil {
		change(&o)
	}
	server := httptest.NewServer(admin.New(o))
	t.Cleanup(server.Close)
	return server, store
}

func connect(t *testing.T, s *httptest.Server, token string) *admin.Client {
	t.Helper()
	c, err := admin.NewClient(s.URL, token)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func TestExplainAndCall(t *testing.T) {
	s, _ := daemon(t, nil)
	c := connect(t, s, "")
	target := admin.Target{Service: "com.example.X", Version: "1.0"}
	x, err := c.Explain(t.Context(), admin.CallRequest{Target: target, Method: "get", Attachments: map[string]string{"dubbo.tag": "gray"}})
	if err != nil {
		t.Fatal(err)
	}
	if len(x.Candidates) != 1 || x.Candidates[0].Tag != "gray" || x.Candidates[0].Labels["region"] != "hz" || x.Candidates[0].Share != 100 || x.LoadBalance != "random" {
		t.Errorf("candidates %+v by %s", x.Candidates, x.LoadBalance)
	}
	gray := x.Candidates[0].Address
	x, err = c.Explain(t.Context(), admin.CallRequest{Target: target, Method: "get", Not: gray})
	if err != nil || x.Absence == nil || x.Absence.Outcome != "taken-out" || !strings.Contains(x.Absence.Message, "tag router") {
		t.Errorf("why not %s: %+v, %v", gray, x.Absence, err)
	}
	r, err := c.Call(t.Context(), admin.CallRequest{Target: target, Method: "get", Args: json.RawMessage(`[1,"a"]`), Attachments: map[string]string{"dubbo.tag": "gray"}})
	if err != nil || !r.OK || string(r.Value) != `[1,"a"]` || r.Provider != gray {
		t.Errorf("call: %+v, %v", r, err)
	}
	r, err = c.Call(t.Context(), admin.CallRequest{Target: target, Method: "fail"})
	if err != nil || r.OK || r.Error.Code != "business" || r.Error.Exception != "com.example.Broken" {
		t.Errorf("a failing call: %+v, %v", r, err)
	}
	r, err = c.Call(t.Context(), admin.CallRequest{Target: admin.Target{Service: "com.example.X"}, Method: "get"})
	if err != nil || r.OK || !strings.Contains(r.Error.Hint, "com.example.X:1.0") {
		t.Errorf("without the version there is no hint at it: %+v, %v", r.Error, err)
	}
	d, err := c.Service(t.Context(), target)
	if err != nil || d.Instances != 2 || len(d.Providers) != 2 || !d.Ready {
		t.Errorf("service: %+v, %v", d, err)
	}
}

func TestRulesAreCheckedBeforeTheyAreStored(t *testing.T) {
	s, store := daemon(t, nil)
	c := connect(t, s, "")
	const key, good, bad = "x.tag-router", "tags:\n  - name: gray\n    addresses: [\"10.0.0.1\"]\n", "tags: gray\n"
	r, err := c.PutRule(t.Context(), key, admin.RuleWrite{Text: good})
	if err != nil || !r.Stored || r.Refused || r.Existed {
		t.Fatalf("put: %+v, %v", r, err)
	}
	r, err = c.PutRule(t.Context(), key, admin.RuleWrite{Text: bad})
	if err != nil || r.Stored || !r.Refused || r.Old != good || !r.Diagnostics.HasErrors() || !strings.Contains(r.Rendered, "^") {
		t.Errorf("a bad rule: %+v, %v", r, err)
	}
	if r.Diagnostics[0].Severity != diag.Error || r.Diagnostics[0].Span.Line != 1 {
		t.Errorf("the finding lost its place: %+v", r.Diagnostics)
	}
	if doc, _ := store.Get(t.Context(), key); doc.Text != good {
		t.Errorf("the refused rule was stored: %q", doc.Text)
	}
	r, err = c.PutRule(t.Context(), key, admin.RuleWrite{Text: bad, Force: true})
	if err != nil || !r.Stored || r.Refused || !r.Diagnostics.HasErrors() {
		t.Errorf("with force: %+v, %v", r, err)
	}
	if rules, err := c.Rules(t.Context()); err != nil || len(rules) != 1 || rules[0].Kind != "tag-router" || rules[0].Target != "x" {
		t.Errorf("list: %+v, %v", rules, err)
	}
	if got, err := c.Rule(t.Context(), key); err != nil || got.Text != bad {
		t.Errorf("get: %+v, %v", got, err)
	}
	if r, err := c.DeleteRule(t.Context(), key); err != nil || !r.Stored || r.Old != bad {
		t.Errorf("delete: %+v, %v", r, err)
	}
	var p *admin.Problem
	if _, err := c.DeleteRule(t.Context(), key); !errors.As(err, &p) || p.Status != 404 || p.Hint == "" {
		t.Errorf("delete again: %v", err)
	}
	if _, err := c.Rule(t.Context(), "gone.tag-router"); !errors.As(err, &p) || p.Status != 404 {
		t.Errorf("get what is not there: %v", err)
	}
	for _, k := range []string{"no-suffix", "com.example.X:1.condition-router"} {
		if r, err := c.PutRule(t.Context(), k, admin.RuleWrite{Text: good}); err != nil || !r.Refused {
			t.Errorf("key %q: %+v, %v", k, r, err)
		}
	}
	for _, k := range []string{"", "a/b.tag-router", "..", "."} {
		if _, err := c.PutRule(t.Context(), k, admin.RuleWrite{Text: good}); !errors.As(err, &p) || p.Code != "bad-key" {
			t.Errorf("key %q: %v", k, err)
		}
	}
}

func TestRequestsThatAreRefused(t *testing.T) {
	s, _ := daemon(t, func(o *admin.Options) { o.Token = "secret" })
	tests := []struct {
		name, method, path, body string
		header                   map[string]string
		status                   int
	}{
		{"health needs no token", "GET", "/health", "", map[string]string{"Authorization": ""}, 200},
		{"readiness needs no token", "GET", "/ready", "", map[string]string{"Authorization": ""}, 200},
		{"no token", "GET", "/api/services", "", map[string]string{"Authorization": ""}, 401},
		{"wrong token", "GET", "/api/services", "", map[string]string{"Authorization": "Bearer secreT"}, 401},
		{"metrics need the token", "GET", "/metrics", "", map[string]string{"Authorization": ""}, 401},
		{"right token", "GET", "/api/services", "", nil, 200},
		{"a form is not JSON", "POST", "/api/call", "a=b", map[string]string{"Content-Type": "application/x-www-form-urlencoded"}, 415},
		{"text is not JSON", "PUT", "/api/rules/x.tag-router", "{}", map[string]string{"Content-Type": "text/plain"}, 415},
		{"another site", "POST", "/api/call", "{}", map[string]string{"Origin": "http://evil.example"}, 403},
		{"another site deletes", "DELETE", "/api/rules/x.tag-router", "", map[string]string{"Sec-Fetch-Site": "cross-site"}, 403},
		{"rebound name", "GET", "/api/services", "", map[string]string{"Host": "evil.example"}, 403},
		{"unknown field", "POST", "/api/explain", `{"servise":"x"}`, nil, 400},
		{"two values", "POST", "/api/explain", `{} {}`, nil, 400},
		{"bad service", "POST", "/api/explain", `{"service":""}`, nil, 400},
		{"bad arguments", "POST", "/api/explain", `{"service":"a.B","args":{"a":1}}`, nil, 400},
		{"no method", "POST", "/api/call", `{"service":"a.B"}`, nil, 400},
		{"huge body", "PUT", "/api/rules/x.tag-router", `{"text":"` + strings.Repeat("x", admin.MaxBody) + `"}`, nil, 413},
		{"no such path", "GET", "/api/nothing", "", nil, 404},
		{"no such method", "PATCH", "/api/rules/x", "{}", nil, 404},
	}
	for _, tt := range tests {
		r, err := http.NewRequestWithContext(t.Context(), tt.method, s.URL+tt.path, strings.NewReader(tt.body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", "Bearer secret")
		for k, v := range tt.header {
			if k == "Host" {
				r.Host = v
				continue
			}
			r.Header.Set(k, v)
		}
		resp, err := s.Client().Do(r)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		_ = resp.Body.Close()
		if resp.StatusCode != tt.status {
			t.Errorf("%s: %d, want %d", tt.name, resp.StatusCode, tt.status)
		}
	}
}

func TestNotReadyIsSaid(t *testing.T) {
	s, _ := daemon(t, func(o *admin.Options) {
		o.Ready = func() error { return errors.New("no registry yet") }
		o.Rules, o.Traffic = nil, nil
	})
	for path, status := range map[string]int{"/ready": 503, "/health": 200, "/api/rules": 404, "/api/traffic": 404, "/api/traffic/stream": 404} {
		resp, err := s.Client().Get(s.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != status {
			t.Errorf("%s: %d, want %d", path, resp.StatusCode, status)
		}
	}
}

func TestTrafficStreams(t *testing.T) {
	s, _ := daemon(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, _ := http.NewRequestWithContext(ctx, "GET", s.URL+"/api/traffic/stream", nil)
	resp, err := s.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	for _, want := range []string{"event: traffic", `data: {"at":"0001-01-01T00:00:00Z","flows":[{"service":"s","consumer":"","provider":"","calls":3,"failures":0}]}`} {
		if !lines.Scan() || lines.Text() != want {
			t.Fatalf("got %q, want %q", lines.Text(), want)
		}
	}
}

func TestClientSaysWhenNobodyAnswers(t *testing.T) {
	c, err := admin.NewClient("127.0.0.1:1", "")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Version(t.Context()); !errors.Is(err, admin.ErrUnreachable) || !strings.Contains(err.Error(), "127.0.0.1:1") {
		t.Errorf("got %v", err)
	}
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("hello")) }))
	defer other.Close()
	if _, err := connect(t, other, "").Version(t.Context()); !errors.Is(err, admin.ErrUnreachable) {
		t.Errorf("a server that is no daemon: %v", err)
	}
	for _, bad := range []string{"", "http://", "ftp://x", "a b"} {
		if _, err := admin.NewClient(bad, ""); err == nil {
			t.Errorf("address %q was accepted", bad)
		}
	}
}
