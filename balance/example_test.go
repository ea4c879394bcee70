package balance_test

import (
	"fmt"

	"github.com/dubway-go/dubway/balance"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/service"
)

// The parameter loadbalance of the providers' effective URLs chooses the balancer.
func ExampleSelector() {
	var list []*service.Instance
	for i, weight := range []int{3, 1} {
		u, _ := durl.Parse(fmt.Sprintf("dubbo://10.0.0.%d:20880/demo.OrderService?loadbalance=roundrobin&weight=%d", i+1, weight))
		list = append(list, service.NewInstance(u, u, u))
	}
	consumer, _ := durl.Parse("consumer://10.0.0.9/demo.OrderService?interface=demo.OrderService")
	snapshot, _ := route.Compile(route.Input{Consumer: service.Consumer{URL: consumer}, Set: service.NewSet(1, list)})

	balancer, err := balance.NewSelector(balance.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	inv := &rpc.Invocation{Service: service.Key{Interface: "demo.OrderService"}, Method: "getOrder"}
	for range 4 {
		candidates := snapshot.Route(inv)
		fmt.Println(candidates.At(balancer.Pick(candidates, inv)).Address())
	}
	// Output:
	// 10.0.0.1:20880
	// 10.0.0.1:20880
	// 10.0.0.2:20880
	// 10.0.0.1:20880
}
