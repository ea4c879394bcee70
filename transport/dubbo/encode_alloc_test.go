package dubbo

import (
	"testing"
	"time"

	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/service"
)

// Encoding a request allocates nothing once its buffer has grown.
func TestEncodeAllocatesNothing(t *testing.T) {
	o := ClientOptions{}.withDefaults()
	k := newClientCodec(&o)
	tg := newTarget(nil, &service.Instance{}, service.Key{Interface: "com.example.Echo", Version: "1.0.0"}, "web")
	inv := &rpc.Invocation{Method: "hi", ParamTypes: []string{"java.lang.String"}, Args: []any{"x"}, Attachments: rpc.Attachments{{Key: rpc.TagKey, Value: "gray"}}}
	for _, inv.Direct = range []bool{false, true} {
		if got := testing.AllocsPerRun(1000, func() {
			if err := tg.encode(k, inv, time.Second, 1<<20); err != nil {
				t.Fatal(err)
			}
		}); got != 0 {
			t.Errorf("direct=%v: %v allocations", inv.Direct, got)
		}
	}
}
