package dubbo_test

import (
	"context"
	"strings"
	"testing"

	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/transport/dubbo"
)

// The whole path, client and server together: the text is decoded twice and boxed twice; the server makes the call that
// the handler may keep, which has room for a few scalar arguments.
func TestAllocationsOfACall(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	_, address := serve(t, dubbo.ServerOptions{}, echo)
	c := newClient(t, dubbo.ClientOptions{Application: "web"})
	to := instance(t, address, "&timeout=10000")
	text := strings.Repeat("p", 100)
	tag := rpc.Attachments{{Key: rpc.TagKey, Value: "gray"}}
	types := []string{"java.lang.String"}
	for name, test := range map[string]struct {
		inv  *rpc.Invocation
		most float64
	}{
		"direct":  {&rpc.Invocation{Service: echoKey, Method: "hi", ParamTypes: types, Args: []any{text}, Attachments: tag, Direct: true}, 5},
		"generic": {&rpc.Invocation{Service: echoKey, Method: "hi", ParamTypes: types, Args: []any{text}, Attachments: tag}, 5},
	} {
		ctx := context.Background()
		do := func() {
			if _, err := c.Invoke(ctx, to, test.inv); err != nil {
				t.Fatal(err)
			}
		}
		for range 100 {
			do()
		}
		got := testing.AllocsPerRun(2000, do)
		t.Logf("%s: %.1f allocations", name, got)
		if got > test.most {
			t.Errorf("%s: %.1f allocations, want at most %.0f", name, got, test.most)
		}
	}
}
