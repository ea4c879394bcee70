package dubway_test

import (
	"context"
	"testing"

	"github.com/dubway-go/dubway"
	"github.com/dubway-go/dubway/source/mem"
)

// BenchmarkCall is the whole way of a call: route, pick, encode, loopback TCP, serve by reflection, decode.
func BenchmarkCall(b *testing.B) {
	registry := mem.New()
	for range 3 {
		s := dubway.NewServer(dubway.ServerOptions{Application: "order", Registrar: registry, Notice: -1})
		if err := s.Handle("com.example.OrderService", OrderService{}); err != nil {
			b.Fatal(err)
		}
		if err := s.Start(context.Background(), "127.0.0.1:0"); err != nil {
			b.Fatal(err)
		}
		defer func() { _ = s.Shutdown(context.Background()) }()
	}
	client, err := dubway.Dial(context.Background(), dubway.Options{Registry: registry, Rules: registry.Rules()})
	if err != nil {
		b.Fatal(err)
	}
	defer client.Close()
	orders, err := client.Service("com.example.OrderService")
	if err != nil {
		b.Fatal(err)
	}
	ctx := dubway.WithTag(context.Background(), "gray")
	b.ReportAllocs()
	b.SetParallelism(32)
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := orders.Call(ctx, "getOrder", int64(42)); err != nil {
				b.Error(err)
				return
			}
		}
	})
}
