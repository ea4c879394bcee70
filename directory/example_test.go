package directory_test

import (
	"context"
	"fmt"

	"github.com/dubway-go/dubway/directory"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/service"
	"github.com/dubway-go/dubway/source/mem"
)

// A directory on the embedded registry and config centre: two providers, one rule.
func ExampleOpen() {
	ctx := context.Background()
	store := mem.New()
	for _, text := range []string{
		"dubbo://10.0.0.1:20880/com.example.OrderService?application=shop&interface=com.example.OrderService&region=hz",
		"dubbo://10.0.0.2:20880/com.example.OrderService?application=shop&interface=com.example.OrderService&region=bj",
	} {
		u, err := durl.Parse(text)
		if err != nil {
			fmt.Println(err)
			return
		}
		if err := store.Register(ctx, u); err != nil {
			fmt.Println(err)
			return
		}
	}
	if err := store.Put(ctx, "com.example.OrderService::.condition-router", "conditions: [\"method=get* => region=hz\"]"); err != nil {
		fmt.Println(err)
		return
	}
	consumer, err := durl.Parse("consumer://10.0.0.9/com.example.OrderService?application=web")
	if err != nil {
		fmt.Println(err)
		return
	}
	key := service.Key{Interface: "com.example.OrderService"}
	d, err := directory.Open(ctx, key, directory.Options{Registry: store, Config: store.Rules(), Consumer: consumer, Check: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer d.Close()

	inv := &rpc.Invocation{Service: key, Method: "getOrder"}
	in, err := d.Pick(inv)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(in.Address())
	fmt.Println(d.ExplainNot("10.0.0.2:20880", inv).Message)
	// Output:
	// 10.0.0.1:20880
	// 10.0.0.2:20880 was taken out by the service router, rule com.example.OrderService::.condition-router:1:15 "method=get* => region=hz": wanted region=hz, has "bj"
}
