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
	set, err := Set(providers)
	if err != nil {
		return nil, err
	}
	return Over(set, consumer)
}

// Set parses the providers.
func Set(providers []string) (*service.Set, error) {
	list := make([]*service.Instance, len(providers))
	for i, text := range providers {
		u, err := durl.Parse(text)
		if err != nil {
			return nil, fmt.Errorf("provider: %w", err)
		}
		list[i] = service.NewInstance(u, u, u)
	}
	return service.NewSet(1, list), nil
}

// Over returns an engine over instances that engines may share.
func Over(set *service.Set, consumer string) (*Engine, error) {
	self, err := durl.Parse(consumer)
	if err != nil {
		return nil, fmt.Errorf("consumer: %w", err)
	}
	random, err := balance.New("random", balance.Options{})
	if err != nil {
		return nil, fmt.Errorf("balancer: %w", err)
	}
	e := &Engine{Balancer: random, in: route.Input{Consumer: service.Consumer{URL: self}, Set: set}}
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

// Only leaves nothing but the named routers in the chain; Compile makes it active.
func (e *Engine) Only(routers ...string) {
	e.in.Chain = route.DefaultChain(dialect.Standard).Only(routers...)
}

// Update makes a new snapshot of what was set, reusing what it has in common with the last one, as a directory does.
func (e *Engine) Update() error {
	e.in.Previous = e.Snapshot
	err := e.Compile()
	e.in.Previous = nil
	return err
}

// Renew gives the engine a new set of the same instances, with no index built yet.
func (e *Engine) Renew() {
	list := make([]*service.Instance, e.in.Set.Len())
	for i := range list {
		list[i] = e.in.Set.At(i)
	}
	e.in.Set = service.NewSet(e.in.Set.Revision()+1, list)
}

// Compile makes a new snapshot of what was set, from nothing but the set.
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
