// Package source holds the small contracts between dubway and whatever keeps a fleet's providers and
// rules: a registry and a config centre. Sources deliver whole states, never deltas.
//
// Registry and ConfigCenter both watch, so no one type can be both: an adapter that is a registry and
// a config centre (mem, zk) is the Registry, Registrar and Lister itself and hands out its config centre
// from a method Rules, whose result is a ConfigCenter and a RuleStore.
package source

import (
	"context"

	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/service"
)

// State is everything a registry holds about one service interface, whole: URLs of every group and
// version, because matching (spec §1.8) is the receiver's. Each slice is sorted by text, so equal sets are equal
// slices; the receiver must not change it. Registered consumers are no part of it.
type State struct {
	// Providers, Configurators and Routers are the URL texts of each category (spec §10.1), already decoded.
	// They are texts so that an unchanged list is recognised without parsing and a bad URL is
	// reported by the directory, with the rest of the list kept.
	Providers, Configurators, Routers []string
	// Held says that the source itself holds on to the slices and their texts while this is the state, and that a text which
	// stays from one state to the next is the same string again, not only an equal one. A receiver may then keep the slices,
	// at no cost, and so sees what changed without reading the texts. Of a state that is not held it should keep nothing.
	Held bool
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
// Watch calls yield with the current state first (also when it is empty) and then with later states,
// from one goroutine at a time, until ctx ends; then it returns ctx's cause. A slow yield holds up nobody
// else: states that came meanwhile are skipped, the newest is delivered. It reconnects by
// itself: loss of contact is an Event with Err, once a loss, and the return of contact is a normal event, also
// when nothing changed meanwhile. It returns early only for errors that no retry can mend (no
// interface, say), and when the source itself is closed.
type Registry interface {
	Watch(ctx context.Context, key service.Key, yield func(Event[State])) error
}

// Registrar puts URLs into a registry: providers, consumers, overrides, routes, by their category.
//
// Register returns nil once u is there the first time, and keeps it there (also over session loss) until
// ctx ends, when it takes it out, unless u has dynamic=false, which stays until Unregister. A URL that was
// registered twice goes when both contexts ended. Unregister takes u out at once, whoever put
// it there, and is no error when there is none. The text that watchers see is u.String().
type Registrar interface {
	Register(ctx context.Context, u durl.URL) error
	Unregister(ctx context.Context, u durl.URL) error
}

// Lister enumerates the service interfaces of a registry, sorted. An interface whose last URL is gone may
// still be listed: ZooKeeper keeps its folders.
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

// RuleStore reads and changes rule documents. Put validates nothing but CheckKey and CheckText: callers check
// the rule first. Get of an absent key is no error, neither is Delete. Keys is sorted.
type RuleStore interface {
	Get(ctx context.Context, key string) (Document, error)
	Put(ctx context.Context, key, text string) error
	Delete(ctx context.Context, key string) error
	Keys(ctx context.Context) ([]string, error)
}
