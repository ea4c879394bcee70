package dubway_test

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/dubway-go/dubway"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/source/mem"
)

func TestResponseAttachments(t *testing.T) {
	registry := mem.New()
	late := make(chan bool, 1)
	serve(t, registry, dubway.ServerOptions{}, "a.B", dubway.HandlerFunc(func(ctx context.Context, r *dubway.Request) (any, error) {
		if !dubway.SetResponseAttachment(ctx, "cost", "1") {
			t.Error("an attachment was not taken")
		}
		dubway.SetResponseAttachment(dubway.WithTag(ctx, "x"), "cost", "2") // the last one counts, also from a context made of it
		switch r.Method {
		case "fail":
			return "dropped", &dubway.RemoteException{Class: "demo.Sold", Message: "out"}
		case "many":
			var wg sync.WaitGroup
			for i := range 20 {
				wg.Go(func() { dubway.SetResponseAttachment(ctx, "n"+strconv.Itoa(i), "x") })
			}
			wg.Wait()
		case "late":
			go func() {
				<-ctx.Done() // it ends when the handler has returned
				late <- dubway.SetResponseAttachment(ctx, "cost", "3")
			}()
		}
		return r.Method, nil
	}))
	s := open(t, dial(t, registry, dubway.Options{}), "a.B")
	ctx, record := dubway.WithRecord(t.Context())
	if got, err := s.Call(ctx, "get"); err != nil || got != "get" {
		t.Fatal(got, err)
	}
	cost := func(a rpc.Attachments) string { text, _ := a.Get("cost"); return text }
	if a := record.ResponseAttachments(); len(a) != 1 || cost(a) != "2" {
		t.Errorf("get: %v", a)
	}
	if r, err := s.Invoke(t.Context(), &rpc.Invocation{Method: "get"}); err != nil || cost(r.Attachments) != "2" {
		t.Errorf("invoke: %v, %v", r, err)
	}
	if _, err := s.Call(ctx, "fail"); dubway.CodeOf(err) != dubway.Business || cost(record.ResponseAttachments()) != "2" {
		t.Errorf("fail: %v, %v", err, record.ResponseAttachments())
	}
	if _, err := s.Call(ctx, "many"); err != nil || len(record.ResponseAttachments()) != 21 {
		t.Errorf("many: %v, %v", err, record.ResponseAttachments())
	}
	if _, err := s.Call(ctx, "late"); err != nil || <-late || cost(record.ResponseAttachments()) != "2" {
		t.Errorf("late: %v, %v", err, record.ResponseAttachments())
	}
	if dubway.SetResponseAttachment(t.Context(), "cost", "1") {
		t.Error("taken outside a served call")
	}
}

// TestContextsInsideACall: what a handler derives from its context ends with the call, keeps its values, and knows the caller.
func TestContextsInsideACall(t *testing.T) {
	registry := mem.New()
	ended := make(chan error, 1)
	serve(t, registry, dubway.ServerOptions{}, "a.B", dubway.HandlerFunc(func(ctx context.Context, r *dubway.Request) (any, error) {
		inner, cancel := context.WithTimeout(ctx, time.Hour)
		go func() { <-inner.Done(); ended <- inner.Err(); cancel() }()
		force, _ := dubway.Attachments(inner).Get(rpc.ForceTagKey)
		return []any{dubway.Tag(inner), dubway.Tag(dubway.WithTag(inner, "")), force, r.Remote != ""}, nil
	}))
	s := open(t, dial(t, registry, dubway.Options{}), "a.B")
	ctx := dubway.WithAttachment(dubway.WithTag(t.Context(), "gray"), rpc.ForceTagKey, "false")
	got, err := s.Call(ctx, "get")
	if list, ok := got.([]any); err != nil || !ok || list[0] != "gray" || list[1] != "" || list[2] != "false" || list[3] != true {
		t.Errorf("%v, %v", got, err)
	}
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the inner context ended with %v", err)
	}
}
