// Package dubway drives dubway's engine with the shared workloads.
package dubway

import (
	"fmt"

	"github.com/dubway-go/dubway/balance"
	"github.com/dubway-go/dubway/bench/workload"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/rule"
	"github.com/dubway-go/dubway/service"
)

// Engine is one compiled snapshot with a random balancer. It is safe for concurrent use once Compile returned.
type Engine struct {
	Snapshot *route.Snapshot
	Balancer balance.Balancer
	in       route.Input
}

// New parses the providers and the consumer and compiles them without rules.
func New(providers []string, consumer string) (*Engine, error) {
	self, err := durl.Parse(consumer)
	if err != nil {
		return nil, fmt.Errorf("consumer: %w", err)
	}
	list := make([]*service.Instance, len(providers))
	for i, text := range providers {
		u, err := durl.Parse(text)
		if err != nil {
			return nil, fmt.Errorf("provider: %w", err)
		}
		list[i] = service.NewInstance(u, u, u)
	}
	random, err := balance.New("random", balance.Options{})
	if err != nil {
		return nil, fmt.Errorf("balancer: %w", err)
	}
	e := &Engine{Balancer: random, in: route.Input{Consumer: service.Consumer{URL: self}, Set: service.NewSet(1, list)}}
	return e, e.Compile()
}

// Service sets the service condition document; Compile makes it active.
func (e *Engine) Service(text string) error {
	doc, findings := rule.ParseConditionDocument(rule.Origin{Source: "code", Name: workload.Interface + "::.condition-router"}, text, dialect.Standard)
	e.in.Rules.Service = doc
	return findings.Err()
}

// Tag sets the dynamic tag document; Compile makes it active.
func (e *Engine) Tag(text string) error {
	doc, findings := rule.ParseTagDocument(rule.Origin{Source: "code", Name: workload.ProviderApp + ".tag-router"}, text, dialect.Standard)
	e.in.Rules.Tag = doc
	return findings.Err()
}

// Compile makes a new snapshot of what was set.
func (e *Engine) Compile() error {
	snapshot, findings := route.Compile(e.in)
	if err := findings.Err(); err != nil {
		return err
	}
	e.Snapshot = snapshot
	return nil
}

// Invocation is the call of every workload; tag may be empty.
func Invocation(tag string) *rpc.Invocation {
	inv := &rpc.Invocation{Service: service.Key{Interface: workload.Interface}, Method: workload.Method, Args: workload.Args()}
	for k, v := range workload.Attachments(tag) {
		inv.Attachments = append(inv.Attachments, rpc.Attachment{Key: k, Value: v})
	}
	return inv
}
