package dubbogo

import (
	"fmt"

	_ "dubbo.apache.org/dubbo-go/v3/cluster/loadbalance/consistenthashing"
	_ "dubbo.apache.org/dubbo-go/v3/cluster/loadbalance/leastactive"
	_ "dubbo.apache.org/dubbo-go/v3/cluster/loadbalance/p2c"
	_ "dubbo.apache.org/dubbo-go/v3/cluster/loadbalance/random"
	_ "dubbo.apache.org/dubbo-go/v3/cluster/loadbalance/roundrobin"

	"dubbo.apache.org/dubbo-go/v3/cluster/loadbalance"
	"dubbo.apache.org/dubbo-go/v3/common/extension"
	"dubbo.apache.org/dubbo-go/v3/protocol/base"
)

// Balancer is one of dubbo-go's load balancers.
type Balancer struct{ lb loadbalance.LoadBalance }

// NewBalancer returns dubbo-go's balancer of a name: random, roundrobin, leastactive, consistenthashing or p2c.
func NewBalancer(name string) (b *Balancer, err error) {
	defer func() {
		if r := recover(); r != nil { // its extension table panics on names that it does not have
			err = fmt.Errorf("load balancer %q: %v", name, r)
		}
	}()
	return &Balancer{extension.GetLoadbalance(name)}, nil
}

// Pick chooses one of the invokers, of which there must be some.
func (b *Balancer) Pick(invokers []base.Invoker, call base.Invocation) bool {
	return b.lb.Select(invokers, call) != nil
}
