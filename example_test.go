package dubway_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/dubway-go/dubway"
	"github.com/dubway-go/dubway/source/mem"
)

// Order is what the examples' service answers.
type Order struct {
	ID     int64  `hessian:"id"`
	Status string `hessian:"status"`
}

// OrderService is an ordinary Go type: its exported methods serve.
type OrderService struct{}

// GetOrder is called as getOrder.
func (OrderService) GetOrder(_ context.Context, id int64) (*Order, error) {
	return &Order{ID: id, Status: "PAID"}, nil
}

// A provider: Go methods served over the Dubbo protocol and kept in a registry. Package source/zk has the ZooKeeper registry;
// mem is the embedded one.
func Example_provider() {
	ctx, stop := context.WithCancel(context.Background())
	registry := mem.New() // or zk.Open(ctx, "zookeeper://127.0.0.1:2181", zk.Options{})

	server := dubway.NewServer(dubway.ServerOptions{Application: "order", Registrar: registry, Notice: -1})
	if err := server.Handle("com.example.OrderService", OrderService{}); err != nil {
		log.Fatal(err)
	}
	time.AfterFunc(10*time.Millisecond, stop) // a real provider ends at SIGTERM
	if err := server.ListenAndServe(ctx, "127.0.0.1:0"); err != nil {
		log.Fatal(err)
	}
	fmt.Println("stopped")
	// Output: stopped
}

// A consumer: providers and rules come from the registry, the tag of the request rides on the context.
func Example_consumer() {
	ctx := context.Background()
	registry := startProvider("")

	client, err := dubway.Dial(ctx, dubway.Options{Application: "shop-web", Registry: registry, Rules: registry.Rules()})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	orders, err := client.Service("com.example.OrderService")
	if err != nil {
		log.Fatal(err)
	}
	var order Order
	err = orders.CallInto(dubway.WithTag(ctx, "gray"), &order, "getOrder", int64(42))
	fmt.Println(order.ID, order.Status, err)
	// Output: 42 PAID <nil>
}

// A failed call says why: the code, and which rule left no provider.
func ExampleError() {
	ctx := context.Background()
	registry := startProvider("gray")
	client, err := dubway.Dial(ctx, dubway.Options{Registry: registry, Rules: registry.Rules()})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	orders, err := client.Service("com.example.OrderService")
	if err != nil {
		log.Fatal(err)
	}
	_, err = orders.Call(ctx, "getOrder", int64(42)) // untagged, and the only provider is tagged
	if failure, ok := errors.AsType[*dubway.Error](err); ok {
		fmt.Println(failure.Code)
	}
	// Output: no-provider
}

// Explain answers where a call would go, without making it.
func ExampleService_Explain() {
	ctx := context.Background()
	registry := startProvider("")
	client, err := dubway.Dial(ctx, dubway.Options{Registry: registry, Rules: registry.Rules()})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	orders, err := client.Service("com.example.OrderService")
	if err != nil {
		log.Fatal(err)
	}
	if err := registry.Put(ctx, "com.example.OrderService::.condition-router", "force: true\nconditions:\n  - method=get* => region=hangzhou\n"); err != nil {
		log.Fatal(err)
	}
	for len(orders.Explain(ctx, "getOrder").Trace.Left) > 0 {
		<-orders.Directory().Changed() // rules arrive within milliseconds
	}
	fmt.Println(orders.Explain(ctx, "getOrder").Trace.Short())
	// Output: 1 provider; service rule com.example.OrderService::.condition-router:3:5 "method=get* => region=hangzhou" left 0 (forced)
}

// Several groups: the menus of two regions, each its own group, come back as one list.
func Example_groups() {
	ctx := context.Background()
	registry := mem.New()
	for _, region := range []string{"hangzhou", "beijing"} {
		server := dubway.NewServer(dubway.ServerOptions{Application: "menu", Registrar: registry, Notice: -1})
		menus := dubway.HandlerFunc(func(context.Context, *dubway.Request) (any, error) {
			return []string{"noodles of " + region}, nil
		})
		if err := server.Handle(region+"/com.example.MenuService", menus); err != nil {
			log.Fatal(err)
		}
		if err := server.Start(ctx, "127.0.0.1:0"); err != nil {
			log.Fatal(err)
		}
		exampleServers = append(exampleServers, server)
	}

	client, err := dubway.Dial(ctx, dubway.Options{Application: "shop-web", Registry: registry})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	menus, err := client.ServiceWith(ctx, "com.example.MenuService", dubway.ServiceOptions{Group: "hangzhou,beijing", Merger: "true"})
	if err != nil {
		log.Fatal(err)
	}
	var all []string
	if err := menus.CallInto(ctx, &all, "getMenus"); err != nil {
		log.Fatal(err)
	}
	fmt.Println(all)
	// Output: [noodles of hangzhou noodles of beijing]
}

// Several registries: a call goes to the one of its zone.
func Example_registries() {
	ctx := context.Background()
	hangzhou, beijing := startProvider("hz"), startProvider("bj")

	client, err := dubway.Dial(ctx, dubway.Options{Application: "shop-web", Registries: []dubway.RegistryOptions{
		{Name: "hangzhou", Registry: hangzhou, Zone: "hz"},
		{Name: "beijing", Registry: beijing, Zone: "bj"},
	}})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	orders, err := client.Service("com.example.OrderService")
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range orders.Explain(dubway.WithZone(ctx, "bj", false), "getOrder").Registries {
		fmt.Println(r.Name, r.Reason)
	}
	// Output:
	// hangzhou not-chosen
	// beijing same-zone
}
