package admin

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/dubway-go/dubway"
	"github.com/dubway-go/dubway/cluster/merger"
	"github.com/dubway-go/dubway/directory"
	"github.com/dubway-go/dubway/gateway"
	"github.com/dubway-go/dubway/rpc"
)

// DefaultCallTimeout bounds calls whose request names no timeout.
const DefaultCallTimeout = 10 * time.Second

func (s *Server) explain(w http.ResponseWriter, r *http.Request) {
	var q CallRequest
	if !read(w, r, &q) {
		return
	}
	inv, problem := q.invocation(false)
	if problem != nil {
		fail(w, *problem)
		return
	}
	service, err := s.o.Services.Open(r.Context(), q.Target)
	if err != nil {
		fail(w, callProblem(err))
		return
	}
	inv.Service = service.Key()
	explanation := service.ExplainInvocation(r.Context(), inv)
	x := ExplainResponse{Explanation: *explanation, Dialect: service.Dialect(), Method: q.Method, Attachments: q.Attachments,
		LoadBalance: "random", Candidates: []Provider{}}
	state := service.State()
	x.Consumer, x.AgeMillis = state.Consumer, state.Age.Milliseconds()
	for i, at := range explanation.Places() {
		x.Candidates = append(x.Candidates, providers(at, inv.Method)...)
		if name, ok := at.Candidates.At(0).URL.MethodParam(inv.Method, "loadbalance"); i == 0 && ok && name != "" {
			x.LoadBalance = name
		}
	}
	x.Candidates, x.Overridden = withOverrides(x.Candidates, x.Overridden), nil
	if d := service.Directory(); d.MultiGroup() {
		if text, _ := d.Snapshot().Consumer().URL.MethodParam(inv.Method, "merger"); merger.IsSet(text) {
			x.Merger = text
		}
	}
	if q.Not != "" {
		x.Absence = x.Not(q.Not)
	}
	if len(x.Candidates) == 0 {
		x.Hint = s.hint(r.Context(), service)
	}
	reply(w, http.StatusOK, x)
}

// hint says what to try when a service has no provider: the versions and groups that the registry does have.
func (s *Server) hint(ctx context.Context, service *dubway.Service) string {
	if service.State().Instances > 0 {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	list, err := s.o.Services.List(ctx)
	if err != nil {
		return ""
	}
	var same, names []string
	for i := range list {
		if list[i].Providers == 0 {
			continue
		}
		if list[i].Interface == service.Key().Interface {
			same = append(same, list[i].Service)
		}
		names = append(names, list[i].Interface)
	}
	switch {
	case len(same) > 0:
		return fmt.Sprintf("the registry has %s: give its version and group", strings.Join(same, ", "))
	case len(names) > 0:
		slices.Sort(names)
		names = slices.Compact(names)
		if len(names) > 5 {
			names = append(names[:5], "…")
		}
		return "the registry has no such interface; it has " + strings.Join(names, ", ")
	}
	return "the registry lists no services"
}

func (s *Server) call(w http.ResponseWriter, r *http.Request) {
	var q CallRequest
	if !read(w, r, &q) {
		return
	}
	inv, problem := q.invocation(true)
	if problem != nil {
		fail(w, *problem)
		return
	}
	timeout := DefaultCallTimeout
	if q.TimeoutMillis > 0 {
		timeout = min(time.Duration(q.TimeoutMillis)*time.Millisecond, 5*time.Minute)
	}
	ctx, cancel := context.WithTimeout(r.Context(), timeout)
	defer cancel()
	service, err := s.o.Services.Open(ctx, q.Target)
	if err != nil {
		reply(w, http.StatusOK, CallResponse{Error: failure(err, "")})
		return
	}
	ctx, record := dubway.WithRecord(ctx)
	began := time.Now()
	result, err := service.Invoke(ctx, inv)
	out := CallResponse{OK: err == nil, Provider: record.Provider(), Attempts: record.Attempts(), ElapsedMicros: time.Since(began).Microseconds()}
	if err == nil {
		out.Value, err = gateway.JSON(result.Value)
	}
	if err != nil {
		out.OK = false
		out.Error = failure(err, s.hint(r.Context(), service))
		reply(w, http.StatusOK, out)
		return
	}
	for _, a := range result.Attachments {
		if text, ok := a.Value.(string); ok {
			if out.Attachments == nil {
				out.Attachments = make(map[string]string)
			}
			out.Attachments[a.Key] = text
		}
	}
	reply(w, http.StatusOK, out)
}

// invocation turns a request into a call.
func (q *CallRequest) invocation(calling bool) (*rpc.Invocation, *Problem) {
	bad := func(detail string) (*rpc.Invocation, *Problem) {
		return nil, &Problem{Code: "bad-arguments", Title: "The call is not valid", Status: http.StatusBadRequest, Detail: detail}
	}
	if q.Method == "" && calling {
		return bad("method is missing: which method of " + q.Service + " is to be called?")
	}
	args, types, err := gateway.Arguments(q.Args, q.Types, 0)
	if err != nil {
		return bad(err.Error())
	}
	inv := &rpc.Invocation{Method: q.Method, Args: args, ParamTypes: types}
	keys := make([]string, 0, len(q.Attachments))
	for k := range q.Attachments {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		inv.Attachments = append(inv.Attachments, rpc.Attachment{Key: k, Value: q.Attachments[k]})
	}
	return inv, nil
}

func failure(err error, hint string) *Failure {
	f := &Failure{Code: rpc.CodeOf(err).String(), Message: err.Error(), Hint: hint}
	if e, ok := errors.AsType[*rpc.RemoteException](err); ok {
		f.Exception = e.Class
	}
	return f
}

func callProblem(err error) Problem {
	code := rpc.CodeOf(err)
	p := Problem{Code: code.String(), Title: "The service could not be opened", Status: gateway.Status(code), Detail: err.Error()}
	if code == rpc.Registry {
		p.Hint = "is the registry up? `dubway services` shows what it says"
	}
	return p
}

// withOverrides moves what overrides did to the candidates that they did it to.
func withOverrides(list []Provider, told []directory.OverriddenProvider) []Provider {
	for _, one := range told {
		for i := range list {
			p := &list[i]
			if p.Address == one.Address && p.Registry == one.Registry && (p.Group == "" || p.Group == one.Group || one.Group == "" && p.Group == directory.NoGroup) {
				p.Overridden = one.Parameters
			}
		}
	}
	return list
}

// providers describes candidates: their share by weight, and the labels in which they differ.
func providers(at directory.Place, method string) []Provider {
	c := at.Candidates
	out := make([]Provider, c.Len())
	sum := 0
	for i := range out {
		in := c.At(i)
		out[i] = Provider{Address: in.Address(), Registry: at.Registry, Group: at.Group, Application: in.Application(), Weight: in.Weight(method), Tag: in.Tag(), Labels: labels(in)}
		sum += out[i].Weight
	}
	for i := range out {
		if sum > 0 {
			out[i].Share = at.Share * float64(out[i].Weight) / float64(sum)
		}
	}
	return out
}
