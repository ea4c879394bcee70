package dubbogo

import (
	"fmt"

	// The routers that dubbo-go's chain is made of by default.
	_ "dubbo.apache.org/dubbo-go/v3/cluster/router/condition"
	_ "dubbo.apache.org/dubbo-go/v3/cluster/router/tag"

	"dubbo.apache.org/dubbo-go/v3/cluster/directory"
	"dubbo.apache.org/dubbo-go/v3/common"
	"dubbo.apache.org/dubbo-go/v3/common/constant"
	"dubbo.apache.org/dubbo-go/v3/common/extension"
	"dubbo.apache.org/dubbo-go/v3/protocol/base"
	"dubbo.apache.org/dubbo-go/v3/protocol/protocolwrapper"
	"dubbo.apache.org/dubbo-go/v3/registry"
	regdir "dubbo.apache.org/dubbo-go/v3/registry/directory"
	"dubbo.apache.org/dubbo-go/v3/remoting"
)

// Directory is dubbo-go's registry directory without a registry behind it. Its invokers are inert: they open no connection.
type Directory struct{ d listener }

type listener interface {
	directory.Directory
	registry.NotifyListener
}

// inert refers to providers without connecting to them.
type inert struct{ base.BaseProtocol }

func (*inert) Refer(u *common.URL) base.Invoker { return base.NewBaseInvoker(u) }

// NewDirectory returns an empty directory for the consumer. It replaces dubbo-go's protocol wrapper for the whole process.
func NewDirectory(consumer string) (*Directory, error) {
	extension.SetProtocol(protocolwrapper.FILTER, func() base.Protocol { return new(inert) })
	self, err := common.NewURL(consumer)
	if err != nil {
		return nil, fmt.Errorf("consumer: %w", err)
	}
	at, err := common.NewURL("mock://127.0.0.1:1111")
	if err != nil {
		return nil, fmt.Errorf("registry: %w", err)
	}
	at.SubURL = self
	at.SetParam(constant.ApplicationKey, self.GetParam(constant.ApplicationKey, ""))
	r, err := registry.NewMockRegistry(&common.URL{})
	if err != nil {
		return nil, fmt.Errorf("registry: %w", err)
	}
	d, err := regdir.NewRegistryDirectory(at, r)
	if err != nil {
		return nil, fmt.Errorf("directory: %w", err)
	}
	both, ok := d.(listener)
	if !ok {
		return nil, fmt.Errorf("directory: %T takes no notifications", d)
	}
	return &Directory{both}, nil
}

// Notify hands over a whole list, parsed anew as dubbo-go's registries do, and returns how many invokers there are then.
func (d *Directory) Notify(providers []string) (int, error) {
	events := make([]*registry.ServiceEvent, 0, len(providers))
	for _, text := range providers {
		u, err := common.NewURL(text)
		if err != nil {
			return 0, fmt.Errorf("provider: %w", err)
		}
		events = append(events, &registry.ServiceEvent{Action: remoting.EventTypeUpdate, Service: u})
	}
	d.d.NotifyAll(events, func() {})
	return len(d.d.List(Call("getUser", nil, nil))), nil
}
