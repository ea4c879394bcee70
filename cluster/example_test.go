package cluster_test

import (
	"context"
	"fmt"

	"github.com/dubway-go/dubway/cluster"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/service"
)

// fixed is the smallest cluster.Directory; *directory.Directory is the real one.
type fixed struct{ snapshot *route.Snapshot }

func (f fixed) Snapshot() *route.Snapshot { return f.snapshot }
func (f fixed) Route(inv *rpc.Invocation) (route.Candidates, error) {
	return f.snapshot.Route(inv), nil
}

// transport stands for transport/dubbo.
type transport func(address string) (any, error)

func (t transport) Invoke(_ context.Context, to *service.Instance, inv *rpc.Invocation) (rpc.Result, error) {
	value, err := t(to.Address())
	if err != nil {
		err = &rpc.Error{Code: rpc.Network, Service: inv.Service, Method: inv.Method, Instance: to.Address(), Cause: err}
	}
	return rpc.Result{Value: value}, err
}

// The parameter cluster chooses the strategy; failover tries other providers.
func ExampleForConsumer() {
	consumer, _ := durl.Parse("consumer://10.0.0.9/demo.OrderService?interface=demo.OrderService&cluster=failover&retries=1")
	var list []*service.Instance
	for _, host := range []string{"10.0.0.1", "10.0.0.2"} {
		u, _ := durl.Parse("dubbo://" + host + ":20880/demo.OrderService")
		list = append(list, service.NewInstance(u, u, u))
	}
	snapshot, _ := route.Compile(route.Input{Consumer: service.Consumer{URL: consumer}, Set: service.NewSet(1, list)})

	strategy, err := cluster.ForConsumer(consumer, cluster.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	half := transport(func(address string) (any, error) {
		if address == "10.0.0.1:20880" {
			return nil, fmt.Errorf("connection refused")
		}
		return "order 42 from " + address, nil
	})
	inv := &rpc.Invocation{Service: service.Key{Interface: "demo.OrderService"}, Method: "getOrder", Args: []any{int64(42)}, Seed: 7}
	result, err := strategy.Invoke(context.Background(), fixed{snapshot}, half, inv)
	fmt.Println(result.Value, err)

	none := transport(func(string) (any, error) { return nil, fmt.Errorf("connection refused") })
	_, err = strategy.Invoke(context.Background(), fixed{snapshot}, none, inv)
	fmt.Println(rpc.CodeOf(err))
	// Output:
	// order 42 from 10.0.0.2:20880 <nil>
	// network
}
