// Package admin is the daemon's JSON API over HTTP and its Go client: services and their state, explain, rules, calls, traffic,
// health and metrics. It owns the wire types; docs/admin.md shows every request. The command line talks to nothing else.
package admin
