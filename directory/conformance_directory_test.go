package directory_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/directory"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/service"
)

type recordedCall struct {
	Method      string
	Args        []any
	ArgTypes    []string
	Attachments map[string]any
}

func (c recordedCall) invocation(key service.Key) *rpc.Invocation {
	inv := &rpc.Invocation{Service: key, Method: c.Method, Args: c.Args, ParamTypes: c.ArgTypes, Direct: true}
	for k, v := range c.Attachments {
		inv.Attachments = inv.Attachments.With(k, v)
	}
	return inv
}

type directoryCase struct {
	ID        string
	Reference string
	Watch     []string
	Call      recordedCall
	Steps     []struct {
		Op, Key, Text string
		URLs          []string
		Call          recordedCall
	}
	Expect map[string]struct{ After []json.RawMessage }
}

// TestConformanceDirectory replays area directory: sequences of notifications on a real RegistryDirectory.
func TestConformanceDirectory(t *testing.T) {
	score := newTally(t)
	for _, c := range readCases[directoryCase](t, "directory") {
		for version, want := range c.Expect {
			d := versions[version]
			var expect []string
			for _, raw := range want.After {
				var v map[string]any
				if err := json.Unmarshal(raw, &v); err != nil {
					t.Fatal(err)
				}
				b, _ := json.Marshal(v)
				expect = append(expect, string(b))
			}
			score.check(c.ID, d, strings.Join(replay(t, c, d), "\n     "), strings.Join(expect, "\n     "))
		}
	}
	score.report("directory")
}

func replay(t *testing.T, c directoryCase, d dialect.Dialect) []string {
	t.Helper()
	consumer, err := durl.ParseAs("consumer://10.0.0.9/x?"+c.Reference, d)
	if err != nil {
		t.Fatal(err)
	}
	key := service.Key{Interface: consumer.Interface(), Group: consumer.Group(), Version: consumer.Version()}
	o := directory.Options{Dialect: d, Protocols: []string{"dubbo", "mock", "registry"}}
	if d == dialect.Dubbo26 {
		o.Protocols = []string{"dubbo", "registry"} // the recording with 2.6.12 knew no protocol mock
	}
	r, err := directory.NewReplay(key, consumer, o)
	if err != nil {
		t.Fatal(err)
	}
	call := c.Call
	var out []string
	for _, s := range c.Steps {
		answer := map[string]any{}
		switch s.Op {
		case "notify":
			if !r.Notify(s.URLs) {
				answer["notify"] = "failed"
			}
		case "set":
			r.SetDocument(s.Key, s.Text)
		case "delete":
			r.DeleteDocument(s.Key)
		case "call":
			call = s.Call
		default:
			t.Fatalf("unknown step %q", s.Op)
		}
		candidates, err := r.Route(call.invocation(key))
		if err != nil {
			answer["code"] = int(rpc.CodeOf(err))
		} else {
			list := []string{}
			for i := range candidates.Len() {
				list = append(list, shown(candidates.At(i), c.Watch))
			}
			slices.Sort(list)
			answer["list"] = list
		}
		answer["refers"], answer["destroys"] = r.Created(), r.Retired()
		b, _ := json.Marshal(answer)
		out = append(out, string(b))
	}
	return out
}

func shown(in *service.Instance, watch []string) string {
	text := in.URL.Scheme() + "://" + in.Address()
	sep := "?"
	for _, k := range watch {
		if v, ok := in.URL.Param(k); ok {
			text += fmt.Sprintf("%s%s=%s", sep, k, v)
			sep = "&"
		}
	}
	return text
}
