package dubway_test

import (
	"context"
	"testing"

	"github.com/dubway-go/dubway"
	"github.com/dubway-go/dubway/source/mem"
)

type simpleService struct{}

func (simpleService) Double(n int64) int64 { return 2 * n }

func (simpleService) Hello(_ context.Context, name string) (string, error) {
	return "hello " + name, nil
}

// TestAllocationsOfACall counts the whole way, client and server together: route, pick, encode, decode, reflect, and back.
// A long takes 8: arguments and invocation at the client, call, argument and request at the server, reflect's list of results
// and the result, the value at the client. A text has another for its bytes on each side, for the error that reflect boxes, and for "hello ".
func TestAllocationsOfACall(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	registry := mem.New()
	serve(t, registry, dubway.ServerOptions{}, "com.example.Simple", simpleService{})
	serve(t, registry, dubway.ServerOptions{}, "com.example.Simple", simpleService{})
	s := open(t, dial(t, registry, dubway.Options{}), "com.example.Simple")
	ctx := dubway.WithTag(context.Background(), "gray")
	for _, tt := range []struct {
		method    string
		arg, want any
		most      float64
	}{
		{"double", int64(1000), int64(2000), 8},
		{"hello", "Dubbo", "hello Dubbo", 12},
	} {
		do := func() {
			if got, err := s.Call(ctx, tt.method, tt.arg); err != nil || got != tt.want {
				t.Fatal(got, err)
			}
		}
		for range 200 {
			do()
		}
		n := testing.AllocsPerRun(2000, do)
		t.Logf("%s: %.0f allocations", tt.method, n)
		if n > tt.most {
			t.Errorf("%s: %.0f allocations, want at most %.0f", tt.method, n, tt.most)
		}
	}
}
