// Package service is the instance model: service key, provider instance, calling consumer, and an
// immutable, indexed instance set with a revision.
package service

import "github.com/dubway-go/dubway/durl"

// Key identifies a Dubbo service (spec §1.2). Group and Version may be empty.
type Key struct{ Interface, Group, Version string }

// Instance is one provider of a service as the engine sees it. NewInstance makes it; afterwards it is
// immutable and safe for concurrent use.
type Instance struct {
	// Provider is the URL as the registry delivered it.
	Provider durl.URL
	// URL is the effective URL: provider merged with the consumer (spec §1.6), overrides applied (§9).
	URL durl.URL
	// Labels is the view that condition rules see on their right side (spec §1.3, §9.6).
	Labels durl.URL

	computed
}

// Consumer is the calling side of a directory. It is fixed for the life of a compiled snapshot.
type Consumer struct {
	// URL is the consumer URL as routers receive it (spec §1.7).
	URL durl.URL
}
