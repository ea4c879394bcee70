// Package source holds the small contracts between dubway and whatever keeps a fleet's providers and
// rules: a registry and a config centre. Sources deliver whole states, never deltas.
package source

import (
	"context"

	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/service"
)

// State is everything a registry holds about one service, whole. Each slice is sorted as delivered by
// the registry; the receiver must not change it.
type State struct {
	// Providers, Configurators and Routers are the URL texts of each category (spec §10.1), already decoded.
	// They are texts so that an unchanged list is recognised without parsing and a bad URL is
	// reported by the directory, with the rest of the list kept.
	Providers, Configurators, Routers []string
}

// Event is a new whole value, or news that contact is lost. Err != nil is ambient: Value is to be
// ignored and the last value keeps serving.
type Event[T any] struct {
	Value T
	// Rev identifies the value for display and for recognising repeats; it may be empty.
	Rev string
	Err error
}

// Registry watches the providers and URL rules of services.
//
// Watch calls yield with the current state first and then with each later state, from one goroutine at
// a time, until ctx ends; then it returns ctx's cause. It reconnects by itself: loss of contact is
// an Event with Err. It returns early only for errors that no retry can mend (a bad address, say).
type Registry interface {
	Watch(ctx context.Context, key service.Key, yield func(Event[State])) error
}

// Registrar puts URLs into a registry: providers, consumers, overrides, routes, by their category.
//
// Register returns nil once u is there the first time, and keeps it there (also over session loss) until
// ctx ends, when it takes it out, unless u has dynamic=false, which stays until Unregister.
type Registrar interface {
	Register(ctx context.Context, u durl.URL) error
	Unregister(ctx context.Context, u durl.URL) error
}

// Lister enumerates the service interfaces of a registry, sorted.
type Lister interface {
	Services(ctx context.Context) ([]string, error)
}

// Document is the state of one rule key in a config centre. Exists is false when there is none;
// an existing document may be empty.
type Document struct {
	Text   string
	Exists bool
}

// ConfigCenter watches rule documents by key, in group "dubbo" (spec §10.5). Watch has the contract of
// Registry.Watch; the first event tells the present document, also when there is none.
type ConfigCenter interface {
	Watch(ctx context.Context, key string, yield func(Event[Document])) error
}

// RuleStore reads and changes rule documents. Put validates nothing: callers check first.
type RuleStore interface {
	Get(ctx context.Context, key string) (Document, error)
	Put(ctx context.Context, key, text string) error
	Delete(ctx context.Context, key string) error
	Keys(ctx context.Context) ([]string, error)
}
