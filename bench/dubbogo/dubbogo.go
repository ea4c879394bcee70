// Package dubbogo drives dubbo-go's own routers with the shared workloads, so that both engines are
// measured in one run. It uses what dubbo-go v3.3.1 exports and changes nothing in it.
package dubbogo

import (
	"fmt"
	"maps"

	"github.com/dubbogo/gost/log/logger"
	"go.uber.org/zap"

	"dubbo.apache.org/dubbo-go/v3/cluster/router/condition"
	"dubbo.apache.org/dubbo-go/v3/cluster/router/script"
	"dubbo.apache.org/dubbo-go/v3/cluster/router/tag"
	"dubbo.apache.org/dubbo-go/v3/common"
	"dubbo.apache.org/dubbo-go/v3/config_center"
	"dubbo.apache.org/dubbo-go/v3/protocol/base"
	"dubbo.apache.org/dubbo-go/v3/protocol/invocation"
	"dubbo.apache.org/dubbo-go/v3/remoting"

	"github.com/dubway-go/dubway/bench/workload"
)

// router is what every router of dubbo-go offers.
type router interface {
	Route([]base.Invoker, *common.URL, base.Invocation) []base.Invoker
}

// Engine is dubbo-go's routers over one provider list. It is not safe for concurrent use.
type Engine struct {
	invokers []base.Invoker
	consumer *common.URL
	routers  []router
}

// Quiet turns dubbo-go's logging off for the process; its routers log on the routing path.
func Quiet() { logger.SetLogger(zap.NewNop().Sugar()) }

// New parses the providers and the consumer.
func New(providers []string, consumer string) (*Engine, error) {
	self, err := common.NewURL(consumer)
	if err != nil {
		return nil, fmt.Errorf("consumer: %w", err)
	}
	e := &Engine{consumer: self}
	if e.invokers, err = Invokers(providers); err != nil {
		return nil, err
	}
	return e, nil
}

// Over returns an engine over invokers that engines may share.
func Over(invokers []base.Invoker, consumer string) (*Engine, error) {
	self, err := common.NewURL(consumer)
	if err != nil {
		return nil, fmt.Errorf("consumer: %w", err)
	}
	return &Engine{consumer: self, invokers: invokers}, nil
}

// Invokers parses the providers.
func Invokers(providers []string) ([]base.Invoker, error) {
	out := make([]base.Invoker, 0, len(providers))
	for _, text := range providers {
		u, err := common.NewURL(text)
		if err != nil {
			return nil, fmt.Errorf("provider: %w", err)
		}
		out = append(out, base.NewBaseInvoker(u))
	}
	return out, nil
}

// Tag adds the tag router, with the rule document text unless it is empty. The router looks for the rule under the
// application of the URL it is given, so the provider application's key is not found: see docs/benchmarks.md. The function it
// returns replaces the document.
func (e *Engine) Tag(key, text string) (replace func(text string), err error) {
	r, err := tag.NewTagPriorityRouter()
	if err != nil {
		return nil, fmt.Errorf("tag router: %w", err)
	}
	replace = func(text string) {
		r.Process(&config_center.ConfigChangeEvent{Key: key, Value: text, ConfigType: remoting.EventTypeUpdate})
	}
	if text != "" {
		replace(text)
	}
	e.routers = append(e.routers, r)
	return replace, nil
}

// PortScript is a document of the script workload in dubbo-go's words: its scripts see Go values, not Dubbo's Java ones.
const PortScript = `configVersion: v3.0
scope: application
force: true
enabled: true
type: javascript
key: ` + workload.ProviderApp + `
script: |
  (function route(invokers, invocation, context) {
    var result = [];
    for (var i = 0; i < invokers.length; i++) {
      if (invokers[i].GetURL().Port === "20880") {
        result.push(invokers[i]);
      }
    }
    return result;
  }(invokers, invocation, context));
`

// Script adds the script router with a document.
func (e *Engine) Script(key, text string) {
	r := script.NewScriptRouter()
	r.Process(&config_center.ConfigChangeEvent{Key: key, Value: text, ConfigType: remoting.EventTypeUpdate})
	e.routers = append(e.routers, r)
}

// Service adds the service condition router with the rule document text; the function it returns replaces the document.
func (e *Engine) Service(key, text string) (replace func(text string)) {
	r := condition.NewServiceRouter()
	replace = func(text string) {
		r.Process(&config_center.ConfigChangeEvent{Key: key, Value: text, ConfigType: remoting.EventTypeUpdate})
	}
	if text != "" {
		replace(text)
	}
	e.routers = append(e.routers, r)
	return replace
}

// Route runs the chain as dubbo-go does and returns how many providers are left.
func (e *Engine) Route(call base.Invocation) int {
	left := make([]base.Invoker, 0, len(e.invokers))
	self := e.consumer.ServiceKey()
	for _, in := range e.invokers {
		if in.GetURL().ServiceKey() == self {
			left = append(left, in)
		}
	}
	if len(left) == 0 {
		left = e.invokers
	}
	for _, r := range e.routers {
		left = r.Route(left, e.consumer, call)
	}
	return len(left)
}

// Call builds an invocation. The map is copied.
func Call(method string, args []any, attachments map[string]any) base.Invocation {
	return invocation.NewRPCInvocation(method, args, maps.Clone(attachments))
}
