package conformance

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/directory"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/service"
)

type directoryCase struct {
	Reference string   `json:"reference"`
	Watch     []string `json:"watch"`
	Call      Call     `json:"call"`
	Steps     []struct {
		Op   string   `json:"op"`
		Key  string   `json:"key"`
		Text string   `json:"text"`
		URLs []string `json:"urls"`
		Call Call     `json:"call"`
	} `json:"steps"`
}

type directoryAnswer struct {
	After []directoryState `json:"after"`
}

type directoryState struct {
	List     []string `json:"list"`
	Code     *int     `json:"code"`
	Refers   int      `json:"refers"`
	Destroys int      `json:"destroys"`
	Notify   string   `json:"notify"`
}

func (s *directoryState) String() string {
	answer := fmt.Sprintf("%q", s.List)
	if s.Code != nil {
		answer = fmt.Sprintf("code %d", *s.Code)
	}
	return fmt.Sprintf("%s refers %d destroys %d %s", answer, s.Refers, s.Destroys, s.Notify)
}

func states(list []directoryState) string {
	out := make([]string, len(list))
	for i := range list {
		out[i] = list[i].String()
	}
	return strings.Join(out, "\n       ")
}

// replayDirectory hands notifications and documents to one directory and lists the call after each.
func replayDirectory(raw []byte, d dialect.Dialect, expect []byte) (want, got string, err error) {
	var c directoryCase
	var a directoryAnswer
	if err := decode(raw, &c, expect, &a); err != nil {
		return "", "", err
	}
	want = states(a.After)
	consumer, err := durl.ParseAs("consumer://10.0.0.9/x?"+c.Reference, d)
	if err != nil {
		return want, "bad-url", nil
	}
	key := service.Key{Interface: consumer.Interface(), Group: consumer.Group(), Version: consumer.Version()}
	// The recordings know the protocols dubbo and registry, later than 2.6 also mock.
	o := directory.Options{Dialect: d, Protocols: []string{"dubbo", "registry"}}
	if d != dialect.Dubbo26 {
		o.Protocols = append(o.Protocols, "mock")
	}
	r, err := directory.NewReplay(key, consumer, o)
	if err != nil {
		return want, "", fmt.Errorf("conformance: %w", err)
	}
	call := c.Call
	var out []directoryState
	for _, s := range c.Steps {
		var state directoryState
		switch s.Op {
		case "notify":
			if !r.Notify(s.URLs) {
				state.Notify = "failed"
			}
		case "set":
			r.SetDocument(s.Key, s.Text)
		case "delete":
			r.DeleteDocument(s.Key)
		case "call":
			call = s.Call
		default:
			return want, "", fmt.Errorf("conformance: unknown step %q", s.Op)
		}
		state.list(r, &call, c.Watch, d)
		out = append(out, state)
	}
	return want, states(out), nil
}

// list fills in what a call gives now.
func (s *directoryState) list(r *directory.Replay, call *Call, watch []string, d dialect.Dialect) {
	candidates, err := r.Route(call.invocation())
	s.Refers, s.Destroys = r.Created(), r.Retired()
	if err != nil {
		code := int(rpc.CodeOf(err))
		s.Code = &code
		return
	}
	s.List = []string{}
	for i := range candidates.Len() {
		in := candidates.At(i)
		text, sep := in.URL.Scheme()+"://"+in.Address(), "?"
		for _, k := range watch {
			// 2.6 reads an empty parameter as an absent one.
			if v, ok := in.URL.Param(k); ok && (v != "" || d != dialect.Dubbo26) {
				text += sep + k + "=" + v
				sep = "&"
			}
		}
		s.List = append(s.List, text)
	}
	slices.Sort(s.List)
}
