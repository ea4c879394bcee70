package admin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/dubway-go/dubway/source"
)

// ErrUnreachable is in the chain of errors when no daemon answers at the address.
var ErrUnreachable = errors.New("no daemon answers")

// Client talks to a daemon. It is safe for concurrent use.
type Client struct {
	base  string
	token string
	http  *http.Client
}

// NewClient returns a client of the daemon at address: "host:port" or "http://host:port". token may be empty.
func NewClient(address, token string) (*Client, error) {
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("the daemon's address %q is not host:port or http://host:port", address)
	}
	return &Client{base: u.Scheme + "://" + u.Host, token: token, http: &http.Client{}}, nil
}

// Address returns the daemon's base URL.
func (c *Client) Address() string { return c.base }

// Close closes idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Error makes a Problem an error, for errors.As.
func (p *Problem) Error() string {
	text := p.Title
	if p.Detail != "" {
		text += ": " + p.Detail
	}
	return text
}

// send makes a request and decodes the answer into out; statuses other than 2xx and those in also are *Problem errors.
func (c *Client) send(ctx context.Context, method, path string, in, out any, also ...int) error {
	var body io.Reader
	if in != nil {
		b, err := json.Marshal(in)
		if err != nil {
			return fmt.Errorf("encode the request: %w", err)
		}
		body = bytes.NewReader(b)
	}
	r, err := http.NewRequestWithContext(ctx, method, c.base+path, body)
	if err != nil {
		return fmt.Errorf("make the request: %w", err)
	}
	if in != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if c.token != "" {
		r.Header.Set("Authorization", "Bearer "+c.token)
	}
	resp, err := c.http.Do(r)
	if err != nil {
		return fmt.Errorf("%w at %s: %w", ErrUnreachable, c.base, cause(err))
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(io.LimitReader(resp.Body, 256<<20))
	if err != nil {
		return fmt.Errorf("%w at %s: %w", ErrUnreachable, c.base, err)
	}
	ok := resp.StatusCode/100 == 2
	for _, s := range also {
		ok = ok || resp.StatusCode == s
	}
	if !ok {
		p := &Problem{}
		if json.Unmarshal(b, p) != nil || p.Title == "" {
			*p = Problem{Code: "http", Title: "the daemon answered " + resp.Status, Status: resp.StatusCode, Hint: "is " + c.base + " really a dubway admin address?"}
		}
		return p
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(b, out); err != nil {
		return fmt.Errorf("%w at %s: the answer is not what a dubway daemon says: %w", ErrUnreachable, c.base, err)
	}
	return nil
}

// cause leaves out the URL that net/http puts in front.
func cause(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err
	}
	return err
}

// Services lists the services of the daemon's registry.
func (c *Client) Services(ctx context.Context) ([]ServiceSummary, error) {
	var out struct{ Services []ServiceSummary }
	err := c.send(ctx, http.MethodGet, "/api/services", nil, &out)
	return out.Services, err
}

// Service returns the state of one service, which the daemon opens when needed.
func (c *Client) Service(ctx context.Context, t Target) (*ServiceDetail, error) {
	q := url.Values{"service": {t.Service}, "group": {t.Group}, "version": {t.Version}, "dialect": {t.Dialect}}
	out := new(ServiceDetail)
	return out, c.send(ctx, http.MethodGet, "/api/service?"+q.Encode(), nil, out)
}

// Explain asks where a call would go.
func (c *Client) Explain(ctx context.Context, q CallRequest) (*ExplainResponse, error) {
	out := new(ExplainResponse)
	return out, c.send(ctx, http.MethodPost, "/api/explain", q, out)
}

// Call makes a call. That the call failed is in the response; the error is about asking for it.
func (c *Client) Call(ctx context.Context, q CallRequest) (*CallResponse, error) {
	out := new(CallResponse)
	return out, c.send(ctx, http.MethodPost, "/api/call", q, out)
}

// Rules lists the rule documents.
func (c *Client) Rules(ctx context.Context) ([]Rule, error) {
	var out struct{ Rules []Rule }
	err := c.send(ctx, http.MethodGet, "/api/rules", nil, &out)
	return out.Rules, err
}

// Rule returns one rule document.
func (c *Client) Rule(ctx context.Context, key string) (*Rule, error) {
	out := new(Rule)
	return out, c.rule(ctx, http.MethodGet, key, nil, out)
}

// PutRule stores a rule document after checking it. That it was refused is in the result.
func (c *Client) PutRule(ctx context.Context, key string, body RuleWrite) (*RuleResult, error) {
	out := new(RuleResult)
	return out, c.rule(ctx, http.MethodPut, key, body, out, http.StatusUnprocessableEntity)
}

// DeleteRule deletes a rule document.
func (c *Client) DeleteRule(ctx context.Context, key string) (*RuleResult, error) {
	out := new(RuleResult)
	return out, c.rule(ctx, http.MethodDelete, key, nil, out)
}

// Traffic returns the traffic counters.
func (c *Client) Traffic(ctx context.Context) (*Traffic, error) {
	out := new(Traffic)
	return out, c.send(ctx, http.MethodGet, "/api/traffic", nil, out)
}

// Version says what is running there.
func (c *Client) Version(ctx context.Context) (*Version, error) {
	out := new(Version)
	return out, c.send(ctx, http.MethodGet, "/api/version", nil, out)
}

// rule makes a request about one rule. A key that no config centre can hold is refused here: as a path it would name something else.
func (c *Client) rule(ctx context.Context, method, key string, in, out any, also ...int) error {
	if err := source.CheckKey(key); err != nil {
		return &Problem{Code: "bad-key", Title: "The rule key cannot be used", Status: http.StatusBadRequest, Detail: err.Error(),
			Hint: "write for example order.tag-router or com.example.OrderService::.condition-router"}
	}
	return c.send(ctx, method, "/api/rules/"+url.PathEscape(key), in, out, also...)
}
