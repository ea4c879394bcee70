package interop

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dubway-go/dubway"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/service"
)

// echoHandler is EchoService as a dubway provider.
type echoHandler struct {
	who string

	mu         sync.Mutex
	remembered string
}

// Serve implements dubway.Handler.
func (h *echoHandler) Serve(ctx context.Context, r *dubway.Request) (any, error) {
	switch r.Method {
	case "over":
		return over(r)
	case "nothing":
		return nil, nil
	case "remember":
		h.mu.Lock()
		defer h.mu.Unlock()
		h.remembered, _ = r.Args[0].(string)
		return nil, nil
	case "remembered":
		h.mu.Lock()
		defer h.mu.Unlock()
		return h.remembered, nil
	case "failChecked":
		return nil, &rpc.RemoteException{Class: "com.example.interop.BusinessException", Message: fmt.Sprint(r.Args[0])}
	case "failRuntime":
		return nil, &rpc.RemoteException{Class: "java.lang.IllegalStateException", Message: fmt.Sprint(r.Args[0])}
	case "attachments":
		out := map[string]string{}
		for _, a := range r.Attachments {
			out[a.Key] = fmt.Sprint(a.Value)
		}
		return out, nil
	case "whoami":
		return h.who, nil
	case "slow":
		ms, _ := r.Args[0].(int64)
		select {
		case <-time.After(time.Duration(ms) * time.Millisecond):
		case <-ctx.Done():
		}
		return fmt.Sprint("slept ", ms), nil
	}
	if strings.HasPrefix(r.Method, "echo") && len(r.Args) == 1 {
		return r.Args[0], nil
	}
	return nil, &dubway.Error{Code: dubway.MethodNotFound, Service: r.Service, Method: r.Method, Message: "EchoService has no such method"}
}

func over(r *dubway.Request) (any, error) {
	var names []string
	for _, t := range r.ParamTypes {
		names = append(names, t[strings.LastIndexByte(t, '.')+1:])
	}
	out := "(" + strings.Join(names, ",") + ")"
	for _, a := range r.Args {
		if o, ok := a.(*Order); ok {
			a = o.ID
		}
		out += fmt.Sprint(a)
	}
	return out, nil
}

// serve starts a dubway provider of EchoService in the fleet's ZooKeeper and returns its address.
func serve(t *testing.T, f *fleet, version, tag string) (string, *dubway.Server) {
	t.Helper()
	z := f.zookeeper(t)
	s := dubway.NewServer(dubway.ServerOptions{Application: "echo-dubway", Registrar: z, Host: host, Tag: tag, Types: types(t)})
	address := fmt.Sprintf("%s:%d", host, freePort(t))
	if err := s.HandleWith(echo, &echoHandler{who: address + "|" + tag + "|echo-dubway"}, dubway.HandleOptions{Version: version}); err != nil {
		t.Fatal(err)
	}
	if err := s.Start(t.Context(), address); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := s.Shutdown(ctx); err != nil {
			t.Error(err)
		}
	})
	f.waitForProviders(t, z, service.Key{Interface: echo, Version: version}, address)
	return address, s
}

type verdict struct {
	Check  string
	OK     bool
	Detail string
}

// consume runs the Java consumer and returns its verdicts.
func consume(t *testing.T, project string, properties map[string]string) []verdict {
	t.Helper()
	lines, p := runJava(t, project, "Consumer", properties, nil)
	if len(lines) == 0 || lines[len(lines)-1] != "DONE" {
		t.Fatalf("the consumer of %s did not finish: %q; log:\n%s", project, lines, p.log.tail())
	}
	var out []verdict
	for _, line := range lines {
		if !strings.HasPrefix(line, "{") {
			continue
		}
		var v verdict
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		out = append(out, v)
	}
	return out
}

// TestJavaConsumersCallDubway lets consumers of both Dubbo versions find a dubway provider in ZooKeeper and
// call every method, by the interface and generically.
func TestJavaConsumersCallDubway(t *testing.T) {
	f := theFleet(t)
	serve(t, f, "2.0.0", "")
	for _, project := range []string{dubbo33, dubbo27} {
		for mode, atLeast := range map[string]int{"echo": 65, "generic": 5} {
			t.Run(project+" "+mode, func(t *testing.T) {
				verdicts := consume(t, project, map[string]string{"mode": mode, "registry": f.registry(), "version": "2.0.0"})
				if len(verdicts) < atLeast {
					t.Errorf("only %d checks ran, want %d", len(verdicts), atLeast)
				}
				for _, v := range verdicts {
					if !v.OK {
						t.Errorf("%s: %s", v.Check, v.Detail)
					}
				}
			})
		}
	}
}

// TestJavaConsumersFollowDubwayTags has one tagged and one untagged dubway provider, and Java's own tag routing.
func TestJavaConsumersFollowDubwayTags(t *testing.T) {
	f := theFleet(t)
	gray, _ := serve(t, f, "3.0.0", grayTag)
	plain, _ := serve(t, f, "3.0.0", "")
	for _, project := range []string{dubbo33, dubbo27} {
		t.Run(project, func(t *testing.T) {
			for _, v := range consume(t, project, map[string]string{"mode": "who", "registry": f.registry(), "version": "3.0.0", "tags": ",gray,unknown", "count": "15"}) {
				want := plain + "||echo-dubway=15"
				if v.Check == "tag:gray" {
					want = gray + "|gray|echo-dubway=15"
				}
				if v.Detail != "{"+want+"}" {
					t.Errorf("%s: %s, want %s", v.Check, v.Detail, want)
				}
			}
		})
	}
}
